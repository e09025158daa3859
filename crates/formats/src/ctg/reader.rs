//! Walking through a book from the normal start.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::path::Path;

use shakmaty::Color;
use tabiya_codec::format::OpenOptions;
use tabiya_codec::numbered_database::NumberedSource;
use tabiya_model::error_codes;
use tabiya_model::{
    Board, Database, DatabaseInfo, Diagnostic, Diagnostics, Error, Game, GameNeeds, Location,
    Result, Source,
};

use super::codes;
use super::layout::{CtgEntry, CtgNumbers, CtgPage, PAGE};
use super::move_bytes;
use super::position_key::key;
use crate::book::{BookAdvice, BookMoveNotes, BookMoveWeight, BookNodeId, BookTree, ROOT};
use crate::polyglot::BookLines;

/// The positions of a book by their keys.
type CtgPositions<'a> = HashMap<&'a [u8], CtgEntry<'a>>;

/// The entry of a position: the one with its en passant square, if the book has it.
fn find<'a>(positions: &CtgPositions<'a>, board: &Board) -> Option<CtgEntry<'a>> {
    let found = |passes| {
        let key = key(board, passes)?;
        positions.get(&*key).copied()
    };
    if board.legal_ep_square().is_some()
        && let Some(entry) = found(true)
    {
        return Some(entry);
    }
    found(false)
}

/// The NAG of a sign.
fn nag(sign: u8) -> u8 {
    match sign {
        1..=6 | 8 | 0x16 => sign,
        _ => 0,
    }
}

/// The numbers of the position after a move, as data about the move.
fn mark(sign: u8, numbers: Option<CtgNumbers>, mover: Color) -> BookMoveWeight {
    let mut mark = BookMoveWeight {
        sign: nag(sign),
        ..BookMoveWeight::default()
    };
    let Some(numbers) = numbers else { return mark };
    let advice = match numbers.advice {
        128.. => Some(BookAdvice::Play),
        64..128 => Some(BookAdvice::Avoid),
        _ => None,
    };
    let is_bad = advice == Some(BookAdvice::Avoid) || matches!(sign, 2 | 4);
    mark.weight = Some(match is_bad {
        true => 0,
        false => u16::try_from(numbers.games).unwrap_or(u16::MAX),
    });
    // After the move, the other side is to move.
    let (white, black) = match mover {
        Color::White => (numbers.lost, numbers.won),
        Color::Black => (numbers.won, numbers.lost),
    };
    let [rated, sum] = numbers.rated;
    mark.notes = BookMoveNotes {
        advice,
        games: Some([numbers.games, white, numbers.drawn, black]),
        rating: sum.checked_div(rated),
        ..BookMoveNotes::default()
    };
    mark
}

/// An open book: each line is a game.
pub struct CtgReader {
    lines: BookLines,
    info: DatabaseInfo,
}

impl CtgReader {
    /// Opens a book.
    pub fn open(path: &Path, options: &OpenOptions) -> Result<CtgReader> {
        let bytes = options.bytes_of(path)?;
        if bytes.len() < PAGE {
            let message = "not an opening book: it is shorter than a page of 4096 bytes";
            let error = Error::new(&error_codes::NOT_THIS_FORMAT, message);
            return Err(error.in_file(path.to_string_lossy()));
        }
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let mut info = DatabaseInfo {
            format: super::FORMAT.name,
            files: vec![(path.to_path_buf(), bytes.len() as u64)],
            ..DatabaseInfo::default()
        };
        let (tree, positions, diagnostics) = read(&bytes);
        info.field("positions", positions.to_string());
        let lines = BookLines::new(tree, &name, diagnostics);
        info.games = Some(lines.len());
        Ok(CtgReader { lines, info })
    }

    /// The lines as one tree.
    pub fn tree(&self) -> &BookTree {
        &self.lines.tree
    }
}

/// Reads all pages, and walks from the normal start.
fn read(bytes: &[u8]) -> (BookTree, usize, Diagnostics) {
    let mut diagnostics = Diagnostics::default();
    let mut positions = CtgPositions::new();
    let mut count = 0_usize;
    for (number, bytes) in bytes.chunks(PAGE).enumerate().skip(1) {
        let place = || Location::byte(number as u64 * PAGE as u64);
        let mut page = CtgPage::new(bytes);
        let mut found = 0_usize;
        for entry in page.by_ref() {
            found += 1;
            if positions.contains_key(entry.key) {
                diagnostics.report(&codes::TWICE, place, || {
                    format!("entry {found} of page {number}")
                });
            } else {
                positions.insert(entry.key, entry);
            }
        }
        count += found;
        if page.is_damaged || bytes.len() < PAGE || found != usize::from(page.count) {
            diagnostics.report(&codes::PAGE, place, || {
                format!("{found} of {} positions", page.count)
            });
        }
    }
    let noted = bytes.get(24..).and_then(|rest| rest.first_chunk());
    let noted = noted.copied().map_or(0, u32::from_be_bytes);
    if usize::try_from(noted).ok() != Some(count) {
        let message = format!("the header says {noted}, {count} were found");
        diagnostics.push(Diagnostic::new(&codes::COUNT, Location::byte(24), message));
    }
    let mut reached: HashSet<&[u8]> = HashSet::new();
    let tree = walk(&positions, &mut reached, &mut diagnostics);
    if reached.len() < positions.len() {
        let message = format!("{} of {}", positions.len() - reached.len(), positions.len());
        diagnostics.push(Diagnostic::new(
            &codes::UNREACHED,
            Location::byte(0),
            message,
        ));
    }
    (tree, count, diagnostics)
}

fn walk<'a>(
    positions: &CtgPositions<'a>,
    reached: &mut HashSet<&'a [u8]>,
    diagnostics: &mut Diagnostics,
) -> BookTree {
    let mut tree = BookTree::default();
    let mut seen = HashSet::new();
    let mut open: Vec<(BookNodeId, Board)> = vec![(ROOT, Board::standard())];
    seen.insert(Board::standard().zobrist());
    while let Some((place, board)) = open.pop() {
        let Some(entry) = find(positions, &board) else {
            continue;
        };
        reached.insert(entry.key);
        let from = open.len();
        for [byte, sign] in entry.moves {
            let Some((m, is_doubtful)) = move_bytes::read(&board, *byte) else {
                diagnostics.report(&codes::MOVE, Location::default, || {
                    format!("byte {byte:02x} in {}", board.to_fen())
                });
                continue;
            };
            if is_doubtful {
                diagnostics.report(&codes::DOUBTFUL, Location::default, || {
                    format!("byte {byte:02x} in {}", board.to_fen())
                });
            }
            let mut next = board.clone();
            next.play(m);
            let numbers = find(positions, &next).map(|entry| entry.numbers);
            let id = tree.add(place, m, mark(*sign, numbers, board.turn()));
            if seen.insert(next.zobrist()) {
                open.push((id, next));
            }
        }
        if let Some(new) = open.get_mut(from..) {
            new.reverse();
        }
    }
    tree
}

impl Database for CtgReader {
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

    fn diagnostics(&self) -> Diagnostics {
        self.lines.diagnostics.clone()
    }
}
