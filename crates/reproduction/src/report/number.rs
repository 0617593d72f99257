//! Formatting of numbers.

pub(super) use rulebound_io::picture::fixed;

/// The same with its sign.
pub(super) fn signed(value: f64, decimals: usize) -> String {
    let text = fixed(value, decimals);
    let is_zero = text.bytes().all(|byte| matches!(byte, b'0' | b'.'));
    if value > 0.0 && !is_zero { format!("+{text}") } else { text }
}

/// A probability: four decimals, or as a power of ten if those would all be zero.
pub(super) fn chance(p: f64) -> String {
    match p {
        0.0 => "0".to_owned(),
        ..0.001 => format!("{p:.1e}").replace('-', "−"),
        _ => format!("{p:.4}"),
    }
}

/// An integer with thousands separators.
pub(super) fn thousands(number: usize) -> String {
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

/// `1 set`, `2 sets`.
pub(super) fn count(number: usize, noun: &str) -> String {
    format!("{} {noun}{}", thousands(number), if number == 1 { "" } else { "s" })
}

/// Names separated by commas, with `and` before the last.
pub(super) fn list(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [others @ .., last] => format!("{} and {last}", others.join(", ")),
    }
}

/// Seeds as ranges: `0–3, 7`.
pub(super) fn ranges(numbers: &[u64]) -> String {
    let follows = |a: &u64, b: &u64| a + 1 == *b;
    let range = |run: &[u64]| match run {
        [first, .., last] => format!("{first}–{last}"),
        _ => run.iter().map(u64::to_string).collect(),
    };
    numbers.chunk_by(follows).map(range).collect::<Vec<_>>().join(", ")
}

/// The same with its first letter in upper case.
pub(super) fn capital(text: &str) -> String {
    let mut characters = text.chars();
    let first: String = characters.next().into_iter().flat_map(char::to_uppercase).collect();
    first + characters.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_printed_as_people_read_them() {
        assert_eq!((fixed(-0.00004, 4), fixed(-0.5, 2)), ("0.0000".to_owned(), "−0.50".to_owned()));
        assert_eq!((signed(0.25, 1), signed(-0.01, 1)), ("+0.2".to_owned(), "0.0".to_owned()));
        assert_eq!((signed(0.00001, 3), signed(-2.0, 0)), ("0.000".to_owned(), "−2".to_owned()));
        assert_eq!((chance(0.05), chance(4.26e-15)), ("0.0500".to_owned(), "4.3e−15".to_owned()));
        assert_eq!((chance(0.0), chance(1.0)), ("0".to_owned(), "1.0000".to_owned()));
        assert_eq!((count(1, "set"), count(23_412, "row")), ("1 set".into(), "23,412 rows".into()));
        assert_eq!(list(&["a".into(), "b".into(), "c".into()]), "a, b and c");
        assert_eq!(ranges(&[0, 1, 2, 3, 7, 9, 10]), "0–3, 7, 9–10");
    }
}
