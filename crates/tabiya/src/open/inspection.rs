//! What the names and the first bytes of files show.

use std::path::Path;

use tabiya_formats::format::{Format, FormatProbe, ProbeAnswer};
use tabiya_formats::registry;
use tabiya_io::compression::{self, Compression, ContentKind};
use tabiya_io::held_folder;
use tabiya_io::stream_decoder::{StreamDecoder, UnpackMeter};
use tabiya_model::{Error, Result, UserHint};

use crate::error_codes;
use crate::open::foreign_formats;
use crate::open::open_settings::Opener;

/// What the name and the first bytes of a file say.
#[derive(Debug)]
pub(crate) struct FileInspection {
    /// What kind of file it is below its compression.
    pub(crate) kind: ContentKind,
    /// The format, where one is known.
    pub(crate) found: Option<(&'static Format, ProbeAnswer)>,
    /// What it is instead.
    pub(crate) foreign: Option<&'static foreign_formats::ForeignFormat>,
    /// Whether it is a folder.
    pub(crate) is_folder: bool,
}

impl Opener {
    /// The format of a path, as `identify` finds it.
    pub fn identify(&self, path: &Path) -> Result<Option<(&'static Format, ProbeAnswer)>> {
        Ok(self.inspect(path)?.found)
    }

    /// What the name and the first bytes of a path say.
    pub(crate) fn inspect(&self, path: &Path) -> Result<FileInspection> {
        let metadata = held_folder::metadata(path).map_err(|error| cannot_open(path, error))?;
        let (head, kind) = if metadata.is_dir() {
            (Vec::new(), ContentKind::Plain)
        } else {
            head_of(path, &self.limits())?
        };
        let extension = extension_of(path);
        let mut found = self.probe(Some(path), &extension, &head, metadata.is_dir());
        let foreign =
            foreign_formats::of(&extension, &head, kind, found.map(|(_, identity)| identity));
        if foreign.is_some() && self.format.is_none() {
            found = None;
        }
        Ok(FileInspection {
            kind,
            found,
            foreign,
            is_folder: metadata.is_dir(),
        })
    }

    pub(crate) fn limits(&self) -> compression::UnpackLimits {
        compression::UnpackLimits {
            headerless_bzip2: true,
            ..self.options.unpacking()
        }
    }

    pub(crate) fn probe(
        &self,
        path: Option<&Path>,
        extension: &str,
        head: &[u8],
        is_folder: bool,
    ) -> Option<(&'static Format, ProbeAnswer)> {
        if let Some(format) = self.format {
            return Some((format, ProbeAnswer::Yes));
        }
        registry::identify(&FormatProbe {
            path,
            extension,
            head,
            is_folder,
        })
    }
}

/// The extension in lower case, without that of a compression.
pub(crate) fn extension_of(path: &Path) -> String {
    let inner = Compression::of_target(path).map(|(_, inner)| inner);
    let path = inner.as_deref().unwrap_or(path);
    path.extension()
        .map(|extension| extension.to_string_lossy().to_ascii_lowercase())
        .unwrap_or_default()
}

/// The first bytes of a file, decompressed, and what kind of file it is below its compression.
fn head_of(path: &Path, limits: &compression::UnpackLimits) -> Result<(Vec<u8>, ContentKind)> {
    let file = tabiya_io::regular_file::open(path).map_err(|error| cannot_open(path, error))?;
    let name = path.display().to_string();
    let (mut kind, mut peeked) = compression::sniff(Box::new(file), limits);
    for _ in 0..limits.depth {
        let ContentKind::Compressed(compression) = kind else {
            break;
        };
        // Damage shows again when the file is read.
        let meter = UnpackMeter::default();
        let Ok(decoder) = StreamDecoder::new(&name, compression, Box::new(peeked), limits, meter)
        else {
            return Ok((Vec::new(), kind));
        };
        (kind, peeked) = compression::sniff(Box::new(decoder), limits);
    }
    Ok((peeked.head().to_vec(), kind))
}

pub(crate) fn cannot_open(path: &Path, error: std::io::Error) -> Error {
    Error::from(error).in_file(path.display().to_string())
}

pub(crate) fn unknown(name: &str) -> Error {
    Error::new(
        &error_codes::UNKNOWN_FORMAT,
        "not a chess database that Tabiya knows",
    )
    .in_file(name.to_string())
    .with_hint(UserHint::NameSourceFormat { list: true })
}
