//! A model file that is well formed, with some of its fields changed: shapes, names, numbers, and values of
//! the JSON in its sections. The first byte chooses one of the files in `seeds/model`; every four bytes that
//! follow are a change. Offsets, lengths and the checksum are right again afterwards, so that what is tried
//! lies behind them. Reading never panics, and a model that was read gives the same bytes whenever it is saved.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rulebound::model::Model;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use std::sync::LazyLock;

const CHECKSUM: usize = 64;

/// A file in parts that can be changed.
#[derive(Clone)]
struct Parts {
    /// The metadata without checksum and length.
    texts: Map<String, Value>,
    tensors: Vec<Tensor>,
}

#[derive(Clone)]
struct Tensor {
    name: String,
    dtype: String,
    shape: Vec<u64>,
    bytes: Vec<u8>,
}

static FILES: LazyLock<Vec<Parts>> = LazyLock::new(|| {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/seeds/model");
    let entries = std::fs::read_dir(folder).expect("the folder of seeds");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths.iter().map(|path| Parts::new(&std::fs::read(path).expect("read"))).collect()
});

fuzz_target!(|data: &[u8]| {
    let [first, changes @ ..] = data else { return };
    let mut parts = FILES[usize::from(*first) % FILES.len()].clone();
    for change in changes.chunks_exact(4) {
        parts.change([change[0], change[1], change[2], change[3]]);
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let [given, once, twice] =
        ["given", "once", "twice"].map(|name| folder.path().join(name).with_extension("rulebound"));
    std::fs::write(&given, parts.file()).expect("written");
    match Model::load(&given) {
        Ok(model) => {
            model.save(&once).expect("saved");
            Model::load(&once).expect("what was saved can be read").save(&twice).expect("saved");
            let bytes = |path| std::fs::read(path).expect("read");
            assert!(bytes(&once) == bytes(&twice));
        }
        Err(error) => {
            let _ = error.to_string();
        }
    }
});

impl Parts {
    /// A seed: the header after the checksum, a line break, the tensors.
    fn new(seed: &[u8]) -> Self {
        let end = seed.iter().position(|byte| *byte == b'\n').expect("a line");
        let header = std::str::from_utf8(&seed[..end]).expect("text");
        let whole = format!("{{\"__metadata__\":{{\"checksum\":\"\"{header}");
        let mut whole: Map<String, Value> = serde_json::from_str(whole.trim_end()).expect("JSON");
        let Some(Value::Object(mut texts)) = whole.remove("__metadata__") else { panic!("texts") };
        for name in ["checksum", "length"] {
            texts.remove(name);
        }
        let number = |value: &Value| value.as_u64().expect("a number");
        let tensor = |(name, info): (String, Value)| {
            let list = |key: &str| -> Vec<u64> {
                info[key].as_array().expect("a list").iter().map(number).collect()
            };
            let offsets = list("data_offsets");
            let bytes = &seed[end + 1..][offsets[0] as usize..offsets[1] as usize];
            let dtype = info["dtype"].as_str().expect("a type").to_owned();
            Tensor { name, dtype, shape: list("shape"), bytes: bytes.to_vec() }
        };
        Self { texts, tensors: whole.into_iter().map(tensor).collect() }
    }

    fn change(&mut self, [kind, which, place, value]: [u8; 4]) {
        if kind & 15 == 15 {
            let key = self.texts.keys().nth(usize::from(which) % self.texts.len().max(1)).cloned();
            let Some(key) = key else { return };
            let text = self.texts[&key].as_str().unwrap_or_default();
            let text = match serde_json::from_str::<Value>(text) {
                Ok(mut json) => {
                    change_json(&mut json, place, value);
                    json.to_string()
                }
                Err(_) => value.to_string(),
            };
            self.texts.insert(key, Value::String(text));
            return;
        }
        if self.tensors.is_empty() {
            return;
        }
        let at = usize::from(which) % self.tensors.len();
        match kind & 15 {
            0 => drop(self.tensors.remove(at)),
            1 => {
                let other = usize::from(place) % self.tensors.len();
                let name = self.tensors[other].name.clone();
                self.tensors[other].name = std::mem::replace(&mut self.tensors[at].name, name);
            }
            2 => self.tensors[at].dtype = ["F32", "F64", "U8", "BOOL", "U32", "I64"][usize::from(value) % 6].into(),
            3 => self.tensors[at].name.push(char::from(b'0' + value % 10)),
            4..=6 => self.tensors[at].reshape(place, value),
            7..=9 => self.tensors[at].set_number(place, value),
            _ => self.tensors[at].set_json(place, value),
        }
    }

    /// The file, with its offsets, lengths and checksum.
    fn file(&self) -> Vec<u8> {
        let mut header = format!("{{\"__metadata__\":{{\"checksum\":\"{:0CHECKSUM$}\",\"length\":\"{:020}\"", 0, 0);
        for (key, text) in &self.texts {
            header += &format!(",{}:{text}", Value::from(key.as_str()));
        }
        header.push('}');
        let mut data: Vec<u8> = Vec::new();
        for Tensor { name, dtype, shape, bytes } in &self.tensors {
            let start = data.len();
            data.extend(bytes);
            let info = json!({ "dtype": dtype, "shape": shape, "data_offsets": [start, data.len()] });
            header += &format!(",{}:{info}", Value::from(name.as_str()));
        }
        header.push('}');
        while header.len() % 8 != 0 {
            header.push(' ');
        }
        let length = 8 + header.len() + data.len();
        let place = header.find("\"length\":\"").expect("the length") + 10;
        header.replace_range(place..place + 20, &format!("{length:020}"));
        let mut file = (header.len() as u64).to_le_bytes().to_vec();
        file.extend(header.bytes());
        file.extend(data);
        let sum: String = Sha256::digest(&file).iter().map(|byte| format!("{byte:02x}")).collect();
        let place = 8 + header.find("\"checksum\":\"").expect("the checksum") + 12;
        file[place..place + CHECKSUM].copy_from_slice(sum.as_bytes());
        file
    }
}

impl Tensor {
    fn item(&self) -> usize {
        match self.dtype.as_str() {
            "F64" | "I64" => 8,
            "F32" | "U32" => 4,
            _ => 1,
        }
    }

    /// Another size along an axis, or another number of axes, with as many bytes.
    fn reshape(&mut self, axis: u8, size: u8) {
        let axes = self.shape.len();
        match self.shape.get_mut(usize::from(axis) % (axes + 1)) {
            Some(old) if size < 250 => *old = u64::from(size),
            Some(_) => self.shape.truncate(axes - 1),
            None => self.shape.push(u64::from(size % 3)),
        }
        let items = self.shape.iter().product::<u64>().min(1 << 16) as usize;
        self.bytes.resize(items * self.item(), 1);
    }

    fn set_number(&mut self, place: u8, value: u8) {
        let odd = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0, 1e300, -1.0, 0.5, 1e-310];
        let number = odd.get(usize::from(value)).copied().unwrap_or(f64::from(value));
        let bytes = match self.dtype.as_str() {
            "F64" => number.to_le_bytes().to_vec(),
            "F32" => (number as f32).to_le_bytes().to_vec(),
            "I64" => (number as i64).to_le_bytes().to_vec(),
            "U32" => (number as u32).to_le_bytes().to_vec(),
            _ => vec![value],
        };
        let items = self.bytes.len() / bytes.len();
        if items > 0 {
            let start = usize::from(place) % items * bytes.len();
            self.bytes[start..start + bytes.len()].copy_from_slice(&bytes);
        }
    }

    fn set_json(&mut self, place: u8, value: u8) {
        let Ok(mut json) = serde_json::from_slice(&self.bytes) else { return };
        change_json(&mut json, place, value);
        self.bytes = json.to_string().into_bytes();
        self.shape = vec![self.bytes.len() as u64];
    }
}

/// Changes one value of a tree, counted from its root.
fn change_json(json: &mut Value, place: u8, value: u8) {
    let mut left = usize::from(place) % nodes(json);
    change_node(json, &mut left, value);
}

fn nodes(json: &Value) -> usize {
    1 + match json {
        Value::Array(list) => list.iter().map(nodes).sum(),
        Value::Object(map) => map.values().map(nodes).sum(),
        _ => 0,
    }
}

fn change_node(json: &mut Value, left: &mut usize, value: u8) -> bool {
    if *left == 0 {
        *json = changed(json, value);
        return true;
    }
    *left -= 1;
    match json {
        Value::Array(list) => list.iter_mut().any(|item| change_node(item, left, value)),
        Value::Object(map) => map.values_mut().any(|item| change_node(item, left, value)),
        _ => false,
    }
}

fn changed(json: &Value, value: u8) -> Value {
    match (json, value) {
        (_, 0) => Value::Null,
        (_, 1) => json!([]),
        (_, 2) => json!({}),
        (_, 3) => json!(""),
        (_, 4) => json!(u64::MAX),
        (_, 5) => json!(-1),
        (_, 6) => json!(1e300),
        (_, 7) => json!(true),
        (Value::Array(list), _) if value & 1 == 0 => list.iter().chain(list).cloned().collect(),
        (Value::Array(list), _) => {
            list.iter().skip(usize::from(value >> 1) % (list.len() + 1)).cloned().collect()
        }
        (Value::Object(map), _) => {
            let dropped = usize::from(value) % map.len().max(1);
            let kept = map.iter().enumerate().filter(|(at, _)| *at != dropped);
            Value::Object(kept.map(|(_, (key, item))| (key.clone(), item.clone())).collect())
        }
        (Value::String(text), _) => json!(format!("{text}{}", char::from(value))),
        (Value::Bool(is), _) => json!(!is),
        _ => json!(value),
    }
}
