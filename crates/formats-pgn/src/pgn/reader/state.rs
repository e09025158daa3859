//! The state of a reader of games.

use tabiya_model::board::Board;
use tabiya_model::charset::detect::CharsetDetector;
use tabiya_model::database::GameNeeds;
use tabiya_model::game::Game;

use crate::pgn::block_start::PgnBlockStart;
use crate::pgn::settings::PgnReaderSettings;
use crate::pgn::tag_names::PgnTagNames;

/// A language, by its name and its letters.
pub(in crate::pgn) type PieceLanguage = &'static (&'static str, &'static str);

/// A place whose column is known, and the start of its line.
#[derive(Copy, Clone, Default, Debug)]
pub(in crate::pgn) struct KnownColumn {
    pub(in crate::pgn) at: usize,
    pub(in crate::pgn) line: usize,
    pub(in crate::pgn) column: u64,
}

/// The lines that surround a variation.
#[derive(Clone, Debug)]
pub(in crate::pgn) struct PgnVariationFrame {
    pub(in crate::pgn) now: Board,
    pub(in crate::pgn) before: Board,
    pub(in crate::pgn) ply: u32,
    pub(in crate::pgn) number_shift: i64,
}

/// A variation before the first move of its line, to be read when that move has been played.
#[derive(Copy, Clone, Debug)]
pub(in crate::pgn) struct DeferredVariation {
    /// The number of variations around it.
    pub(in crate::pgn) depth: usize,
    pub(in crate::pgn) start: usize,
    pub(in crate::pgn) end: usize,
    /// The place where its line continues.
    pub(in crate::pgn) resume: usize,
}

/// Buffers that live as long as the block.
#[derive(Debug)]
pub(in crate::pgn) struct PgnReaderState {
    pub(in crate::pgn) base: PgnBlockStart,
    /// Whether lines may end with a carriage return alone.
    pub(in crate::pgn) lone_returns: bool,
    /// The next opening parenthesis, as far as known.
    pub(in crate::pgn) next_open: usize,
    /// A place whose line is known.
    pub(in crate::pgn) known: (usize, u64),
    /// A place whose column is known.
    pub(in crate::pgn) known_column: KnownColumn,
    /// A place before which no game has an end that can be found quickly.
    pub(in crate::pgn) no_quick_end: usize,
    pub(in crate::pgn) now: Board,
    pub(in crate::pgn) before: Board,
    pub(in crate::pgn) frames: Vec<PgnVariationFrame>,
    pub(in crate::pgn) deferred: Vec<DeferredVariation>,
    pub(in crate::pgn) replays: Vec<DeferredVariation>,
    pub(in crate::pgn) names: Box<PgnTagNames>,
    /// The same if not all tags are needed.
    pub(in crate::pgn) few_names: Box<PgnTagNames>,
}

impl PgnReaderState {
    /// For a block at a place of its file.
    pub(in crate::pgn) fn new(base: PgnBlockStart, lone_returns: bool) -> PgnReaderState {
        PgnReaderState {
            base,
            lone_returns,
            next_open: 0,
            known: (0, base.line + 1),
            known_column: KnownColumn::default(),
            no_quick_end: 0,
            now: Board::standard(),
            before: Board::standard(),
            frames: Vec::new(),
            deferred: Vec::new(),
            replays: Vec::new(),
            names: Box::default(),
            few_names: Box::default(),
        }
    }
}

/// Reads one game.
pub(in crate::pgn) struct PgnReader<'a> {
    /// Everything up to the end of the section: no game crosses it.
    pub(in crate::pgn) data: &'a [u8],
    /// The whole block, if all of it is UTF-8.
    pub(in crate::pgn) text: Option<&'a str>,
    pub(in crate::pgn) settings: &'a PgnReaderSettings,
    pub(in crate::pgn) state: &'a mut PgnReaderState,
    pub(in crate::pgn) game: &'a mut Game,
    pub(in crate::pgn) want: GameNeeds,
    pub(in crate::pgn) ply: u32,
    pub(in crate::pgn) first_ply: u32,
    /// Whether the current line has a move.
    pub(in crate::pgn) moves: bool,
    /// Whether the game has had a move, readable or not.
    pub(in crate::pgn) seen: bool,
    /// The difference between the move numbers and those of the position.
    pub(in crate::pgn) number_shift: i64,
    /// Collects statistics of texts that are not UTF-8.
    pub(in crate::pgn) detector: Option<Box<CharsetDetector>>,
    /// Whether the detector learns from the texts that are read now.
    pub(in crate::pgn) listens: bool,
    /// Whether unusual notation was reported.
    pub(in crate::pgn) odd_notation: bool,
    /// The end of ignored parentheses, and the value of `number_shift` after them.
    pub(in crate::pgn) transparent: Option<(usize, i64)>,
    /// Whether variations are deferred.
    pub(in crate::pgn) deferred: bool,
    /// The deferred variation that is being read.
    pub(in crate::pgn) replayed: Option<DeferredVariation>,
    /// Whether a wrong move number was reported.
    pub(in crate::pgn) wrong_number: bool,
    /// Whether there is a tag that determines the start.
    pub(in crate::pgn) setup: bool,
    /// The index of the Result tag.
    pub(in crate::pgn) result: Option<usize>,
    /// Whether a move was in numeric notation, as in correspondence chess.
    pub(in crate::pgn) numeric: bool,
    /// The detected language of the piece letters, with its name.
    pub(in crate::pgn) language: Option<(&'static str, Vec<char>)>,
    /// Whether that language is final.
    pub(in crate::pgn) is_language_settled: bool,
    /// The language in which the game is to be read again.
    pub(in crate::pgn) found_language: Option<PieceLanguage>,
    /// Where the movetext begins.
    pub(in crate::pgn) movetext: usize,
}

impl<'a> PgnReader<'a> {
    /// Reads a game from these bytes, which are all that belongs to it.
    pub(in crate::pgn) fn new(
        data: &'a [u8],
        settings: &'a PgnReaderSettings,
        state: &'a mut PgnReaderState,
        game: &'a mut Game,
        want: GameNeeds,
    ) -> PgnReader<'a> {
        PgnReader {
            data,
            text: None,
            settings,
            state,
            game,
            want,
            ply: 0,
            first_ply: 0,
            moves: false,
            seen: false,
            number_shift: 0,
            detector: None,
            listens: false,
            odd_notation: false,
            wrong_number: false,
            transparent: None,
            deferred: false,
            replayed: None,
            setup: false,
            result: None,
            numeric: false,
            language: None,
            is_language_settled: false,
            found_language: None,
            movetext: 0,
        }
    }
}

/// The place where reading continues.
#[derive(Copy, Clone, Debug)]
pub(in crate::pgn) enum PgnContinuation {
    /// In the same game.
    At(usize),
    /// The game is over; the next one begins here.
    End(usize),
}
