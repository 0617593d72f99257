//! JSON whose objects keep the order of their fields.

use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A value as it was written: settings behind a trait have the same bytes as without it.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum OrderedJson {
    Null,
    Bool(bool),
    Natural(u64),
    Integer(i64),
    Number(f64),
    Text(String),
    List(Vec<OrderedJson>),
    Object(Fields),
}

/// The fields of an object.
pub(super) struct Fields(Vec<(String, OrderedJson)>);

impl Serialize for Fields {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(FieldVisitor)
    }
}

struct FieldVisitor;

impl<'de> Visitor<'de> for FieldVisitor {
    type Value = Fields;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields, A::Error> {
        let mut fields = Vec::new();
        while let Some(field) = map.next_entry()? {
            fields.push(field);
        }
        Ok(Fields(fields))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_is_written() {
        let text = r#"{"b":1,"a":{"z":null,"c":[-3,18446744073709551615,true]},"x":0.1,"y":2.0,"w":1e-8,"t":"\"é"}"#;
        let json: OrderedJson = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&json).unwrap(), text);
    }
}
