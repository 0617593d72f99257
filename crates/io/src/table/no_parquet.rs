//! Replaces `parquet/` in a build without that feature: opening or creating a file is an error that
//! says so. Everything else has the same names and can never run, because [`Never`] has no values.

#![allow(dead_code, reason = "mirrors the names of the real module")]

use std::path::Path;

use super::error::{Cause, TableError};
use crate::output::{FinishedFile, OutputFile};

/// A type without values.
#[derive(Debug, Clone, Copy)]
enum Never {}

fn refused<T>(path: &Path) -> Result<T, TableError> {
    Err(TableError::NoParquet { path: path.to_path_buf() })
}

pub(crate) struct ParquetTable(Never);

impl ParquetTable {
    pub(crate) fn open(path: &Path) -> Result<Self, TableError> {
        refused(path)
    }

    pub(crate) fn names(&self) -> &[String] {
        match self.0 {}
    }

    pub(crate) fn schema(&self) -> &ParquetSchema {
        match self.0 {}
    }

    pub(crate) fn batches(self, _: usize) -> Result<Batches, TableError> {
        match self.0 {}
    }

    pub(crate) fn rows(self, _: &[(usize, As)]) -> Result<ParquetRows, TableError> {
        match self.0 {}
    }

    pub(crate) fn row_count(&self) -> u64 {
        match self.0 {}
    }

    pub(crate) fn rows_in(&self, _: usize) -> usize {
        match self.0 {}
    }

    pub(crate) fn expanded(self) -> Result<Self, TableError> {
        match self.0 {}
    }

    pub(crate) fn is_number(&self, _: usize) -> bool {
        match self.0 {}
    }

    pub(crate) fn is_text(&self, _: usize) -> bool {
        match self.0 {}
    }

    pub(crate) fn type_name(&self, _: usize) -> String {
        match self.0 {}
    }
}

#[derive(Debug, Clone)]
pub(crate) struct ParquetSchema(Never);

impl ParquetSchema {
    pub(crate) fn is_plain_number(&self, _: usize) -> bool {
        match self.0 {}
    }

    pub(crate) fn is_f32(&self, _: usize) -> bool {
        match self.0 {}
    }

    pub(crate) fn is_number(&self, _: usize) -> bool {
        match self.0 {}
    }

    pub(crate) fn is_text(&self, _: usize) -> bool {
        match self.0 {}
    }

    pub(crate) fn type_name(&self, _: usize) -> String {
        match self.0 {}
    }
}

pub struct ParquetLists(Never);

impl ParquetLists {
    pub(crate) fn open(table: ParquetTable) -> Result<Option<Self>, TableError> {
        match table.0 {}
    }

    pub(crate) fn length(&self) -> usize {
        match self.0 {}
    }

    pub(crate) fn is_f32(&self) -> bool {
        match self.0 {}
    }

    pub(crate) fn other_names(&self) -> &[String] {
        match self.0 {}
    }

    pub(crate) fn read(&mut self, _: &mut [f64]) -> Result<bool, TableError> {
        match self.0 {}
    }

    pub(crate) fn text(&self, _: usize) -> String {
        match self.0 {}
    }
}

pub struct Batches(Never);

impl Batches {
    pub(crate) fn next(&mut self) -> Result<Option<ParquetBatch>, TableError> {
        match self.0 {}
    }
}

#[derive(Debug)]
pub struct ParquetBatch(Never);

impl ParquetBatch {
    pub(crate) fn rows(&self) -> usize {
        match self.0 {}
    }

    pub(crate) fn widen(&self, _: usize, _: &mut [f64], _: usize) {
        match self.0 {}
    }

    pub(crate) fn missing(&self, _: usize, _: usize) -> Missing {
        match self.0 {}
    }

    pub(crate) fn columns(&self) -> usize {
        match self.0 {}
    }

    pub(crate) fn printed(&self, _: usize) -> Result<PrintedColumn<'_>, Cause> {
        match self.0 {}
    }

    pub(crate) fn text(&self, _: usize, _: usize) -> Option<String> {
        match self.0 {}
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Missing {
    Null,
    Inexact,
    NaN,
}

pub struct PrintedColumn<'a>(&'a Never);

impl PrintedColumn<'_> {
    pub(crate) fn push(&self, _: usize, _: &mut String) -> Result<(), Cause> {
        match *self.0 {}
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum As {
    Number,
    Text,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum ParquetCell<'a> {
    Missing,
    Number(f32),
    Text(&'a str),
}

pub struct ParquetRows(Never);

impl ParquetRows {
    pub(crate) fn advance(&mut self) -> Result<bool, TableError> {
        match self.0 {}
    }

    pub(crate) fn cell(&self, _: usize) -> ParquetCell<'_> {
        match self.0 {}
    }

    pub(crate) fn row(&self) -> u64 {
        match self.0 {}
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ColumnType {
    F32,
    F64,
    U8,
    U32,
    U64,
    Bool,
    Text,
}

#[derive(Debug, Default)]
pub struct NewSchema {}

impl NewSchema {
    pub(crate) fn push(&mut self, _: &str, _: ColumnType, _: bool) {}

    pub(crate) fn push_copied(&mut self, from: &ParquetSchema, _: usize) {
        match from.0 {}
    }

    pub(crate) fn push_retyped(&mut self, from: &ParquetSchema, _: usize, _: ColumnType) {
        match from.0 {}
    }

    pub(crate) fn copy_metadata(&mut self, from: &ParquetSchema) {
        match from.0 {}
    }
}

pub struct NewColumn;

impl NewColumn {
    pub(crate) fn copied(batch: &ParquetBatch, _: usize) -> Self {
        match batch.0 {}
    }

    pub(crate) fn f32s(_: impl Iterator<Item = f32>) -> Self {
        Self
    }

    pub(crate) fn f64s(_: impl Iterator<Item = f64>) -> Self {
        Self
    }

    pub(crate) fn u8s(_: impl Iterator<Item = u8>) -> Self {
        Self
    }

    pub(crate) fn u32s(_: impl Iterator<Item = u32>) -> Self {
        Self
    }

    pub(crate) fn u64s(_: impl Iterator<Item = u64>) -> Self {
        Self
    }

    pub(crate) fn texts<T: AsRef<str>>(_: impl Iterator<Item = T>) -> Self {
        Self
    }

    pub(crate) fn some_f32s(_: impl Iterator<Item = Option<f32>>) -> Self {
        Self
    }

    pub(crate) fn some_texts<'a>(_: impl Iterator<Item = Option<&'a str>>) -> Self {
        Self
    }

    pub(crate) fn some_bools(_: impl Iterator<Item = Option<bool>>) -> Self {
        Self
    }
}

pub struct ParquetFile(Never);

impl ParquetFile {
    pub(crate) fn create<'n>(
        output: OutputFile,
        _: NewSchema,
        _: impl IntoIterator<Item = &'n str>,
    ) -> Result<Self, TableError> {
        refused(output.path())
    }

    pub(crate) fn create_data(output: OutputFile, _: NewSchema) -> Result<Self, TableError> {
        refused(output.path())
    }

    pub(crate) fn path(&self) -> &Path {
        match self.0 {}
    }

    pub(crate) fn append(&mut self, _: Vec<NewColumn>) -> Result<(), TableError> {
        match self.0 {}
    }

    pub(crate) fn finish(self) -> Result<FinishedFile, TableError> {
        match self.0 {}
    }
}
