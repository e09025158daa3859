//! Detecting the form of a database, and opening it.

use std::io::Read;
use std::path::Path;

use tabiya_model::error_codes;
use tabiya_model::{Database, Error, Result, Source};

use super::dump_database;
use super::myisam_database::{JoseTableSet, find_folder, table_file};
use super::reader::{JoseDatabaseParts, JoseReader, not_jose};
use super::record::JoseReadSettings;
use tabiya_codec::format::{FormatProbe, OpenOptions, ProbeAnswer};
use tabiya_io::compression::{
    Compression, ContentKind, UnpackError as PackError, UnpackLimits, detect,
};
use tabiya_io::container::{InputFile, InputFiles};
use tabiya_io::held_folder;

/// Recognises archives, folders, tables and dumps.
pub(super) fn identify(probe: &FormatProbe<'_>) -> ProbeAnswer {
    if probe.is_folder {
        return match probe.path.and_then(find_folder) {
            Some(_) => ProbeAnswer::Yes,
            None => ProbeAnswer::No,
        };
    }
    let head = probe.head;
    if head.starts_with(b"\xFE\xFE\x07\x01") {
        return ProbeAnswer::Yes;
    }
    let named = probe.extension == "jose";
    match detect(head, true) {
        ContentKind::Tar => {
            let end = memchr::memchr(0, head).unwrap_or(0).min(100);
            let first = String::from_utf8_lossy(head.get(..end).unwrap_or_default());
            if table_file(&first).is_some() {
                ProbeAnswer::Yes
            } else if named {
                ProbeAnswer::Maybe
            } else {
                ProbeAnswer::No
            }
        }
        ContentKind::Compressed(Compression::HeaderlessBzip2) => ProbeAnswer::Yes,
        // Even an archive that cannot be opened is jose's by name, and the message shows what to do.
        ContentKind::Zip | ContentKind::Rar | ContentKind::SevenZip if named => ProbeAnswer::Yes,
        _ if looks_like_sql(head) => ProbeAnswer::Yes,
        _ if probe.extension == "sql" || named => ProbeAnswer::Maybe,
        _ if matches!(probe.extension, "myi" | "myd" | "frm") => ProbeAnswer::Maybe,
        _ => ProbeAnswer::No,
    }
}

/// Whether a text begins like a dump.
fn looks_like_sql(head: &[u8]) -> bool {
    let head = head
        .strip_prefix(b"\xEF\xBB\xBF")
        .unwrap_or(head)
        .trim_ascii_start();
    const BEGINNINGS: [&[u8]; 12] = [
        b"-- MySQL dump",
        b"-- MariaDB dump",
        b"/*M!",
        b"/*!40",
        b"-- phpMyAdmin",
        b"-- Dump",
        b"DROP TABLE",
        b"CREATE TABLE",
        b"CREATE DATABASE",
        b"INSERT INTO",
        b"SET SQL_MODE",
        b"SET NAMES",
    ];
    BEGINNINGS.iter().any(|start| {
        head.get(..start.len())
            .is_some_and(|begin| begin.eq_ignore_ascii_case(start))
    })
}

fn limits(options: &OpenOptions) -> UnpackLimits {
    UnpackLimits {
        headerless_bzip2: true,
        ..options.unpacking()
    }
}

/// The error of a container.
fn container(error: PackError, name: &str) -> Error {
    let is_rar = matches!(
        &error,
        PackError::ForeignArchive {
            kind: ContentKind::Rar,
            ..
        }
    );
    let error = Error::from(error).in_file(name);
    match is_rar {
        true => {
            let text = format!(
                "{}: unpack the archive into an empty folder with its own program (unrar x, 7z x), then open that folder",
                error.message
            );
            error.in_words(text)
        }
        false => error,
    }
}

/// Opens a database by path.
pub(super) fn open(path: &Path, options: &OpenOptions) -> Result<Box<dyn Database>> {
    Ok(Box::new(open_reader(path, options)?))
}

fn open_reader(path: &Path, options: &OpenOptions) -> Result<JoseReader> {
    let name = path.display().to_string();
    let access = options.access();
    let single = path
        .file_name()
        .and_then(|name| table_file(&name.to_string_lossy()));
    if held_folder::is_dir(path) || single.is_some() {
        let folder = if held_folder::is_dir(path) {
            find_folder(path).ok_or_else(|| not_jose(&name))?
        } else {
            path.parent()
                .map_or_else(|| Path::new(".").to_path_buf(), Path::to_path_buf)
        };
        let folder = if folder.as_os_str().is_empty() {
            Path::new(".")
        } else {
            &folder
        };
        let mut set = JoseTableSet::default();
        set.add_folder(folder, access)?;
        return Ok(JoseReader::new(set.open(
            &name,
            JoseReadSettings::of(options),
            options.limits.depth,
        )?));
    }
    let limits = limits(options);
    let members = InputFiles::open(path, &limits).map_err(|error| container(error, &name))?;
    let mut parts = from_members(members, &name, options)?;
    if parts.info.files.is_empty() {
        parts
            .info
            .files
            .push(super::reader::sized(path.to_path_buf()));
    }
    Ok(JoseReader::new(parts))
}

/// Reads a database from a pipe.
pub(super) fn stream(
    content: Box<dyn Read + Send>,
    options: &OpenOptions,
) -> Result<Box<dyn Source<'static>>> {
    let name = "standard input";
    let members = InputFiles::from_reader(name, content, &limits(options));
    Ok(JoseReader::new(from_members(members, name, options)?).into_source())
}

fn from_members(
    members: InputFiles,
    name: &str,
    options: &OpenOptions,
) -> Result<JoseDatabaseParts> {
    let mut set = JoseTableSet::default();
    let depth = options.limits.depth;
    let mut first_fault = None;
    for member in members {
        let mut member = match member {
            Ok(member) => member,
            Err(error) => {
                set.unreadable(name, &error.to_string());
                if !matches!(error, PackError::NoFile { .. }) {
                    first_fault.get_or_insert(error);
                }
                continue;
            }
        };
        let file = member.name().to_owned();
        if let Some((table, kind)) = table_file(&file) {
            set.add(&file, &table, kind, member);
        } else if set.has_games() {
            // Tables were found, so a note next to them is ignored.
        } else if is_dump(&member) {
            return open_dump(&mut member, &file, options);
        }
    }
    if set.has_games() {
        return set.open(name, JoseReadSettings::of(options), depth);
    }
    Err(match first_fault {
        Some(error) => container(error, name),
        None => not_jose(name),
    })
}

fn is_dump(member: &InputFile) -> bool {
    let name = member.name().to_ascii_lowercase();
    [".sql", ".dump", ".mysql"]
        .iter()
        .any(|ending| name.contains(ending))
        || looks_like_sql(member.head())
}

fn open_dump(
    member: &mut InputFile,
    name: &str,
    options: &OpenOptions,
) -> Result<JoseDatabaseParts> {
    if member.head().starts_with(&[0xFF, 0xFE]) || member.head().starts_with(&[0xFE, 0xFF]) {
        return Err(Error::new(
            &error_codes::UNSUPPORTED_VERSION,
            "the dump was saved as UTF-16, which destroys the moves in it: \
             make it again with --result-file instead of >",
        )
        .in_file(name));
    }
    let depth = options.limits.depth;
    match member.path().map(Path::to_path_buf) {
        Some(path) => dump_database::open_file(&path, JoseReadSettings::of(options), depth),
        None => dump_database::open_stream(member, name, JoseReadSettings::of(options), depth),
    }
}
