//! Repertoires that are made from others and from games.

use std::ops::ControlFlow;

use shakmaty::Color;
use tabiya_model::{Control, Error, Game, GameNeeds, JobCompletion, Result};
use tabiya_repertoire::{Repertoire, RepertoireBuilder};

use super::of_repertoire;
use crate::error_codes;
use crate::open::base::Base;
use crate::select::numbers::{self, GameNumbers};
use crate::select::selection::Selection;

/// The tag that says for which side a game is.
const TAG: &str = "Repertoire";

/// A repertoire as games with variations.
#[derive(Clone, Debug, Default)]
pub struct BuiltRepertoire {
    /// The games: one for each side and start.
    pub games: Vec<Game>,
    /// Positions.
    pub positions: u64,
    /// Moves of the sources that do not belong to a repertoire: null moves, and what follows them.
    pub left_out: u64,
    /// Games of the sources that are damaged: what could be read of them is there.
    pub damaged: u64,
}

impl BuiltRepertoire {
    pub(super) fn of(builder: RepertoireBuilder, color: Option<Color>) -> Result<BuiltRepertoire> {
        let (left_out, damaged) = (builder.left_out(), builder.damaged());
        let made = builder
            .finish_whole(color)
            .map_err(|error| of_repertoire(&error))?;
        let games = made.iter().flat_map(|one| super::repertoire_game(one, &[]));
        Ok(BuiltRepertoire {
            games: games.collect(),
            positions: made.iter().map(|one| one.positions().len() as u64).sum(),
            left_out,
            damaged,
        })
    }
}

/// Reads repertoires with all their moves, including those that are marked bad.
///
/// # Errors
///
/// As for [`super::read`].
pub fn read_whole(
    bases: &[Base],
    color: Option<Color>,
    control: &Control,
) -> Result<Vec<Repertoire>> {
    let mut builder = RepertoireBuilder::default();
    add_bases(&mut builder, bases, control)?;
    builder
        .finish_whole(color)
        .map_err(|error| of_repertoire(&error))
}

/// Merges games, studies and repertoires: each position once, with the moves and comments of all.
///
/// # Errors
///
/// As for [`super::read`].
pub fn merge(bases: &[Base], color: Option<Color>, control: &Control) -> Result<BuiltRepertoire> {
    let mut builder = RepertoireBuilder::default();
    add_bases(&mut builder, bases, control)?;
    BuiltRepertoire::of(builder, color)
}

/// Adds the first plies of games to a repertoire.
///
/// # Errors
///
/// As for [`super::read`].
pub fn add(
    repertoire: &[Base],
    color: Option<Color>,
    games: &Selection,
    plies: usize,
    control: &Control,
) -> Result<BuiltRepertoire> {
    add_by_side(repertoire, color, &[(None, games)], plies, control)
}

/// The same with games for each side: games of a selection for one side are added to the repertoire for this side alone.
///
/// # Errors
///
/// As for [`super::read`].
pub fn add_by_side(
    repertoire: &[Base],
    color: Option<Color>,
    games: &[(Option<Color>, &Selection)],
    plies: usize,
    control: &Control,
) -> Result<BuiltRepertoire> {
    let mut builder = RepertoireBuilder::default();
    add_bases(&mut builder, repertoire, control)?;
    for (side, games) in games {
        for base in &games.bases {
            let wanted = games.game_numbers(base, control)?;
            let want = GameNeeds {
                verify: false,
                ..GameNeeds::MAIN_LINE
            };
            let ended = numbers::games(base, &wanted, want, control, |game| {
                let mut start = Game {
                    start: game.start.clone(),
                    // A game is damaged wherever it is: it may have had more moves.
                    diagnostics: game.diagnostics.clone(),
                    ..Game::default()
                };
                if let Some(side) = side {
                    start.tags.push(TAG, side.fold_wb("white", "black"));
                }
                for m in game.tape.main_line().take(plies) {
                    start.tape.push_move(m);
                }
                builder
                    .add(&start)
                    .map_err(|error| of_repertoire(&error).in_file(base.name().to_owned()))?;
                Ok(ControlFlow::Continue(()))
            })?;
            whole(ended)?;
        }
    }
    BuiltRepertoire::of(builder, color)
}

fn add_bases(builder: &mut RepertoireBuilder, bases: &[Base], control: &Control) -> Result<()> {
    for base in bases {
        let ended = numbers::games(base, &GameNumbers::ALL, GameNeeds::ALL, control, |game| {
            builder
                .add(game)
                .map_err(|error| of_repertoire(&error).in_file(base.name().to_owned()))?;
            Ok(ControlFlow::Continue(()))
        })?;
        whole(ended)?;
    }
    Ok(())
}

/// Refuses half of the games.
pub(super) fn whole(ended: JobCompletion) -> Result<()> {
    match ended.is_whole() {
        true => Ok(()),
        false => Err(Error::new(
            &error_codes::INTERRUPTED,
            "not all games were read",
        )),
    }
}
