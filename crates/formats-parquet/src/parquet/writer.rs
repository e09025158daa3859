//! Writing a file: rows are collected into groups, which are packed on threads of their own.

use std::collections::VecDeque;
use std::io::Write;
use std::path::Path;
use std::thread::JoinHandle;

use tabiya_columns::{PackedRowGroup, ParquetWriter, RowGroupBuilder};
use tabiya_model::error_codes;
use tabiya_model::{
    DatabaseMetadata, EncodedGames, Encoder, Error, Losses, Result, Sink, WriteSummary,
};

use super::encode::ParquetRowEncoder;
use super::layout::{self, MoveColumn};
use tabiya_codec::format::WriteOptions;
use tabiya_codec::options::{FormatOption, OptionArgument};
use tabiya_codec::target_file::TargetFile;

/// The number of games in a row group, and the number of bytes that ends one earlier.
pub(crate) const GROUP_ROWS: usize = 1 << 17;
pub(crate) const GROUP_BYTES: usize = 48 << 20;
/// The compression level of columns.
const LEVEL: i32 = 9;
/// Games of a page.
const PAGE_ROWS: usize = 8192;
/// The number of groups that are packed at the same time.
const AT_ONCE: usize = 2;

/// How the moves of the main line are stored.
pub(crate) const MOVE_COLUMN: FormatOption = FormatOption::new(
    "move-column",
    OptionArgument::OneOf(&[
        ("fast", "Two bytes per move: from, to, promotion"),
        (
            "compact",
            "Index of the move among the legal moves: half the size, but needs the rules of chess",
        ),
    ]),
    "How the moves of the main line are stored",
)
.keeping_games();

/// The options of the writer.
pub(super) static OPTIONS: &[FormatOption] = &[MOVE_COLUMN];

/// The requested column.
pub(crate) fn move_column(options: &WriteOptions) -> MoveColumn {
    match options.settings.text(&MOVE_COLUMN) {
        Some("compact") => MoveColumn::Compact,
        _ => MoveColumn::Fast,
    }
}

pub(crate) fn failed(error: tabiya_columns::Error) -> Error {
    Error::new(&error_codes::WRITE_FAILED, error.to_string())
}

/// Begins a table of games.
pub(crate) fn table(moves: MoveColumn) -> tabiya_columns::Result<ParquetWriter> {
    let notes = [(layout::VERSION_NOTE, layout::VERSION.to_owned())];
    ParquetWriter::new(&layout::fields(moves), &notes, LEVEL, PAGE_ROWS)
}

/// A complete file of one row group.
pub(crate) fn file_of(
    moves: MoveColumn,
    group: RowGroupBuilder,
) -> tabiya_columns::Result<Vec<u8>> {
    let mut writer = table(moves)?;
    let packed = writer.packer().pack(group)?;
    let mut bytes = Vec::new();
    writer.add(packed, &mut bytes)?;
    writer.finish(&[], &mut bytes)?;
    Ok(bytes)
}

/// The target as a writer of bytes; the reason of a failure is kept.
struct ParquetOutput<'a> {
    target: &'a mut TargetFile,
    fault: Option<Error>,
}

impl Write for ParquetOutput<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match self.target.put(bytes) {
            Ok(()) => Ok(bytes.len()),
            Err(error) => {
                self.fault = Some(error);
                Err(std::io::Error::other("the target failed"))
            }
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

struct ParquetSink {
    target: TargetFile,
    writer: ParquetWriter,
    moves: MoveColumn,
    group: RowGroupBuilder,
    /// Groups that are being packed, in their order.
    packing: VecDeque<JoinHandle<tabiya_columns::Result<PackedRowGroup>>>,
    games: u64,
    description: String,
}

/// Creates a file; the path `-` is standard output.
pub(super) fn create(path: &Path, options: &WriteOptions) -> Result<Box<dyn Sink>> {
    let moves = move_column(options);
    let fields = layout::fields(moves);
    Ok(Box::new(ParquetSink {
        target: TargetFile::create(path, options)?,
        writer: table(moves).map_err(failed)?,
        moves,
        group: RowGroupBuilder::new(&fields),
        packing: VecDeque::new(),
        games: 0,
        description: options.description.clone().unwrap_or_default(),
    }))
}

impl ParquetSink {
    /// Passes the group to a thread that packs it.
    fn flush(&mut self) -> Result<()> {
        if self.group.rows() == 0 {
            return Ok(());
        }
        while self.packing.len() >= AT_ONCE {
            self.write_one()?;
        }
        let mut group = std::mem::replace(
            &mut self.group,
            RowGroupBuilder::new(&layout::fields(self.moves)),
        );
        let first = self.games - group.rows() as u64 + 1;
        group.count(layout::GAME, i64::try_from(first).unwrap_or(i64::MAX));
        let packer = self.writer.packer();
        self.packing
            .push_back(std::thread::spawn(move || packer.pack(group)));
        Ok(())
    }

    /// Writes the first of the groups that are being packed.
    fn write_one(&mut self) -> Result<()> {
        let Some(thread) = self.packing.pop_front() else {
            return Ok(());
        };
        let packed = thread
            .join()
            .map_err(|_| {
                Error::new(
                    &error_codes::THREAD_ENDED,
                    "a thread that packs columns has failed",
                )
            })?
            .map_err(failed)?;
        let mut pipe = ParquetOutput {
            target: &mut self.target,
            fault: None,
        };
        let written = self.writer.add(packed, &mut pipe);
        match pipe.fault {
            Some(fault) => Err(fault),
            None => written.map_err(failed),
        }
    }
}

impl Sink for ParquetSink {
    fn encoder(&self) -> Box<dyn Encoder> {
        Box::new(ParquetRowEncoder::new(self.moves))
    }

    fn describe(&mut self, about: &DatabaseMetadata, losses: &mut Losses) {
        if self.description.is_empty() && !about.is_part {
            about.title().clone_into(&mut self.description);
        } else if about.description != self.description {
            about.lose_description(losses);
        }
        about.lose_collections(losses);
        about.lose_settings(losses);
    }

    fn append(&mut self, part: EncodedGames, _first: u64, _losses: &mut Losses) -> Result<()> {
        let part = part.downcast::<RowGroupBuilder>().map_err(|_| {
            Error::new(
                &error_codes::INTERNAL,
                "this part was encoded for another target",
            )
        })?;
        self.games += part.rows() as u64;
        self.group.extend(&part);
        if self.group.rows() >= GROUP_ROWS || self.group.weight() >= GROUP_BYTES {
            self.flush()?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<WriteSummary> {
        self.flush()?;
        while !self.packing.is_empty() {
            self.write_one()?;
        }
        let ParquetSink {
            mut target,
            writer,
            games,
            description,
            ..
        } = *self;
        let mut notes = Vec::new();
        if !description.is_empty() {
            notes.push((layout::DESCRIPTION_NOTE, description));
        }
        let mut pipe = ParquetOutput {
            target: &mut target,
            fault: None,
        };
        let written = writer.finish(&notes, &mut pipe);
        if let Some(fault) = pipe.fault {
            return Err(fault);
        }
        written.map_err(failed)?;
        let finished = target.finish()?;
        Ok(WriteSummary {
            games,
            bytes: finished.bytes,
            files: vec![finished.path],
            notes: Vec::new(),
        })
    }
}
