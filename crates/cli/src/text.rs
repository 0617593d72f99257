//! Numbers, counts, lists of names and shell words as text.

use rulebound_core::{Labels, Program};
use std::borrow::Cow;

/// A number with thousands separators.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// `1 row`, `2 rows`; `classes` for `class`.
pub fn count(number: usize, noun: &str) -> String {
    let plural = match (number, noun) {
        (1, _) => "",
        (_, "class") => "es",
        (_, "stratum") => return format!("{} strata", thousands(number as u64)),
        _ => "s",
    };
    format!("{} {noun}{plural}", thousands(number as u64))
}

/// `1 rule and 3 requirements`.
pub fn rules_of(program: &Program) -> String {
    let rules = count(program.rules().len(), "rule");
    match program.requirements().len() {
        0 => rules,
        some => format!("{rules} and {}", count(some, "requirement")),
    }
}

/// The text with a visible sign in place of every character that a terminal might obey: escapes, and
/// marks that turn the direction of writing. Line ends and tabs stay; the number of characters too.
pub fn visible(text: &str) -> Cow<'_, str> {
    let sign = |c: char| match c {
        '\n' | '\t' => c,
        '\0'..='\x1f' => char::from_u32(0x2400 + u32::from(c)).unwrap_or('\u{fffd}'),
        '\x7f' => '\u{2421}',
        '\u{80}'..='\u{9f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '\u{fffd}',
        _ => c,
    };
    match text.chars().any(|c| sign(c) != c) {
        true => Cow::Owned(text.chars().map(sign).collect()),
        false => Cow::Borrowed(text),
    }
}

/// A name within a line: also for line ends and tabs there are visible signs.
pub fn in_line(name: &str) -> Cow<'_, str> {
    match name.contains(['\n', '\t']) {
        true => {
            Cow::Owned(visible(&name.replace('\n', "\u{240a}").replace('\t', "\u{2409}")).into())
        }
        false => visible(name),
    }
}

/// The text itself or, if it is longer than `most` characters, its beginning and end.
pub fn shortened(text: &str, most: usize) -> Cow<'_, str> {
    // Bytes are at least as many as characters, and known at once.
    if text.len() <= most || text.chars().count() <= most {
        return Cow::Borrowed(text);
    }
    let start: String = text.chars().take(most * 3 / 4).collect();
    let end: Vec<char> = text.chars().rev().take(most / 4).collect();
    Cow::Owned(start + " … " + &end.into_iter().rev().collect::<String>())
}

/// A note about classes of the rules that are hidden, if there are any.
pub fn hidden_note(hidden: usize, what: &str) -> Option<String> {
    (hidden > 0).then(|| {
        let (classes, are) = (count(hidden, "class"), if hidden == 1 { "is" } else { "are" });
        format!("note: {classes} of the rules {are} not in {what} and {are} hidden; what follows through them is kept")
    })
}

/// A word quoted for a shell, if it needs quoting.
pub fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./,:=+@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// At most the first `most` of `total` names, and how many more there are.
pub fn some_names<'a>(names: impl Iterator<Item = &'a str>, total: usize, most: usize) -> String {
    let mut shown: Vec<Cow<'_, str>> = names.take(most).map(in_line).collect();
    let rest = total.saturating_sub(shown.len());
    if rest > 0 {
        shown.push(format!("… and {} more", thousands(rest as u64)).into());
    }
    shown.join(", ")
}

/// The nearest of these names as a question, or else the names there are.
pub fn nearest_of(wanted: &str, names: &[&str]) -> String {
    let labels = Labels::new(names.iter().copied()).ok();
    match labels.as_ref().and_then(|labels| labels.nearest(wanted)) {
        Some(nearest) => format!("did you mean `{nearest}`?"),
        None => format!("known: {}", some_names(names.iter().copied(), names.len(), 20)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_readable() {
        assert_eq!(thousands(0), "0");
        assert_eq!(thousands(999), "999");
        assert_eq!(thousands(1_234_567), "1,234,567");
        assert_eq!(count(1, "class"), "1 class");
        assert_eq!(count(4126, "class"), "4,126 classes");
        assert_eq!(some_names(["a", "b", "c"].into_iter(), 3, 2), "a, b, … and 1 more");
        assert_eq!(some_names(["a\tb", "c\nd"].into_iter(), 2, 2), "a␉b, c␊d");
    }

    #[test]
    fn nothing_reaches_a_terminal_that_it_would_obey() {
        assert_eq!(visible("a\tb\n"), "a\tb\n");
        assert_eq!(visible("\x1b[31mred\x7f\u{9b}\u{202e}\r"), "␛[31mred␡\u{fffd}\u{fffd}␍");
    }

    #[test]
    fn long_texts_keep_both_ends() {
        assert_eq!(shortened("éééé", 4), "éééé");
        assert_eq!(shortened("abcdefghij", 8), "abcdef … ij");
    }

    #[test]
    fn words_are_quoted_for_a_shell() {
        assert_eq!(quoted("a/b-1.csv"), "a/b-1.csv");
        assert_eq!(quoted("GO:*"), "'GO:*'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
    }
}
