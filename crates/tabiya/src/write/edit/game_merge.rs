//! Games of a search merged into one game.

use std::ops::ControlFlow;

use tabiya_model::editor::{EditError, GameEditor, MergeOptions, TreePath};
use tabiya_model::{Control, Error, Game, GameNeeds, Result};
use tabiya_query::{Query, QueryContext};

use crate::error_codes;
use crate::open::base::Base;
use crate::select::search;
use crate::select::selection::Selection;

/// Which games are merged into one, and how.
#[derive(Clone, Debug)]
pub struct MergeRequest {
    /// The place in the game from which on they are merged.
    pub at: TreePath,
    /// The maximum number of games, and of plies of each.
    pub options: MergeOptions,
}

/// A game with others merged into it.
#[derive(Clone, Debug)]
pub struct MergedGame {
    /// The game as it was.
    pub old: Box<Game>,
    /// The game as it is.
    pub new: Box<Game>,
    /// How many games were merged.
    pub taken: usize,
    /// Whether there were more of them.
    pub is_cut: bool,
}

/// Merges chosen games into a game that has their position at a place: a single one as a variation, with its annotations;
/// several as a tree of their moves. The game itself is not among them.
pub fn grow(
    base: &Base,
    number: u64,
    sources: &Selection,
    merge: &MergeRequest,
    control: &Control,
) -> Result<MergedGame> {
    let count = match base.database() {
        Some(database) => database.len()?,
        None => 0,
    };
    if number == 0 || number > count {
        return Err(Error::new(
            &error_codes::NO_SUCH_GAME,
            format!(
                "there is no game {number}: the database has {count} games; nothing was changed"
            ),
        )
        .with("number", number)
        .with("count", count));
    }
    let refuse = |error: EditError| {
        Error::new(
            error.code(),
            format!("game {number}: {error}; nothing was changed"),
        )
    };
    let old = base.read(number, GameNeeds::ALL)?;
    let mut editor = GameEditor::new(old.clone()).map_err(refuse)?;
    editor.go_along(&merge.at).map_err(refuse)?;
    let sources = &sources.clone().matching(position(&editor)?);
    let most = merge.options.games;
    let options = search::SearchOptions {
        plies: false,
        keep: Some(GameNeeds::ALL),
        ..search::SearchOptions::default()
    };
    let (mut games, mut is_cut) = (Vec::new(), false);
    search::search(sources, &options, control, &mut |at, found| {
        let is_itself = found.hit.number == number
            && sources
                .bases
                .get(at)
                .is_some_and(|source| source.path() == base.path());
        if let Some(game) = found.game.filter(|_| !is_itself) {
            is_cut = games.len() >= most;
            if !is_cut {
                games.push(*game);
            }
        }
        Ok(match is_cut {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        })
    })?;
    let merged = match games.as_slice() {
        [one] => editor.merge(one, &merge.options).map(|()| 1),
        several => editor.merge_tree(several, &merge.options),
    };
    let taken = match merged {
        Ok(taken) => taken,
        Err(EditError::NothingToDo) => games.len(),
        Err(error) => return Err(refuse(error)),
    };
    Ok(MergedGame {
        old: Box::new(old),
        new: Box::new(editor.into_game()),
        taken,
        is_cut,
    })
}

/// The query for games that have the position at the cursor.
fn position(editor: &GameEditor) -> Result<Query> {
    let text = format!("position[castling, ep]:\"{}\"", editor.board().to_fen());
    Ok(Query::parse(&text, QueryContext::default())?)
}
