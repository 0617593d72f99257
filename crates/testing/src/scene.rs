//! A folder that exists for the duration of a test.

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// A temporary folder. A file whose name ends in `.gz` is compressed when written and decompressed
/// when read.
#[derive(Debug)]
pub struct Scene {
    folder: tempfile::TempDir,
}

impl Default for Scene {
    fn default() -> Self {
        Self::new()
    }
}

impl Scene {
    /// An empty folder.
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    /// A folder with these files.
    pub fn with(files: &[(&str, &str)]) -> Self {
        let scene = Self::new();
        for (name, text) in files {
            scene.write(name, text);
        }
        scene
    }

    /// The folder itself.
    pub fn root(&self) -> &Path {
        self.folder.path()
    }

    /// The path of a file, whether it exists or not.
    pub fn path(&self, name: &str) -> PathBuf {
        self.root().join(name)
    }

    /// Writes a file, creating folders as needed.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        if name.ends_with(".gz") {
            fs::write(&path, gzip(content.as_ref())).unwrap();
        } else {
            fs::write(&path, content).unwrap();
        }
        path
    }

    /// The bytes of a file.
    pub fn bytes(&self, name: &str) -> Vec<u8> {
        let bytes = fs::read(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        if !name.ends_with(".gz") {
            return bytes;
        }
        let mut unpacked = Vec::new();
        flate2::read::GzDecoder::new(bytes.as_slice()).read_to_end(&mut unpacked).unwrap();
        unpacked
    }

    /// The text of a file.
    pub fn text(&self, name: &str) -> String {
        String::from_utf8(self.bytes(name)).unwrap()
    }

    /// The names of all files and folders in the folder, sorted.
    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.root()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

/// The same bytes, compressed.
pub fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

#[cfg(test)]
mod tests {
    use super::Scene;

    #[test]
    fn what_is_written_is_read() {
        let scene = Scene::with(&[("b/c.txt", "c"), ("a.gz", "packed")]);
        assert_eq!(scene.names(), ["a.gz", "b"]);
        assert_eq!((scene.text("b/c.txt"), scene.text("a.gz")), ("c".into(), "packed".into()));
        assert!(std::fs::read(scene.path("a.gz")).unwrap().starts_with(&[0x1f, 0x8b]));
    }
}
