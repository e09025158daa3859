//! What files are, by their first bytes and their names.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tabiya_formats::format::{Format, Identity};
use tabiya_io::compression::Kind;
use tabiya_model::{Control, Result};

use crate::folder::{Inside, Member};
use crate::foreign::Foreign;
use crate::opener::{Look, Opener, extension_of};

/// What a file or a folder is.
#[derive(Clone, Debug)]
pub struct Identified {
    /// Its path.
    pub path: PathBuf,
    /// What it is.
    pub what: What,
}

/// What something is.
#[derive(Copy, Clone, Debug)]
pub enum What {
    /// A database.
    Database {
        /// Of this format.
        format: &'static Format,
        /// Whether that is certain.
        certain: bool,
    },
    /// A file that stands beside the one by which a database of this format is opened.
    Companion(&'static Format),
    /// An archive, which may hold databases.
    Archive,
    /// A file of another kind.
    Foreign(&'static Foreign),
    /// A folder with no database in it.
    Folder,
    /// Nobody knows.
    Unknown,
}

impl Identified {
    /// Whether it is one of Tabiya's formats.
    pub fn is_known(&self) -> bool {
        matches!(
            self.what,
            What::Database { .. } | What::Companion(_) | What::Archive
        )
    }

    /// What it is, in words.
    pub fn title(&self) -> String {
        match self.what {
            What::Database {
                format,
                certain: true,
            } => format.title.to_owned(),
            What::Database { format, .. } => format!("{}, perhaps", format.title),
            What::Companion(format) => {
                format!("{} (a file beside the one that opens it)", format.title)
            }
            What::Archive => "an archive".to_owned(),
            What::Foreign(foreign) => format!("unknown: {}; {}", foreign.title, foreign.advice),
            What::Folder => "a folder without a database".to_owned(),
            What::Unknown => "unknown".to_owned(),
        }
    }

    /// The answer for programs.
    pub fn json(&self) -> Value {
        let (kind, format, certain) = match self.what {
            What::Database { format, certain } => ("database", Some(format), certain),
            What::Companion(format) => ("companion", Some(format), true),
            What::Archive => ("archive", None, true),
            What::Foreign(_) => ("foreign", None, true),
            What::Folder => ("folder", None, true),
            What::Unknown => ("unknown", None, false),
        };
        let foreign = match self.what {
            What::Foreign(foreign) => Some(foreign),
            _ => None,
        };
        json!({
            "path": self.path.display().to_string(),
            "kind": kind,
            "format": format.map(|format| format.name),
            "title": format.map(|format| format.title).or(foreign.map(|foreign| foreign.title)),
            "certain": certain,
            "advice": foreign.map(|foreign| foreign.advice),
        })
    }
}

/// Says what a file is; of a folder, what each database in it is.
///
/// ```
/// # fn main() -> tabiya::model::Result<()> {
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/si5/ok/sample.sg5");
/// use std::path::Path;
/// use tabiya::Opener;
/// use tabiya::identify::{What, identify};
/// use tabiya::model::Control;
///
/// for found in identify(&Opener::default(), Path::new(path), &Control::default())? {
///     println!("{}: {}", found.path.display(), found.title());
///     assert!(matches!(found.what, What::Companion(format) if format.name == "si5"));
/// }
/// # Ok(())
/// # }
/// ```
pub fn identify(opener: &Opener, path: &Path, control: &Control) -> Result<Vec<Identified>> {
    let look = opener.look(path)?;
    if !look.is_folder || look.found.is_some() {
        return Ok(vec![what(path, &look)]);
    }
    let mut found = Vec::new();
    for file in Opener::files_of(path, Inside::Folder)? {
        if control.is_stopped() {
            break;
        }
        let look = opener.look(&file)?;
        let identified = what(&file, &look);
        // In a folder, what is no chess is of no interest.
        if !matches!(Member::of(&file, &look), Member::Other) {
            found.push(identified);
        }
    }
    if found.is_empty() {
        found.push(Identified {
            path: path.to_owned(),
            what: What::Folder,
        });
    }
    Ok(found)
}

fn what(path: &Path, look: &Look) -> Identified {
    let what = match look {
        Look {
            found: Some((format, identity)),
            is_folder,
            ..
        } => {
            if !is_folder && !format.opens(&extension_of(path)) {
                What::Companion(format)
            } else {
                What::Database {
                    format,
                    certain: *identity == Identity::Yes,
                }
            }
        }
        Look {
            foreign: Some(foreign),
            ..
        } => What::Foreign(foreign),
        Look {
            kind: Kind::Zip | Kind::Tar | Kind::Cbv,
            ..
        } => What::Archive,
        _ => What::Unknown,
    };
    Identified {
        path: path.to_owned(),
        what,
    }
}
