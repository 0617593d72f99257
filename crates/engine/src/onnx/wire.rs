//! The fields of a message that somebody else wrote, as they are: what is not understood here is not lost.

use std::ops::Range;

/// A field: its number, and where it and its contents are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Field {
    pub number: u64,
    pub whole: Range<usize>,
    pub content: Range<usize>,
}

/// The fields of a message, in order; none if it is not one.
pub(super) fn fields(bytes: &[u8]) -> Option<Vec<Field>> {
    let mut fields = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        let key = varint(bytes, &mut at)?;
        let content = match key & 7 {
            0 => {
                let first = at;
                varint(bytes, &mut at)?;
                first..at
            }
            1 => at..at.checked_add(8)?,
            2 => {
                let length = usize::try_from(varint(bytes, &mut at)?).ok()?;
                at..at.checked_add(length)?
            }
            5 => at..at.checked_add(4)?,
            _ => return None,
        };
        at = content.end;
        if at > bytes.len() || key >> 3 == 0 {
            return None;
        }
        fields.push(Field { number: key >> 3, whole: start..at, content });
    }
    Some(fields)
}

/// Writes a field with contents of any length.
pub(super) fn push_field(out: &mut Vec<u8>, number: u64, content: &[u8]) {
    push_varint(out, number << 3 | 2);
    push_varint(out, content.len() as u64);
    out.extend_from_slice(content);
}

/// Writes a field with a number.
pub(super) fn push_number(out: &mut Vec<u8>, number: u64, value: u64) {
    push_varint(out, number << 3);
    push_varint(out, value);
}

fn push_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn varint(bytes: &[u8], at: &mut usize) -> Option<u64> {
    let mut value = 0u64;
    for shift in (0..64).step_by(7) {
        let byte = *bytes.get(*at)?;
        *at += 1;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_written_is_read() {
        let mut bytes = Vec::new();
        push_number(&mut bytes, 1, 300);
        push_field(&mut bytes, 7, &[9; 200]);
        let found = fields(&bytes).unwrap();
        assert_eq!(found.iter().map(|field| field.number).collect::<Vec<_>>(), [1, 7]);
        assert_eq!(bytes[found[1].content.clone()], [9; 200]);
        assert_eq!(found[1].whole.end, bytes.len());
        assert_eq!(fields(&bytes[..bytes.len() - 1]), None);
    }

    proptest! {
        #[test]
        fn any_bytes_are_fields_or_none(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
            if let Some(found) = fields(&bytes) {
                let all: usize = found.iter().map(|field| field.whole.len()).sum();
                prop_assert_eq!(all, bytes.len());
            }
        }
    }
}
