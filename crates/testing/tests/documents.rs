//! Everything that the documents for contributors name exists.

use rulebound_testing::{Document, repository};

#[test]
fn contributing_names_what_is_there() {
    let document = Document::read(&repository(), "CONTRIBUTING.md");
    assert_eq!(document.missing_paths(), Vec::<String>::new());
    assert_eq!(document.missing_items(), Vec::<String>::new());
}

#[test]
fn the_architecture_is_that_of_the_code() {
    let document = Document::read(&repository(), "ARCHITECTURE.md");
    assert_eq!(document.missing_modules(), Vec::<String>::new());
    assert_eq!(document.missing_paths(), Vec::<String>::new());
}
