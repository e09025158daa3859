//! Identifies files by their first bytes and their names.

use std::path::{Path, PathBuf};

use tabiya_answers::{IdentityAnswer, IdentityKindAnswer};
use tabiya_formats::format::{Format, ProbeAnswer};
use tabiya_io::compression::ContentKind;
use tabiya_model::{Control, Result};

use crate::open::folder::{FolderFileKind, FolderOrigin};
use crate::open::foreign_formats::ForeignFormat;
use crate::open::inspection::{FileInspection, extension_of};
use crate::open::open_settings::Opener;

/// What a file or a folder is.
#[derive(Clone, Debug)]
pub struct PathIdentity {
    /// Its path.
    pub path: PathBuf,
    /// What it is.
    pub what: PathKind,
}

/// The kind of a path.
#[derive(Copy, Clone, Debug)]
pub enum PathKind {
    /// A database.
    Database {
        /// Of this format.
        format: &'static Format,
        /// Whether that is certain.
        certain: bool,
    },
    /// A file beside the one by which a database of this format is opened.
    Companion(&'static Format),
    /// An archive, which may hold databases.
    Archive,
    /// A file of another kind.
    Foreign(&'static ForeignFormat),
    /// A folder without a database.
    Folder,
    /// Unknown.
    Unknown,
}

impl PathIdentity {
    /// Whether it is one of Tabiya's formats.
    pub fn is_known(&self) -> bool {
        matches!(
            self.what,
            PathKind::Database { .. } | PathKind::Companion(_) | PathKind::Archive
        )
    }

    /// What it is, in words.
    pub fn title(&self) -> String {
        match self.what {
            PathKind::Database {
                format,
                certain: true,
            } => format.title.to_owned(),
            PathKind::Database { format, .. } => format!("{}, perhaps", format.title),
            PathKind::Companion(format) => {
                format!("{} (a file beside the one that opens it)", format.title)
            }
            PathKind::Archive => "an archive".to_owned(),
            PathKind::Foreign(foreign) => format!("unknown: {}; {}", foreign.title, foreign.advice),
            PathKind::Folder => "a folder without a database".to_owned(),
            PathKind::Unknown => "unknown".to_owned(),
        }
    }

    /// The answer for programs.
    pub fn answer(&self) -> IdentityAnswer {
        use IdentityKindAnswer as Kind;
        let (kind, format, certain) = match self.what {
            PathKind::Database { format, certain } => (Kind::Database, Some(format), certain),
            PathKind::Companion(format) => (Kind::Companion, Some(format), true),
            PathKind::Archive => (Kind::Archive, None, true),
            PathKind::Foreign(_) => (Kind::Foreign, None, true),
            PathKind::Folder => (Kind::Folder, None, true),
            PathKind::Unknown => (Kind::Unknown, None, false),
        };
        let foreign = match self.what {
            PathKind::Foreign(foreign) => Some(foreign),
            _ => None,
        };
        IdentityAnswer {
            path: self.path.display().to_string(),
            kind,
            format: format.map(|format| format.name),
            title: format
                .map(|format| format.title)
                .or(foreign.map(|foreign| foreign.title)),
            certain,
            advice: foreign.map(|foreign| foreign.advice),
        }
    }
}

/// Identifies a file, or each database in a folder.
///
/// ```
/// # fn main() -> tabiya::model::Result<()> {
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/si5/ok/sample.sg5");
/// use std::path::Path;
/// use tabiya::Opener;
/// use tabiya::identify::{PathKind, identify};
/// use tabiya::model::Control;
///
/// for found in identify(&Opener::default(), Path::new(path), &Control::default())? {
///     println!("{}: {}", found.path.display(), found.title());
///     assert!(matches!(found.what, PathKind::Companion(format) if format.name == "si5"));
/// }
/// # Ok(())
/// # }
/// ```
pub fn identify(opener: &Opener, path: &Path, control: &Control) -> Result<Vec<PathIdentity>> {
    let look = opener.inspect(path)?;
    if !look.is_folder || look.found.is_some() {
        return Ok(vec![what(path, &look)]);
    }
    let mut found = Vec::new();
    for file in Opener::files_of(path, FolderOrigin::Folder)? {
        if control.is_stopped() {
            break;
        }
        let look = opener.inspect(&file)?;
        let identified = what(&file, &look);
        // In a folder, what is no chess is of no interest.
        if !matches!(FolderFileKind::of(&file, &look), FolderFileKind::Other) {
            found.push(identified);
        }
    }
    if found.is_empty() {
        found.push(PathIdentity {
            path: path.to_owned(),
            what: PathKind::Folder,
        });
    }
    Ok(found)
}

fn what(path: &Path, look: &FileInspection) -> PathIdentity {
    let what = match look {
        FileInspection {
            found: Some((format, identity)),
            is_folder,
            ..
        } => {
            if !is_folder && !format.opens(&extension_of(path)) {
                PathKind::Companion(format)
            } else {
                PathKind::Database {
                    format,
                    certain: *identity == ProbeAnswer::Yes,
                }
            }
        }
        FileInspection {
            foreign: Some(foreign),
            ..
        } => PathKind::Foreign(foreign),
        FileInspection {
            kind: ContentKind::Zip | ContentKind::Tar | ContentKind::Cbv,
            ..
        } => PathKind::Archive,
        _ => PathKind::Unknown,
    };
    PathIdentity {
        path: path.to_owned(),
        what,
    }
}
