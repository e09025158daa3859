//! Walking through a book from the normal start.

use std::collections::HashSet;
use std::ops::Range;
use std::path::Path;

use tabiya_codec::format::OpenOptions;
use tabiya_codec::numbered_database::NumberedSource;
use tabiya_model::error_codes;
use tabiya_model::{
    Board, Database, DatabaseInfo, Diagnostic, Diagnostics, Error, Game, GameNeeds, Location,
    Result, Source,
};

use super::book::CtgBook;
use super::codes;
use super::layout::PAGE;
use crate::book::{BookNodeId, BookTree, PositionBook, ROOT};
use crate::polyglot::BookLines;

/// An open book: each line is a game.
pub struct CtgReader {
    book: CtgBook,
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
        let (book, mut diagnostics) = CtgBook::new(bytes);
        let tree = walk(&book, &mut diagnostics);
        info.field("positions", book.count().to_string());
        let lines = BookLines::new(tree, &name, diagnostics);
        info.games = Some(lines.len());
        Ok(CtgReader { book, lines, info })
    }

    /// The lines as one tree.
    pub fn tree(&self) -> &BookTree {
        &self.lines.tree
    }
}

/// Follows the moves of a book from the normal start.
fn walk(book: &CtgBook, diagnostics: &mut Diagnostics) -> BookTree {
    let mut tree = BookTree::default();
    let mut seen = HashSet::new();
    let mut reached: HashSet<u64> = HashSet::new();
    let mut open: Vec<(BookNodeId, Board)> = vec![(ROOT, Board::standard())];
    seen.insert(Board::standard().zobrist());
    while let Some((place, board)) = open.pop() {
        let Some((at, entry)) = book.find(&board) else {
            continue;
        };
        reached.insert(at);
        let from = open.len();
        for (m, mark) in book.played(&board, entry, diagnostics) {
            let mut next = board.clone();
            next.play(m);
            let id = tree.add(place, m, mark);
            if seen.insert(next.zobrist()) {
                open.push((id, next));
            }
        }
        if let Some(new) = open.get_mut(from..) {
            new.reverse();
        }
    }
    if reached.len() < book.len() {
        let message = format!("{} of {}", book.len() - reached.len(), book.len());
        let place = Location::byte(0);
        diagnostics.push(Diagnostic::new(&codes::UNREACHED, place, message));
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

    fn book(&self) -> Option<&dyn PositionBook> {
        Some(&self.book)
    }

    fn diagnostics(&self) -> Diagnostics {
        self.lines.diagnostics.clone()
    }
}
