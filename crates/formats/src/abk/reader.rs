//! Following the tree of a book from its first move.

use std::ops::Range;
use std::path::Path;

use shakmaty::{Rank, Role, Square};
use tabiya_codec::format::OpenOptions;
use tabiya_codec::numbered_database::NumberedSource;
use tabiya_model::{
    Board, Database, DatabaseInfo, Diagnostic, DiagnosticCode, Diagnostics, Game, GameNeeds,
    Location, Move, Result, Source,
};

use super::codes;
use super::layout::{AbkEntry, DELETED, ENTRY_BYTES, HEADER_ENTRIES};
use crate::book::{
    BookMoveNotes, BookMoveWeight, BookNodeId, BookPlaces, BookTree, PositionBook, ROOT,
};
use crate::polyglot::BookLines;

/// No line of a book is longer.
pub(super) const MOST_PLIES: u32 = 600;

/// The moves of a book, and the findings.
#[derive(Default)]
struct AbkWalk {
    tree: BookTree,
    found: Vec<(&'static DiagnosticCode, u64, String)>,
}

/// Reads the tree of a book.
pub fn decode(bytes: &[u8]) -> (BookTree, Diagnostics) {
    let (tree, found) = walk(bytes);
    let mut diagnostics = Diagnostics::default();
    for (code, at, message) in found {
        diagnostics.push(Diagnostic::new(code, Location::byte(at), message));
    }
    (tree, diagnostics)
}

fn entry_at(bytes: &[u8], index: i32) -> Option<AbkEntry> {
    let index = usize::try_from(index).ok()?;
    if index < HEADER_ENTRIES as usize {
        return None;
    }
    let at = index.checked_mul(ENTRY_BYTES)?;
    Some(AbkEntry::read(bytes.get(at..)?.first_chunk()?))
}

fn walk(bytes: &[u8]) -> (BookTree, Vec<(&'static DiagnosticCode, u64, String)>) {
    let mut walk = AbkWalk::default();
    let header = HEADER_ENTRIES as usize * ENTRY_BYTES;
    let rest = bytes.len() % ENTRY_BYTES;
    if bytes.len() < header || rest != 0 {
        let message = format!("{} bytes", bytes.len());
        walk.found.push((&codes::REST, bytes.len() as u64, message));
    }
    let first = i32::try_from(HEADER_ENTRIES).unwrap_or(i32::MAX);
    if entry_at(bytes, first).is_none() {
        return (walk.tree, walk.found);
    }
    let mut seen = vec![false; bytes.len() / ENTRY_BYTES];
    // Moves still to be read, the next one last: number, parent place, the position there, and its plies.
    let mut open: Vec<(i32, BookNodeId, Board, u32)> = vec![(first, ROOT, Board::standard(), 0)];
    while let Some((index, place, board, plies)) = open.pop() {
        let at = u64::try_from(index).unwrap_or(0) * ENTRY_BYTES as u64;
        let slot = usize::try_from(index).ok().and_then(|at| seen.get_mut(at));
        let is_new = slot.is_some_and(|seen| !std::mem::replace(seen, true));
        let Some(entry) = entry_at(bytes, index).filter(|_| is_new && plies < MOST_PLIES) else {
            let message = format!("move entry {index}");
            walk.found.push((&codes::LINK, at, message));
            continue;
        };
        // The replies to this move are read first, so that the tree keeps its order.
        if entry.next > 0 {
            open.push((entry.next, place, board.clone(), plies));
        }
        let Some((m, is_guess)) = resolve(&board, entry) else {
            let message = format!("from {} to {}", entry.from, entry.to);
            walk.found.push((&codes::ILLEGAL, at, message));
            continue;
        };
        if is_guess {
            let message = format!("from {} to {}", entry.from, entry.to);
            walk.found.push((&codes::PROMOTION, at, message));
        }
        let id = walk.tree.add(place, m, mark(entry));
        if entry.first > 0 {
            let mut board = board;
            board.play(m);
            open.push((entry.first, id, board, plies + 1));
        }
    }
    (walk.tree, walk.found)
}

/// The move of an entry, and whether its promotion piece was guessed.
fn resolve(board: &Board, entry: AbkEntry) -> Option<(Move, bool)> {
    let square = |number: u8| (number < 64).then(|| Square::new(u32::from(number)));
    let (from, to) = (square(entry.from)?, square(entry.to)?);
    let is_last =
        board.role_at(from) == Some(Role::Pawn) && matches!(to.rank(), Rank::First | Rank::Eighth);
    let promotion = match (is_last, entry.role()) {
        (true, None) => Some(Role::Queen),
        (_, role) => role,
    };
    let m = board.find_move(from, to, promotion)?;
    let is_guess = is_last && entry.role().is_none();
    board.is_legal(m).then_some((m, is_guess))
}

/// The data of an entry about its move.
fn mark(entry: AbkEntry) -> BookMoveWeight {
    let [games, won, lost] = entry.games.map(|count| u32::try_from(count).unwrap_or(0));
    let drawn = games.saturating_sub(won).saturating_sub(lost);
    let is_deleted = entry.flags & DELETED != 0;
    let weight = match is_deleted || entry.priority == 0 {
        true => 0,
        false => games,
    };
    BookMoveWeight {
        weight: Some(weight),
        notes: BookMoveNotes {
            priority: Some(entry.priority),
            is_deleted,
            games: Some([games, won, drawn, lost]),
            ..BookMoveNotes::default()
        },
        ..BookMoveWeight::default()
    }
}

/// Makes the weight of a move the sum over all places of its position: the tree counts each way to it for itself.
fn add_up(tree: &mut BookTree, places: &BookPlaces) {
    for places in places.positions().filter(|places| places.len() > 1) {
        let mut sums: Vec<(Move, u32)> = Vec::new();
        let children = |tree: &BookTree| -> Vec<BookNodeId> {
            let places = places.iter();
            places
                .flat_map(|(_, place)| tree.children(*place))
                .collect()
        };
        let children = children(tree);
        for child in &children {
            let Some((m, mark)) = tree.move_to(*child) else {
                continue;
            };
            let weight = mark.weight.unwrap_or(0);
            match sums.iter_mut().find(|(known, _)| *known == m) {
                Some((_, sum)) => *sum = sum.saturating_add(weight),
                None => sums.push((m, weight)),
            }
        }
        for child in children {
            let Some((m, mut mark)) = tree.move_to(child) else {
                continue;
            };
            let sum = sums.iter().find(|(known, _)| *known == m);
            if let Some((_, sum)) = sum.filter(|_| mark.weight != Some(0)) {
                mark.weight = Some(*sum);
                tree.set_mark(child, mark);
            }
        }
    }
}

/// An open book: each line is a game.
pub struct AbkReader {
    lines: BookLines,
    places: BookPlaces,
    info: DatabaseInfo,
}

impl AbkReader {
    /// Opens a book.
    pub fn open(path: &Path, options: &OpenOptions) -> Result<AbkReader> {
        let bytes = options.bytes_of(path)?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let (mut tree, diagnostics) = decode(&bytes);
        let places = BookPlaces::of(&tree);
        add_up(&mut tree, &places);
        let mut info = DatabaseInfo {
            format: super::FORMAT.name,
            files: vec![(path.to_path_buf(), bytes.len() as u64)],
            ..DatabaseInfo::default()
        };
        // A length byte, then the text, twice.
        for (field, at, most) in [("description", 0x0c, 120), ("author", 0x85, 80)] {
            let length = bytes
                .get(at)
                .map_or(0, |length| usize::from(*length).min(most));
            let text = bytes.get(at + 1..at + 1 + length).unwrap_or(&[]);
            info.field(field, String::from_utf8_lossy(text));
        }
        info.field("moves", tree.len().to_string());
        let lines = BookLines::new(tree, &name, diagnostics);
        info.games = Some(lines.len());
        Ok(AbkReader {
            lines,
            places,
            info,
        })
    }

    /// The moves as a tree.
    pub fn tree(&self) -> &BookTree {
        &self.lines.tree
    }
}

impl Database for AbkReader {
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

impl PositionBook for AbkReader {
    fn moves(&self, board: &Board) -> Vec<(Move, BookMoveWeight)> {
        self.places.moves(&self.lines.tree, board)
    }
}
