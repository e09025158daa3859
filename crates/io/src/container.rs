//! Any input of a user, as a list of named members: a plain file, a compressed one, a zip, tar or CBV archive, a
//! folder, and all of these nested up to a limit.
//!
//! The order is that of the archive, and in a folder that of the names. Members without content of their own (folders,
//! devices, links to folders), names in a folder that begin with a dot, and the `__MACOSX` entries that a Mac adds to a
//! zip are skipped. An error in one member is one error, and the members after it still follow.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::compression::{
    ContentKind, PeekReader, UnpackError, UnpackLimits, check_claim, open_raw, peel,
};
use super::held_folder::{self, DirectoryEntry};
use super::random_file::RandomFile;
use super::regular_file;
use super::scratch_file::ScratchFile;
use super::stream_decoder::UnpackMeter;
use super::{cbv, tar, zip};

/// One file to read, decompressed.
///
/// A member of a tar archive can be read until the next one is opened; all others at any time.
#[derive(Debug)]
pub struct InputFile {
    name: String,
    path: Option<PathBuf>,
    content: PeekReader,
}

impl InputFile {
    /// The name for messages: the path of the file, and within archives the names of their members.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The path of the file, if it is plain and on the disk, so that it can be mapped or read at random.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// The first bytes, to detect a format, as long as nothing has been read.
    pub fn head(&self) -> &[u8] {
        self.content.head()
    }
}

impl Read for InputFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.content.read(buffer)
    }
}

/// All files within a file or a folder.
#[derive(Debug)]
pub struct InputFiles {
    levels: Vec<ContainerLevel>,
    limits: UnpackLimits,
}

#[derive(Debug)]
struct ContainerLevel {
    source: LevelSource,
    /// For messages, and as a prefix of the members' names.
    name: String,
    meter: UnpackMeter,
    depth: usize,
}

#[derive(Debug)]
enum LevelSource {
    /// Paths still to be visited, the next one last.
    Paths(Vec<PathBuf>),
    /// A stream that is already open.
    Stream(Option<PeekReader>),
    Zip(zip::ZipArchive),
    Tar(tar::TarArchive),
    Cbv(cbv::CbvArchive),
    /// An error that follows the members before it.
    Fault(Option<UnpackError>),
}

/// An item found on a level, not unpacked yet.
struct LevelMember {
    name: String,
    path: Option<PathBuf>,
    content: Box<dyn Read + Send>,
    meter: UnpackMeter,
    depth: usize,
}

impl InputFiles {
    /// Opens a file or a folder; `-` is stdin.
    pub fn open(path: &Path, limits: &UnpackLimits) -> Result<Self, UnpackError> {
        if path.as_os_str() == "-" {
            let (name, reader) = open_raw(path)?;
            return Ok(Self::from_reader(&name, reader, limits));
        }
        let name = path.display().to_string();
        // A missing path is an error now, not a first member.
        if let Err(error) = held_folder::metadata(path) {
            return Err(UnpackError::Io { name, error });
        }
        Ok(Self::from_source(
            LevelSource::Paths(vec![path.to_path_buf()]),
            name,
            limits,
        ))
    }

    /// Reads an open stream; `name` is for messages.
    pub fn from_reader(name: &str, reader: Box<dyn Read + Send>, limits: &UnpackLimits) -> Self {
        Self::from_source(
            LevelSource::Stream(Some(PeekReader::new(reader))),
            name.to_owned(),
            limits,
        )
    }

    fn from_source(source: LevelSource, name: String, limits: &UnpackLimits) -> Self {
        let level = ContainerLevel {
            source,
            name,
            meter: UnpackMeter::default(),
            depth: limits.depth,
        };
        Self {
            levels: vec![level],
            limits: *limits,
        }
    }

    /// Removes the compression; an archive becomes a level of its own.
    fn enter(&mut self, found: LevelMember) -> Result<Option<InputFile>, UnpackError> {
        let LevelMember {
            name,
            path,
            content,
            meter,
            mut depth,
        } = found;
        let before = depth;
        let is_inner = depth < self.limits.depth;
        if is_inner && let Err(error) = meter.add_member(&name, &self.limits) {
            // Nothing after it is unpacked any more.
            self.levels.clear();
            return Err(error);
        }
        if let Some(path) = &path {
            check_claim(path, &self.limits)?;
        }
        let (kind, content) = peel(&name, content, &self.limits, &meter, &mut depth, None)?;
        let is_packed = depth != before;
        let path = path.filter(|_| !is_packed);
        if kind == ContentKind::Plain {
            return Ok(Some(InputFile {
                name,
                path,
                content,
            }));
        }
        let depth = depth.checked_sub(1).ok_or_else(|| UnpackError::Depth {
            name: name.clone(),
            limit: self.limits.depth,
        })?;
        if is_inner && let Err(error) = meter.add_archive(&name, &self.limits) {
            self.levels.clear();
            return Err(error);
        }
        if kind == ContentKind::Tar {
            let archive = tar::TarArchive::new(&name, Box::new(content));
            self.level(LevelSource::Tar(archive), &name, meter, depth);
            return Ok(None);
        }
        let on_disk = match &path {
            Some(path) => regular_file::open(path).and_then(RandomFile::new).ok(),
            None => None,
        };
        match on_disk {
            Some(file) => {
                let meter = UnpackMeter::of_size(file.size());
                let archive = self.random(kind, &name, file, meter.clone())?;
                self.level(archive, &name, meter, depth);
            }
            None => {
                let (file, fault) = spool(&name, kind, content, &self.limits)?;
                let members = meter.next_layer();
                match (self.random(kind, &name, file, members), fault) {
                    (Ok(archive), fault) => {
                        // What was spooled is read before the error is reported.
                        self.level(LevelSource::Fault(fault), &name, meter.clone(), depth);
                        self.level(archive, &name, meter, depth);
                    }
                    (Err(_), Some(fault)) => return Err(fault),
                    (Err(error), None) => return Err(error),
                }
            }
        }
        Ok(None)
    }

    fn level(&mut self, source: LevelSource, name: &str, meter: UnpackMeter, depth: usize) {
        self.levels.push(ContainerLevel {
            source,
            name: name.to_owned(),
            meter,
            depth,
        });
    }

    /// Opens an archive that needs random access.
    fn random(
        &self,
        kind: ContentKind,
        name: &str,
        file: RandomFile,
        meter: UnpackMeter,
    ) -> Result<LevelSource, UnpackError> {
        let file = Arc::new(file);
        Ok(match kind {
            ContentKind::Cbv => {
                LevelSource::Cbv(cbv::CbvArchive::open(name, file, &self.limits, meter)?)
            }
            _ => LevelSource::Zip(zip::ZipArchive::open(name, file, &self.limits, meter)?),
        })
    }
}

/// Spools a stream to a temporary file, as far as it can be read.
fn spool(
    name: &str,
    kind: ContentKind,
    content: PeekReader,
    limits: &UnpackLimits,
) -> Result<(RandomFile, Option<UnpackError>), UnpackError> {
    let io_error = |error| UnpackError::Io {
        name: name.to_owned(),
        error,
    };
    let mut scratch = ScratchFile::new().map_err(io_error)?;
    let mut content = content.take(limits.spool.saturating_add(1));
    let mut buffer = vec![0; 64 * 1024];
    let mut size = 0u64;
    let mut fault = None;
    loop {
        match content.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => {
                size = size.saturating_add(count as u64);
                if size > limits.spool {
                    return Err(UnpackError::Spool {
                        name: name.to_owned(),
                        kind: kind.name(),
                        limit: limits.spool,
                    });
                }
                scratch
                    .write_all(buffer.get(..count).unwrap_or(&[]))
                    .map_err(io_error)?;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => {
                fault = Some(UnpackError::from_io(name, error));
                break;
            }
        }
    }
    let file = RandomFile::from_scratch(scratch).map_err(io_error)?;
    Ok((file, fault))
}

impl ContainerLevel {
    fn next(&mut self) -> Option<Result<LevelMember, UnpackError>> {
        let depth = self.depth;
        match &mut self.source {
            LevelSource::Paths(paths) => next_of_paths(paths, depth),
            LevelSource::Stream(stream) => stream.take().map(|content| {
                let meter = UnpackMeter::default();
                let content = Box::new(meter.count(content));
                Ok(LevelMember {
                    name: self.name.clone(),
                    path: None,
                    content,
                    meter,
                    depth,
                })
            }),
            LevelSource::Zip(archive) => loop {
                let member = match archive.next()? {
                    Ok(member) => member,
                    Err(error) => return Some(Err(error)),
                };
                if member.name.starts_with("__MACOSX/") {
                    continue;
                }
                let (name, meter) = (format!("{}/{}", self.name, member.name), self.meter.clone());
                return Some(Ok(LevelMember {
                    name,
                    path: None,
                    content: Box::new(member),
                    meter,
                    depth,
                }));
            },
            LevelSource::Tar(archive) => {
                let member = match archive.next()? {
                    Ok(member) => member,
                    Err(error) => return Some(Err(error)),
                };
                let inner = member.name.strip_prefix("./").unwrap_or(&member.name);
                let (name, meter) = (format!("{}/{inner}", self.name), self.meter.clone());
                Some(Ok(LevelMember {
                    name,
                    path: None,
                    content: Box::new(member),
                    meter,
                    depth,
                }))
            }
            LevelSource::Cbv(archive) => {
                let member = match archive.next()? {
                    Ok(member) => member,
                    Err(error) => return Some(Err(error)),
                };
                let (name, meter) = (format!("{}/{}", self.name, member.name), self.meter.clone());
                Some(Ok(LevelMember {
                    name,
                    path: None,
                    content: Box::new(member),
                    meter,
                    depth,
                }))
            }
            LevelSource::Fault(error) => error.take().map(Err),
        }
    }
}

/// The next regular file; folders on the way are listed.
fn next_of_paths(
    paths: &mut Vec<PathBuf>,
    depth: usize,
) -> Option<Result<LevelMember, UnpackError>> {
    loop {
        let path = paths.pop()?;
        let name = path.display().to_string();
        let opened = (|| {
            let metadata = held_folder::metadata(&path)?;
            if !metadata.is_dir() {
                let file = regular_file::open_named(&path)?;
                return Ok(Some((file, metadata.is_file())));
            }
            let mut found = Vec::new();
            for DirectoryEntry { path, kind } in held_folder::read_dir(&path)? {
                let name = path.file_name().unwrap_or_default();
                if name.as_encoded_bytes().starts_with(b".") {
                    continue;
                }
                // A link to a folder could be circular; a pipe would block for ever.
                let is_file = || held_folder::metadata(&path).is_ok_and(|there| there.is_file());
                if kind.is_dir() || kind.is_file() || (kind.is_symlink() && is_file()) {
                    found.push(path);
                }
            }
            found.sort_unstable_by(|first, second| second.cmp(first));
            paths.append(&mut found);
            Ok(None)
        })();
        match opened {
            Ok(None) => {}
            Ok(Some((file, is_regular))) => {
                let meter = UnpackMeter::default();
                let content = Box::new(meter.count(file));
                let path = is_regular.then_some(path);
                return Some(Ok(LevelMember {
                    name,
                    path,
                    content,
                    meter,
                    depth,
                }));
            }
            Err(error) => return Some(Err(UnpackError::Io { name, error })),
        }
    }
}

impl Iterator for InputFiles {
    type Item = Result<InputFile, UnpackError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.levels.last_mut()?.next() {
                None => {
                    self.levels.pop();
                }
                Some(Err(error)) => return Some(Err(error)),
                Some(Ok(found)) => match self.enter(found) {
                    Ok(Some(member)) => return Some(Ok(member)),
                    Ok(None) => {}
                    Err(error) => return Some(Err(error)),
                },
            }
        }
    }
}
