//! Writing a book from games: their moves merged into one tree, with alternatives one after the other and then their replies.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use shakmaty::{Color, Role};
use tabiya_codec::format::WriteOptions;
use tabiya_io::output::{self, OutputFile, OutputOptions};
use tabiya_model::error_codes;
use tabiya_model::{Board, EncodedGames, Encoder, Error, Game, Losses, Result, Sink, WriteSummary};

use super::layout::{AbkEntry, DELETED, ENTRY_BYTES, HEADER_ENTRIES, MARK};
use super::reader::MOST_PLIES;
use crate::book::{
    BookAdvice, BookCapabilities, BookMoveWeight, BookNodeId, BookTree, LOST_GAME, ROOT,
    report_lost_data,
};

/// The priority of a move without any data, and of one that is to be played always.
const USUAL: u8 = 5;
const HIGHEST: u8 = 9;

/// The data about moves that a book holds.
const HOLDS: BookCapabilities = BookCapabilities {
    weights: true,
    games: true,
    priorities: true,
};

/// The number of a square, a1 = 0, b1 = 1.
fn number(square: shakmaty::Square) -> u8 {
    u32::from(square).to_le_bytes()[0]
}

/// The bytes of a tree.
pub fn encode_tree(tree: &BookTree) -> Vec<u8> {
    let mut bytes = vec![0; HEADER_ENTRIES as usize * ENTRY_BYTES];
    let moves = i32::try_from(tree.len()).unwrap_or(i32::MAX);
    let written = b"Tabiya";
    for (at, part) in [
        (0, &MARK[..]),
        (0x85, &[written.len().to_le_bytes()[0]]),
        (0x86, written),
        (0xda, &moves.to_le_bytes()),
        // The weights of priority, games and score in choosing a move; and the number of plies for which the book is used.
        (0xee, &7_i32.to_le_bytes()),
        (0xf2, &7_i32.to_le_bytes()),
        (0xf6, &7_i32.to_le_bytes()),
        (0xfa, &999_i32.to_le_bytes()),
    ] {
        if let Some(slot) = bytes.get_mut(at..at + part.len()) {
            slot.copy_from_slice(part);
        }
    }
    // Places whose replies are to be written, with the position there and the place for the number of the first reply.
    let mut open: std::collections::VecDeque<(BookNodeId, Board, Option<usize>)> =
        [(ROOT, Board::standard(), None)].into();
    while let Some((place, board, link)) = open.pop_front() {
        let children: Vec<BookNodeId> = tree.children(place).collect();
        let next = i32::try_from(bytes.len() / ENTRY_BYTES).unwrap_or(-1);
        let first = if children.is_empty() { -1 } else { next };
        if let Some(slot) = link.and_then(|at| bytes.get_mut(at..at + 4)) {
            slot.copy_from_slice(&first.to_le_bytes());
        }
        for (child, at) in children.iter().zip(1_i32..) {
            let Some((m, mark)) = tree.move_to(*child) else {
                continue;
            };
            let is_last = usize::try_from(at).is_ok_and(|at| at == children.len());
            let promotion = match m.promotion() {
                Some(Role::Rook) => 1,
                Some(Role::Knight) => 2,
                Some(Role::Bishop) => 3,
                Some(_) => 4,
                None => 0,
            };
            let entry = AbkEntry {
                from: number(m.from()),
                to: number(m.king_target()),
                promotion: if board.turn() == Color::White {
                    -promotion
                } else {
                    promotion
                },
                next: if is_last { -1 } else { next.saturating_add(at) },
                first: -1,
                ..entry_of(mark)
            };
            bytes.extend_from_slice(&entry.to_bytes());
            let mut board = board.clone();
            board.play(m);
            open.push_back((*child, board, Some(bytes.len() - 8)));
        }
    }
    bytes
}

/// The data about a move in the form of its entry.
fn entry_of(mark: BookMoveWeight) -> AbkEntry {
    let count = |count: u32| i32::try_from(count).unwrap_or(i32::MAX);
    let notes = mark.notes;
    let is_bad = mark.is_weak || mark.weight == Some(0) || notes.advice == Some(BookAdvice::Avoid);
    let usual = match notes.advice {
        _ if is_bad => 0,
        Some(BookAdvice::Play) => HIGHEST,
        _ => USUAL,
    };
    AbkEntry {
        priority: notes.priority.unwrap_or(usual),
        games: match (notes.games, mark.weight) {
            (Some([games, won, _, lost]), _) => [count(games), count(won), count(lost)],
            (None, weight) => [count(weight.unwrap_or(0)), 0, 0],
        },
        flags: if notes.is_deleted { DELETED } else { 0 },
        ..AbkEntry::default()
    }
}

/// A book that is being written.
pub struct AbkWriter {
    output: OutputFile,
    path: PathBuf,
    tree: BookTree,
    games: u64,
}

fn failed(error: output::OutputError) -> Error {
    Error::from(std::io::Error::from(error))
}

impl AbkWriter {
    /// Begins to write a book.
    pub fn create(path: &Path, options: &WriteOptions) -> Result<AbkWriter> {
        let permitted = OutputOptions {
            force: options.force,
            sources: options.sources.clone(),
        };
        Ok(AbkWriter {
            output: OutputFile::create(path, &permitted).map_err(failed)?,
            path: path.to_path_buf(),
            tree: BookTree::default(),
            games: 0,
        })
    }
}

impl Sink for AbkWriter {
    fn encoder(&self) -> Box<dyn Encoder> {
        Box::new(AbkEncoder::default())
    }

    fn append(&mut self, part: EncodedGames, _first: u64, _losses: &mut Losses) -> Result<()> {
        let Ok(part) = part.downcast::<AbkEncoder>() else {
            return Err(Error::new(
                &error_codes::INTERNAL,
                "a part of another format",
            ));
        };
        self.tree.merge(&part.tree);
        self.games += part.games;
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<WriteSummary> {
        let bytes = encode_tree(&self.tree);
        self.output.write_all(&bytes)?;
        self.output.commit().map_err(failed)?;
        Ok(WriteSummary {
            games: self.games,
            bytes: bytes.len() as u64,
            files: vec![self.path],
            notes: vec![format!("{} moves, stored as a tree", self.tree.len())],
        })
    }
}

/// The encoder of one thread, and the part that it is making.
#[derive(Default)]
struct AbkEncoder {
    tree: BookTree,
    games: u64,
}

impl Encoder for AbkEncoder {
    fn encode(&mut self, game: &Game, losses: &mut Losses) {
        self.tree
            .add_game(game, |board, _| board.ply_number() < MOST_PLIES);
        self.games += 1;
        losses.report(&LOST_GAME, game.origin.number, "");
        report_lost_data(game, HOLDS, losses);
    }

    fn take(&mut self) -> EncodedGames {
        Box::new(std::mem::take(self))
    }
}
