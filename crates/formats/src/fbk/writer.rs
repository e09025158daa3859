//! Writing a book from games: their moves merged into one tree, stored depth first.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use tabiya_model::error_codes;
use tabiya_model::{EncodedGames, Encoder, Error, Game, Losses, Result, Sink, WriteSummary};

use super::layout::{FbkMove, squares};
use crate::book::{BookCapabilities, BookNodeId, BookTree, LOST_GAME, ROOT, report_lost_data};
use tabiya_codec::format::WriteOptions;
use tabiya_io::output::{self, OutputFile, OutputOptions};

/// The bytes of a tree, which must hold only moves that [`squares`] supports.
pub fn encode_tree(tree: &BookTree) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(2 * tree.len());
    // A place whose move is to be written, and whether alternatives follow.
    let mut open: Vec<(BookNodeId, bool)> = Vec::new();
    push_children(tree, ROOT, &mut open);
    while let Some((id, has_more)) = open.pop() {
        let Some((m, mark)) = tree.move_to(id) else {
            continue;
        };
        let step = FbkMove {
            from: m.from(),
            to: m.king_target(),
            continues: !has_more,
            ends: tree.children(id).next().is_none(),
            is_weak: mark.is_weak,
        };
        bytes.extend_from_slice(&step.to_bytes());
        push_children(tree, id, &mut open);
    }
    bytes
}

fn push_children(tree: &BookTree, id: BookNodeId, open: &mut Vec<(BookNodeId, bool)>) {
    let from = open.len();
    let mut children = tree.children(id).peekable();
    while let Some(child) = children.next() {
        open.push((child, children.peek().is_some()));
    }
    if let Some(new) = open.get_mut(from..) {
        new.reverse();
    }
}

/// A book that is being written.
pub struct FbkWriter {
    output: OutputFile,
    path: PathBuf,
    tree: BookTree,
    games: u64,
}

fn failed(error: output::OutputError) -> Error {
    Error::from(std::io::Error::from(error))
}

impl FbkWriter {
    /// Begins to write a book.
    pub fn create(path: &Path, options: &WriteOptions) -> Result<FbkWriter> {
        let permitted = OutputOptions {
            force: options.force,
            sources: options.sources.clone(),
        };
        Ok(FbkWriter {
            output: OutputFile::create(path, &permitted).map_err(failed)?,
            path: path.to_path_buf(),
            tree: BookTree::default(),
            games: 0,
        })
    }
}

impl Sink for FbkWriter {
    fn encoder(&self) -> Box<dyn Encoder> {
        Box::new(FbkEncoder::default())
    }

    fn append(&mut self, part: EncodedGames, _first: u64, _losses: &mut Losses) -> Result<()> {
        let Ok(part) = part.downcast::<FbkEncoder>() else {
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
struct FbkEncoder {
    tree: BookTree,
    games: u64,
}

impl Encoder for FbkEncoder {
    fn encode(&mut self, game: &Game, losses: &mut Losses) {
        self.tree
            .add_game(game, |board, m| squares(board, m).is_some());
        self.games += 1;
        losses.report(&LOST_GAME, game.origin.number, "");
        report_lost_data(game, BookCapabilities::default(), losses);
    }

    fn take(&mut self) -> EncodedGames {
        Box::new(std::mem::take(self))
    }
}
