//! Numbers, counts, lists of names and shell words as text.

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
    let mut shown: Vec<&str> = names.take(most).collect();
    let rest = format!("… and {} more", thousands(total.saturating_sub(shown.len()) as u64));
    if total > shown.len() {
        shown.push(&rest);
    }
    shown.join(", ")
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
    }

    #[test]
    fn words_are_quoted_for_a_shell() {
        assert_eq!(quoted("a/b-1.csv"), "a/b-1.csv");
        assert_eq!(quoted("GO:*"), "'GO:*'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
    }
}
