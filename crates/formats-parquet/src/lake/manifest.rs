//! The manifest: the files of the tables of a lake, and the data about each that is known without opening it.
//!
//! An unlisted file does not count, even if it is in the folder: this makes changes of many files one change.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use tabiya_io::held_folder;
use tabiya_model::error_codes;
use tabiya_model::json::{JsonFault, JsonScanner, push_text};
use tabiya_model::{Error, Result};

/// The name of the file.
pub const NAME: &str = "manifest.json";
/// The format name in a manifest.
const FORMAT: &str = "tabiya-lake";
const VERSION: u64 = 1;
/// The longest manifest that is read.
const LONGEST: u64 = 1 << 28;

/// The size of its end in bytes, which has the checksum of everything before it.
const TAIL: usize = 29;

/// The table of games.
pub const GAMES: &str = "games";

/// A file of a table.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LakeFileEntry {
    /// Its path within the lake, with `/` between folders.
    pub path: String,
    /// Rows.
    pub rows: u64,
    /// Bytes.
    pub bytes: u64,
    /// The sum of its bytes.
    pub sum: u64,
    /// The numbers of the games that it has or is about: the first, and the one after the last.
    pub games: (u64, u64),
    /// The minimum and maximum key, if it is sorted by keys.
    pub keys: Option<(i64, i64)>,
    /// The year and the month of its games, if they are all the same.
    pub year: Option<u16>,
    /// The month.
    pub month: Option<u8>,
}

/// The content of a lake.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LakeManifest {
    /// The number of changes so far; the names of files begin with it.
    pub sequence: u64,
    /// The description of the database.
    pub description: String,
    /// How it was made, in the words of options.
    pub settings: BTreeMap<String, String>,
    /// The files of each table.
    pub tables: BTreeMap<String, Vec<LakeFileEntry>>,
}

impl LakeManifest {
    /// The files of a table.
    #[must_use]
    pub fn table(&self, name: &str) -> &[LakeFileEntry] {
        self.tables.get(name).map_or(&[], Vec::as_slice)
    }

    /// The number of games.
    #[must_use]
    pub fn games(&self) -> u64 {
        let rows = self.table(GAMES).iter().map(|entry| entry.rows);
        rows.fold(0, u64::saturating_add)
    }

    /// Bytes of all files.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let files = self.tables.values().flatten();
        files.map(|file| file.bytes).fold(0, u64::saturating_add)
    }

    /// The manifest of a folder; `None` if there is none.
    pub fn of_folder(folder: &Path) -> Result<Option<LakeManifest>> {
        let path = folder.join(NAME);
        let failed = |error: std::io::Error| Error::from(error).in_file(path.to_string_lossy());
        match held_folder::metadata(&path) {
            Ok(metadata) if metadata.len() > LONGEST => {
                return Err(
                    Error::new(&error_codes::TOO_LARGE, "the manifest is too long")
                        .in_file(path.to_string_lossy()),
                );
            }
            Ok(_) => {}
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failed(error)),
        }
        let bytes = tabiya_io::regular_file::read(&path).map_err(failed)?;
        let manifest = LakeManifest::read(&bytes);
        manifest
            .map(Some)
            .map_err(|error| error.in_file(path.to_string_lossy()))
    }

    /// Whether bytes begin like a manifest.
    #[must_use]
    pub fn is_one(head: &[u8]) -> bool {
        let mut scanner = JsonScanner::new(head);
        let is_told = |scanner: &mut JsonScanner<'_>| -> std::result::Result<bool, JsonFault> {
            scanner.expect(b'{', "an object")?;
            let name = scanner.member(true)?;
            Ok(name.is_some_and(|name| name.is("format")) && scanner.text()?.is(FORMAT))
        };
        is_told(&mut scanner).unwrap_or(false)
    }

    /// Reads the bytes of a manifest.
    pub fn read(bytes: &[u8]) -> Result<LakeManifest> {
        let mut manifest = LakeManifest::default();
        let mut scanner = JsonScanner::new(bytes);
        let (mut format, mut version) = (String::new(), 0);
        let mut read = |scanner: &mut JsonScanner<'_>| -> std::result::Result<(), JsonFault> {
            scanner.expect(b'{', "an object")?;
            let mut first = true;
            while let Some(name) = scanner.member(std::mem::take(&mut first))? {
                match name.to_text().as_str() {
                    "format" => format = scanner.text()?.to_text(),
                    "version" => version = scanner.number()?,
                    "sequence" => manifest.sequence = scanner.number()?,
                    "description" => manifest.description = scanner.text()?.to_text(),
                    "settings" => {
                        scanner.expect(b'{', "an object")?;
                        let mut first = true;
                        while let Some(name) = scanner.member(std::mem::take(&mut first))? {
                            let value = scanner.text()?.to_text();
                            manifest.settings.insert(name.to_text(), value);
                        }
                    }
                    "tables" => {
                        scanner.expect(b'{', "an object")?;
                        let mut first = true;
                        while let Some(name) = scanner.member(std::mem::take(&mut first))? {
                            let entries = entries(scanner)?;
                            manifest.tables.insert(name.to_text(), entries);
                        }
                    }
                    _ => scanner.skip()?,
                }
            }
            match scanner.peek() {
                None => Ok(()),
                Some(_) => Err(scanner.fault("the end")),
            }
        };
        read(&mut scanner).map_err(damaged)?;
        if format != FORMAT {
            return Err(Error::new(
                &error_codes::DAMAGED,
                "not the manifest of a lake",
            ));
        }
        if version != VERSION {
            let message = format!("version {version} of the manifest is not supported");
            return Err(Error::new(&error_codes::UNSUPPORTED_VERSION, message));
        }
        let told = bytes
            .len()
            .checked_sub(TAIL)
            .and_then(|at| bytes.split_at_checked(at));
        if told.is_none_or(|(body, tail)| tail != LakeManifest::tail(body).as_bytes()) {
            return Err(Error::new(
                &error_codes::DAMAGED,
                "the manifest was changed after it was written",
            ));
        }
        manifest.check()?;
        Ok(manifest)
    }

    /// The end of a manifest, with the checksum of everything before it.
    fn tail(body: &[u8]) -> String {
        let (sum, _) = tabiya_io::fingerprint::hash_all(body).unwrap_or_default();
        format!(",\n\"sum\": \"{sum:016x}\"}}\n")
    }

    /// Whether its paths are allowed, and its games consecutive.
    fn check(&self) -> Result<()> {
        for entry in self.tables.values().flatten() {
            let is_plain =
                |part: &str| !matches!(part, "" | "." | "..") && !part.contains(['\\', ':']);
            if !entry.path.split('/').all(is_plain) {
                return Err(Error::new(
                    &error_codes::DAMAGED,
                    format!(
                        "the manifest lists a file outside the lake: {:?}",
                        entry.path
                    ),
                ));
            }
        }
        let mut next = 1;
        for entry in self.table(GAMES) {
            let (first, end) = entry.games;
            if first != next || end.checked_sub(first) != Some(entry.rows) {
                return Err(Error::new(
                    &error_codes::DAMAGED,
                    format!(
                        "the game numbers of {:?} in the manifest are not consecutive",
                        entry.path
                    ),
                ));
            }
            next = end;
        }
        Ok(())
    }

    /// Its bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        out.extend_from_slice(
            format!(
                "{{\"format\": \"{FORMAT}\", \"version\": {VERSION}, \"sequence\": {}",
                self.sequence
            )
            .as_bytes(),
        );
        out.extend_from_slice(b",\n\"description\": ");
        push_text(&self.description, &mut out);
        out.extend_from_slice(b",\n\"settings\": {");
        for (at, (name, value)) in self.settings.iter().enumerate() {
            out.extend_from_slice(if at > 0 { b", " } else { b"" });
            push_text(name, &mut out);
            out.extend_from_slice(b": ");
            push_text(value, &mut out);
        }
        out.extend_from_slice(b"},\n\"tables\": {");
        for (at, (name, entries)) in self.tables.iter().enumerate() {
            out.extend_from_slice(if at > 0 { b",\n" } else { b"\n" });
            push_text(name, &mut out);
            out.extend_from_slice(b": [");
            for (at, entry) in entries.iter().enumerate() {
                out.extend_from_slice(if at > 0 { b",\n" } else { b"\n" });
                entry.push(&mut out);
            }
            out.push(b']');
        }
        out.push(b'}');
        let tail = LakeManifest::tail(&out);
        out.extend_from_slice(tail.as_bytes());
        out
    }
}

fn damaged(fault: JsonFault) -> Error {
    Error::new(
        &error_codes::DAMAGED,
        format!("the manifest is damaged: expected {}", fault.wanted),
    )
    .at(tabiya_model::Location::byte(fault.at as u64))
}

/// The entries of a table.
fn entries(scanner: &mut JsonScanner<'_>) -> std::result::Result<Vec<LakeFileEntry>, JsonFault> {
    let mut entries = Vec::new();
    scanner.expect(b'[', "a list")?;
    let mut first = true;
    while scanner.element(std::mem::take(&mut first))? {
        entries.push(LakeFileEntry::read(scanner)?);
    }
    Ok(entries)
}

/// A number in sixteen hexadecimal digits.
fn hex(scanner: &mut JsonScanner<'_>) -> std::result::Result<u64, JsonFault> {
    let fault = scanner.fault("sixteen hexadecimal digits");
    let text = scanner.text()?.to_text();
    u64::from_str_radix(&text, 16).map_err(|_| fault)
}

impl LakeFileEntry {
    fn read(scanner: &mut JsonScanner<'_>) -> std::result::Result<LakeFileEntry, JsonFault> {
        let mut entry = LakeFileEntry::default();
        scanner.expect(b'{', "an object")?;
        let (mut least, mut greatest) = (None, None);
        let mut first = true;
        while let Some(name) = scanner.member(std::mem::take(&mut first))? {
            match name.to_text().as_str() {
                "path" => entry.path = scanner.text()?.to_text(),
                "rows" => entry.rows = scanner.number()?,
                "bytes" => entry.bytes = scanner.number()?,
                "sum" => entry.sum = hex(scanner)?,
                "first" => entry.games.0 = scanner.number()?,
                "end" => entry.games.1 = scanner.number()?,
                "least" => least = Some(hex(scanner)?.cast_signed()),
                "greatest" => greatest = Some(hex(scanner)?.cast_signed()),
                "year" => {
                    let fault = scanner.fault("a year");
                    entry.year = Some(u16::try_from(scanner.number()?).map_err(|_| fault)?);
                }
                "month" => {
                    let fault = scanner.fault("a month");
                    entry.month = Some(u8::try_from(scanner.number()?).map_err(|_| fault)?);
                }
                _ => scanner.skip()?,
            }
        }
        entry.keys = least.zip(greatest);
        Ok(entry)
    }

    fn push(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"{\"path\": ");
        push_text(&self.path, out);
        let LakeFileEntry {
            rows,
            bytes,
            sum,
            games: (first, end),
            ..
        } = self;
        let mut more = format!(
            ", \"rows\": {rows}, \"bytes\": {bytes}, \"sum\": \"{sum:016x}\", \"first\": {first}, \"end\": {end}"
        );
        if let Some((least, greatest)) = self.keys {
            more.push_str(&format!(
                ", \"least\": \"{:016x}\", \"greatest\": \"{:016x}\"",
                least.cast_unsigned(),
                greatest.cast_unsigned()
            ));
        }
        if let Some(year) = self.year {
            more.push_str(&format!(", \"year\": {year}"));
        }
        if let Some(month) = self.month {
            more.push_str(&format!(", \"month\": {month}"));
        }
        more.push('}');
        out.extend_from_slice(more.as_bytes());
    }

    /// Its path in a lake.
    #[must_use]
    pub fn path_in(&self, lake: &Path) -> PathBuf {
        self.path
            .split('/')
            .fold(lake.to_path_buf(), |path, part| path.join(part))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sample() -> LakeManifest {
        let entry = |number: u64, rows: u64| LakeFileEntry {
            path: format!("games/year=2015/month=6/{number}.parquet"),
            rows,
            bytes: 77,
            sum: u64::MAX,
            games: (number, number + rows),
            keys: Some((i64::MIN, -1)),
            year: Some(2015),
            month: None,
        };
        LakeManifest {
            sequence: 3,
            description: "with \"quotes\"".into(),
            settings: [("partition".to_owned(), "month".to_owned())].into(),
            tables: [(
                "games".to_owned(),
                vec![entry(1, 4), entry(5, 0), entry(5, 2)],
            )]
            .into(),
        }
    }

    #[test]
    fn a_manifest_comes_back() {
        let manifest = sample();
        let bytes = manifest.to_bytes();
        assert!(LakeManifest::is_one(&bytes) && !LakeManifest::is_one(b"{\"format\": \"x\"}"));
        assert_eq!(LakeManifest::read(&bytes).expect("read"), manifest);
        assert_eq!(manifest.games(), 6);
        for length in 0..bytes.len() {
            assert!(LakeManifest::read(&bytes[..length]).is_err(), "{length}");
            let mut changed = bytes.clone();
            changed[length] ^= 1 << (length % 8);
            assert!(LakeManifest::read(&changed).is_err(), "{length}");
        }
    }

    #[test]
    fn files_outside_and_gaps_are_refused() {
        for path in ["../x", "/etc/x", "a//b", "a\\b", "c:x", "games/../../x"] {
            let mut manifest = sample();
            manifest.tables.get_mut("games").expect("games")[0].path = path.into();
            let error = LakeManifest::read(&manifest.to_bytes()).expect_err("refused");
            assert!(error.to_string().contains("outside"), "{error}");
        }
        let mut manifest = sample();
        manifest.tables.get_mut("games").expect("games")[1].games = (6, 6);
        assert!(LakeManifest::read(&manifest.to_bytes()).is_err());
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = LakeManifest::read(&bytes);
        }
    }
}
