//! Where the paper's data sets are on this machine.

use std::path::{Path, PathBuf};

/// The environment variable that names the folder with the data sets of the catalogue.
pub const DATA_VARIABLE: &str = "RULEBOUND_DATA";

/// The folder that holds `hmc/` and `lcmc/`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DataFolder {
    path: PathBuf,
}

impl DataFolder {
    /// The requested folder; else the one in [`DATA_VARIABLE`]; else `rulebound` in the user's data
    /// folder by the platform's convention (`~/.local/share/rulebound` on Linux).
    pub fn resolve(given: Option<&Path>) -> Self {
        let path = given
            .map(Path::to_path_buf)
            .or_else(|| {
                std::env::var_os(DATA_VARIABLE).filter(|value| !value.is_empty()).map(PathBuf::from)
            })
            .unwrap_or_else(Self::of_user);
        Self { path }
    }

    /// The user's own folder, whether or not it exists.
    fn of_user() -> PathBuf {
        let folder = dirs::data_dir().unwrap_or_else(|| PathBuf::from("."));
        folder.join("rulebound")
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_given_comes_first() {
        let given = DataFolder::resolve(Some(Path::new("somewhere")));
        assert_eq!(given.path(), Path::new("somewhere"));
    }

    #[test]
    fn the_users_folder_is_named_after_the_product() {
        assert!(DataFolder::of_user().ends_with("rulebound"));
    }
}
