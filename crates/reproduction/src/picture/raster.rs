//! Pixels, and their encoding as PNG.

use flate2::{Compression, Crc, write::ZlibEncoder};
use std::io::Write;

use super::Colour;

/// Pixels of at most 256 colours, the highest row first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Raster {
    width: usize,
    height: usize,
    palette: Vec<Colour>,
    pixels: Vec<u8>,
}

impl Raster {
    /// Pixels as indices into a palette.
    ///
    /// # Panics
    /// If there are not `width × height` pixels, or one has no colour in the palette.
    pub(super) fn new(width: usize, height: usize, palette: Vec<Colour>, pixels: Vec<u8>) -> Self {
        assert_eq!(pixels.len(), width * height, "one pixel per position");
        assert!(palette.len() <= 256 && pixels.iter().all(|&at| usize::from(at) < palette.len()));
        Self { width, height, palette, pixels }
    }

    /// The colour of a pixel.
    ///
    /// # Panics
    /// If there is no such pixel.
    pub fn colour(&self, column: usize, row: usize) -> Colour {
        assert!(column < self.width, "column {column} of {}", self.width);
        self.palette[usize::from(self.pixels[row * self.width + column])]
    }

    /// All colours, row by row.
    pub fn colours(&self) -> Vec<Colour> {
        self.pixels.iter().map(|&at| self.palette[usize::from(at)]).collect()
    }

    /// The file, as in the PNG specification (third edition): one byte per pixel, with a palette.
    pub fn png(&self) -> Vec<u8> {
        let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
        let mut header = Vec::new();
        header.extend((self.width as u32).to_be_bytes());
        header.extend((self.height as u32).to_be_bytes());
        // Eight bits, indexed colours, deflate, the only filter method, no interlace.
        header.extend([8, 3, 0, 0, 0]);
        chunk(&mut file, b"IHDR", &header);
        chunk(&mut file, b"PLTE", self.palette.as_flattened());
        let mut packed = ZlibEncoder::new(Vec::new(), Compression::best());
        for row in self.pixels.chunks(self.width.max(1)) {
            // Filter 0: the bytes themselves.
            packed.write_all(&[0]).and_then(|()| packed.write_all(row)).unwrap_or_else(in_memory);
        }
        let data = packed.finish().unwrap_or_else(in_memory);
        chunk(&mut file, b"IDAT", &data);
        chunk(&mut file, b"IEND", &[]);
        file
    }
}

fn in_memory<T>(error: std::io::Error) -> T {
    unreachable!("writing to memory does not fail: {error}")
}

fn chunk(file: &mut Vec<u8>, kind: &[u8; 4], data: &[u8]) {
    file.extend((data.len() as u32).to_be_bytes());
    let mut sum = Crc::new();
    for part in [kind, data] {
        sum.update(part);
        file.extend(part);
    }
    file.extend(sum.sum().to_be_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::read::ZlibDecoder;
    use std::io::Read;

    /// The chunks of a file, their sums checked.
    fn chunks(file: &[u8]) -> Vec<(String, Vec<u8>)> {
        let mut rest = file.strip_prefix(b"\x89PNG\r\n\x1a\n").unwrap();
        let mut chunks = Vec::new();
        while !rest.is_empty() {
            let length = u32::from_be_bytes(rest[..4].try_into().unwrap()) as usize;
            let mut sum = Crc::new();
            sum.update(&rest[4..8 + length]);
            let told = u32::from_be_bytes(rest[8 + length..12 + length].try_into().unwrap());
            assert_eq!(sum.sum(), told);
            let name = String::from_utf8(rest[4..8].to_vec()).unwrap();
            chunks.push((name, rest[8..8 + length].to_vec()));
            rest = &rest[12 + length..];
        }
        chunks
    }

    #[test]
    fn a_png_can_be_read_again() {
        let palette = vec![[1, 2, 3], [4, 5, 6], [7, 8, 9]];
        let raster = Raster::new(3, 2, palette, vec![0, 1, 2, 2, 1, 0]);
        let chunks = chunks(&raster.png());
        let names: Vec<&str> = chunks.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["IHDR", "PLTE", "IDAT", "IEND"]);
        assert_eq!(chunks[0].1, [0, 0, 0, 3, 0, 0, 0, 2, 8, 3, 0, 0, 0]);
        assert_eq!(chunks[1].1, [1, 2, 3, 4, 5, 6, 7, 8, 9]);
        let mut rows = Vec::new();
        ZlibDecoder::new(&chunks[2].1[..]).read_to_end(&mut rows).unwrap();
        assert_eq!(rows, [0, 0, 1, 2, 0, 2, 1, 0]);
    }
}
