//! Writing games: rows are collected by folder, and whenever there are enough, they become a file.

use std::collections::{BTreeMap, VecDeque};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;

use tabiya_columns::RowGroupBuilder;
use tabiya_io::held_folder;
use tabiya_io::output_folder::OutputFolder;
use tabiya_model::error_codes;
use tabiya_model::{
    DatabaseMetadata, EncodedGames, Encoder, Error, Game, Losses, Result, Sink, WriteSummary,
};

use super::completion::{LakeChange, LakeCompletion};
use super::manifest::{self, LakeFileEntry, LakeManifest};
use super::partition::{LakePartition, LakePartitionKey};
use crate::parquet::encode::ParquetRowEncoder;
use crate::parquet::layout::MoveColumn;
use crate::parquet::writer::{GROUP_BYTES, GROUP_ROWS, MOVE_COLUMN, file_of, move_column};
use tabiya_codec::format::WriteOptions;
use tabiya_codec::options::{FormatOption, FormatSettings, OptionArgument};

/// How the games are divided among folders.
const PARTITION: FormatOption = FormatOption::new(
    "partition",
    OptionArgument::OneOf(&[
        ("none", "Keep the order of the games"),
        ("year", "By year"),
        ("month", "By year and month"),
    ]),
    "Folders for the games (splitting by year or month changes their order)",
);

/// Games are added to an existing lake with its settings.
const APPENDING: FormatOption =
    FormatOption::new("append", OptionArgument::Nothing, "Add games to a lake");

/// Lets the writer divide games by year and month, unless the settings say otherwise.
///
/// # Errors
/// None is known.
pub fn by_months(settings: &mut FormatSettings) -> Result<()> {
    match settings.is_set(&PARTITION) {
        true => Ok(()),
        false => settings.set(&PARTITION, "month"),
    }
}

/// Whether the lake keeps the order of the games.
#[must_use]
pub fn keeps_order(settings: &FormatSettings) -> bool {
    let partition = settings.text(&PARTITION).and_then(LakePartition::of_name);
    partition.unwrap_or_default() == LakePartition::None
}

/// Lets the writer add games to a lake.
///
/// # Errors
/// None is known.
pub fn append(settings: &mut FormatSettings) -> Result<()> {
    settings.set(&APPENDING, "")
}

/// The options of the writer.
pub(super) static OPTIONS: &[FormatOption] = &[MOVE_COLUMN, PARTITION];

/// The number of bytes of rows that wait for their files, in all folders together.
const WAITING: usize = 96 << 20;
/// The number of files that are packed at the same time.
const AT_ONCE: usize = 2;

/// Rows for one folder.
struct LakeFolderRows {
    group: RowGroupBuilder,
    weight: usize,
}

/// A file that is being packed.
struct LakePackJob {
    thread: JoinHandle<tabiya_columns::Result<Vec<u8>>>,
    key: LakePartitionKey,
    first: u64,
    rows: u64,
}

/// Games to be written to a lake.
pub(super) struct LakeGameWriter {
    moves: MoveColumn,
    partition: LakePartition,
    waiting: BTreeMap<LakePartitionKey, LakeFolderRows>,
    weight: usize,
    packing: VecDeque<LakePackJob>,
    /// The number of the next game.
    next: u64,
}

impl LakeGameWriter {
    /// Adds games to those of a lake, with its settings.
    ///
    /// # Errors
    /// If the settings in the manifest are unknown.
    pub(super) fn to(manifest: &LakeManifest) -> Result<LakeGameWriter> {
        let setting = |name: &str| manifest.settings.get(name).map_or("", String::as_str);
        let unknown = |name: &str| {
            let message = format!(
                "the lake was made with {name} {:?}, which is not supported",
                setting(name)
            );
            Error::new(&error_codes::UNSUPPORTED_VERSION, message)
        };
        let moves = match setting("move-column") {
            "fast" | "" => MoveColumn::Fast,
            "compact" => MoveColumn::Compact,
            _ => return Err(unknown("move-column")),
        };
        let partition = match setting("partition") {
            "" => LakePartition::None,
            name => LakePartition::of_name(name).ok_or_else(|| unknown("partition"))?,
        };
        Ok(LakeGameWriter {
            moves,
            partition,
            waiting: BTreeMap::new(),
            weight: 0,
            packing: VecDeque::new(),
            next: manifest.games() + 1,
        })
    }

    /// An encoder for one thread.
    #[must_use]
    pub(super) fn encoder(&self) -> Box<dyn Encoder> {
        Box::new(LakeEncoder {
            rows: ParquetRowEncoder::new(self.moves),
            moves: self.moves,
            partition: self.partition,
            groups: BTreeMap::new(),
        })
    }

    /// Takes the encoded part of an encoder.
    pub(super) fn append(&mut self, part: EncodedGames, change: &mut LakeChange) -> Result<()> {
        let part = part
            .downcast::<BTreeMap<LakePartitionKey, RowGroupBuilder>>()
            .map_err(|_| {
                Error::new(
                    &error_codes::INTERNAL,
                    "this part was encoded for another target",
                )
            })?;
        for (key, group) in *part {
            let weight = group.weight();
            let moves = self.moves;
            let waiting = self.waiting.entry(key).or_insert_with(|| LakeFolderRows {
                group: RowGroupBuilder::new(&crate::parquet::layout::fields(moves)),
                weight: 0,
            });
            waiting.group.extend(&group);
            waiting.weight += weight;
            self.weight += weight;
            if waiting.group.rows() >= GROUP_ROWS || waiting.weight >= GROUP_BYTES {
                self.flush(key, change)?;
            }
        }
        while self.weight > WAITING {
            let most = self
                .waiting
                .iter()
                .max_by_key(|(_, waiting)| waiting.weight);
            match most.map(|(key, _)| *key) {
                Some(key) => self.flush(key, change)?,
                None => self.weight = 0,
            }
        }
        Ok(())
    }

    /// Passes the rows of a folder to a thread that makes a file from them.
    fn flush(&mut self, key: LakePartitionKey, change: &mut LakeChange) -> Result<()> {
        let Some(LakeFolderRows { mut group, weight }) = self.waiting.remove(&key) else {
            return Ok(());
        };
        self.weight = self.weight.saturating_sub(weight);
        while self.packing.len() >= AT_ONCE {
            self.write_one(change)?;
        }
        let (first, rows) = (self.next, group.rows() as u64);
        self.next += rows;
        group.count(
            crate::parquet::layout::GAME,
            i64::try_from(first).unwrap_or(i64::MAX),
        );
        let moves = self.moves;
        let thread = std::thread::spawn(move || file_of(moves, group));
        self.packing.push_back(LakePackJob {
            thread,
            key,
            first,
            rows,
        });
        Ok(())
    }

    /// Writes the first of the files that are being packed.
    fn write_one(&mut self, change: &mut LakeChange) -> Result<()> {
        let Some(packing) = self.packing.pop_front() else {
            return Ok(());
        };
        let LakePackJob {
            thread,
            key,
            first,
            rows,
        } = packing;
        let bytes = thread
            .join()
            .map_err(|_| {
                Error::new(
                    &error_codes::THREAD_ENDED,
                    "a thread that packs columns has failed",
                )
            })?
            .map_err(|error| Error::new(&error_codes::WRITE_FAILED, error.to_string()))?;
        let mut file = change.create(&self.partition.folder(key))?;
        file.write_all(&bytes)?;
        let entry = LakeFileEntry {
            rows,
            games: (first, first + rows),
            year: key.year,
            month: key.month,
            ..change.complete(file)?
        };
        let games = change.manifest.tables.entry(manifest::GAMES.to_owned());
        games.or_default().push(entry);
        Ok(())
    }

    /// Writes all waiting rows.
    pub(super) fn finish(mut self, change: &mut LakeChange) -> Result<()> {
        let keys: Vec<LakePartitionKey> = self.waiting.keys().copied().collect();
        for key in keys {
            self.flush(key, change)?;
        }
        while !self.packing.is_empty() {
            self.write_one(change)?;
        }
        Ok(())
    }
}

/// Makes rows, folder by folder.
struct LakeEncoder {
    rows: ParquetRowEncoder,
    moves: MoveColumn,
    partition: LakePartition,
    groups: BTreeMap<LakePartitionKey, RowGroupBuilder>,
}

impl Encoder for LakeEncoder {
    fn encode(&mut self, game: &Game, losses: &mut Losses) {
        let key = self.partition.key(game);
        let moves = self.moves;
        let group = self
            .groups
            .entry(key)
            .or_insert_with(|| RowGroupBuilder::new(&crate::parquet::layout::fields(moves)));
        self.rows.swap(group);
        self.rows.encode(game, losses);
        self.rows.swap(group);
    }

    fn take(&mut self) -> EncodedGames {
        Box::new(std::mem::take(&mut self.groups))
    }
}

/// The place where a lake is created.
enum LakeDestination {
    /// Next to its place, which has no lake yet.
    New(OutputFolder),
    /// In the place of an existing one.
    Old,
}

struct LakeSink {
    // Dropped first: the written files are removed before the folder is.
    change: LakeChange,
    room: LakeDestination,
    adding: LakeGameWriter,
    /// The number of earlier games.
    before: u64,
    path: PathBuf,
    completion: Option<LakeCompletion>,
}

/// Creates a lake.
pub(super) fn create(path: &Path, options: &WriteOptions) -> Result<Box<dyn Sink>> {
    if path.as_os_str() == "-" {
        return Err(Error::new(
            &error_codes::TARGET_TO_PIPE,
            "a lake is a folder and cannot be written to a pipe",
        ));
    }
    let mut manifest = LakeManifest {
        sequence: 1,
        description: options.description.clone().unwrap_or_default(),
        ..LakeManifest::default()
    };
    let partition = options.settings.text(&PARTITION).unwrap_or("none");
    let moves = match move_column(options) {
        MoveColumn::Fast => "fast",
        MoveColumn::Compact => "compact",
    };
    for (option, word) in [(PARTITION, partition), (MOVE_COLUMN, moves)] {
        manifest
            .settings
            .insert(option.name.to_owned(), word.to_owned());
    }
    let is_appending = options.settings.is_set(&APPENDING);
    let is_there = super::reader::is_lake(path) && held_folder::exists(&path.join(manifest::NAME));
    if is_appending && !is_there {
        let message = format!("{}: there is no lake to add to", path.display());
        return Err(Error::new(&error_codes::NO_LAKE, message));
    }
    let (room, change) = if is_there && (options.force || is_appending) {
        if options
            .sources
            .iter()
            .any(|source| source.starts_with(path))
        {
            let message = format!(
                "{}: is a source, and sources are never overwritten",
                path.display()
            );
            return Err(Error::new(&error_codes::TARGET_IS_SOURCE, message));
        }
        let mut change = LakeChange::begin(path)?;
        if !is_appending {
            manifest.sequence = change.manifest.sequence;
            change.manifest = manifest;
        }
        (LakeDestination::Old, change)
    } else {
        let folder = OutputFolder::create(path)?;
        let change = LakeChange::new(folder.path(), manifest);
        (LakeDestination::New(folder), change)
    };
    let before = change.manifest.games();
    Ok(Box::new(LakeSink {
        adding: LakeGameWriter::to(&change.manifest)?,
        change,
        room,
        before,
        path: path.to_owned(),
        completion: options
            .completion
            .as_ref()
            .and_then(|completion| completion.get().cloned()),
    }))
}

impl Sink for LakeSink {
    fn encoder(&self) -> Box<dyn Encoder> {
        self.adding.encoder()
    }

    fn describe(&mut self, about: &DatabaseMetadata, losses: &mut Losses) {
        let description = &mut self.change.manifest.description;
        if description.is_empty() && !about.is_part {
            about.title().clone_into(description);
        } else if about.description != *description {
            about.lose_description(losses);
        }
        about.lose_collections(losses);
        about.lose_settings(losses);
    }

    fn append(&mut self, part: EncodedGames, _first: u64, _losses: &mut Losses) -> Result<()> {
        self.adding.append(part, &mut self.change)
    }

    fn finish(self: Box<Self>) -> Result<WriteSummary> {
        let LakeSink {
            mut change,
            room,
            adding,
            before,
            path,
            completion,
        } = *self;
        adding.finish(&mut change)?;
        if let Some(completion) = completion {
            completion.complete(&mut change)?;
        }
        let manifest = change.commit()?;
        if let LakeDestination::New(folder) = room {
            folder.commit()?;
        }
        Ok(WriteSummary {
            games: manifest.games() - before,
            bytes: manifest.bytes(),
            files: vec![path],
            notes: Vec::new(),
        })
    }
}
