//! Reading a book in both ways, and choosing one of them.

use std::ops::Range;
use std::path::Path;

use tabiya_io::held_folder;
use tabiya_model::error_codes;
use tabiya_model::nag::Nag;
use tabiya_model::{
    Board, Database, DatabaseInfo, Diagnostic, Diagnostics, Error, Game, GameNeeds, Location, Move,
    Result, Source,
};

use super::codes;
use super::layout::FbkMove;
use crate::book::{
    BookMoveWeight, BookNodeId, BookPlaces, BookTree, PositionBook, ROOT, game_tags,
};
use crate::polyglot::BookLines;
use tabiya_codec::format::OpenOptions;
use tabiya_codec::numbered_database::NumberedSource;

/// The largest book that is read: no disk of the time held one of this size.
const BYTES_MAX: u64 = 64 << 20;

/// The two ways to read the format.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum FbkStructure {
    /// A tree, depth first: bit 6 is 0 if another alternative follows after all continuations of this move.
    Tree,
    /// A list of lines, each from the start: bit 6 is 0 on the first move of each.
    Lines,
}

impl FbkStructure {
    /// A word for people.
    pub fn name(self) -> &'static str {
        match self {
            FbkStructure::Tree => "a tree of alternatives",
            FbkStructure::Lines => "a list of lines",
        }
    }
}

/// A book as read in one of the ways.
#[derive(Clone, Debug)]
pub struct FbkBook {
    /// How it was read.
    pub reading: FbkStructure,
    /// Its moves.
    pub tree: BookTree,
    /// Moves (from 0) that cannot be played, if their line could be played until then.
    pub illegal: Vec<usize>,
    /// The move (from 0) where the flags become inconsistent.
    pub broken: Option<usize>,
}

impl FbkBook {
    /// Whether everything is consistent.
    pub fn is_clean(&self) -> bool {
        self.illegal.is_empty() && self.broken.is_none()
    }
}

/// Whether two bytes are a move from the normal start.
pub(super) fn is_first_move(bytes: [u8; 2]) -> bool {
    FbkMove::read(bytes).resolve(&Board::standard()).is_some()
}

/// Reads a book in the way that its flags and the legality of its moves indicate.
pub fn decode(bytes: &[u8]) -> FbkBook {
    let (steps, _) = bytes.as_chunks::<2>();
    let steps: Vec<FbkMove> = steps.iter().map(|bytes| FbkMove::read(*bytes)).collect();
    let mut begins = true;
    let are_lines = steps.iter().all(|step| {
        let fits = step.continues != begins;
        begins = step.ends;
        fits
    });
    let (likely, other) = if are_lines && !steps.is_empty() {
        (FbkStructure::Lines, FbkStructure::Tree)
    } else {
        (FbkStructure::Tree, FbkStructure::Lines)
    };
    let first = decode_as(&steps, likely);
    if first.is_clean() {
        return first;
    }
    let second = decode_as(&steps, other);
    if second.is_clean() || second.illegal.len() < first.illegal.len() {
        second
    } else {
        first
    }
}

/// Reads a book in one way.
fn decode_as(steps: &[FbkMove], reading: FbkStructure) -> FbkBook {
    let mut decoded = FbkBook {
        reading,
        tree: BookTree::default(),
        illegal: Vec::new(),
        broken: None,
    };
    // The place before the next move with its position; `None` after a move that could not be played.
    type At = Option<(BookNodeId, Board)>;
    let start: At = Some((ROOT, Board::standard()));
    let mut at = start.clone();
    let mut open: Vec<At> = Vec::new();
    let mut finished = steps.is_empty();
    for (index, step) in steps.iter().enumerate() {
        if reading == FbkStructure::Lines && !step.continues {
            if index > 0 && !finished {
                decoded.broken.get_or_insert(index);
            }
            at.clone_from(&start);
        } else if finished && index > 0 {
            // A move after the last line is not announced.
            decoded.broken.get_or_insert(index);
            break;
        }
        let next = at.as_ref().and_then(|(place, board)| {
            let Some(m) = step.resolve(board) else {
                decoded.illegal.push(index);
                return None;
            };
            let mark = BookMoveWeight {
                is_weak: step.is_weak,
                ..BookMoveWeight::default()
            };
            let mut board = board.clone();
            board.play(m);
            Some((decoded.tree.add(*place, m, mark), board))
        });
        if reading == FbkStructure::Tree && !step.continues {
            open.push(at);
        }
        finished = step.ends;
        at = next;
        if step.ends && reading == FbkStructure::Tree {
            match open.pop() {
                Some(back) => (at, finished) = (back, false),
                None => at = None,
            }
        } else if step.ends {
            at = None;
        }
    }
    if !finished || !open.is_empty() {
        decoded.broken.get_or_insert(steps.len());
    }
    decoded
}

/// An open book: each line is a game.
pub struct FbkReader {
    lines: BookLines,
    places: BookPlaces,
    reading: FbkStructure,
    info: DatabaseInfo,
}

impl FbkReader {
    /// Opens a book.
    pub fn open(path: &Path, _options: &OpenOptions) -> Result<FbkReader> {
        let in_file = |error: std::io::Error| Error::from(error).in_file(path.to_string_lossy());
        let size = held_folder::metadata(path).map_err(in_file)?.len();
        if size > BYTES_MAX {
            return Err(Error::new(
                &error_codes::TOO_LARGE,
                format!("an opening book of {size} bytes; the maximum is {BYTES_MAX}"),
            )
            .in_file(path.to_string_lossy()));
        }
        let bytes = tabiya_io::regular_file::read(path).map_err(in_file)?;
        if bytes
            .first_chunk()
            .is_some_and(|first| !is_first_move(*first))
        {
            let message = "not an opening book: it does not begin with a first move";
            let error = Error::new(&error_codes::NOT_THIS_FORMAT, message);
            return Err(error.in_file(path.to_string_lossy()));
        }
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let mut reader = FbkReader::from_bytes(&bytes, &name);
        reader.info.files = vec![(path.to_path_buf(), bytes.len() as u64)];
        Ok(reader)
    }

    /// Reads a book from memory; the name becomes the event of its lines.
    pub fn from_bytes(bytes: &[u8], name: &str) -> FbkReader {
        let decoded = decode(bytes);
        let mut diagnostics = Diagnostics::default();
        let place = |step: usize| Location::byte(2 * step as u64);
        if !bytes.is_empty() {
            let message = format!("read as {}", decoded.reading.name());
            diagnostics.push(Diagnostic::new(&codes::READING, place(0), message));
        }
        for step in &decoded.illegal {
            diagnostics.report(
                &codes::ILLEGAL,
                || place(*step),
                || {
                    let pair = bytes.get(2 * step..2 * step + 2).unwrap_or_default();
                    match pair {
                        [a, b] => {
                            let step = FbkMove::read([*a, *b]);
                            format!("{}{} (bytes {a:02x} {b:02x})", step.from, step.to)
                        }
                        _ => "truncated".to_owned(),
                    }
                },
            );
        }
        if let Some(step) = decoded.broken {
            let message = if 2 * step >= bytes.len() - bytes.len() % 2 {
                "lines are unfinished at the end"
            } else {
                "no flag announces this move"
            };
            diagnostics.push(Diagnostic::new(&codes::MARKS, place(step), message));
        }
        if !bytes.len().is_multiple_of(2) {
            let at = Location::byte(bytes.len() as u64 - 1);
            diagnostics.push(Diagnostic::new(&codes::REST, at, "one byte"));
        }
        let reading = decoded.reading;
        let mut info = DatabaseInfo {
            format: super::FORMAT.name,
            ..DatabaseInfo::default()
        };
        info.field("read as", reading.name());
        info.field("moves", decoded.tree.len().to_string());
        let places = BookPlaces::of(&decoded.tree);
        let lines = BookLines::new(decoded.tree, name, diagnostics);
        info.games = Some(lines.len());
        FbkReader {
            lines,
            places,
            reading,
            info,
        }
    }

    /// How the file was read.
    pub fn reading(&self) -> FbkStructure {
        self.reading
    }

    /// The moves as a tree.
    pub fn tree(&self) -> &BookTree {
        &self.lines.tree
    }

    /// Marks weak moves with another NAG than `$2`, or with none.
    pub fn mark_weak(&mut self, nag: Option<Nag>) {
        self.lines.weak = nag;
    }

    /// The whole book as one game with variations.
    pub fn whole_game(&self) -> Game {
        let mut game = Game::default();
        game_tags("", &mut game);
        game.origin.number = 1;
        self.lines.tree.write_tree(self.lines.weak, &mut game.tape);
        game
    }
}

impl Database for FbkReader {
    fn info(&self) -> DatabaseInfo {
        self.info.clone()
    }

    fn len(&self) -> Result<u64> {
        Ok(self.lines.len())
    }

    fn read(&self, number: u64, want: GameNeeds, game: &mut Game) -> Result<()> {
        self.lines.read(number, want, game)
    }

    fn source(&self, games: Option<Range<u64>>) -> Result<Box<dyn Source<'_> + '_>> {
        Ok(Box::new(NumberedSource::new(&self.lines, games)))
    }

    fn book(&self) -> Option<&dyn PositionBook> {
        Some(self)
    }

    fn diagnostics(&self) -> Diagnostics {
        self.lines.diagnostics.clone()
    }
}

impl PositionBook for FbkReader {
    fn moves(&self, board: &Board) -> Vec<(Move, BookMoveWeight)> {
        self.places.moves(&self.lines.tree, board)
    }
}
