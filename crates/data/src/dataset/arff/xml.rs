//! The XML list that says which attributes of a MULAN file are labels.
//!
//! A label inside a label is its child: `<label name="a"><label name="b"/></label>` gives the rule
//! `b -> a`.

use std::io::{BufRead, Read};
use std::path::Path;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::super::complaint::{Mistakes, Problem};
use super::super::error::DatasetError;
use rulebound_io::input::{Fallback, InputError, Lines};

/// The deepest allowed nesting of labels.
const DEEPEST: usize = 1000;

/// The most bytes of a list that are read.
const MOST: usize = 1 << 26;

/// The labels of a list.
#[derive(Debug, Default)]
pub(super) struct LabelList {
    /// Their names, in the order of the list.
    pub(super) names: Vec<String>,
    /// The line and column of each.
    pub(super) places: Vec<(u64, usize)>,
    /// Pairs of a child and its parent.
    pub(super) edges: Vec<(String, String)>,
}

impl LabelList {
    pub(super) fn read(path: &Path) -> Result<Self, DatasetError> {
        let mut reader = Reader::from_reader(Tracked::open(path)?);
        let mut list = Self::default();
        let mut open: Vec<Option<String>> = Vec::new();
        let mut mistakes = Mistakes::default();
        let mut buffer = Vec::new();
        let mut seen = std::collections::HashSet::new();
        loop {
            buffer.clear();
            let at = reader.get_ref().place();
            let event = match reader.read_event_into(&mut buffer) {
                Ok(event) => event,
                Err(error) => {
                    if let Some(failed) = reader.get_mut().failed.take() {
                        return Err(failed);
                    }
                    mistakes.push(at.0, at.1, &error.to_string(), Problem::NotXml);
                    break;
                }
            };
            match event {
                Event::Start(tag) => {
                    let name = list.label(&tag, &open, at, &mut seen, &mut mistakes);
                    open.push(name);
                    if open.len() > DEEPEST {
                        mistakes.push(at.0, at.1, "<label>", Problem::NotXml);
                        break;
                    }
                }
                Event::Empty(tag) => {
                    list.label(&tag, &open, at, &mut seen, &mut mistakes);
                }
                Event::End(_) => {
                    open.pop();
                }
                Event::Eof => {
                    if !open.is_empty() {
                        mistakes.push(at.0, at.1, "", Problem::NotXml);
                    }
                    break;
                }
                _ => {}
            }
        }
        DatasetError::expect_none(path, mistakes)?;
        Ok(list)
    }

    /// Adds the label that a tag opens. Returns its name, if the tag is a label.
    fn label(
        &mut self,
        tag: &BytesStart<'_>,
        open: &[Option<String>],
        at: (u64, usize),
        seen: &mut std::collections::HashSet<String>,
        mistakes: &mut Mistakes,
    ) -> Option<String> {
        if tag.local_name().as_ref() != "label" {
            return None;
        }
        let written = tag.attributes().flatten().find(|a| a.key.local_name().as_ref() == "name");
        let name = written.and_then(|attribute| {
            let name = quick_xml::escape::unescape(&attribute.value);
            name.ok().map(|name| name.into_owned())
        });
        let Some(name) = name.filter(|name| !name.is_empty()) else {
            let text = tag.to_string();
            mistakes.push(at.0, at.1, &text, Problem::LabelWithoutName);
            return None;
        };
        if !seen.insert(name.clone()) {
            mistakes.push(at.0, at.1, &name, Problem::DuplicateLabel);
        }
        if let Some(parent) = open.iter().rev().flatten().next() {
            self.edges.push((name.clone(), parent.clone()));
        }
        self.names.push(name.clone());
        self.places.push(at);
        Some(name)
    }
}

/// The decoded lines of a file as bytes, up to a limit, with the current place.
struct Tracked {
    lines: Lines,
    buffer: Vec<u8>,
    at: usize,
    /// The next character, from 1.
    column: usize,
    left: usize,
    failed: Option<DatasetError>,
}

impl Tracked {
    fn open(path: &Path) -> Result<Self, DatasetError> {
        let lines = Lines::open(path, Fallback::Latin1)?;
        Ok(Self { lines, buffer: Vec::new(), at: 0, column: 1, left: MOST, failed: None })
    }

    /// The line and column of the next character.
    fn place(&self) -> (u64, usize) {
        (self.lines.number().max(1), self.column)
    }

    fn next_line(&mut self) -> Result<(), DatasetError> {
        self.buffer.clear();
        self.at = 0;
        self.column = 1;
        let line = self.lines.next(&mut Mistakes::default())?.map(|line| line.into_owned());
        if let Some(line) = line {
            self.buffer.extend_from_slice(line.as_bytes());
            self.buffer.push(b'\n');
        }
        match self.left.checked_sub(self.buffer.len()) {
            Some(left) => self.left = left,
            None => {
                let path = self.lines.path().to_path_buf();
                return Err(InputError::FileTooLong { path, limit: MOST as u64 }.into());
            }
        }
        Ok(())
    }
}

impl Read for Tracked {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.fill_buf()?.read(buffer)?;
        self.consume(read);
        Ok(read)
    }
}

impl BufRead for Tracked {
    fn fill_buf(&mut self) -> std::io::Result<&[u8]> {
        if self.at == self.buffer.len()
            && let Err(error) = self.next_line()
        {
            let shown = error.to_string();
            self.failed = Some(error);
            return Err(std::io::Error::other(shown));
        }
        Ok(&self.buffer[self.at..])
    }

    fn consume(&mut self, amount: usize) {
        let passed = &self.buffer[self.at..self.at + amount];
        self.column += passed.iter().filter(|byte| **byte & 0xc0 != 0x80).count();
        self.at += amount;
    }
}
