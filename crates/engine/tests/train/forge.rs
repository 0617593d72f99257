//! Files taken apart, changed and reassembled with correct length and checksum: what another
//! program might have written.

use sha2::Digest;

const HEAD: &str = "{\"__metadata__\":{\"checksum\":\"";

/// A tensor, with its type and shape as in the header.
pub struct Part {
    pub name: String,
    pub dtype: String,
    pub shape: Vec<usize>,
    pub bytes: Vec<u8>,
}

/// The contents of a file.
pub struct Parts {
    pub format: String,
    pub sections: String,
    pub tensors: Vec<Part>,
}

impl Parts {
    pub fn new(file: &[u8]) -> Self {
        let (_, metadata) = safetensors::SafeTensors::read_metadata(file).unwrap();
        let texts = metadata.metadata().clone().unwrap();
        let all = safetensors::SafeTensors::deserialize(file).unwrap();
        let part = |name: String| {
            let tensor = all.tensor(&name).unwrap();
            let (dtype, shape) = (tensor.dtype().to_string(), tensor.shape().to_vec());
            Part { name, dtype, shape, bytes: tensor.data().to_vec() }
        };
        let (format, sections) = (texts["format"].clone(), texts["sections"].clone());
        Self { format, sections, tensors: metadata.offset_keys().into_iter().map(part).collect() }
    }

    pub fn tensor(&mut self, name: &str) -> &mut Part {
        self.tensors.iter_mut().find(|part| part.name == name).unwrap()
    }

    /// Replaces the text of a section.
    pub fn set_text(&mut self, section: &str, text: &str) {
        let part = self.tensor(&format!("section.{section}"));
        part.bytes = text.as_bytes().to_vec();
        part.shape = vec![text.len()];
    }

    pub fn text(&mut self, section: &str) -> String {
        String::from_utf8(self.tensor(&format!("section.{section}")).bytes.clone()).unwrap()
    }

    /// Leaves a section out.
    pub fn remove_section(&mut self, section: &str) {
        self.tensors.retain(|part| part.name != format!("section.{section}"));
        let mut sections: Vec<serde_json::Value> = serde_json::from_str(&self.sections).unwrap();
        let count = sections.len();
        sections.retain(|listed| listed["name"] != section);
        assert_eq!(sections.len() + 1, count, "{}", self.sections);
        self.sections = serde_json::to_string(&sections).unwrap();
    }

    /// Changes the text of a section.
    pub fn replace(&mut self, section: &str, from: &str, to: &str) {
        let text = self.text(section);
        assert!(text.contains(from), "{text}");
        self.set_text(section, &text.replacen(from, to, 1));
    }

    pub fn header(&self) -> String {
        let json = |text: &str| serde_json::Value::from(text).to_string();
        let mut text = format!(
            "{HEAD}{:0<64}\",\"length\":\"{:0<20}\",\"format\":{},\"sections\":{}}}",
            "",
            "",
            json(&self.format),
            json(&self.sections)
        );
        let mut end = 0;
        for Part { name, dtype, shape, bytes } in &self.tensors {
            let start = end;
            end += bytes.len();
            let name = json(name);
            text += &format!(
                ",{name}:{{\"dtype\":\"{dtype}\",\"shape\":{shape:?},\"data_offsets\":[{start},{end}]}}"
            );
        }
        text + "}"
    }

    pub fn file(&self) -> Vec<u8> {
        self.file_with(&self.header())
    }

    /// The file with another header.
    pub fn file_with(&self, header: &str) -> Vec<u8> {
        let data: Vec<u8> = self.tensors.iter().flat_map(|part| part.bytes.clone()).collect();
        sealed(header, &data)
    }
}

/// A header and data with the length and the checksum of the whole file.
pub fn sealed(header: &str, data: &[u8]) -> Vec<u8> {
    let mut header = header.to_owned();
    while !header.len().is_multiple_of(8) {
        header.push(' ');
    }
    let mut file = (header.len() as u64).to_le_bytes().to_vec();
    file.extend(header.as_bytes());
    file.extend(data);
    let key = "\",\"length\":\"";
    let checksum = 8 + HEAD.len()..8 + HEAD.len() + 64;
    if file[checksum.end..].starts_with(key.as_bytes()) {
        let length = format!("{:020}", file.len());
        let at = checksum.end + key.len();
        file[at..at + 20].copy_from_slice(length.as_bytes());
    }
    file[checksum.clone()].fill(b'0');
    let sum: String = sha2::Sha256::digest(&file).iter().map(|b| format!("{b:02x}")).collect();
    file[checksum].copy_from_slice(sum.as_bytes());
    file
}
