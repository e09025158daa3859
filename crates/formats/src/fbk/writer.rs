//! Writing a book from games: their moves merged into one tree, stored depth first.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use tabiya_model::{Encoder, Error, Game, Losses, Part, Result, Sink, Summary};

use super::layout::{Step, squares};
use crate::book::{LOST_GAME, NodeId, ROOT, Tree};
use crate::format::WriteOptions;
use tabiya_io::output::{self, Options, Output};

/// The bytes of a tree, which must hold only moves that [`squares`] can tell.
pub fn encode_tree(tree: &Tree) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(2 * tree.len());
    // A place whose move is to be written, and whether alternatives follow.
    let mut open: Vec<(NodeId, bool)> = Vec::new();
    push_children(tree, ROOT, &mut open);
    while let Some((id, has_more)) = open.pop() {
        let Some((m, mark)) = tree.move_to(id) else {
            continue;
        };
        let step = Step {
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

fn push_children(tree: &Tree, id: NodeId, open: &mut Vec<(NodeId, bool)>) {
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
pub struct Writer {
    output: Output,
    path: PathBuf,
    tree: Tree,
    games: u64,
}

fn failed(error: output::Error) -> Error {
    Error::from(std::io::Error::from(error))
}

impl Writer {
    /// Begins to write a book.
    pub fn create(path: &Path, options: &WriteOptions) -> Result<Writer> {
        let permitted = Options {
            force: options.force,
            sources: options.sources.clone(),
        };
        Ok(Writer {
            output: Output::create(path, &permitted).map_err(failed)?,
            path: path.to_path_buf(),
            tree: Tree::default(),
            games: 0,
        })
    }
}

impl Sink for Writer {
    fn encoder(&self) -> Box<dyn Encoder> {
        Box::new(Games::default())
    }

    fn append(&mut self, part: Part, _first: u64, _losses: &mut Losses) -> Result<()> {
        let Ok(part) = part.downcast::<Games>() else {
            return Err(Error::usage("a part of another format"));
        };
        self.tree.merge(&part.tree);
        self.games += part.games;
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<Summary> {
        let bytes = encode_tree(&self.tree);
        self.output.write_all(&bytes)?;
        self.output.commit().map_err(failed)?;
        Ok(Summary {
            games: self.games,
            bytes: bytes.len() as u64,
            files: vec![self.path],
            notes: vec![format!("{} moves, stored as a tree", self.tree.len())],
        })
    }
}

/// The encoder of one thread, and the part that it makes.
#[derive(Default)]
struct Games {
    tree: Tree,
    games: u64,
}

impl Encoder for Games {
    fn encode(&mut self, game: &Game, losses: &mut Losses) {
        self.tree
            .add_game(game, |board, m| squares(board, m).is_some());
        self.games += 1;
        losses.report(&LOST_GAME, game.origin.number, "");
    }

    fn take(&mut self) -> Part {
        Box::new(std::mem::take(self))
    }
}
