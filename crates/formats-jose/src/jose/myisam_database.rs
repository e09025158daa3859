//! Databases as MyISAM files: the live folder of a server, and archives.

use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tabiya_model::error_codes;
use tabiya_model::{DatabaseInfo, Diagnostics, Error, Location, LossKind, Result};

use super::codes;
use super::index::{JoseIndexBuilder, NOWHERE};
use super::layout::{JoseField, JoseGameColumns, JoseGameRow, JoseTableRole, order, usual_columns};
use super::myisam::{MyisamBuffers, MyisamTable};
use super::names::{JoseNameColumns, JoseNames};
use super::reader::{JoseDatabaseParts, JoseRowCursor, JoseRowSource, not_jose, sized};
use super::record::JoseReadSettings;
use super::text::charset_of_collation;
use tabiya_codec::missing_parts::{ABOUT_GONE, GAMES_GONE, MOVES_GONE, MissingParts, NAMES_GONE};
use tabiya_io::held_folder::{self, DirectoryEntry};
use tabiya_io::mmap::{FileAccess, FileBytes};
use tabiya_io::scratch_file::ScratchFile;

/// The header of a `.MYI` file is shorter than this.
const MAX_HEAD: u64 = 64 << 10;
/// A larger `.frm` file is not one.
const MAX_FRM: u64 = 4 << 20;
/// If a table's rows from an archive are longer than this, they go to a temporary file.
const MAX_MEMORY: u64 = 16 << 20;

/// The files of one table.
#[derive(Debug, Default)]
struct MyisamFiles {
    table: String,
    myi: Option<Vec<u8>>,
    frm: Option<Vec<u8>>,
    myd: Option<(String, FileBytes)>,
}

/// The files of tables that have been found so far.
#[derive(Debug, Default)]
pub struct JoseTableSet {
    files: BTreeMap<String, MyisamFiles>,
    info: DatabaseInfo,
    diagnostics: Diagnostics,
    bytes: u64,
    claims: MissingParts,
}

/// The kind of a file of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MyisamFileKind {
    /// `.MYI`
    Head,
    /// `.MYD`
    Rows,
    /// `.frm`
    Form,
}

/// The table of jose that a file belongs to by its name, and the kind of the file.
pub fn table_file(name: &str) -> Option<(String, MyisamFileKind)> {
    let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let (table, extension) = name.rsplit_once('.')?;
    let file = match extension.to_ascii_lowercase().as_str() {
        "myi" => MyisamFileKind::Head,
        "myd" => MyisamFileKind::Rows,
        "frm" => MyisamFileKind::Form,
        _ => return None,
    };
    JoseTableRole::of(table)?;
    Some((table.to_owned(), file))
}

/// The folder with the tables of games: this one or one below it.
pub fn find_folder(folder: &Path) -> Option<PathBuf> {
    let mut level = vec![folder.to_path_buf()];
    for _ in 0..5 {
        let mut below = Vec::new();
        for folder in level {
            let Ok(entries) = held_folder::read_dir(&folder) else {
                continue;
            };
            for DirectoryEntry { path, kind } in entries {
                let name = path.file_name().unwrap_or_default();
                if kind.is_dir() {
                    below.push(path);
                } else if let Some((table, MyisamFileKind::Rows)) =
                    table_file(&name.to_string_lossy())
                    && matches!(
                        JoseTableRole::of(&table),
                        Some(JoseTableRole::Game | JoseTableRole::WholeGame)
                    )
                {
                    return Some(folder);
                }
            }
        }
        below.sort_unstable();
        below.truncate(1000);
        level = below;
    }
    None
}

impl JoseTableSet {
    /// Whether there is a table of games among the files.
    pub fn has_games(&self) -> bool {
        self.files.values().any(|files| {
            matches!(
                JoseTableRole::of(&files.table),
                Some(JoseTableRole::Game | JoseTableRole::WholeGame)
            )
        })
    }

    /// Adds the files of a folder.
    pub fn add_folder(&mut self, folder: &Path, access: FileAccess) -> Result<()> {
        let entries = held_folder::read_dir(folder)?.into_iter();
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path).collect();
        paths.sort_unstable();
        for path in paths {
            let name = path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            let Some((table, kind)) = table_file(&name) else {
                continue;
            };
            if !held_folder::is_file(&path) {
                continue;
            }
            let opened = tabiya_io::regular_file::open(&path);
            let file = match opened {
                Ok(file) => file,
                Err(problem) => {
                    self.unreadable(&path.display().to_string(), &problem.to_string());
                    continue;
                }
            };
            let (_, size) = sized(path.clone());
            self.info.files.push((path.clone(), size));
            self.bytes = self.bytes.saturating_add(size);
            let shown = path.display().to_string();
            if kind == MyisamFileKind::Rows {
                match FileBytes::from_file(&file, access) {
                    Ok(bytes) => self.files_of(&table).myd = Some((shown, bytes)),
                    Err(problem) => self.unreadable(&shown, &problem.to_string()),
                }
            } else {
                self.add(&shown, &table, kind, file);
            }
        }
        Ok(())
    }

    /// Adds a file from an archive.
    pub fn add(&mut self, name: &str, table: &str, kind: MyisamFileKind, content: impl Read) {
        let limit = match kind {
            MyisamFileKind::Head => MAX_HEAD,
            MyisamFileKind::Form => MAX_FRM,
            MyisamFileKind::Rows => MAX_MEMORY,
        };
        let mut content = content;
        let mut bytes = Vec::new();
        let first = content.by_ref().take(limit).read_to_end(&mut bytes);
        if let Err(problem) = &first {
            self.unreadable(name, &problem.to_string());
        }
        match kind {
            MyisamFileKind::Head => self.files_of(table).myi = Some(bytes),
            MyisamFileKind::Form => self.files_of(table).frm = Some(bytes),
            MyisamFileKind::Rows => {
                let full = first.is_ok() && bytes.len() as u64 >= limit;
                let rows = if full {
                    match self.spool(name, &bytes, content) {
                        Ok(rows) => rows,
                        Err(problem) => {
                            self.unreadable(name, &problem.to_string());
                            FileBytes::from(bytes)
                        }
                    }
                } else {
                    FileBytes::from(bytes)
                };
                self.bytes = self.bytes.saturating_add(rows.len() as u64);
                self.files_of(table).myd = Some((name.to_owned(), rows));
            }
        }
    }

    /// Spools long rows to a temporary file, as far as they can be read.
    fn spool(&mut self, name: &str, head: &[u8], mut rest: impl Read) -> io::Result<FileBytes> {
        let mut scratch = ScratchFile::new()?;
        scratch.write_all(head)?;
        let mut buffer = vec![0; 64 << 10];
        loop {
            match rest.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => scratch.write_all(buffer.get(..count).unwrap_or_default())?,
                Err(problem) if problem.kind() == io::ErrorKind::Interrupted => {}
                Err(problem) => {
                    self.unreadable(name, &problem.to_string());
                    break;
                }
            }
        }
        // The map keeps the content even though the file has no name any more.
        FileBytes::from_file(scratch.file(), FileAccess::Map)
    }

    /// Reports a file that cannot be read, or not to its end.
    pub fn unreadable(&mut self, name: &str, problem: &str) {
        // The place already names the file, as do errors from lower layers.
        let named = format!("{name}: ");
        self.diagnostics.report(
            &codes::BAD_TABLE,
            || Location::default().in_file(name),
            || problem.trim_start_matches(&named).to_owned(),
        );
    }

    fn files_of(&mut self, table: &str) -> &mut MyisamFiles {
        let files = self.files.entry(table.to_ascii_lowercase()).or_default();
        if files.table.is_empty() {
            table.clone_into(&mut files.table);
        }
        files
    }

    /// Opens the files that were found.
    pub fn open(
        mut self,
        name: &str,
        mut settings: JoseReadSettings,
        depth: usize,
    ) -> Result<JoseDatabaseParts> {
        let mut names = JoseNames::default();
        for role in [
            JoseTableRole::Player,
            JoseTableRole::Event,
            JoseTableRole::Site,
        ] {
            let is_there = |files: &MyisamFiles| JoseTableRole::of(&files.table) == Some(role);
            if !self.files.values().any(is_there) {
                let what = format!("the table {role:?} is missing");
                self.claims.lose(&NAMES_GONE, what);
            }
        }
        let mut games: Option<MyisamOpenTable> = None;
        let mut more: Option<MyisamOpenTable> = None;
        let mut whole = false;
        for (_, files) in std::mem::take(&mut self.files) {
            let Some(role) = JoseTableRole::of(&files.table) else {
                continue;
            };
            let essential = matches!(role, JoseTableRole::Game | JoseTableRole::WholeGame);
            let table = match self.open_table(files) {
                Ok(table) => table,
                Err(problem) if essential => return Err(problem),
                Err(problem) => {
                    self.claims.lose(kind_of(role), problem.message.clone());
                    self.unreadable(
                        problem.place.file.as_deref().unwrap_or(name),
                        &problem.message,
                    );
                    continue;
                }
            };
            match role {
                // If there are both kinds, which no database has, the live one is taken.
                JoseTableRole::WholeGame if games.is_none() => {
                    whole = true;
                    games = Some(table);
                }
                JoseTableRole::WholeGame => {}
                JoseTableRole::Game => {
                    whole = false;
                    games = Some(table);
                }
                JoseTableRole::MoreGame => more = Some(table),
                _ => {
                    let columns = table.table.columns();
                    let places = JoseNameColumns::find(columns.iter().map(|c| c.name.as_str()));
                    self.walk(&table, role, |row| {
                        names.take(role, &places, &row);
                        Ok(())
                    })?;
                }
            }
        }
        let games = games.ok_or_else(|| not_jose(name))?;
        if whole {
            more = None;
        } else if more.is_none() {
            let what = "the table MoreGame cannot be read";
            self.claims.lose(&MOVES_GONE, what);
            self.unreadable(name, "the table MoreGame with the moves is missing");
        }
        if settings.coding.declared.is_none() {
            settings.coding.declared = games
                .table
                .columns()
                .iter()
                .filter(|column| column.kind == super::row::JoseColumnKind::Text)
                .find_map(|column| charset_of_collation(column.charset));
        }
        let mut builder = JoseIndexBuilder::new(!whole);
        let mut number = 0i64;
        self.walk(&games, JoseTableRole::Game, |row| {
            number = number.saturating_add(1);
            let int = |field| games.places.cell(&row, field).int();
            let id = if whole {
                number
            } else {
                int(JoseField::Id).unwrap_or(0)
            };
            let (collection, index) = order(|field| int(field).unwrap_or(0));
            builder.game(id, collection, index, row.offset)
        })?;
        if let Some(more) = &more {
            self.walk(more, JoseTableRole::MoreGame, |row| {
                builder.more(
                    more.places.cell(&row, JoseField::GameId).int().unwrap_or(0),
                    row.offset,
                )
            })?;
        }
        let index = builder.finish()?;
        Ok(JoseDatabaseParts {
            info: self.info,
            names,
            index,
            halves: !whole,
            rows: Arc::new(MyisamGameRows { games, more }),
            settings,
            diagnostics: self.diagnostics,
            bytes: self.bytes,
            depth,
            claims: self.claims,
        })
    }

    fn open_table(&mut self, files: MyisamFiles) -> Result<MyisamOpenTable> {
        let lost = |what: &str| {
            Error::new(
                &error_codes::DAMAGED,
                format!("the table {} {what}", files.table),
            )
        };
        let myi = files
            .myi
            .as_deref()
            .ok_or_else(|| lost("has no .MYI file"))?;
        let (file, myd) = match files.myd {
            Some(myd) => myd,
            None => return Err(lost("has no .MYD file")),
        };
        let usual = usual_columns(&files.table).unwrap_or_default();
        let table = MyisamTable::open(myi, files.frm.as_deref(), usual)
            .map_err(|problem| lost(&format!("cannot be opened: {problem}")).in_file(&file))?;
        if let Some(problem) = &table.frm_problem {
            self.diagnostics.report(
                &codes::BAD_FRM,
                || Location::default().in_file(&file),
                || problem.to_string(),
            );
        }
        let places =
            JoseGameColumns::find(table.columns().iter().map(|column| column.name.as_str()));
        Ok(MyisamOpenTable {
            file,
            table,
            myd,
            places,
        })
    }

    /// Reads all rows and compares their number with the one in the header.
    fn walk(
        &mut self,
        open: &MyisamOpenTable,
        role: JoseTableRole,
        mut each: impl FnMut(super::row::JoseRow<'_>) -> io::Result<()>,
    ) -> Result<()> {
        open.myd.advise_sequential();
        let mut rows = open.table.rows(&open.myd);
        let mut damaged = false;
        while let Some(row) = rows.next_row() {
            match row {
                Ok(row) => each(row)?,
                Err(damage) => {
                    damaged = true;
                    self.diagnostics.report(
                        &codes::BAD_ROW,
                        || Location::byte(damage.offset).in_file(&open.file),
                        || damage.what.to_owned(),
                    );
                }
            }
        }
        let header = open.table.header();
        let (live, len) = (rows.live(), open.myd.len() as u64);
        if live < header.rows {
            let table = format!("the table {role:?}");
            match role {
                JoseTableRole::Game | JoseTableRole::WholeGame => {
                    self.claims.games(&table, header.rows, live)
                }
                _ => {
                    let gone = header.rows - live;
                    let what = format!("{gone} of {} rows of {table}", header.rows);
                    self.claims.lose(kind_of(role), what);
                }
            }
        }
        if live != header.rows || len < header.data_len {
            let is_short = live < header.rows || len < header.data_len;
            self.diagnostics.report(
                if is_short {
                    &codes::ROWS_GONE
                } else {
                    &codes::ROW_COUNT
                },
                || Location::byte(len).in_file(&open.file),
                || {
                    format!(
                        "the header says {} rows in {} bytes, but there are {live} in {len}{}",
                        header.rows,
                        header.data_len,
                        if damaged { ", and damage" } else { "" }
                    )
                },
            );
        }
        Ok(())
    }
}

/// What is lost with a table.
fn kind_of(role: JoseTableRole) -> &'static LossKind {
    match role {
        JoseTableRole::Game | JoseTableRole::WholeGame => &GAMES_GONE,
        JoseTableRole::MoreGame => &MOVES_GONE,
        JoseTableRole::Player
        | JoseTableRole::Event
        | JoseTableRole::Site
        | JoseTableRole::Opening => &NAMES_GONE,
        JoseTableRole::Collection | JoseTableRole::MetaInfo => &ABOUT_GONE,
    }
}

/// A table whose header was read.
struct MyisamOpenTable {
    file: String,
    table: MyisamTable,
    myd: FileBytes,
    places: JoseGameColumns,
}

/// The rows of games in tables.
struct MyisamGameRows {
    games: MyisamOpenTable,
    more: Option<MyisamOpenTable>,
}

impl JoseRowSource for MyisamGameRows {
    fn cursor(self: Arc<Self>) -> Box<dyn JoseRowCursor> {
        Box::new(MyisamRowCursor {
            tables: self,
            first: MyisamBuffers::default(),
            second: MyisamBuffers::default(),
        })
    }
}

struct MyisamRowCursor {
    tables: Arc<MyisamGameRows>,
    first: MyisamBuffers,
    second: MyisamBuffers,
}

impl JoseRowCursor for MyisamRowCursor {
    fn read(&mut self, places: [u64; 2], each: &mut dyn FnMut(&JoseGameRow<'_>)) -> Result<()> {
        let tables = Arc::clone(&self.tables);
        let [first, second] = places;
        let lost = |open: &MyisamOpenTable, damage: super::myisam::MyisamDamage| {
            Error::new(&error_codes::DAMAGED, damage.what)
                .at(Location::byte(damage.offset))
                .in_file(&open.file)
        };
        let games = &tables.games;
        let mut rows = games
            .table
            .rows_with(&games.myd, std::mem::take(&mut self.first));
        let mut more_rows = tables.more.as_ref().map(|more| {
            (
                more,
                more.table
                    .rows_with(&more.myd, std::mem::take(&mut self.second)),
            )
        });
        {
            let mut row = JoseGameRow::default();
            if first != NOWHERE {
                row.fill(
                    &games.places,
                    rows.row_at(first).map_err(|d| lost(games, d))?,
                );
            }
            if second != NOWHERE
                && let Some((more, more_rows)) = &mut more_rows
            {
                row.fill(
                    &more.places,
                    more_rows.row_at(second).map_err(|d| lost(more, d))?,
                );
            }
            each(&row);
        }
        self.first = rows.into_buffers();
        if let Some((_, rows)) = more_rows {
            self.second = rows.into_buffers();
        }
        Ok(())
    }
}
