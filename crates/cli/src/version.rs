//! What `--version` says: which sources this program was built from, and what is in it.
//!
//! Whoever builds it to be published sets `RULEBOUND_RELEASE` (to anything) and `RULEBOUND_COMMIT`, which are
//! read when it is compiled; nothing asks git. Every other build says that it is unreleased.

use std::sync::LazyLock;

const NUMBER: &str = env!("CARGO_PKG_VERSION");

/// The number, and whether it is a release: one line.
pub const SHORT: &str = match option_env!("RULEBOUND_RELEASE") {
    Some(_) => NUMBER,
    None => concat!(env!("CARGO_PKG_VERSION"), " (unreleased)"),
};

/// Also the commit and the features, one line each.
pub static LONG: LazyLock<String> = LazyLock::new(|| {
    let commit = option_env!("RULEBOUND_COMMIT").unwrap_or("unknown");
    let features = rulebound::FEATURES.join(", ");
    let target = format!("{} {}", std::env::consts::OS, std::env::consts::ARCH);
    format!("{SHORT}\ncommit    {commit}\nfeatures  {features}\ntarget    {target}")
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_says_what_is_in_it() {
        assert!(LONG.starts_with(NUMBER), "{}", *LONG);
        assert!(LONG.contains("commit    "), "{}", *LONG);
        // The command line always runs networks of others.
        assert!(LONG.contains("onnx"), "{}", *LONG);
        let is_release = option_env!("RULEBOUND_RELEASE").is_some();
        assert_eq!(LONG.contains("unreleased"), !is_release, "{}", *LONG);
    }
}
