//! Looking up positions in a book, and walking through it from the normal start.

use std::collections::HashSet;
use std::ops::Range;
use std::path::Path;

use tabiya_model::error_codes;
use tabiya_model::{
    Board, Database, DatabaseInfo, Diagnostic, Diagnostics, Error, Game, GameNeeds, Location, Move,
    Result, Source,
};

use super::codes;
use super::layout::{ENTRY_BYTES, PolyglotEntry};
use super::moves::decode;
use crate::book::{BookMoveWeight, BookNodeId, BookTree, PositionBook, ROOT, game_tags};
use tabiya_codec::format::OpenOptions;
use tabiya_codec::numbered_database::{NumberedDatabase, NumberedSource};
use tabiya_io::mmap::FileBytes;

/// A book: entries sorted by the hashes of their positions.
pub struct PolyglotBook {
    bytes: FileBytes,
}

impl PolyglotBook {
    /// A book in memory or in a map of its file.
    pub fn new(bytes: FileBytes) -> PolyglotBook {
        PolyglotBook { bytes }
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        self.bytes.len() / ENTRY_BYTES
    }

    /// Whether there is no entry.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The entry at an index.
    pub fn entry(&self, index: usize) -> Option<PolyglotEntry> {
        let start = index.checked_mul(ENTRY_BYTES)?;
        let bytes = self.bytes.get(start..start.checked_add(ENTRY_BYTES)?)?;
        Some(PolyglotEntry::read(bytes.try_into().ok()?))
    }

    /// All entries in their order.
    pub fn entries(&self) -> impl Iterator<Item = PolyglotEntry> + '_ {
        (0..self.len()).filter_map(|index| self.entry(index))
    }

    /// The entries of a position by its hash, in their order.
    pub fn find(&self, key: u64) -> impl Iterator<Item = PolyglotEntry> + '_ {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if self.entry(middle).is_some_and(|entry| entry.key < key) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        (low..self.len())
            .map_while(|index| self.entry(index))
            .take_while(move |entry| entry.key == key)
    }

    /// The legal moves that the book has in a position, those with the highest weight first.
    pub fn moves(&self, board: &Board) -> Vec<(Move, PolyglotEntry)> {
        let mut moves: Vec<(Move, PolyglotEntry)> = self
            .find(board.zobrist())
            .filter_map(|entry| Some((decode(board, entry.code)?, entry)))
            .collect();
        moves.sort_by_key(|(_, entry)| std::cmp::Reverse(entry.weight));
        moves
    }

    /// The lines of the book from the normal starting position. A line ends where the book ends, or at a position that
    /// another line has already shown. Also returns the number of used entries, and of illegal moves.
    pub fn tree(&self) -> (BookTree, PolyglotWalkReport) {
        let mut tree = BookTree::default();
        let mut walk = PolyglotWalkReport::default();
        let mut seen = HashSet::new();
        let mut open: Vec<(BookNodeId, Board)> = vec![(ROOT, Board::standard())];
        seen.insert(Board::standard().zobrist());
        while let Some((place, board)) = open.pop() {
            let all = self.find(board.zobrist()).count();
            let moves = PolyglotBook::moves(self, &board);
            walk.used += all;
            walk.illegal += all - moves.len();
            let from = open.len();
            for (m, entry) in moves {
                let id = tree.add(place, m, mark(entry));
                let mut next = board.clone();
                next.play(m);
                if seen.insert(next.zobrist()) {
                    open.push((id, next));
                }
            }
            if let Some(new) = open.get_mut(from..) {
                new.reverse();
            }
        }
        (tree, walk)
    }
}

/// The result of following a book.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct PolyglotWalkReport {
    /// The number of entries of positions that were reached.
    pub used: usize,
    /// The number of those with an illegal move.
    pub illegal: usize,
}

/// A book opened as a database: each line from the normal start is a game.
pub struct PolyglotReader {
    book: PolyglotBook,
    lines: BookLines,
    info: DatabaseInfo,
}

impl PolyglotReader {
    /// Opens a book.
    pub fn open(path: &Path, options: &OpenOptions) -> Result<PolyglotReader> {
        let bytes = options.bytes_of(path)?;
        let size = bytes.len();
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let book = PolyglotBook::new(bytes);
        let (tree, walk) = book.tree();
        let mut diagnostics = Diagnostics::default();
        let place = |byte: usize| {
            Location::byte(byte as u64)
                .in_file(path.file_name().unwrap_or_default().to_string_lossy())
        };
        if size % ENTRY_BYTES != 0 {
            let message = format!("{} bytes", size % ENTRY_BYTES);
            let at = place(size - size % ENTRY_BYTES);
            diagnostics.push(Diagnostic::new(&codes::REST, at, message));
        }
        let mut before = 0;
        for (index, entry) in book.entries().enumerate() {
            if entry.key < before {
                diagnostics.report(
                    &codes::ORDER,
                    || place(index * ENTRY_BYTES),
                    || format!("entry {} is out of order", index + 1),
                );
            }
            before = before.max(entry.key);
        }
        if walk.illegal > 0 {
            let message = format!("{} entries", walk.illegal);
            diagnostics.push(Diagnostic::new(&codes::ILLEGAL, place(0), message));
        }
        if walk.used < book.len() {
            let message = format!("{} of {} entries", book.len() - walk.used, book.len());
            diagnostics.push(Diagnostic::new(&codes::UNREACHED, place(0), message));
        }
        let lines = BookLines::new(tree, &name, diagnostics);
        let mut info = DatabaseInfo {
            format: super::FORMAT.name,
            files: vec![(path.to_path_buf(), size as u64)],
            games: Some(lines.len()),
            ..DatabaseInfo::default()
        };
        info.field("entries", book.len().to_string());
        Ok(PolyglotReader { book, lines, info })
    }

    /// The book itself.
    pub fn book(&self) -> &PolyglotBook {
        &self.book
    }

    /// The lines as one tree.
    pub fn tree(&self) -> &BookTree {
        &self.lines.tree
    }
}

impl Database for PolyglotReader {
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
        Some(&self.book)
    }

    fn diagnostics(&self) -> Diagnostics {
        self.lines.diagnostics.clone()
    }
}

impl PositionBook for PolyglotBook {
    fn moves(&self, board: &Board) -> Vec<(Move, BookMoveWeight)> {
        let mut found: Vec<(Move, BookMoveWeight)> = Vec::new();
        for (m, entry) in PolyglotBook::moves(self, board) {
            // The first entry of a move has its highest weight.
            if !found.iter().any(|(known, _)| *known == m) {
                found.push((m, mark(entry)));
            }
        }
        found
    }
}

/// The data of an entry about its move.
fn mark(entry: PolyglotEntry) -> BookMoveWeight {
    BookMoveWeight {
        weight: Some(u32::from(entry.weight)),
        ..BookMoveWeight::default()
    }
}

/// The lines of a book as games.
pub(crate) struct BookLines {
    pub(crate) tree: BookTree,
    leaves: Vec<BookNodeId>,
    name: String,
    /// The NAG of weak moves.
    pub(crate) weak: Option<tabiya_model::nag::Nag>,
    /// The findings about the book.
    pub(crate) diagnostics: Diagnostics,
}

impl BookLines {
    pub(crate) fn new(tree: BookTree, name: &str, diagnostics: Diagnostics) -> BookLines {
        BookLines {
            leaves: tree.leaves(),
            tree,
            name: name.to_owned(),
            weak: Some(tabiya_model::nag::Nag(2)),
            diagnostics,
        }
    }

    pub(crate) fn len(&self) -> u64 {
        self.leaves.len() as u64
    }

    pub(crate) fn read(&self, number: u64, want: GameNeeds, game: &mut Game) -> Result<()> {
        let leaf = number
            .checked_sub(1)
            .and_then(|at| self.leaves.get(usize::try_from(at).ok()?));
        let Some(leaf) = leaf else {
            return Err(Error::new(
                &error_codes::NO_SUCH_GAME,
                format!(
                    "there is no line {number}: the book has {} lines",
                    self.len()
                ),
            )
            .with("number", number));
        };
        game.clear();
        game.origin.number = number;
        game_tags(&self.name, game);
        if want.moves {
            if want.annotations {
                self.tree.write_line(*leaf, self.weak, &mut game.tape);
            } else {
                for id in self.tree.line(*leaf) {
                    if let Some((m, _)) = self.tree.move_to(id) {
                        game.tape.push_move(m);
                    }
                }
            }
        }
        Ok(())
    }
}

impl NumberedDatabase for BookLines {
    type Scratch = ();

    const BLOCK: u64 = 1_024;

    fn scratch(&self) {}

    fn count(&self) -> u64 {
        self.len()
    }

    fn game_bytes(&self) -> u64 {
        0
    }

    fn fill(&self, number: u64, want: GameNeeds, (): &mut (), game: &mut Game) -> Result<()> {
        self.read(number, want, game)
    }

    fn findings(&self) -> Diagnostics {
        self.diagnostics.clone()
    }
}
