//! Writes the splits of a source as files of the source's own format.
//!
//! Text formats are copied record by record, so that every column and spelling is kept: the rows are
//! those of the file, only the file they are in changes. What is not text (Parquet, converted folders,
//! built-in problems) is [converted](super::convert).

use std::io::Write;
use std::path::{Path, PathBuf};

use super::complaint::Mistakes;
use super::convert::{ConvertFormat, convert};
use super::error::DatasetError;
use super::set::Dataset;
use super::source::{FileFormat, Files, ReadOptions, Source, with_given_rules};
use super::split::{Split, SplitFile};
use super::table::{Delimiter, TextTable};
use rulebound_io::input::{Fallback, Lines};
use rulebound_io::output::{FinishedFile, OutputClaim, OutputFile};
use rulebound_io::table::TextFile;

/// Splits a source as `options` say and writes one file per split to a new folder. Returns the data
/// with these splits. Nothing is written unless everything can be.
///
/// # Errors
/// If the source cannot be read or split, the folder is not empty, or a file cannot be written.
pub fn split_files(
    source: &Source,
    options: &ReadOptions,
    folder: &Path,
) -> Result<Dataset, DatasetError> {
    let data = source.read_whole(options)?;
    let splits = options.splitting.assign(&data)?;
    let _claim = claim(folder)?;
    let files = match source {
        Source::Path(path) => Files::find(path)?,
        Source::Builtin(_) => None,
    };
    let split = with_given_rules(data.reordered(&splits)?, options)?;
    match files {
        Some(files) if !matches!(files.format, FileFormat::Parquet | FileFormat::Array) => {
            copy(&files, &splits, folder)?
        }
        Some(_) => convert(&split, ConvertFormat::Parquet, folder)?,
        None => convert(&split, ConvertFormat::Csv, folder)?,
    }
    Ok(split)
}

/// Makes the folder, which is this run's until the claim is dropped; one that has files could be mistaken for a
/// mixture of two data sets.
fn claim(given: &Path) -> Result<OutputClaim, DatasetError> {
    let failed = |source| DatasetError::MakeFolder { path: given.to_path_buf(), source };
    std::fs::create_dir_all(given).map_err(failed)?;
    // The claim is beside the folder, whose name must not end in a separator or in dots.
    let folder = &given.canonicalize().map_err(failed)?;
    let claim = OutputClaim::take(folder)?;
    match std::fs::read_dir(folder).map_err(failed)?.next() {
        None => Ok(claim),
        Some(_) => Err(DatasetError::FolderInUse { path: given.to_path_buf() }),
    }
}

/// Copies the records of all files to those of their splits, and the lists and rules beside them.
fn copy(files: &Files, splits: &[Split], folder: &Path) -> Result<(), DatasetError> {
    let mut rows = splits.iter().copied();
    let mut outputs =
        Outputs { folder, extension: extension(files.format), texts: [const { None }; 3] };
    for file in &files.splits {
        match files.format {
            FileFormat::Csv | FileFormat::Tsv => {
                copy_table(file, files.format, &mut rows, &mut outputs)?;
            }
            _ => copy_lines(file, files.format, &mut rows, &mut outputs)?,
        }
    }
    let left = rows.count();
    if left > 0 {
        let found = splits.len() - left;
        return Err(DatasetError::BadLength { what: "rows", expected: splits.len(), found });
    }
    let mut finished = outputs.finish()?;
    for path in [&files.xml, &files.rules].into_iter().flatten() {
        let bytes = std::fs::read(path).map_err(|source| DatasetError::open(path, source))?;
        // The bytes are copied as they are, also if the name means gzip.
        let target = folder.join(path.file_name().unwrap_or_default());
        finished.push(Finished::Copy(target, bytes));
    }
    finished.into_iter().try_for_each(Finished::publish)
}

fn extension(format: FileFormat) -> &'static str {
    match format {
        FileFormat::Tsv => "tsv",
        FileFormat::Arff => "arff",
        FileFormat::Svmlight => "svm",
        FileFormat::Csv | FileFormat::Parquet | FileFormat::Array => "csv",
    }
}

/// The files being written, made when their first row comes.
struct Outputs<'a> {
    folder: &'a Path,
    extension: &'static str,
    texts: [Option<SplitText>; 3],
}

enum SplitText {
    Table(Box<TextFile>),
    Lines(OutputFile),
}

enum Finished {
    File(FinishedFile),
    Copy(PathBuf, Vec<u8>),
}

impl Finished {
    fn publish(self) -> Result<(), DatasetError> {
        match self {
            Self::File(file) => Ok(file.publish()?),
            Self::Copy(path, bytes) => std::fs::write(&path, bytes)
                .map_err(|source| rulebound_io::output::OutputError::Write { path, source }.into()),
        }
    }
}

impl Outputs<'_> {
    fn file(&self, split: Split) -> Result<OutputFile, DatasetError> {
        let path = self.folder.join(format!("{split}.{}", self.extension));
        Ok(OutputFile::create(&path)?)
    }

    fn record<'t>(
        &mut self,
        split: Split,
        table: &'t TextTable,
        cells: impl Iterator<Item = &'t str>,
    ) -> Result<(), DatasetError> {
        let place = split as usize;
        if self.texts[place].is_none() {
            let mut file = TextFile::new(self.file(split)?, table.delimiter(), false);
            file.row(table.names())?;
            self.texts[place] = Some(SplitText::Table(Box::new(file)));
        }
        match &mut self.texts[place] {
            Some(SplitText::Table(file)) => Ok(file.row(cells)?),
            _ => Ok(()),
        }
    }

    fn line(&mut self, split: Split, header: &str, line: &str) -> Result<(), DatasetError> {
        let place = split as usize;
        let mut text = String::new();
        if self.texts[place].is_none() {
            text.push_str(header);
            self.texts[place] = Some(SplitText::Lines(self.file(split)?));
        }
        text.push_str(line);
        text.push('\n');
        match &mut self.texts[place] {
            Some(SplitText::Lines(file)) => {
                let written = file.write_all(text.as_bytes());
                written.map_err(|source| file.failed(source).into())
            }
            _ => Ok(()),
        }
    }

    fn finish(self) -> Result<Vec<Finished>, DatasetError> {
        let finish = |text| {
            Ok(Finished::File(match text {
                SplitText::Table(file) => file.finish()?,
                SplitText::Lines(file) => file.finish()?,
            }))
        };
        self.texts.into_iter().flatten().map(finish).collect()
    }
}

fn copy_table(
    file: &SplitFile,
    format: FileFormat,
    splits: &mut impl Iterator<Item = Split>,
    outputs: &mut Outputs<'_>,
) -> Result<(), DatasetError> {
    let mut table = TextTable::open(&file.path, format, Delimiter::Detected)?;
    let mut mistakes = Mistakes::default();
    let width = table.names().len();
    while table.advance(0..width, &mut mistakes)? {
        let Some(split) = splits.next() else { break };
        outputs.record(split, &table, (0..width).map(|column| table.text(column)))?;
    }
    DatasetError::expect_none(&file.path, mistakes)
}

/// ARFF and svmlight: a row is a line, and an ARFF header is repeated in each file.
fn copy_lines(
    file: &SplitFile,
    format: FileFormat,
    splits: &mut impl Iterator<Item = Split>,
    outputs: &mut Outputs<'_>,
) -> Result<(), DatasetError> {
    let mut lines = Lines::open(&file.path, Fallback::Latin1)?;
    let mut mistakes = Mistakes::default();
    let mut header = String::new();
    let mut is_data = format != FileFormat::Arff;
    let comment = if format == FileFormat::Arff { '%' } else { '#' };
    while let Some(line) = lines.next(&mut mistakes)? {
        let text = line.trim();
        if !is_data {
            header.push_str(&line);
            header.push('\n');
            let word = text.split(char::is_whitespace).next().unwrap_or_default();
            is_data = word.eq_ignore_ascii_case("@data");
        } else if !text.is_empty() && !text.starts_with(comment) {
            let Some(split) = splits.next() else { break };
            outputs.line(split, &header, &line)?;
        }
    }
    DatasetError::expect_none(&file.path, mistakes)
}
