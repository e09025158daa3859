//! The traits that formats implement: databases, sources and sinks.
//!
//! A [`Source`] gives [`Block`]s, each a run of consecutive games that one thread can decode alone;
//! [`crate::pipeline`] spreads them over threads and returns the results in order. A [`Database`] is a source
//! with random access. A [`Sink`] takes encoded [`EncodedGames`]s in order; its [`Encoder`]s do the work per game and run
//! on any thread.

use std::any::Any;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use crate::diagnostic::Diagnostics;
use crate::error::Result;
use crate::facts::FactSource;
use crate::game::Game;
use crate::game_offsets::{GameOffsets, OffsetLookup};
use crate::loss::Losses;
use crate::metadata::DatabaseMetadata;
use crate::position_book::PositionBook;
use crate::positions::{PositionLookup, PositionSource};
use crate::tags::TagSet;

/// The parts of a game that a consumer needs; a reader can skip the rest.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct GameNeeds {
    /// Moves of the main line; without them the movetext is skipped.
    pub moves: bool,
    /// Variations.
    pub variations: bool,
    /// Comments, NAGs and everything else that is not a move.
    pub annotations: bool,
    /// Whether the legality of moves is verified. Without it, a reader may trust what its format guarantees.
    pub verify: bool,
    /// The SAN details of moves, for writers: see [`crate::Tape::push_move_with_details`]. A reader need not provide
    /// them.
    pub notation: bool,
    /// Tags. If not all are needed, a reader may leave out the others, and the line number of the game.
    pub tags: TagSet,
}

impl GameNeeds {
    /// The whole game, verified.
    pub const ALL: GameNeeds = GameNeeds {
        moves: true,
        variations: true,
        annotations: true,
        verify: true,
        notation: false,
        tags: TagSet::ALL,
    };
    /// Only tags (and the data of the index).
    pub const TAGS: GameNeeds = GameNeeds {
        moves: false,
        variations: false,
        annotations: false,
        verify: false,
        notation: false,
        tags: TagSet::ALL,
    };
    /// Tags and the moves of the main line.
    pub const MAIN_LINE: GameNeeds = GameNeeds {
        moves: true,
        variations: false,
        annotations: false,
        verify: true,
        notation: false,
        tags: TagSet::ALL,
    };

    /// Whether reading for these needs covers `other`.
    pub fn covers(self, other: GameNeeds) -> bool {
        (self.moves || !other.moves)
            && (self.variations || !other.variations)
            && (self.annotations || !other.annotations)
            && (self.verify || !other.verify)
            && (self.notation || !other.notation)
            && self.tags.union(other.tags) == self.tags
    }

    /// Everything that either needs.
    #[must_use]
    pub fn union(self, other: GameNeeds) -> GameNeeds {
        GameNeeds {
            moves: self.moves || other.moves,
            variations: self.variations || other.variations,
            annotations: self.annotations || other.annotations,
            verify: self.verify || other.verify,
            notation: self.notation || other.notation,
            tags: self.tags.union(other.tags),
        }
    }
}

/// Information about a database that is known without reading its games.
#[derive(Clone, Debug, Default)]
pub struct DatabaseInfo {
    /// Name of the format, as in its descriptor.
    pub format: &'static str,
    /// Version of the format, if it has versions.
    pub version: String,
    /// Its files with their sizes.
    pub files: Vec<(PathBuf, u64)>,
    /// Number of games, if the format stores it.
    pub games: Option<u64>,
    /// Everything else in words: description, type, labels, autoload and any assumptions about them.
    pub fields: Vec<(String, String)>,
}

impl DatabaseInfo {
    /// Adds a field unless its value is empty.
    pub fn field(&mut self, name: &str, value: impl Into<String>) {
        let value = value.into();
        if !value.is_empty() {
            self.fields.push((name.to_owned(), value));
        }
    }

    /// The value of a field.
    pub fn value(&self, name: &str) -> Option<&str> {
        self.fields
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    }
}

/// A run of consecutive games.
pub trait Block: Send {
    /// Reads the next game into a reused buffer; false at the end of the block.
    ///
    /// If [`Block::first`] is unknown, `game.origin.number` counts from 1 within the block.
    fn next(&mut self, want: GameNeeds, game: &mut Game) -> Result<bool>;

    /// Reads the game that [`Block::next`] read last once more, perhaps for other needs; false if the block cannot go
    /// back, or has read no game.
    fn again(&mut self, _want: GameNeeds, _game: &mut Game) -> Result<bool> {
        Ok(false)
    }

    /// Whether [`Block::again`] reads.
    fn is_repeatable(&self) -> bool {
        false
    }

    /// Whether [`Block::plies`] knows the number of plies: a consumer that needs nothing else of the moves need not
    /// read them.
    fn knows_plies(&self) -> bool {
        false
    }

    /// The number of plies of the main line of the game that [`Block::next`] read last, if it is stored apart from the
    /// moves.
    fn plies(&mut self) -> Result<Option<u32>> {
        Ok(None)
    }

    /// The number of the first game of the block, if it is known before reading.
    fn first(&self) -> Option<u64> {
        None
    }

    /// Bytes of the source that the block covers, for progress.
    fn bytes(&self) -> u64 {
        0
    }
}

/// A sequence of blocks: a file, a pipe, a range of a database.
pub trait Source<'a>: Send {
    /// The next block; `None` at the end.
    fn next_block(&mut self) -> Result<Option<Box<dyn Block + 'a>>>;

    /// Findings about the container, complete when all blocks were taken.
    fn diagnostics(&self) -> Diagnostics {
        Diagnostics::default()
    }

    /// The metadata of the database; known before the first block is taken.
    fn about(&self) -> DatabaseMetadata {
        DatabaseMetadata::default()
    }

    /// Everything that the source should hold but does not, if no single game shows it: games of a truncated index,
    /// names of a lost file. A copy lacks them. Complete when all blocks were taken.
    fn missing(&self) -> Losses {
        Losses::default()
    }

    /// Bytes of the whole source, for progress.
    fn total_bytes(&self) -> Option<u64> {
        None
    }
}

/// A database that is open for reading.
pub trait Database: Send + Sync {
    /// Information that is known without reading games.
    fn info(&self) -> DatabaseInfo;

    /// The name of its format, as in its descriptor.
    fn format(&self) -> &'static str {
        self.info().format
    }

    /// Its files, the one that it is opened by first.
    fn files(&self) -> Vec<PathBuf> {
        self.info()
            .files
            .into_iter()
            .map(|(path, _)| path)
            .collect()
    }

    /// The number of games, deleted ones included. Formats without an index count them once.
    fn len(&self) -> Result<u64>;

    /// Whether there is no game.
    fn is_empty(&self) -> Result<bool> {
        Ok(self.len()? == 0)
    }

    /// Reads one game by its number, from 1.
    fn read(&self, number: u64, want: GameNeeds, game: &mut Game) -> Result<()>;

    /// Whether a single game is found at once, without a scan of the file.
    fn finds_games(&self) -> bool {
        true
    }

    /// Whether neighbouring games share compressed data: then many games are read much faster in order than one by one, and
    /// a thread does better with one long run of games than with several short ones.
    fn reads_in_rows(&self) -> bool {
        false
    }

    /// All games, or those of a range of numbers (from 1, end excluded), as blocks.
    fn source(&self, games: Option<Range<u64>>) -> Result<Box<dyn Source<'_> + '_>>;

    /// The facts of games, from an index of the format or from the index beside the database.
    fn facts(&self) -> Option<&dyn FactSource> {
        None
    }

    /// The games that have a position, if the index beside the database knows them.
    fn lookup(&self) -> Option<&dyn PositionLookup> {
        None
    }

    /// Takes over an index of positions that was made of its games, for [`Database::lookup`].
    fn keep_lookup(&self, _kept: Box<dyn PositionLookup + Send>) {}

    /// Fast positions, if the format has a faster way than reading games; see
    /// [`crate::positions::TapePositions`] for the others.
    fn positions(&self) -> Option<&dyn PositionSource> {
        None
    }

    /// What it says about positions, if it is an opening book: its games are its own lines.
    fn book(&self) -> Option<&dyn PositionBook> {
        None
    }

    /// The offsets of the games, for formats that have to scan a file to find them; `None` for the others.
    fn places(&self) -> Result<Option<GameOffsets>> {
        Ok(None)
    }

    /// Takes over the offsets of an earlier scan of the same file. A single offset is used if it is within the file,
    /// all of them only if they are consistent.
    fn keep_places(&self, _kept: Arc<dyn OffsetLookup>) {}

    /// Findings about the container.
    fn diagnostics(&self) -> Diagnostics {
        Diagnostics::default()
    }

    /// The same without reading more: a part that was not requested has affected no answer.
    fn met(&self) -> Diagnostics {
        self.diagnostics()
    }

    /// Everything that the database should hold but does not; see [`Source::missing`].
    fn missing(&self) -> Losses {
        Losses::default()
    }
}

/// Encoded games on their way from an encoder to its sink; only the sink knows what is inside.
pub type EncodedGames = Box<dyn Any + Send>;

/// The summary of a finished sink.
#[derive(Clone, Debug, Default)]
pub struct WriteSummary {
    /// Games that are in the target.
    pub games: u64,
    /// Bytes written.
    pub bytes: u64,
    /// Files written.
    pub files: Vec<PathBuf>,
    /// Remarks for the user.
    pub notes: Vec<String>,
}

/// Encodes games for a sink, on any thread.
pub trait Encoder: Send {
    /// Adds a game to the part under construction and reports what the target cannot hold. A game that cannot be
    /// stored at all is a loss too, never a failure. Losses carry `game.origin.number`.
    fn encode(&mut self, game: &Game, losses: &mut Losses);

    /// Takes the part under construction and starts a new one.
    fn take(&mut self) -> EncodedGames;

    /// The parts of a game that it needs. It accepts any game, but may be faster with these parts.
    fn want(&self) -> GameNeeds {
        GameNeeds::ALL
    }
}

/// A target that is being written. No file has its name before [`Sink::finish`]; if it is dropped before, it leaves
/// nothing.
pub trait Sink: Send {
    /// A new encoder for one thread.
    fn encoder(&self) -> Box<dyn Encoder>;

    /// Takes the metadata of a source, before its first part. Metadata that the target cannot hold is a loss, and all
    /// of it is if a format does not support metadata.
    fn describe(&mut self, about: &DatabaseMetadata, losses: &mut Losses) {
        about.lose(losses);
    }

    /// Adds a part, in the order of the games. `first` is the number of its first game in the source: parts of
    /// unnumbered blocks learn it here. Losses that show only now are reported.
    fn append(&mut self, part: EncodedGames, first: u64, losses: &mut Losses) -> Result<()>;

    /// Completes the files and gives them their names.
    fn finish(self: Box<Self>) -> Result<WriteSummary>;
}

/// Writes single games through a sink, for callers that have no pipeline.
pub struct SinkWriter {
    sink: Box<dyn Sink>,
    encoder: Box<dyn Encoder>,
}

impl SinkWriter {
    /// Writes to a sink.
    pub fn new(sink: Box<dyn Sink>) -> SinkWriter {
        let encoder = sink.encoder();
        SinkWriter { sink, encoder }
    }

    /// Adds a game and reports what the target cannot hold.
    pub fn write(&mut self, game: &Game, losses: &mut Losses) -> Result<()> {
        self.encoder.encode(game, losses);
        let part = self.encoder.take();
        self.sink.append(part, game.origin.number, losses)
    }

    /// Completes the target.
    pub fn finish(self) -> Result<WriteSummary> {
        self.sink.finish()
    }
}

/// Calls `each` with every game of a source, on this thread, numbered through.
pub fn for_each_game(
    source: &mut dyn Source<'_>,
    want: GameNeeds,
    mut each: impl FnMut(&mut Game) -> Result<()>,
) -> Result<u64> {
    let mut game = Game::default();
    let mut count = 0;
    while let Some(mut block) = source.next_block()? {
        let base = match block.first() {
            Some(first) => {
                count = first.saturating_sub(1);
                0
            }
            None => count,
        };
        while block.next(want, &mut game)? {
            crate::pipeline::renumber(&mut game, base);
            count += 1;
            each(&mut game)?;
        }
    }
    Ok(count)
}
