//! Databases written as an archive, `.cbv`: the files are written beside it, packed, and removed.

use std::path::{Path, PathBuf};

use tabiya_codec::format::WriteOptions;
use tabiya_io::cbv_writer::{self, CbvPart};
use tabiya_io::held_folder;
use tabiya_io::output::{self, OutputFile, OutputOptions};
use tabiya_io::output_folder::OutputFolder;
use tabiya_model::charset::Charset;
use tabiya_model::metadata::DatabaseMetadata;
use tabiya_model::{EncodedGames, Encoder, Error, Losses, Result, Sink, WriteSummary};

use super::second_header::civil;
use super::writer;
use crate::writer::failed;

/// The order of the files in archives of the program.
const ORDER: [&str; 13] = [
    "cbh", "ini", "cbg", "cba", "cbp", "cbt", "cbs", "cbc", "cbj", "cbe", "cbm", "cbtt", "cbl",
];
/// The name of the files where that of the archive cannot be theirs.
const NAME: &str = "games";
/// The longest name of the files, so that they and their extensions have room in an entry.
const LONGEST_NAME: usize = 120;

/// An archive that is being written.
struct CbhArchiveSink {
    // Dropped before the folder that has its files.
    files: Box<dyn Sink>,
    folder: OutputFolder,
    archive: OutputFile,
}

/// Whether a path names an archive.
pub(super) fn is_archive(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("cbv"))
}

/// Creates an archive.
pub(super) fn create(path: &Path, options: &WriteOptions) -> Result<Box<dyn Sink>> {
    let access = OutputOptions {
        force: options.force,
        sources: options.sources.clone(),
    };
    let archive = OutputFile::create(path, &access).map_err(failed)?;
    let mut beside = path.file_name().unwrap_or_default().to_owned();
    beside.push(".tabiya-members");
    let folder = OutputFolder::create(&path.with_file_name(beside)).map_err(failed)?;
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let is_possible = Charset::Cp1252
        .encode(&stem)
        .is_ok_and(|bytes| !bytes.is_empty() && bytes.len() <= LONGEST_NAME);
    // A name with a backslash would be one in a folder.
    let is_plain = is_possible && !stem.contains(['\\', ':']);
    let stem = if is_plain { &*stem } else { NAME };
    let files = writer::create(&folder.path().join(format!("{stem}.cbh")), options)?;
    Ok(Box::new(CbhArchiveSink {
        files,
        folder,
        archive,
    }))
}

impl Sink for CbhArchiveSink {
    fn encoder(&self) -> Box<dyn Encoder> {
        self.files.encoder()
    }

    fn describe(&mut self, about: &DatabaseMetadata, losses: &mut Losses) {
        self.files.describe(about, losses);
    }

    fn append(&mut self, part: EncodedGames, first: u64, losses: &mut Losses) -> Result<()> {
        self.files.append(part, first, losses)
    }

    fn finish(self: Box<Self>) -> Result<WriteSummary> {
        let CbhArchiveSink {
            files,
            folder,
            mut archive,
        } = *self;
        let mut summary = files.finish()?;
        let place = |path: &PathBuf| {
            let extension = path.extension().unwrap_or_default();
            ORDER
                .iter()
                .position(|it| extension.eq_ignore_ascii_case(it))
        };
        summary.files.sort_by_key(place);
        let parts: Vec<CbvPart> = summary.files.iter().map(|file| part(file)).collect();
        let name = archive.name().to_path_buf();
        let told = |error: std::io::Error| Error::from(error).in_file(name.display().to_string());
        summary.bytes = cbv_writer::write(&mut archive, &parts).map_err(told)?;
        drop(folder);
        output::commit_all([archive]).map_err(failed)?;
        summary.files = vec![name];
        Ok(summary)
    }
}

/// A file of the database as a member.
fn part(file: &Path) -> CbvPart {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    // The name was chosen so that it can be encoded.
    let (name, _) = Charset::Cp1252.encode_lossy(&name);
    let changed = held_folder::metadata(file).and_then(|found| found.modified());
    let since = changed.ok().and_then(|changed| {
        changed
            .duration_since(std::time::SystemTime::UNIX_EPOCH)
            .ok()
    });
    let since = since.unwrap_or_default();
    let seconds = i64::try_from(since.as_secs()).unwrap_or(0);
    let (year, month, day) = civil(seconds / 86_400);
    let second = seconds % 86_400;
    let clock = (second / 3600 * 100 + second / 60 % 60) * 100 + second % 60;
    let date = (year * 100 + month) * 100 + day;
    let changed = [date, clock * 100 + i64::from(since.subsec_millis() / 10)];
    CbvPart {
        name,
        path: file.to_path_buf(),
        changed: changed.map(|number| u32::try_from(number).unwrap_or(0)),
    }
}
