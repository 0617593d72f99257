//! The character that separates the fields of a text table.
//!
//! A `.csv` file may use `;` (where the comma is the decimal mark) or tabs. It does if its first two
//! lines have more of those than commas outside quotation marks, and the same number each.

use std::io;

use crate::input::Bytes;

/// The most bytes of the two lines that are looked at.
const LONGEST: u64 = 1 << 22;

/// The delimiter of a file named `.csv`, by its first two lines; a comma unless they say otherwise.
pub fn detect(input: &mut Bytes) -> io::Result<u8> {
    let start = input.first_lines(2, LONGEST)?;
    let mut lines = start.split(|byte| *byte == b'\n');
    let header = lines.next().unwrap_or_default();
    let row = lines.next().filter(|row| !row.trim_ascii().is_empty());
    let commas = count(header, b',');
    let others = [b';', b'\t'].into_iter().filter(|&other| {
        let found = count(header, other);
        found > commas && row.is_none_or(|row| count(row, other) == found)
    });
    Ok(others.max_by_key(|&other| count(header, other)).unwrap_or(b','))
}

/// How often a byte occurs outside quotation marks.
fn count(line: &[u8], wanted: u8) -> usize {
    let mut is_quoted = false;
    let is_counted = |byte: &&u8| {
        is_quoted ^= **byte == b'"';
        **byte == wanted && !is_quoted
    };
    line.iter().filter(is_counted).count()
}

/// The number that a text with a decimal comma means: `3,14`.
pub fn comma_number(text: &str) -> Option<f32> {
    let (whole, part) = text.split_once(',')?;
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let unsigned = whole.strip_prefix(['-', '+']).unwrap_or(whole);
    let mantissa = part.split(['e', 'E']).next().unwrap_or_default();
    if !digits(unsigned) || !digits(mantissa) || mantissa.is_empty() {
        return None;
    }
    format!("{whole}.{part}").parse().ok().filter(|number: &f32| number.is_finite())
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    #[test]
    fn the_first_two_lines_show_the_delimiter() {
        let found = |text: &str| {
            let bytes = Bytes::new("t.csv".as_ref(), Box::new(Cursor::new(text.to_owned())));
            char::from(detect(&mut bytes.unwrap()).unwrap())
        };
        assert_eq!(found("a,b,c\n1,2,3\n"), ',');
        assert_eq!(found("a;b;c\n1,5;2;3\n"), ';');
        assert_eq!(found("a\tb\n1\t2\n"), '\t');
        assert_eq!(found("a;b;c"), ';');
        assert_eq!(found(""), ',');
        assert_eq!(found("a;b\n1,2\n"), ',', "the rows do not agree");
        assert_eq!(found("a long name;another\n1,5;2\n"), ';');
        assert_eq!(found("\"a;b;c\",d\n1,2\n"), ',', "quoted");
        assert_eq!(found("a;b,c,d\n1;2,3,4\n"), ',', "more commas");
    }

    #[test]
    fn a_decimal_comma_is_between_digits() {
        assert_eq!(comma_number("3,25"), Some(3.25));
        assert_eq!(comma_number("-0,5e2"), Some(-50.0));
        assert_eq!(comma_number(",5"), Some(0.5));
        for text in ["3", "3.5", "1.000,5", "1,2,3", "3,", "a,5", "3,5 kg", ","] {
            assert_eq!(comma_number(text), None, "{text}");
        }
    }
}
