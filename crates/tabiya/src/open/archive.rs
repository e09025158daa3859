//! Archives: every database in a zip or tar file, as one source.
//!
//! Formats that can be read from a pipe are read directly from the archive, member by member. Formats of several files are
//! unpacked into a temporary folder first.
//!
//! An [`Opener`] does this by itself:
//!
//! ```
//! # fn main() -> tabiya::model::Result<()> {
//! # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/cbh/ok/packed.cbv");
//! let base = tabiya::open(path)?.remove(0);
//! assert!(base.is_unpacked());
//! assert_eq!(base.format().name, "cbh");
//! # Ok(())
//! # }
//! ```

use std::io::{Read, Write};
use std::path::{Component, Path, PathBuf};

use tabiya_formats::format::{Format, ProbeAnswer};
use tabiya_io::cbv::{self, CbzReader};
use tabiya_io::compression;
use tabiya_io::container::{InputFile, InputFiles};
use tabiya_model::{
    Block, DatabaseMetadata, Diagnostic, Diagnostics, Error, ErrorCode, ErrorKind, Location,
    Losses, Result, Source,
};

use crate::error_codes;
use crate::open::inspection::{cannot_open, extension_of};
use crate::open::open_settings::{Opener, Password};
use crate::open::temporary_folder::PrivateFolder;

tabiya_model::codes! {
    MEMBER_SKIPPED = "archive-member-skipped", Note,
        "A file in the archive is not a chess database and was not read.",
        "If it does hold games, unpack the archive and open the file with {source-format}.";
    NO_FILE = "archive-link", Warning,
        "The archive has a link, a pipe or a device, which has no content of its own.",
        "If the link leads out of the archive, open the file that it leads to.";
    MEMBER_DAMAGED = "archive-member-damaged", Damage,
        "A file in the archive could not be unpacked; the other files were read.",
        "Fetch the archive again, or try the repair function of the program that made it.";
}

/// What an archive holds.
pub(crate) enum ArchiveContents {
    /// Only formats that can be read from a pipe; the first one's format.
    Streams(&'static Format),
    /// Formats that need their files.
    Files,
}

/// Looks at the names and first bytes of all members.
pub(crate) fn contents(
    path: &Path,
    opener: &Opener,
    limits: &compression::UnpackLimits,
) -> Result<ArchiveContents> {
    let (mut first, mut fault) = (None, None);
    for member in InputFiles::open(path, limits).map_err(unpack_error)? {
        let member = match member {
            Ok(member) => member,
            // A fault in a member is reported when the games are read, if there are any.
            Err(compression::UnpackError::NoFile { .. }) => continue,
            Err(error) => {
                fault.get_or_insert(error);
                continue;
            }
        };
        match format_of(&member, opener) {
            Some(format) if format.stream.is_none() => return Ok(ArchiveContents::Files),
            Some(format) => first = first.or(Some(format)),
            None => {}
        }
    }
    match (first, fault) {
        (Some(format), _) => Ok(ArchiveContents::Streams(format)),
        (None, Some(error)) => Err(unpack_error(error)),
        (None, None) => Err(Error::new(
            &error_codes::NOTHING_TO_OPEN,
            "there is no chess database in this archive",
        )
        .in_file(path.display().to_string())),
    }
}

fn format_of(member: &InputFile, opener: &Opener) -> Option<&'static Format> {
    let name = PathBuf::from(member.name());
    let found = opener.probe(None, &extension_of(&name), member.head(), false);
    // Between other files only a certain answer counts: notes and pictures are no games.
    found
        .filter(|(_, identity)| *identity == ProbeAnswer::Yes)
        .map(|(format, _)| format)
}

/// A folder that an archive was unpacked to, removed when dropped.
#[derive(Debug)]
pub(crate) struct UnpackedArchive {
    folder: PrivateFolder,
    /// What became of members that are no files, or could not be unpacked whole.
    pub(crate) found: Diagnostics,
    /// Why the first member that was not unpacked whole was not.
    fault: Option<(&'static ErrorCode, String)>,
}

impl UnpackedArchive {
    pub(crate) fn new() -> Result<UnpackedArchive> {
        Ok(UnpackedArchive {
            folder: PrivateFolder::new()?,
            found: Diagnostics::default(),
            fault: None,
        })
    }

    /// Why the archive was not unpacked whole.
    pub(crate) fn fault(&self) -> Option<Error> {
        let (code, message) = self.fault.as_ref()?;
        Some(Error::new(code, message.clone()))
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Unpacks all members into a folder that is removed with the handle.
pub(crate) fn unpack(path: &Path, limits: &compression::UnpackLimits) -> Result<UnpackedArchive> {
    let members = InputFiles::open(path, limits).map_err(unpack_error)?;
    unpack_members(&path.display().to_string(), members)
}

/// The same for an encrypted archive of ChessBase.
pub(crate) fn unpack_enciphered(
    path: &Path,
    password: &Password,
    limits: &compression::UnpackLimits,
) -> Result<UnpackedArchive> {
    let name = path.display().to_string();
    let file = tabiya_io::regular_file::open(path).map_err(|error| cannot_open(path, error))?;
    let mut plain = CbzReader::new(std::io::BufReader::new(file), password.bytes());
    let mut head = [0; 8];
    let has_head = plain.read_exact(&mut head).is_ok();
    if !has_head || !cbv::is_header(&head) {
        return Err(Error::new(
            &error_codes::WRONG_PASSWORD,
            "the password is wrong, or this is not a ChessBase archive",
        )
        .in_file(name.to_string()));
    }
    let whole = std::io::Cursor::new(head).chain(plain);
    let members = InputFiles::from_reader(&name, Box::new(whole), limits);
    unpack_members(&name, members)
}

fn unpack_members(archive: &str, members: InputFiles) -> Result<UnpackedArchive> {
    let mut folder = UnpackedArchive::new()?;
    let mut files = 0_u64;
    for member in members {
        let mut member = match member {
            Ok(member) => member,
            Err(error @ compression::UnpackError::Io { .. }) => return Err(unpack_error(error)),
            Err(error) => {
                folder.found.push(told(error));
                continue;
            }
        };
        // The folder is one of this program, into which nobody else can put a link.
        let target = folder.path().join(inner_path(archive, member.name()));
        if let Some(parent) = target.parent() {
            std::fs::create_dir_all(parent).map_err(|error| cannot_open(parent, error))?;
        }
        let mut file =
            std::fs::File::create_new(&target).map_err(|error| cannot_open(&target, error))?;
        match copy(&mut member, &mut file)? {
            Ok(()) => files += 1,
            Err(error) => {
                let place = Location::default().in_file(member.name());
                let message = error.message.clone();
                folder
                    .found
                    .push(Diagnostic::new(&MEMBER_DAMAGED, place, message));
                folder.fault.get_or_insert((error.code, error.message));
                files += u64::from(file.metadata().is_ok_and(|it| it.len() > 0));
            }
        }
    }
    match folder.fault() {
        Some(fault) if files == 0 => Err(fault),
        _ => Ok(folder),
    }
}

/// Copies what can be unpacked of a member. The error within says why it is not all of it; the one around it, that
/// nothing more can be done.
fn copy(member: &mut InputFile, file: &mut std::fs::File) -> Result<Result<()>> {
    let mut buffer = vec![0; 1 << 16];
    loop {
        let count = match member.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if compression::is_damage(&error) => return Ok(Err(Error::from(error))),
            Err(error) => return Err(Error::from(error)),
        };
        file.write_all(buffer.get(..count).unwrap_or_default())?;
    }
    file.flush()?;
    Ok(Ok(()))
}

/// A member that cannot be opened, as something to tell beside the others.
fn told(error: compression::UnpackError) -> Diagnostic {
    match error {
        compression::UnpackError::NoFile { name, what } => {
            Diagnostic::new(&NO_FILE, Location::default().in_file(name), what)
        }
        error => Diagnostic::new(&MEMBER_DAMAGED, Location::default(), error.to_string()),
    }
}

fn no_database(member: &str) -> Diagnostic {
    let place = Location::default().in_file(member);
    Diagnostic::new(&MEMBER_SKIPPED, place, "not a chess database")
}

/// A file of an unpacked archive that is no database, as something to tell beside the others.
pub(crate) fn skipped_file(folder: &Path, file: &Path) -> Diagnostic {
    let member = file.strip_prefix(folder).unwrap_or(file);
    no_database(&member.display().to_string())
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
pub(crate) struct ArchiveSource {
    members: InputFiles,
    opener: Opener,
    current: Option<Box<dyn Source<'static>>>,
    /// The name of the member that is read.
    name: String,
    diagnostics: Diagnostics,
    gone: Losses,
    /// Whether a member was read as a database, and why the first one was not that was none.
    any: bool,
    fault: Option<Error>,
}

impl ArchiveSource {
    /// Starts at the first member.
    pub(crate) fn new(
        path: &Path,
        opener: &Opener,
        limits: &compression::UnpackLimits,
    ) -> Result<ArchiveSource> {
        let mut chain = ArchiveSource {
            members: InputFiles::open(path, limits).map_err(unpack_error)?,
            opener: opener.clone(),
            current: None,
            name: String::new(),
            diagnostics: Diagnostics::default(),
            gone: Losses::default(),
            any: false,
            fault: None,
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
            Err(error) => {
                self.diagnostics.push(told(error));
                return Ok(true);
            }
        };
        member.name().clone_into(&mut self.name);
        match format_of(&member, &self.opener).and_then(|format| format.stream) {
            Some(stream) => match stream(Box::new(member), &self.opener.options) {
                Ok(source) => self.current = Some(source),
                Err(error) => self.leave_out(error)?,
            },
            None => self.diagnostics.push(no_database(&self.name)),
        }
        Ok(true)
    }

    /// Goes on without a member that turned out to be no database, or to be damaged beyond reading.
    fn leave_out(&mut self, error: Error) -> Result<()> {
        let code = match error.kind {
            ErrorKind::NotThisFormat => &MEMBER_SKIPPED,
            ErrorKind::Corrupt => &MEMBER_DAMAGED,
            _ if is_cut(&error) => &MEMBER_DAMAGED,
            _ => return Err(error),
        };
        let place = Location::default().in_file(self.name.as_str());
        self.diagnostics
            .push(Diagnostic::new(code, place, error.message.clone()));
        self.fault.get_or_insert(error);
        self.finish_member();
        Ok(())
    }

    fn finish_member(&mut self) {
        if let Some(source) = self.current.take() {
            self.diagnostics.append(&source.diagnostics());
            self.gone.append(&mut source.missing());
        }
    }
}

impl<'a> Source<'a> for ArchiveSource {
    fn next_block(&mut self) -> Result<Option<Box<dyn Block + 'a>>> {
        loop {
            match &mut self.current {
                Some(source) => match source.next_block() {
                    Ok(Some(block)) => {
                        self.any = true;
                        return Ok(Some(block));
                    }
                    Ok(None) => {
                        self.any = true;
                        self.finish_member();
                    }
                    Err(error) => self.leave_out(error)?,
                },
                None => {
                    if !self.next_member()? {
                        // Where no member was a database, the archive is none.
                        return match self.fault.take().filter(|_| !self.any) {
                            Some(error) => Err(error),
                            None => Ok(None),
                        };
                    }
                }
            }
        }
    }

    fn diagnostics(&self) -> Diagnostics {
        self.diagnostics.clone()
    }

    fn missing(&self) -> Losses {
        self.gone.clone()
    }

    fn about(&self) -> DatabaseMetadata {
        self.current
            .as_ref()
            .map(|source| source.about())
            .unwrap_or_default()
    }
}

/// Whether the packed data of a member are what failed.
fn is_cut(error: &Error) -> bool {
    let cause = std::error::Error::source(error);
    cause
        .and_then(|cause| cause.downcast_ref())
        .is_some_and(compression::is_damage)
}

fn unpack_error(error: compression::UnpackError) -> Error {
    Error::from(std::io::Error::from(error))
}
