//! Numbers in files as JSON, to the bit, also those that JSON does not have.
//!
//! A loss may be infinite. JSON has no such number: what is written as `null` is not read again,
//! and a file that cannot be read loses a run. Here infinities and what is not a number are texts;
//! `null`, which models have where nothing was measured, is read as not a number.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A number as it is written.
#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(untagged)]
enum Written {
    Number(f64),
    Other(Other),
    Missing(()),
}

#[derive(Clone, Copy, Serialize, Deserialize)]
enum Other {
    #[serde(rename = "inf")]
    Infinite,
    #[serde(rename = "-inf")]
    NegativeInfinite,
    #[serde(rename = "NaN")]
    NotANumber,
}

impl From<f64> for Written {
    fn from(number: f64) -> Self {
        if number.is_finite() {
            Self::Number(number)
        } else if number.is_nan() {
            Self::Other(Other::NotANumber)
        } else if number > 0.0 {
            Self::Other(Other::Infinite)
        } else {
            Self::Other(Other::NegativeInfinite)
        }
    }
}

impl From<Written> for f64 {
    fn from(written: Written) -> Self {
        match written {
            Written::Number(number) => number,
            Written::Other(Other::Infinite) => Self::INFINITY,
            Written::Other(Other::NegativeInfinite) => Self::NEG_INFINITY,
            Written::Other(Other::NotANumber) | Written::Missing(()) => Self::NAN,
        }
    }
}

pub(crate) fn serialize<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    Written::from(*number).serialize(serializer)
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Written::deserialize(deserializer).map(f64::from)
}

/// A number that may be missing.
pub(crate) mod optional {
    use super::*;

    pub(crate) fn serialize<S: Serializer>(
        number: &Option<f64>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        number.map(Written::from).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<f64>, D::Error> {
        Ok(Option::<Written>::deserialize(deserializer)?.map(f64::from))
    }
}

/// Something with its number, which may be missing together.
pub(crate) mod pair {
    use super::*;

    pub(crate) fn serialize<S: Serializer, T: Serialize>(
        pair: &Option<(T, f64)>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        pair.as_ref().map(|(of, number)| (of, Written::from(*number))).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
        deserializer: D,
    ) -> Result<Option<(T, f64)>, D::Error> {
        let pair = Option::<(T, Written)>::deserialize(deserializer)?;
        Ok(pair.map(|(of, number)| (of, number.into())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Serialize, Deserialize)]
    struct Numbers {
        #[serde(with = "super")]
        one: f64,
        #[serde(with = "optional")]
        perhaps: Option<f64>,
        #[serde(with = "pair")]
        best: Option<(usize, f64)>,
    }

    #[test]
    fn every_number_comes_back_to_the_bit() {
        let all = [0.1 + 0.2, -0.0, 5e-324, f64::MAX, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
        for one in all {
            let numbers = Numbers { one, perhaps: Some(one), best: Some((3, one)) };
            let text = serde_json::to_string(&numbers).unwrap();
            let read: Numbers = serde_json::from_str(&text).unwrap();
            assert_eq!(read.one.to_bits(), one.to_bits(), "{text}");
            assert_eq!(read.perhaps.map(f64::to_bits), Some(one.to_bits()), "{text}");
            let best = read.best.map(|(epoch, value)| (epoch, value.to_bits()));
            assert_eq!(best, Some((3, one.to_bits())), "{text}");
        }
    }

    #[test]
    fn finite_numbers_are_written_as_ever() {
        let numbers = Numbers { one: 0.25, perhaps: None, best: None };
        let text = serde_json::to_string(&numbers).unwrap();
        assert_eq!(text, r#"{"one":0.25,"perhaps":null,"best":null}"#);
        let read: Numbers =
            serde_json::from_str(r#"{"one":null,"perhaps":null,"best":[1,null]}"#).unwrap();
        assert!(read.one.is_nan() && read.perhaps.is_none());
        assert!(read.best.is_some_and(|(_, value)| value.is_nan()));
        assert!(
            serde_json::from_str::<Numbers>(r#"{"one":"1","perhaps":null,"best":null}"#).is_err()
        );
    }
}
