//! Opening a database and reading its games.

use std::collections::HashSet;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use tabiya_model::error_codes;
use tabiya_model::facts::FactSource;
use tabiya_model::game::{GameOrigin, StartingPosition};
use tabiya_model::{
    Database, DatabaseInfo, DatabaseMetadata, Diagnostic, DiagnosticCode, Diagnostics, Error, Game,
    GameNeeds, Location, Losses, Result, Source,
};

use super::layout::{
    CDP_VERSION, CaAddressTable, CaCdp, CaHeader, EMB_VERSION, HEADER_BYTES, c_string,
    record_length,
};
use super::moves::CaFileDirection;
use super::record::{
    CaReadSettings, CaRecordPlace, CaScratch, decode, emit, find_setup, read_setup,
};
use super::tags::{CaGameNames, push_tags};
use super::text::{
    CaNameList, CaNameLists, DEFAULT_CHARSET, LIST_NAMES, decode_outcome, is_described,
};
use super::volume::{CaVolume, CaVolumeDamage};
use super::{EXTENSIONS, codes, salvage};
use tabiya_codec::format::OpenOptions;
use tabiya_codec::missing_parts::{ABOUT_GONE, HEADERS_GONE, MOVES_GONE, MissingParts, NAMES_GONE};
use tabiya_codec::numbered_database::{
    NumberedDatabase, NumberedSource, ScratchPool, check_number,
};
use tabiya_io::companions;
use tabiya_io::mmap::FileBytes;

/// How many games are tried to find the direction in which files are counted.
const TRIALS: u64 = 400;
/// How many bytes of records are read for that.
const TRIAL_BYTES: usize = 256 * 1024;

/// One of the five files.
struct CaDatabaseFile {
    path: PathBuf,
    bytes: FileBytes,
}

/// The indices of the files in [`CaReader::members`].
const CDP: usize = 0;
const EMB: usize = 1;
const D00: usize = 2;
const A02: usize = 3;
const D02: usize = 4;

/// A file inside an EMB, as far as it is readable.
#[derive(Clone, Debug)]
pub struct CaInnerFileDump {
    /// Its name in the directory.
    pub name: String,
    /// The length that the directory gives.
    pub length: u32,
    /// The offset of its table of fragments.
    pub offset: u32,
    /// The number of its fragments.
    pub fragments: usize,
    /// Whether the description names it.
    pub is_described: bool,
    /// Its bytes, or its damage.
    pub content: std::result::Result<Vec<u8>, CaVolumeDamage>,
}

/// A database that is open for reading.
pub struct CaReader {
    /// A list and no array, so that the program gets the same bytes whenever it is built (`docs/releasing.md`).
    members: Vec<Option<CaDatabaseFile>>,
    pub(super) lists: CaNameLists,
    addresses: CaAddressTable,
    /// The offsets of the records, sorted; computed when first needed.
    starts: OnceLock<Vec<usize>>,
    /// The number of games that have a header.
    headers: u64,
    /// Addresses of records without a header.
    found: Vec<usize>,
    pub(super) rules: CaReadSettings,
    /// How the charset was determined.
    charset_source: &'static str,
    diagnostics: Diagnostics,
    claims: MissingParts,
    spare: ScratchPool<CaScratch>,
}

/// The files inside the EMB of a database, given by any of its files; nothing else of it needs to be valid.
pub fn inner_files(path: &Path, options: &OpenOptions) -> Result<Vec<CaInnerFileDump>> {
    let emb = companions::find(path, EXTENSIONS[EMB])
        .map_err(|error| Error::from(std::io::Error::from(error)))?;
    let member = open_member(emb, options)?;
    dump(&member.bytes).map_err(|damage| {
        let place = Location::byte(damage.offset).in_file(member.path.to_string_lossy());
        Error::new(&error_codes::DAMAGED, damage.to_string()).at(place)
    })
}

fn dump(emb: &[u8]) -> std::result::Result<Vec<CaInnerFileDump>, CaVolumeDamage> {
    let volume = CaVolume::open(emb)?;
    let files = volume.files().iter().map(|file| CaInnerFileDump {
        name: file.display_name(),
        length: file.length,
        offset: file.offset,
        fragments: file.fragments(),
        is_described: is_described(&file.name),
        content: volume.read(file),
    });
    Ok(files.collect())
}

fn open_member(path: PathBuf, options: &OpenOptions) -> Result<CaDatabaseFile> {
    let bytes = options.bytes_of(&path)?;
    Ok(CaDatabaseFile { path, bytes })
}

impl CaReader {
    /// Opens a database by the name of any of its files.
    pub fn open(path: &Path, options: &OpenOptions) -> Result<CaReader> {
        let paths = companions::find_all(path, EXTENSIONS)
            .map_err(|error| Error::from(std::io::Error::from(error)))?;
        let members = paths
            .into_iter()
            .map(|path| open_member(path, options).map(Some));
        let mut reader = CaReader::new(members.collect::<Result<_>>()?, options);
        reader.check_cdp();
        reader.read_names(true)?;
        reader.read_addresses();
        reader.check_blanks();
        reader.decide(options);
        reader.check_eco();
        let (claimed, headers) = (reader.claimed(), reader.header_count());
        if let Some(claimed) = claimed {
            reader.claims.games("the .cdp", claimed, headers);
            reader.claims.games("the .d00", headers, claimed);
        }
        Ok(reader)
    }

    /// The number of games that the CDP claims.
    fn claimed(&self) -> Option<u64> {
        CaCdp::read(self.bytes(CDP)).map(|cdp| u64::from(cdp.games))
    }

    /// Searches for zeros in the places of headers, addresses and names: they can be read, but have a wrong meaning.
    fn check_blanks(&mut self) {
        let count = self.headers;
        let (mut blank, mut used) = (0, Vec::new());
        for header in self.all_headers() {
            match is_blank(&header) {
                true => blank += 1,
                false => used.push(header.game),
            }
        }
        if blank > 0 {
            let what = format!("{blank} of {count} headers are zeros");
            self.claims.lose(&HEADERS_GONE, what);
        }
        used.sort_unstable();
        let double = used
            .windows(2)
            .filter(|pair| matches!(pair, [a, b] if a == b));
        let double = double.count();
        if double > 0 {
            let place = self.place_in(D00, None);
            let what = format!("{double} headers refer to the record of another one");
            self.note(&codes::HEADER_DOUBLE, place, what.clone());
            self.claims.lose(&MOVES_GONE, what);
        }
        self.addresses.refuse_shared(used.into_iter());
        let used: [fn(CaHeader) -> [u32; 3]; 4] = [
            |header| [header.white, header.black, header.annotator],
            |header| [header.event; 3],
            |header| [header.site; 3],
            |header| [header.source; 3],
        ];
        let mut lists = std::mem::take(&mut self.lists);
        let blank = lists.blank_names();
        let mut found = Vec::new();
        for (((names, stem), used), blank) in (lists.all_mut().into_iter().zip(LIST_NAMES))
            .zip(used)
            .zip(blank)
        {
            // Headers are searched only if addresses look damaged.
            let used = self.all_headers().flat_map(used);
            let shared = names.addresses.refuse_shared(used).len();
            if blank > 0 {
                found.push(format!("{blank} entries of {stem}.a01 point to zeros"));
            }
            if shared > 0 {
                let what =
                    format!("{shared} entries of {stem}.a01 point to the name of another one");
                found.push(what);
            }
        }
        self.lists = lists;
        for what in found {
            let place = self.place_in(EMB, None);
            self.note(&codes::NAMES_BLANK, place, what.clone());
            self.claims.lose(&NAMES_GONE, what);
        }
    }

    fn all_headers(&self) -> impl Iterator<Item = CaHeader> {
        (1..=self.headers).filter_map(|number| self.header(number))
    }

    /// Whether the header of a game has zeros in place of players and result.
    fn is_blank(&self, number: u64) -> bool {
        self.header(number).is_some_and(|header| is_blank(&header))
    }

    /// Whether there are zeros in place of a game's record: an empty record is followed by the next one.
    fn is_blank_record(&self, address: usize) -> bool {
        let starts = self.starts.get_or_init(|| {
            let all = (1..=self.headers).filter_map(|number| self.address(number));
            let mut starts: Vec<usize> = all.chain(self.found.iter().copied()).collect();
            starts.sort_unstable();
            starts
        });
        let data = self.bytes(D02);
        let next = starts.partition_point(|start| *start <= address);
        let end = starts.get(next).copied().unwrap_or(data.len());
        let rest = data.get(address + 1..end).unwrap_or_default();
        rest.first() == Some(&0)
    }

    /// Compares the result of a search with the numbers in the files.
    fn count_claims(&mut self) {
        let (headers, found) = (self.headers, self.found.len() as u64);
        let cdp = CaCdp::read(self.bytes(CDP));
        match self
            .claimed()
            .filter(|_| cdp.is_some_and(|cdp| cdp.is_known()))
        {
            None => self.claims.lose(
                &ABOUT_GONE,
                "the .cdp: the number of games, and the comment on the database",
            ),
            Some(claimed) => {
                self.claims
                    .games("the .cdp", claimed, headers.saturating_add(found));
                let without = claimed.saturating_sub(headers).min(found);
                if without > 0 {
                    let what = format!("{without} of {claimed} games were found without a header");
                    self.claims.lose(&HEADERS_GONE, what);
                }
            }
        }
        if self.claimed().is_none() && found > 0 {
            let what = format!("{found} games were found without a header");
            self.claims.lose(&HEADERS_GONE, what);
        }
        let is_there = |number: &u64| {
            let address = self.address(*number);
            address.is_some_and(|at| {
                let record = record_at(self.bytes(D02), at);
                record.is_some_and(|(.., length)| length > 0 || !self.is_blank_record(at))
            })
        };
        let without = headers - (1..=headers).filter(is_there).count() as u64;
        if without > 0 {
            let what = format!("{without} of {headers} games have a header, but no record");
            self.claims.lose(&MOVES_GONE, what);
        }
    }

    /// Reports once that ECO number 0 is read as no code.
    fn check_eco(&mut self) {
        let is_zero = |number: &u64| {
            self.header(*number)
                .is_some_and(|header| header.eco == 0 && !self.lists.is_a00(header.game))
        };
        if let Some(number) = (1..=self.headers).find(is_zero) {
            let place = self.place_in(D00, None);
            let message = format!("game {number} is the first of them");
            self.note(&codes::ECO_ZERO, place, message);
        }
    }

    /// Opens the rest of a damaged database. Records that no header refers to are searched for.
    pub fn salvage(path: &Path, options: &OpenOptions) -> Result<CaReader> {
        let mut members = Vec::new();
        let mut lost = Vec::new();
        for extension in EXTENSIONS {
            let found = companions::find_optional(path, extension)
                .map_err(std::io::Error::from)
                .and_then(|found| found.ok_or_else(|| std::io::ErrorKind::NotFound.into()))
                .map_err(Error::from)
                .and_then(|path| open_member(path, options));
            match found {
                Ok(member) => members.push(Some(member)),
                Err(error) => {
                    members.push(None);
                    lost.push((extension, error));
                }
            }
        }
        if members.iter().all(Option::is_none) {
            return Err(Error::new(
                &error_codes::DAMAGED,
                "none of the files of the database can be read",
            ));
        }
        let mut reader = CaReader::new(members, options);
        for (extension, error) in lost {
            reader.note(
                &codes::FILE_LOST,
                Location::default(),
                format!(".{extension}: {error}"),
            );
        }
        reader.check_cdp();
        if let Err(error) = reader.read_names(false) {
            let place = (*error.place).clone();
            reader.note(&codes::FILE_LOST, place, error.message.clone());
            reader.claims.lose(&NAMES_GONE, error.message.clone());
        } else if reader.members.get(EMB).is_none_or(Option::is_none) {
            reader.claims.lose(&NAMES_GONE, "the .emb is missing");
        }
        reader.read_addresses();
        // All headers count here, whatever the .cdp claims.
        reader.headers = reader.header_count();
        reader.check_blanks();
        reader.decide(options);
        reader.check_eco();
        let taken = reader.extents();
        let rules = CaReadSettings {
            is_trial: true,
            ..reader.rules
        };
        let found = salvage::search(reader.bytes(D02), &taken, &reader.orphans(), rules);
        reader.found = found;
        reader.count_claims();
        if !reader.found.is_empty() {
            let count = reader.found.len();
            let place = reader.place_in(D02, None);
            reader.note(&codes::FOUND, place, format!("{count} games were found"));
        }
        Ok(reader)
    }

    fn new(members: Vec<Option<CaDatabaseFile>>, options: &OpenOptions) -> CaReader {
        CaReader {
            members,
            lists: CaNameLists::default(),
            addresses: CaAddressTable::default(),
            starts: OnceLock::new(),
            headers: 0,
            found: Vec::new(),
            rules: CaReadSettings {
                charset: options.encoding.unwrap_or(DEFAULT_CHARSET),
                sideways: CaFileDirection::Right,
                depth: options.limits.depth,
                is_trial: false,
            },
            charset_source: if options.encoding.is_some() {
                "as requested"
            } else {
                "assumed"
            },
            diagnostics: Diagnostics::default(),
            claims: MissingParts::default(),
            spare: ScratchPool::default(),
        }
    }

    fn bytes(&self, member: usize) -> &[u8] {
        match self.members.get(member) {
            Some(Some(member)) => &member.bytes,
            _ => &[],
        }
    }

    fn place_in(&self, member: usize, byte: Option<u64>) -> Location {
        let name = match self.members.get(member) {
            Some(Some(member)) => member
                .path
                .file_name()
                .map(|n| n.to_string_lossy().into_owned()),
            _ => None,
        };
        Location {
            file: name,
            byte,
            ..Location::default()
        }
    }

    fn note(&mut self, code: &'static DiagnosticCode, place: Location, message: String) {
        self.diagnostics.push(Diagnostic::new(code, place, message));
    }

    fn header_count(&self) -> u64 {
        (self.bytes(D00).len() / HEADER_BYTES) as u64
    }

    /// Compares the CDP with the headers.
    fn check_cdp(&mut self) {
        self.headers = self.header_count();
        let rest = self.bytes(D00).len() % HEADER_BYTES;
        if rest != 0 {
            let place = self.place_in(D00, Some(self.headers * HEADER_BYTES as u64));
            self.note(
                &codes::HEADER_CUT,
                place,
                format!("{rest} of {HEADER_BYTES} bytes were found"),
            );
        }
        if self.members.first().is_none_or(Option::is_none) {
            return;
        }
        let place = self.place_in(CDP, None);
        let Some(cdp) = CaCdp::read(self.bytes(CDP)) else {
            let message = format!("{} bytes; at least 112 are expected", self.bytes(CDP).len());
            self.note(&codes::FILE_LOST, place, message);
            return;
        };
        let games = u64::from(cdp.games);
        let mut found: Vec<(&'static DiagnosticCode, u64, String)> = Vec::new();
        let is_known = cdp.is_known();
        if !is_known {
            let message = "its header is not that of a .cdp".to_owned();
            found.push((&codes::FILE_LOST, 0, message));
        } else if cdp.version != CDP_VERSION {
            let version = String::from_utf8_lossy(cdp.version).trim().to_owned();
            found.push((&codes::VERSION, 50, format!("{version:?}")));
        }
        if cdp.comment.len() as u64 != u64::from(cdp.comment_length) {
            let message = format!(
                "{} of {} bytes of the database comment were found",
                cdp.comment.len(),
                cdp.comment_length
            );
            found.push((&codes::FILE_LOST, 108, message));
        }
        if games != self.headers {
            let message = format!("{games} in the .cdp, {} headers", self.headers);
            found.push((&codes::GAME_COUNT, 104, message));
            self.headers = self.headers.min(games);
        }
        for (code, byte, message) in found {
            let place = self.place_in(CDP, Some(byte));
            self.note(code, place, message);
        }
    }

    /// Reads the lists of names. If it is `strict`, damage of a needed file is an error.
    fn read_names(&mut self, strict: bool) -> Result<()> {
        if self.members.get(EMB).is_none_or(Option::is_none) {
            return Ok(());
        }
        let error = |damage: CaVolumeDamage, place: Location| {
            let place = Location {
                byte: Some(damage.offset),
                ..place
            };
            Error::new(&error_codes::DAMAGED, damage.to_string()).at(place)
        };
        let place = self.place_in(EMB, None);
        let at = |byte: u64| Location {
            byte: Some(byte),
            ..place.clone()
        };
        let volume =
            CaVolume::open(self.bytes(EMB)).map_err(|damage| error(damage, place.clone()))?;
        let mut notes: Vec<Diagnostic> = Vec::new();
        let mut first_damage = None;
        let lists = CaNameLists::read(
            &volume,
            |name| notes.push(Diagnostic::new(&codes::LIST_MISSING, place.clone(), name)),
            |damage| {
                first_damage.get_or_insert(damage);
            },
        );
        if strict && let Some(damage) = first_damage {
            return Err(error(damage, place.clone()));
        }
        if volume.version != EMB_VERSION {
            let version = String::from_utf8_lossy(volume.version).trim().to_owned();
            notes.push(Diagnostic::new(
                &codes::VERSION,
                at(64),
                format!("{version:?}"),
            ));
        }
        if volume.directory_rest != 0 {
            let message = format!(
                "{} bytes after the last entry of the directory",
                volume.directory_rest
            );
            notes.push(Diagnostic::new(&codes::VOLUME_UNKNOWN, at(136), message));
        }
        for file in volume.files() {
            let offset = u64::from(file.offset);
            if let Some(damage) = file.damage() {
                notes.push(Diagnostic::new(
                    &codes::VOLUME,
                    at(damage.offset),
                    damage.to_string(),
                ));
            }
            if !is_described(&file.name) || !file.is_usual {
                let message = format!("{:?}, {} bytes", file.display_name(), file.length);
                notes.push(Diagnostic::new(&codes::VOLUME_UNKNOWN, at(offset), message));
            }
        }
        for (names, stem) in lists.all().into_iter().zip(LIST_NAMES) {
            if let Some(first) = names.addresses.first_lost {
                let count = names.addresses.lost;
                let message = format!("{count} entries of {stem}.a01, the first is entry {first}");
                notes.push(Diagnostic::new(
                    &codes::NAME_ADDRESS,
                    place.clone(),
                    message,
                ));
            }
        }
        self.lists = lists;
        if let Some(damage) = first_damage {
            self.claims.lose(&NAMES_GONE, damage.to_string());
        }
        let is_missing = |note: &&Diagnostic| *note.code == codes::LIST_MISSING;
        let missing: Vec<_> = notes.iter().filter(is_missing).collect();
        if let Some(first) = missing.first() {
            let what = match missing.len() {
                1 => format!("the .emb has no {}", first.message),
                count => format!(
                    "the .emb has no {} and {} more lists",
                    first.message,
                    count - 1
                ),
            };
            self.claims.lose(&NAMES_GONE, what);
        }
        for note in notes {
            self.diagnostics.push(note);
        }
        Ok(())
    }

    fn read_addresses(&mut self) {
        self.addresses = CaAddressTable::resolve(self.bytes(A02));
    }

    /// Determines the charset, and reports it if it was guessed and matters.
    fn decide_charset(&mut self) {
        if let Some(charset) = self.lists.charset {
            self.rules.charset = charset;
            self.charset_source = "stored in the database";
            return;
        }
        if let Some(charset) = self.lists.detect_charset() {
            self.rules.charset = charset;
            self.charset_source = "detected";
        }
        if let Some(name) = self.lists.odd_name() {
            let charset = self.rules.charset;
            let name = charset.decode(name).into_owned();
            let message = format!("{} ({}): {name:?}", charset.name(), self.charset_source);
            let place = self.place_in(EMB, None);
            self.note(&codes::CHARSET, place, message);
        }
    }

    /// Determines the charset and the direction in which files are counted.
    fn decide(&mut self, options: &OpenOptions) {
        if options.encoding.is_none() {
            self.decide_charset();
        }
        let bad = |sideways| self.illegal_games(sideways);
        let right = bad(CaFileDirection::Right);
        if right == 0 {
            return;
        }
        let left = bad(CaFileDirection::Left);
        // One damaged game must not reverse a sound database: most games are illegal in the wrong direction.
        if left.saturating_mul(4) < right {
            self.rules.sideways = CaFileDirection::Left;
            let place = self.place_in(D02, None);
            let message = format!(
                "of the tested games, {right} have illegal moves when read to the right, {left} to the left"
            );
            self.note(&codes::MIRRORED, place, message);
        }
    }

    /// How many of the tried games have illegal moves when read in a direction.
    fn illegal_games(&self, sideways: CaFileDirection) -> u64 {
        let rules = CaReadSettings {
            sideways,
            is_trial: true,
            ..self.rules
        };
        let want = GameNeeds {
            annotations: false,
            ..GameNeeds::ALL
        };
        let mut scratch = CaScratch::default();
        let mut diagnostics = Diagnostics::with_cap(0);
        let (mut bad, mut bytes) = (0, 0);
        let step = (self.headers / TRIALS).max(1);
        let mut number = 1;
        while number <= self.headers && bytes < TRIAL_BYTES {
            if let Some((_, record)) = self.address(number).and_then(|at| self.record(at)) {
                bytes += record.len();
                let start = find_setup(record).map(|setup| {
                    let (board, pieces, ..) = read_setup(setup);
                    (board, pieces)
                });
                let spot = CaRecordPlace {
                    game: None,
                    byte: 0,
                };
                diagnostics.clear();
                let tally = decode(
                    record,
                    start,
                    rules,
                    want,
                    spot,
                    &mut scratch,
                    &mut diagnostics,
                );
                bad += u64::from(tally.illegal > 0);
            }
            number += step;
        }
        bad
    }

    /// The comment on the database.
    fn comment(&self) -> String {
        let cdp = CaCdp::read(self.bytes(CDP));
        cdp.map_or_else(String::new, |cdp| {
            self.rules.charset.decode(cdp.comment).into_owned()
        })
    }

    /// The number of games.
    pub(super) fn count(&self) -> u64 {
        self.headers + self.found.len() as u64
    }

    /// The header of a game by its number.
    pub(super) fn header(&self, number: u64) -> Option<CaHeader> {
        if number == 0 || number > self.headers {
            return None;
        }
        let at = usize::try_from(number - 1)
            .ok()?
            .checked_mul(HEADER_BYTES)?;
        let bytes = self.bytes(D00).get(at..)?.first_chunk::<HEADER_BYTES>()?;
        Some(CaHeader::read(bytes))
    }

    /// The address of a game's record, by the game's number.
    pub(super) fn address(&self, number: u64) -> Option<usize> {
        if number <= self.headers {
            let header = self.header(number).filter(|header| !is_blank(header))?;
            self.addresses.get(header.game)
        } else {
            let at = usize::try_from(number - self.headers)
                .ok()?
                .checked_sub(1)?;
            self.found.get(at).copied()
        }
    }

    /// The record at an address, as far as it exists: the offset of its first code, and its codes.
    pub(super) fn record(&self, address: usize) -> Option<(usize, &[u8])> {
        record_at(self.bytes(D02), address).map(|(start, record, _)| (start, record))
    }

    /// The ranges of the D02 that are covered by records with a header.
    fn extents(&self) -> Vec<Range<usize>> {
        let mut runs: Vec<_> = (1..=self.headers)
            .filter_map(|number| {
                let at = self.address(number)?;
                let (start, record) = self.record(at)?;
                Some(at..start + record.len())
            })
            .collect();
        runs.sort_unstable_by_key(|run| run.start);
        runs
    }

    /// Addresses in the A02 that no header refers to, directly or through other entries.
    fn orphans(&self) -> Vec<usize> {
        let used: HashSet<usize> = (1..=self.headers)
            .filter_map(|number| self.address(number))
            .collect();
        (0..self.addresses.len())
            .filter_map(|id| self.addresses.get(u32::try_from(id).ok()?))
            .filter(|address| !used.contains(address))
            .collect()
    }

    /// Every file inside the EMB with its bytes: for people who want to help to complete the description.
    pub fn inner_files(&self) -> Result<Vec<CaInnerFileDump>> {
        dump(self.bytes(EMB)).map_err(|damage| {
            let place = self.place_in(EMB, Some(damage.offset));
            Error::new(&error_codes::DAMAGED, damage.to_string()).at(place)
        })
    }

    /// The bytes of a name and a title in a list, empty if there is none.
    fn name<'a>(
        &self,
        names: &'a CaNameList,
        what: &'static str,
        id: u32,
        number: u64,
        diagnostics: &mut Diagnostics,
    ) -> (&'a [u8], &'a [u8]) {
        match names.get(id) {
            Some((name, title)) => (name, title),
            None => {
                // Games without such a name have number 0.
                if id != 0 {
                    let place = || Location::game(number);
                    diagnostics.report(&codes::NAME, place, || format!("{what} {id}"));
                }
                (b"", b"")
            }
        }
    }

    fn read_with(&self, number: u64, want: GameNeeds, scratch: &mut CaScratch, game: &mut Game) {
        game.clear();
        game.origin = GameOrigin {
            number,
            ..GameOrigin::default()
        };
        let header = self.header(number);
        let judgement = decode_outcome(header.map_or(4, |header| header.outcome));
        game.outcome = Some(judgement.outcome);
        if self.is_blank(number) {
            let place = || Location::game(number);
            game.diagnostics
                .report(&codes::HEADER_BLANK, place, String::new);
        }
        self.header_tags(number, header.unwrap_or_default(), game);
        let address = self.address(number);
        let Some((start, record, claimed)) = address.and_then(|at| record_at(self.bytes(D02), at))
        else {
            let id = header.map_or(0, |header| header.game);
            let place = || Location::game(number);
            game.diagnostics.report(&codes::GAME_ADDRESS, place, || {
                format!("entry {id} of the .a02")
            });
            return;
        };
        let address = address.unwrap_or(start);
        if claimed == 0 && self.is_blank_record(address) {
            let place = || Location::game(number);
            game.diagnostics.report(&codes::RECORD_BLANK, place, || {
                format!("byte {address} of the .d02")
            });
        }
        game.origin.byte = address as u64;
        game.origin.length = (start.saturating_sub(address) + record.len()) as u64;
        let spot = CaRecordPlace {
            game: Some(number),
            byte: start as u64,
        };
        let setup = find_setup(record).map(|bytes| {
            let (board, pieces, problems, odd) = read_setup(bytes);
            game.tags.push("SetUp", "1");
            game.tags.push("FEN", &board.to_fen());
            for message in odd {
                let place = Location::game(number);
                game.diagnostics
                    .push(Diagnostic::new(&codes::SETUP, place, message));
            }
            game.start = StartingPosition::Setup(Box::new(board.clone()), problems);
            (board, pieces)
        });
        if !want.moves {
            return;
        }
        if record.len() < claimed {
            let place = || Location {
                byte: Some(start as u64),
                ..Location::game(number)
            };
            game.diagnostics.report(&codes::RECORD_CUT, place, || {
                format!("{} of {claimed} bytes were found", record.len())
            });
        }
        decode(
            record,
            setup,
            self.rules,
            want,
            spot,
            scratch,
            &mut game.diagnostics,
        );
        let evaluation = judgement
            .evaluation
            .filter(|_| want.annotations)
            .map(|(_, nag)| nag);
        emit(
            record,
            self.rules.charset,
            evaluation,
            spot,
            scratch,
            &mut game.tape,
            &mut game.diagnostics,
        );
    }

    fn header_tags(&self, number: u64, header: CaHeader, game: &mut Game) {
        let Game {
            tags, diagnostics, ..
        } = game;
        let lists = &self.lists;
        let mut find = |names, what, id| self.name(names, what, id, number, diagnostics);
        let (white, white_title) = find(&lists.players, "player", header.white);
        let (black, black_title) = find(&lists.players, "player", header.black);
        let names = CaGameNames {
            players: [white, black],
            titles: [white_title, black_title],
            facts: [header.white, header.black].map(|id| lists.players.facts(id)),
            event: find(&lists.events, "event", header.event).0,
            site: find(&lists.places, "place", header.site).0,
            annotator: find(&lists.players, "annotator", header.annotator).0,
            source: find(&lists.sources, "source", header.source).0,
            is_a00: lists.is_a00(header.game),
        };
        push_tags(&header, &names, self.rules.charset, tags, |name, value| {
            diagnostics.report(
                &codes::HEADER_FIELD,
                || Location::game(number),
                || format!("{name} {value}"),
            );
        });
    }
}

/// Whether a header has zeros in place of players and result: a game without players or result has another result byte.
fn is_blank(header: &CaHeader) -> bool {
    (header.white, header.black, header.outcome) == (0, 0, 0)
}

/// The record at an address, as far as it exists: the offset of its first code, its codes, and the length that it claims.
pub(super) fn record_at(data: &[u8], address: usize) -> Option<(usize, &[u8], usize)> {
    let bytes = data.get(address..)?;
    let (head, length) = record_length(bytes)?;
    let rest = bytes.get(head..)?;
    let record = rest.get(..length).unwrap_or(rest);
    Some((address + head, record, length))
}

impl Database for CaReader {
    fn info(&self) -> DatabaseInfo {
        let files = self.members.iter().flatten();
        let mut info = DatabaseInfo {
            format: super::FORMAT.name,
            files: files
                .map(|member| (member.path.clone(), member.bytes.len() as u64))
                .collect(),
            games: Some(self.count()),
            ..DatabaseInfo::default()
        };
        let charset = self.rules.charset;
        if let Some(cdp) = CaCdp::read(self.bytes(CDP)) {
            info.version = String::from_utf8_lossy(cdp.version).trim().to_owned();
            info.field("description", self.comment());
            info.field("made by", String::from_utf8_lossy(cdp.signature).trim());
            if cdp.unknown != [0; 4] {
                let [a, b, c, d] = cdp.unknown;
                info.field("unknown bytes", format!("{a:02x} {b:02x} {c:02x} {d:02x}"));
            }
        }
        let emb = c_string(self.bytes(EMB).get(64..128).unwrap_or_default());
        info.field("volume version", String::from_utf8_lossy(emb).trim());
        info.field(
            "charset",
            format!("{} ({})", charset.name(), self.charset_source),
        );
        for (stem, names) in LIST_NAMES.into_iter().zip(self.lists.all()) {
            info.field(&stem.to_lowercase(), names.len().to_string());
        }
        if self.rules.sideways == CaFileDirection::Left {
            info.field("reading", "mirrored: files are counted to the left");
        }
        let evidence = "read according to the only description of the closed format; no real database was available for comparison";
        info.field("evidence", evidence);
        info
    }

    fn len(&self) -> Result<u64> {
        Ok(self.count())
    }

    fn read(&self, number: u64, want: GameNeeds, game: &mut Game) -> Result<()> {
        check_number(number, self.count())?;
        self.spare.lend(CaScratch::default, |scratch| {
            self.read_with(number, want, scratch, game);
        });
        Ok(())
    }

    fn source(&self, games: Option<Range<u64>>) -> Result<Box<dyn Source<'_> + '_>> {
        Ok(Box::new(NumberedSource::new(self, games)))
    }

    fn facts(&self) -> Option<&dyn FactSource> {
        Some(self)
    }

    fn diagnostics(&self) -> Diagnostics {
        self.diagnostics.clone()
    }

    fn missing(&self) -> Losses {
        self.claims.losses()
    }
}

impl NumberedDatabase for CaReader {
    type Scratch = CaScratch;

    const BLOCK: u64 = 512;

    fn scratch(&self) -> CaScratch {
        CaScratch::default()
    }

    fn count(&self) -> u64 {
        CaReader::count(self)
    }

    fn game_bytes(&self) -> u64 {
        self.bytes(D02).len() as u64
    }

    fn fill(
        &self,
        number: u64,
        want: GameNeeds,
        scratch: &mut CaScratch,
        game: &mut Game,
    ) -> Result<()> {
        self.read_with(number, want, scratch, game);
        Ok(())
    }

    fn describe(&self) -> DatabaseMetadata {
        DatabaseMetadata {
            description: self.comment(),
            ..DatabaseMetadata::default()
        }
    }

    fn findings(&self) -> Diagnostics {
        self.diagnostics.clone()
    }

    fn losses(&self) -> Losses {
        self.claims.losses()
    }
}
