//! Numbers as the shortest text that reads back as the same number.

/// Appends `value`; whole numbers keep a `.0`, infinities are `inf` and `-inf`.
pub fn push_f64(value: f64, text: &mut String) {
    text.push_str(match value {
        f64::INFINITY => "inf",
        f64::NEG_INFINITY => "-inf",
        _ => return text.push_str(ryu::Buffer::new().format(value)),
    });
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shown(value: f64) -> String {
        let mut text = String::new();
        push_f64(value, &mut text);
        text
    }

    #[test]
    fn is_short() {
        assert_eq!(shown(1.0), "1.0");
        assert_eq!(shown(0.1), "0.1");
        assert_eq!(shown(-0.0), "-0.0");
        assert_eq!(shown(f64::INFINITY), "inf");
        assert_eq!(shown(f64::NEG_INFINITY), "-inf");
    }

    proptest! {
        #[test]
        fn reads_back(value in proptest::num::f64::ANY.prop_filter("a number", |v| !v.is_nan())) {
            let back: f64 = shown(value).parse().unwrap();
            prop_assert_eq!(back.to_bits(), value.to_bits());
        }
    }
}
