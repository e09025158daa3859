//! What the sinks of both formats of Windows ([`crate::cbh`], [`crate::cbh2`]) have in common: batches of encoded games, and the
//! files of a set.

pub(crate) mod name_list;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use hashbrown::DefaultHashBuilder;
use tabiya_codec::format::WriteOptions;
use tabiya_io::output::{self, OutputError, OutputFile, OutputOptions};
use tabiya_model::charset::Charset;
use tabiya_model::error_codes;
use tabiya_model::{EncodedGames, Error, Game, LossKind, Losses, Result, WriteSummary};

use self::name_list::CbhNameList;

/// The most kinds of names that a format has.
const LISTS: usize = 6;

/// The numbers of the names of a game; nothing for those that it does not have.
pub(crate) type CbhNameNumbers = [Option<u32>; 8];

/// A game of a batch, with the numbers that its names have in the batch.
pub(crate) struct CbhBatchGame<H> {
    number: u64,
    /// Its header, and whatever its format keeps beside the records of moves and annotations.
    pub(crate) head: H,
    pub(crate) names: CbhNameNumbers,
    pub(crate) moves: usize,
    notes: usize,
}

/// Encoded games whose names have numbers of this batch only.
pub(crate) struct CbhBatch<H> {
    first: u64,
    bytes: Vec<u8>,
    games: Vec<CbhBatchGame<H>>,
    names: [CbhNameList; LISTS],
}

impl<H> Default for CbhBatch<H> {
    fn default() -> CbhBatch<H> {
        CbhBatch {
            first: 0,
            bytes: Vec::new(),
            games: Vec::new(),
            names: Default::default(),
        }
    }
}

impl<H> CbhBatch<H> {
    /// Adds a game with its records of moves and annotations, and with names in the lists that `kinds` names.
    pub(crate) fn push(
        &mut self,
        game: &Game,
        head: H,
        (kinds, names): ([usize; 8], [Option<Vec<u8>>; 8]),
        [moves, notes]: [&[u8]; 2],
        hashes: &DefaultHashBuilder,
    ) {
        let number = game.origin.number;
        if self.first == 0 {
            self.first = number;
        }
        let mut numbers = [None; 8];
        for ((number, kind), name) in numbers.iter_mut().zip(kinds).zip(names) {
            if let (Some(name), Some(list)) = (name, self.names.get_mut(kind)) {
                *number = Some(list.intern(hashes, &name));
            }
        }
        self.bytes.extend_from_slice(moves);
        self.bytes.extend_from_slice(notes);
        self.games.push(CbhBatchGame {
            number,
            head,
            names: numbers,
            moves: moves.len(),
            notes: notes.len(),
        });
    }
}

/// A sink that takes batches.
pub(crate) trait CbhBatchSink {
    /// What a game has beside its records and names.
    type Head: 'static;

    /// Gives the names of a game, which are in these lists, their numbers in the database; nothing where there is no room for
    /// one of them, or for the game.
    fn number(&mut self, lists: &[CbhNameList], names: CbhNameNumbers) -> Option<CbhNameNumbers>;

    /// Adds a game that has all its numbers, and both of its records.
    fn add(
        &mut self,
        game: CbhBatchGame<Self::Head>,
        numbers: CbhNameNumbers,
        record: &[u8],
    ) -> Result<()>;

    /// Adds the games of a part; tells those as lost for which there is no room.
    fn append_batch(
        &mut self,
        part: EncodedGames,
        first: u64,
        lost_game: &'static LossKind,
        losses: &mut Losses,
    ) -> Result<()> {
        let Ok(batch) = part.downcast::<CbhBatch<Self::Head>>() else {
            return Err(Error::new(
                &error_codes::INTERNAL,
                "a part of another format",
            ));
        };
        let batch = *batch;
        let mut at = 0_usize;
        // Games of a block without numbers count from 1.
        let shift = if batch.first < first { first - 1 } else { 0 };
        for game in batch.games {
            let end = at.saturating_add(game.moves).saturating_add(game.notes);
            let record = batch.bytes.get(at..end).unwrap_or(&[]);
            at = end;
            match self.number(&batch.names, game.names) {
                Some(numbers) => self.add(game, numbers, record)?,
                None => losses.report(
                    lost_game,
                    game.number.saturating_add(shift),
                    "no room for more games or names",
                ),
            }
        }
        Ok(())
    }
}

pub(crate) fn failed(error: OutputError) -> Error {
    Error::from(std::io::Error::from(error))
}

/// Whether a path has one of the extensions of a format.
pub(crate) fn has_extension(path: &Path, own: &[&str]) -> bool {
    path.extension()
        .is_some_and(|it| own.iter().any(|own| it.eq_ignore_ascii_case(own)))
}

/// The charset that texts are written in; nothing for UTF-8.
pub(crate) fn text_charset(options: &WriteOptions) -> Result<Option<Charset>> {
    let charset = options.encoding.filter(|charset| *charset != Charset::Utf8);
    if charset.is_some_and(|charset| !charset.is_single_byte()) {
        return Err(Error::new(
            &error_codes::TARGET_CHARSET,
            "texts of a ChessBase database are UTF-8 or of a charset with one byte for a character",
        ));
    }
    Ok(charset)
}

/// Creates the file of a set that has an extension, in the case of that of the given path.
pub(crate) fn create_file(
    path: &Path,
    extension: &str,
    options: &WriteOptions,
) -> Result<OutputFile> {
    let access = OutputOptions {
        force: options.force,
        sources: options.sources.clone(),
    };
    let given = path.extension().and_then(OsStr::to_str).unwrap_or("");
    let is_upper = !given.is_empty() && !given.contains(|c: char| c.is_ascii_lowercase());
    let path = match is_upper {
        true => path.with_extension(extension.to_ascii_uppercase()),
        false => path.with_extension(extension),
    };
    OutputFile::create(&path, &access).map_err(failed)
}

/// Puts the files of a set into their places, the headers last: without them there is no database.
pub(crate) fn commit(outputs: Vec<OutputFile>, games: u32, bytes: u64) -> Result<WriteSummary> {
    let mut files: Vec<PathBuf> = outputs
        .iter()
        .map(|file| file.name().to_path_buf())
        .collect();
    files.rotate_right(1);
    output::commit_all(outputs).map_err(failed)?;
    Ok(WriteSummary {
        games: u64::from(games),
        bytes,
        files,
        notes: Vec::new(),
    })
}
