//! Archives: every database in a zip or tar file, as one source.
//!
//! Formats that can be read from a pipe are read straight out of the archive, member after member. Formats of several
//! files are unpacked into a temporary folder first.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use tabiya_formats::format::{Format, Identity};
use tabiya_io::cbv::{self, Deciphered};
use tabiya_io::compression;
use tabiya_io::container::{Member, Members};
use tabiya_model::{
    About, Block, Diagnostic, Diagnostics, Error, ErrorKind, Losses, Place, Result, Source,
};

use crate::opener::{Opener, Password, cannot_open, extension_of};

tabiya_model::codes! {
    MEMBER_SKIPPED = "archive-member-skipped", Note,
        "A file in the archive is no chess database and was not read.",
        "Unpack the archive and open the file with --from FORMAT if it holds games after all.";
    NO_FILE = "archive-link", Warning,
        "A link, a pipe or a device in the archive has no content of its own.",
        "Where the link leads out of the archive, open the file that it leads to.";
    MEMBER_DAMAGED = "archive-member-damaged", Damage,
        "A file in the archive could not be unpacked; the other files were read.",
        "Fetch the archive again, or try the repair function of its own program.";
}

/// What an archive holds.
pub(crate) enum Contents {
    /// Only formats that can be read from a pipe; the first one's format.
    Streams(&'static Format),
    /// Formats that need their files.
    Files,
}

/// Looks at the names and first bytes of all members.
pub(crate) fn contents(
    path: &Path,
    opener: &Opener,
    limits: &compression::Limits,
) -> Result<Contents> {
    let (mut first, mut fault) = (None, None);
    for member in Members::open(path, limits).map_err(unpack_error)? {
        let member = match member {
            Ok(member) => member,
            // A fault in a member is reported when the games are read, if there are any.
            Err(compression::Error::NoFile { .. }) => continue,
            Err(error) => {
                fault.get_or_insert(error);
                continue;
            }
        };
        match format_of(&member, opener) {
            Some(format) if format.stream.is_none() => return Ok(Contents::Files),
            Some(format) => first = first.or(Some(format)),
            None => {}
        }
    }
    match (first, fault) {
        (Some(format), _) => Ok(Contents::Streams(format)),
        (None, Some(error)) => Err(unpack_error(error)),
        (None, None) => Err(Error::new(
            ErrorKind::NotThisFormat,
            format!("{}: no chess database is in this archive", path.display()),
        )),
    }
}

fn format_of(member: &Member, opener: &Opener) -> Option<&'static Format> {
    let name = PathBuf::from(member.name());
    let found = opener.probe(None, &extension_of(&name), member.head(), false);
    // Between other files only a certain answer counts: notes and pictures are no games.
    found
        .filter(|(_, identity)| *identity == Identity::Yes)
        .map(|(format, _)| format)
}

/// The folders of this process that archives are unpacked to.
static UNPACKED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// A folder that an archive was unpacked to, removed when dropped.
#[derive(Debug)]
pub(crate) struct Unpacked(tempfile::TempDir);

impl Unpacked {
    fn new() -> Result<Unpacked> {
        // The lock is held so that none is made unseen while all are removed.
        let mut unpacked = UNPACKED.lock().unwrap_or_else(PoisonError::into_inner);
        let folder = tempfile::Builder::new().prefix("tabiya-").tempdir()?;
        unpacked.insert(folder.path().to_owned());
        Ok(Unpacked(folder))
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for Unpacked {
    fn drop(&mut self) {
        let mut unpacked = UNPACKED.lock().unwrap_or_else(PoisonError::into_inner);
        unpacked.remove(self.0.path());
    }
}

/// Removes all folders that archives were unpacked to.
pub(crate) fn remove_unpacked() {
    let unpacked = UNPACKED.lock().unwrap_or_else(PoisonError::into_inner);
    for folder in &*unpacked {
        // A thread may still be unpacking: what it makes meanwhile is removed in a second turn.
        for _ in 0..3 {
            if std::fs::remove_dir_all(folder).is_ok() || !folder.exists() {
                break;
            }
        }
    }
}

/// Unpacks all members into a folder that is removed with the handle.
pub(crate) fn unpack(path: &Path, limits: &compression::Limits) -> Result<Unpacked> {
    let members = Members::open(path, limits).map_err(unpack_error)?;
    unpack_members(&path.display().to_string(), members)
}

/// The same for an enciphered archive of ChessBase.
pub(crate) fn unpack_enciphered(
    path: &Path,
    password: &Password,
    limits: &compression::Limits,
) -> Result<Unpacked> {
    let name = path.display().to_string();
    let file = std::fs::File::open(path).map_err(|error| cannot_open(path, error))?;
    let mut plain = Deciphered::new(std::io::BufReader::new(file), password.bytes());
    let mut head = [0; 8];
    let has_head = plain.read_exact(&mut head).is_ok();
    if !has_head || !cbv::is_header(&head) {
        return Err(Error::usage(format!(
            "{name}: the password does not fit, or this is no archive of ChessBase"
        )));
    }
    let whole = std::io::Cursor::new(head).chain(plain);
    let members = Members::from_reader(&name, Box::new(whole), limits);
    unpack_members(&name, members)
}

fn unpack_members(archive: &str, members: Members) -> Result<Unpacked> {
    let folder = Unpacked::new()?;
    for member in members {
        let mut member = match member {
            Ok(member) => member,
            // A link to a file of the archive is that file again; one that leads out of it leads nowhere.
            Err(compression::Error::NoFile { .. }) => continue,
            Err(error) => return Err(unpack_error(error)),
        };
        let target = folder.path().join(inner_path(archive, member.name()));
        if let Some(parent) = target.parent() {
            std::fs::create_dir_all(parent).map_err(|error| cannot_open(parent, error))?;
        }
        let mut file =
            std::fs::File::create_new(&target).map_err(|error| cannot_open(&target, error))?;
        std::io::copy(&mut member, &mut file)?;
        file.flush()?;
    }
    Ok(folder)
}

/// The path of a member within its archive, without anything that leads out of it.
fn inner_path(archive: &str, name: &str) -> PathBuf {
    let inner = name.strip_prefix(archive).unwrap_or(name);
    let inner = Path::new(inner.trim_start_matches(['/', ':', '\\']));
    inner
        .components()
        .filter_map(|part| match part {
            Component::Normal(part) => Some(part),
            _ => None,
        })
        .collect()
}

/// The members of an archive, one after another.
pub(crate) struct Chain {
    members: Members,
    opener: Opener,
    current: Option<Box<dyn Source<'static>>>,
    diagnostics: Diagnostics,
    gone: Losses,
}

impl Chain {
    /// Starts at the first member.
    pub(crate) fn new(path: &Path, opener: &Opener, limits: &compression::Limits) -> Result<Chain> {
        let mut chain = Chain {
            members: Members::open(path, limits).map_err(unpack_error)?,
            opener: opener.clone(),
            current: None,
            diagnostics: Diagnostics::default(),
            gone: Losses::default(),
        };
        // What the first database says about itself has to be known before its games.
        while chain.current.is_none() && chain.next_member()? {}
        Ok(chain)
    }

    fn next_member(&mut self) -> Result<bool> {
        let Some(member) = self.members.next() else {
            return Ok(false);
        };
        let member = match member {
            Ok(member) => member,
            Err(compression::Error::NoFile { name, what }) => {
                let place = Place::default().in_file(name);
                self.diagnostics
                    .push(Diagnostic::new(&NO_FILE, place, what));
                return Ok(true);
            }
            Err(error) => {
                self.diagnostics.push(Diagnostic::new(
                    &MEMBER_DAMAGED,
                    Place::default(),
                    error.to_string(),
                ));
                return Ok(true);
            }
        };
        let name = member.name().to_owned();
        match format_of(&member, &self.opener).and_then(|format| format.stream) {
            Some(stream) => self.current = Some(stream(Box::new(member), &self.opener.options)?),
            None => self.diagnostics.push(Diagnostic::new(
                &MEMBER_SKIPPED,
                Place::default().in_file(name),
                "not a chess database",
            )),
        }
        Ok(true)
    }
}

impl<'a> Source<'a> for Chain {
    fn next_block(&mut self) -> Result<Option<Box<dyn Block + 'a>>> {
        loop {
            match &mut self.current {
                Some(source) => match source.next_block()? {
                    Some(block) => return Ok(Some(block)),
                    None => {
                        self.diagnostics.append(&source.diagnostics());
                        self.gone.append(&mut source.gone());
                        self.current = None;
                    }
                },
                None => {
                    if !self.next_member()? {
                        return Ok(None);
                    }
                }
            }
        }
    }

    fn diagnostics(&self) -> Diagnostics {
        self.diagnostics.clone()
    }

    fn gone(&self) -> Losses {
        self.gone.clone()
    }

    fn about(&self) -> About {
        self.current
            .as_ref()
            .map(|source| source.about())
            .unwrap_or_default()
    }
}

fn unpack_error(error: compression::Error) -> Error {
    Error::from(std::io::Error::from(error))
}
