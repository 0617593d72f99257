//! The files in a folder of data: one per split, perhaps an XML list, perhaps rules.

use std::io;
use std::path::{Path, PathBuf};

use super::super::complaint::NotADataset;
use super::super::convert;
use super::super::error::DatasetError;
use super::super::ontology::is_obo;
use super::super::split::{Split, SplitFile};
use super::file_format::FileFormat;

/// The files of a data set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in super::super) struct Files {
    pub(in super::super) format: FileFormat,
    /// In the order of the splits.
    pub(in super::super) splits: Vec<SplitFile>,
    pub(in super::super) xml: Option<PathBuf>,
    pub(in super::super) rules: Option<PathBuf>,
}

impl Files {
    /// The files of a path; none for a converted folder, which describes itself.
    pub(in super::super) fn find(path: &Path) -> Result<Option<Self>, DatasetError> {
        let opened = |source| DatasetError::open(path, source);
        let known = std::fs::metadata(path).map_err(opened)?;
        if !known.is_dir() && !known.is_file() {
            let (path, reason) = (path.to_path_buf(), NotADataset::NotAFile);
            return Err(DatasetError::NotADataset { path, reason });
        }
        Ok(match known.is_dir() {
            true if path.join(convert::DESCRIPTOR).is_file() => None,
            true => Some(Self::from_folder(path)?),
            false => Some(Self::from_file(path)?),
        })
    }

    /// Finds the files in a folder.
    pub(super) fn from_folder(folder: &Path) -> Result<Self, DatasetError> {
        let opened = |source| DatasetError::open(folder, source);
        let not = |reason| DatasetError::NotADataset { path: folder.to_path_buf(), reason };
        let mut paths: Vec<PathBuf> = Vec::new();
        for entry in std::fs::read_dir(folder).map_err(opened)? {
            let path = entry.map_err(opened)?.path();
            if path.is_file() {
                paths.push(path);
            }
        }
        paths.sort();
        let one = |wanted: fn(&str) -> bool, reason| {
            let mut found = paths.iter().filter(|path| wanted(&file_name(path)));
            match (found.next(), found.next()) {
                (_, Some(_)) => Err(not(reason)),
                (found, None) => Ok(found.cloned()),
            }
        };
        let xml = one(|name| name.ends_with(".xml"), NotADataset::SeveralLists)?;
        let rules = one(is_rules, NotADataset::SeveralRules)?;
        let data: Vec<(FileFormat, &PathBuf)> = paths
            .iter()
            .filter_map(|path| Some((FileFormat::from_path(path).ok()?, path)))
            .collect();
        let Some(&(format, _)) = data.first() else {
            return Err(not(NotADataset::NoFile));
        };
        if data.iter().any(|(other, _)| *other != format) {
            return Err(not(NotADataset::SeveralFormats));
        }
        let mut splits: Vec<SplitFile> = Vec::new();
        for (_, path) in &data {
            let split = match Split::from_file_name(&file_name(path)) {
                Some(split) => split,
                None if data.len() == 1 => Split::Train,
                None => return Err(not(NotADataset::NoSplit(file_name(path)))),
            };
            if let Some(first) = splits.iter().find(|file| file.split == split) {
                let (first, second) = (first.path.clone(), path.to_path_buf());
                return Err(DatasetError::SplitTwice { split, first, second });
            }
            splits.push(SplitFile { split, path: path.to_path_buf() });
        }
        splits.sort_by_key(|file| file.split);
        Ok(Self { format, splits, xml, rules })
    }

    /// One file, as a train split; the XML list of a MULAN file may be next to it.
    pub(super) fn from_file(path: &Path) -> Result<Self, DatasetError> {
        let format = FileFormat::from_path(path)?;
        let splits = vec![SplitFile { split: Split::Train, path: path.to_path_buf() }];
        let xml = (format == FileFormat::Arff).then(|| label_list_for(path)).flatten();
        Ok(Self { format, splits, xml, rules: None })
    }
}

/// The files that a source is read from: of a folder those of its data set, with rules and lists of labels;
/// of a file itself and the list of labels next to it.
///
/// # Errors
/// If the path cannot be read, or is not a data set.
pub fn source_files(path: &Path) -> Result<Vec<PathBuf>, DatasetError> {
    match Files::find(path)? {
        Some(files) => {
            let splits = files.splits.into_iter().map(|file| file.path);
            Ok(splits.chain(files.xml).chain(files.rules).collect())
        }
        None => described(path),
    }
}

/// All files of a converted folder.
fn described(folder: &Path) -> Result<Vec<PathBuf>, DatasetError> {
    let opened = |source| DatasetError::open(folder, source);
    let entries = std::fs::read_dir(folder).map_err(opened)?;
    let paths = entries.map(|entry| entry.map(|entry| entry.path()));
    let paths = paths.collect::<io::Result<Vec<_>>>().map_err(opened)?;
    let is_known = |path: &PathBuf| {
        let stem = path.file_stem().unwrap_or_default();
        let known = ["train", "valid", "test", "rules", "labels", "dataset"];
        path.is_file() && known.iter().any(|name| stem == *name)
    };
    Ok(paths.into_iter().filter(is_known).collect())
}

/// `yeast.xml` for `yeast.arff`, `yeast-train.arff.gz` or similar names.
fn label_list_for(path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?.to_str()?;
    let stem = name.strip_suffix(".gz").unwrap_or(name);
    let stem = stem.rsplit_once('.').map_or(stem, |(stem, _)| stem);
    let shorter =
        stem.rsplit_once(['-', '_', '.']).filter(|(_, last)| Split::from_file_name(last).is_some());
    let stems = [Some(stem), shorter.map(|(stem, _)| stem)].into_iter().flatten();
    stems.map(|stem| path.with_file_name(format!("{stem}.xml"))).find(|list| list.is_file())
}

fn is_rules(name: &str) -> bool {
    name == "rules.txt"
        || ["_constraints.txt", "_rules.txt", ".rules"].iter().any(|end| name.ends_with(end))
        || is_obo(Path::new(name))
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
