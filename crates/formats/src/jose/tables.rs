//! Databases as MyISAM files: the live folder of a server, and archives.

use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tabiya_model::{Diagnostics, Error, Info, LossKind, Place, Result};

use super::codes;
use super::index::{Builder, NOWHERE};
use super::layout::{Field, GameRow, Places, Role, order, usual_columns};
use super::myisam::{Buffers, Table};
use super::names::{NamePlaces, Names};
use super::reader::{Parts, RowCursor, RowSource, not_jose, sized};
use super::record::Settings;
use super::text::charset_of_collation;
use crate::claims::{ABOUT_GONE, Claims, GAMES_GONE, MOVES_GONE, NAMES_GONE};
use tabiya_io::held::{self, Entry};
use tabiya_io::mmap::{Access, Bytes};
use tabiya_io::scratch::Scratch;

/// The head of a `.MYI` file is shorter than this.
const MAX_HEAD: u64 = 64 << 10;
/// A `.frm` file that is larger is not one.
const MAX_FRM: u64 = 4 << 20;
/// A table's rows out of an archive that are longer go to a temporary file.
const MAX_MEMORY: u64 = 16 << 20;

/// The files of one table.
#[derive(Debug, Default)]
struct Files {
    table: String,
    myi: Option<Vec<u8>>,
    frm: Option<Vec<u8>>,
    myd: Option<(String, Bytes)>,
}

/// The files of tables that have been found so far.
#[derive(Debug, Default)]
pub struct TableSet {
    files: BTreeMap<String, Files>,
    info: Info,
    diagnostics: Diagnostics,
    bytes: u64,
    claims: Claims,
}

/// What a file of a table is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableFile {
    /// `.MYI`
    Head,
    /// `.MYD`
    Rows,
    /// `.frm`
    Form,
}

/// Whether a file's name is that of a table of jose: the table, and what the file is.
pub fn table_file(name: &str) -> Option<(String, TableFile)> {
    let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let (table, extension) = name.rsplit_once('.')?;
    let file = match extension.to_ascii_lowercase().as_str() {
        "myi" => TableFile::Head,
        "myd" => TableFile::Rows,
        "frm" => TableFile::Form,
        _ => return None,
    };
    Role::of(table)?;
    Some((table.to_owned(), file))
}

/// The folder that holds the tables of games: this one or one below it.
pub fn find_folder(folder: &Path) -> Option<PathBuf> {
    let mut level = vec![folder.to_path_buf()];
    for _ in 0..5 {
        let mut below = Vec::new();
        for folder in level {
            let Ok(entries) = held::read_dir(&folder) else {
                continue;
            };
            for Entry { path, kind } in entries {
                let name = path.file_name().unwrap_or_default();
                if kind.is_dir() {
                    below.push(path);
                } else if let Some((table, TableFile::Rows)) = table_file(&name.to_string_lossy())
                    && matches!(Role::of(&table), Some(Role::Game | Role::WholeGame))
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

impl TableSet {
    /// Whether there is a table of games among the files.
    pub fn has_games(&self) -> bool {
        self.files
            .values()
            .any(|files| matches!(Role::of(&files.table), Some(Role::Game | Role::WholeGame)))
    }

    /// Adds the files of a folder.
    pub fn add_folder(&mut self, folder: &Path, access: Access) -> Result<()> {
        let entries = held::read_dir(folder)?.into_iter();
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
            if !held::is_file(&path) {
                continue;
            }
            let opened = tabiya_io::regular::open(&path);
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
            if kind == TableFile::Rows {
                match Bytes::from_file(&file, access) {
                    Ok(bytes) => self.files_of(&table).myd = Some((shown, bytes)),
                    Err(problem) => self.unreadable(&shown, &problem.to_string()),
                }
            } else {
                self.add(&shown, &table, kind, file);
            }
        }
        Ok(())
    }

    /// Adds a file out of an archive.
    pub fn add(&mut self, name: &str, table: &str, kind: TableFile, content: impl Read) {
        let limit = match kind {
            TableFile::Head => MAX_HEAD,
            TableFile::Form => MAX_FRM,
            TableFile::Rows => MAX_MEMORY,
        };
        let mut content = content;
        let mut bytes = Vec::new();
        let first = content.by_ref().take(limit).read_to_end(&mut bytes);
        if let Err(problem) = &first {
            self.unreadable(name, &problem.to_string());
        }
        match kind {
            TableFile::Head => self.files_of(table).myi = Some(bytes),
            TableFile::Form => self.files_of(table).frm = Some(bytes),
            TableFile::Rows => {
                let full = first.is_ok() && bytes.len() as u64 >= limit;
                let rows = if full {
                    match self.spool(name, &bytes, content) {
                        Ok(rows) => rows,
                        Err(problem) => {
                            self.unreadable(name, &problem.to_string());
                            Bytes::from(bytes)
                        }
                    }
                } else {
                    Bytes::from(bytes)
                };
                self.bytes = self.bytes.saturating_add(rows.len() as u64);
                self.files_of(table).myd = Some((name.to_owned(), rows));
            }
        }
    }

    /// Keeps long rows in a temporary file, as far as they can be read.
    fn spool(&mut self, name: &str, head: &[u8], mut rest: impl Read) -> io::Result<Bytes> {
        let mut scratch = Scratch::new()?;
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
        // The map keeps the content although the file has no name any more.
        Bytes::from_file(scratch.file(), Access::Map)
    }

    /// Reports a file that cannot be read, or not to its end.
    pub fn unreadable(&mut self, name: &str, problem: &str) {
        // The place names the file, and so do errors from below.
        let named = format!("{name}: ");
        self.diagnostics.report(
            &codes::BAD_TABLE,
            || Place::default().in_file(name),
            || problem.trim_start_matches(&named).to_owned(),
        );
    }

    fn files_of(&mut self, table: &str) -> &mut Files {
        let files = self.files.entry(table.to_ascii_lowercase()).or_default();
        if files.table.is_empty() {
            table.clone_into(&mut files.table);
        }
        files
    }

    /// Opens what was found.
    pub fn open(mut self, name: &str, mut settings: Settings, depth: usize) -> Result<Parts> {
        let mut names = Names::default();
        for role in [Role::Player, Role::Event, Role::Site] {
            let is_there = |files: &Files| Role::of(&files.table) == Some(role);
            if !self.files.values().any(is_there) {
                let what = format!("the table {role:?} is not there");
                self.claims.lose(&NAMES_GONE, what);
            }
        }
        let mut games: Option<OpenTable> = None;
        let mut more: Option<OpenTable> = None;
        let mut whole = false;
        for (_, files) in std::mem::take(&mut self.files) {
            let Some(role) = Role::of(&files.table) else {
                continue;
            };
            let essential = matches!(role, Role::Game | Role::WholeGame);
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
                // Of both kinds, which no database has, the live one is taken.
                Role::WholeGame if games.is_none() => {
                    whole = true;
                    games = Some(table);
                }
                Role::WholeGame => {}
                Role::Game => {
                    whole = false;
                    games = Some(table);
                }
                Role::MoreGame => more = Some(table),
                _ => {
                    let columns = table.table.columns();
                    let places = NamePlaces::find(columns.iter().map(|c| c.name.as_str()));
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
                .filter(|column| column.kind == super::table::Kind::Text)
                .find_map(|column| charset_of_collation(column.charset));
        }
        let mut builder = Builder::new(!whole);
        let mut number = 0i64;
        self.walk(&games, Role::Game, |row| {
            number = number.saturating_add(1);
            let int = |field| games.places.cell(&row, field).int();
            let id = if whole {
                number
            } else {
                int(Field::Id).unwrap_or(0)
            };
            let (collection, index) = order(|field| int(field).unwrap_or(0));
            builder.game(id, collection, index, row.offset)
        })?;
        if let Some(more) = &more {
            self.walk(more, Role::MoreGame, |row| {
                builder.more(
                    more.places.cell(&row, Field::GameId).int().unwrap_or(0),
                    row.offset,
                )
            })?;
        }
        let index = builder.finish()?;
        Ok(Parts {
            info: self.info,
            names,
            index,
            halves: !whole,
            rows: Arc::new(TableRows { games, more }),
            settings,
            diagnostics: self.diagnostics,
            bytes: self.bytes,
            depth,
            claims: self.claims,
        })
    }

    fn open_table(&mut self, files: Files) -> Result<OpenTable> {
        let lost = |what: &str| Error::corrupt(format!("the table {} {what}", files.table));
        let myi = files
            .myi
            .as_deref()
            .ok_or_else(|| lost("has no .MYI file"))?;
        let (file, myd) = match files.myd {
            Some(myd) => myd,
            None => return Err(lost("has no .MYD file")),
        };
        let usual = usual_columns(&files.table).unwrap_or_default();
        let table = Table::open(myi, files.frm.as_deref(), usual)
            .map_err(|problem| lost(&format!("cannot be opened: {problem}")).in_file(&file))?;
        if let Some(problem) = &table.frm_problem {
            self.diagnostics.report(
                &codes::BAD_FRM,
                || Place::default().in_file(&file),
                || problem.to_string(),
            );
        }
        let places = Places::find(table.columns().iter().map(|column| column.name.as_str()));
        Ok(OpenTable {
            file,
            table,
            myd,
            places,
        })
    }

    /// Goes over all rows and compares their number with what the head says.
    fn walk(
        &mut self,
        open: &OpenTable,
        role: Role,
        mut each: impl FnMut(super::table::Row<'_>) -> io::Result<()>,
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
                        || Place::byte(damage.offset).in_file(&open.file),
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
                Role::Game | Role::WholeGame => self.claims.games(&table, header.rows, live),
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
                || Place::byte(len).in_file(&open.file),
                || {
                    format!(
                        "the head claims {} rows in {} bytes, there are {live} in {len}{}",
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

/// What is gone with a table.
fn kind_of(role: Role) -> &'static LossKind {
    match role {
        Role::Game | Role::WholeGame => &GAMES_GONE,
        Role::MoreGame => &MOVES_GONE,
        Role::Player | Role::Event | Role::Site | Role::Opening => &NAMES_GONE,
        Role::Collection | Role::MetaInfo => &ABOUT_GONE,
    }
}

/// A table whose head was read.
struct OpenTable {
    file: String,
    table: Table,
    myd: Bytes,
    places: Places,
}

/// The rows of games in tables.
struct TableRows {
    games: OpenTable,
    more: Option<OpenTable>,
}

impl RowSource for TableRows {
    fn cursor(self: Arc<Self>) -> Box<dyn RowCursor> {
        Box::new(TableCursor {
            tables: self,
            first: Buffers::default(),
            second: Buffers::default(),
        })
    }
}

struct TableCursor {
    tables: Arc<TableRows>,
    first: Buffers,
    second: Buffers,
}

impl RowCursor for TableCursor {
    fn read(&mut self, places: [u64; 2], each: &mut dyn FnMut(&GameRow<'_>)) -> Result<()> {
        let tables = Arc::clone(&self.tables);
        let [first, second] = places;
        let lost = |open: &OpenTable, damage: super::myisam::Damage| {
            Error::corrupt(damage.what)
                .at(Place::byte(damage.offset))
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
            let mut row = GameRow::default();
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
