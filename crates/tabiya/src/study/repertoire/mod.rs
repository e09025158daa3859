//! Repertoires: where games leave them, what they do not answer, and where they contradict themselves. `docs/repertoire.md` has the exact
//! meaning of each word.

mod build;
mod check;
mod conflicts;
mod coverage;
mod extract;
mod gaps;
mod pgn;
mod query_repertoires;
mod reference;
mod split;
mod training;
mod tree;

use shakmaty::Color;
use tabiya_answers::{RepertoireEndAnswer, RepertoireMoveAnswer, SideAnswer};
use tabiya_explore::tally::MoveScore;
use tabiya_model::board::Move;
use tabiya_model::{Control, Error, GameNeeds, Result};
use tabiya_query::{Query, QueryContext};
pub use tabiya_repertoire::{
    ColorSource, Fsrs, MoveFrequency, Repertoire, RepertoireBuilder, RepertoireEnd,
    RepertoireError, RepertoireExit, RepertoireFollower, RepertoireMarks, RepertoireMove,
    RepertoireNotes, RepertoirePosition, Review, ReviewLog, ReviewRating, TrainingCard,
    TrainingQuestion, TrainingSession, TrainingVerdict, device_name, moves_in_words,
    position_in_words, read_time, time_in_words,
};

pub use self::build::{BuiltRepertoire, add, add_by_side, merge, read_whole};
pub use self::check::{
    RepertoireCheckReport, RepertoireGame, RepertoireGameCallback, RepertoireLine, RepertoireLines,
    check, marked_game,
};
pub use self::conflicts::{
    RepertoireConflict, RepertoireConflictKind, RepertoireConflictOptions, conflicts,
};
pub use self::coverage::{RepertoireCoverage, RepertoireCoverageReport, RepertoireExits, coverage};
pub use self::extract::{RepertoireExtractOptions, extract};
pub use self::gaps::{RepertoireGap, RepertoireGapOptions, gaps};
pub use self::pgn::{RepertoireComment, repertoire_game};
pub use self::query_repertoires::{
    QueryRepertoires, RepertoireBase, RepertoireBases, RepertoireCache, color_note, only_repertoire,
};
pub use self::reference::{RepertoireReference, reference};
pub use self::split::{RepertoirePart, RepertoireSplitKey, split};
pub use self::training::{
    RepertoireCards, append_review, card_answer, equal_frequency, read_reviews,
};
pub use self::tree::{RepertoireTreePosition, tree};
use crate::error_codes;
use crate::open::base::Base;
use crate::select::numbers::{self, GameNumbers};
use crate::select::selection::Selection;

/// Reads the games of bases as repertoires: one for each side that they are for. The side is given, or that of the tag
/// `Repertoire`, or it is recognised.
///
/// # Errors
///
/// If games cannot be read, if there are none, and if no side can be recognised.
///
/// ```
/// # fn main() -> tabiya::model::Result<()> {
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/pgn/ok/annotated.pgn");
/// use tabiya::model::Control;
/// use tabiya::repertoire;
///
/// let white = Some(shakmaty::Color::White);
/// let made = repertoire::read(&tabiya::open(path)?, white, &Control::default())?;
/// assert!(made[0].positions().len() > 3);
/// # Ok(())
/// # }
/// ```
pub fn read(bases: &[Base], color: Option<Color>, control: &Control) -> Result<Vec<Repertoire>> {
    read_at_most(bases, color, usize::MAX, control)
}

/// The same of no more positions than these, beside those of one game.
fn read_at_most(
    bases: &[Base],
    color: Option<Color>,
    most: usize,
    control: &Control,
) -> Result<Vec<Repertoire>> {
    let mut builder = RepertoireBuilder::default();
    for base in bases {
        let want = GameNeeds::ALL;
        let ended = numbers::games(base, &GameNumbers::ALL, want, control, |game| {
            builder
                .add(game)
                .map_err(|error| of_repertoire(&error).in_file(base.name().to_owned()))?;
            if builder.positions() > most {
                let why = format!("the repertoire has more than {most} positions");
                return Err(Error::new(&error_codes::NO_REPERTOIRE, why).in_file(base.name()));
            }
            Ok(std::ops::ControlFlow::Continue(()))
        })?;
        if !ended.is_whole() {
            return Err(Error::new(
                &error_codes::INTERRUPTED,
                "the repertoire was not read completely",
            ));
        }
    }
    builder
        .finish(color)
        .map_err(|error| match (of_repertoire(&error), bases) {
            (error, [base]) => error.in_file(base.name().to_owned()),
            (error, _) => error,
        })
}

fn of_repertoire(error: &RepertoireError) -> Error {
    let code = match error {
        RepertoireError::UnknownColor => &error_codes::UNKNOWN_SIDE,
        _ => &error_codes::NO_REPERTOIRE,
    };
    Error::new(code, error.to_string())
}

/// A side for programs.
fn side_answer(color: Color) -> SideAnswer {
    match color {
        Color::White => SideAnswer::White,
        Color::Black => SideAnswer::Black,
    }
}

/// How a game and a repertoire part, for programs.
fn end_answer(end: RepertoireEnd) -> RepertoireEndAnswer {
    match end {
        RepertoireEnd::Inside => RepertoireEndAnswer::Inside,
        RepertoireEnd::LineEnd => RepertoireEndAnswer::LineEnd,
        RepertoireEnd::Me => RepertoireEndAnswer::Me,
        RepertoireEnd::Opponent => RepertoireEndAnswer::Opponent,
        RepertoireEnd::Elsewhere => RepertoireEndAnswer::Elsewhere,
    }
}

/// The games of a selection in which a player has the side of a repertoire.
///
/// # Errors
///
/// If the name cannot be read.
pub fn games_of_player(games: &Selection, player: &str, color: Color) -> Result<Selection> {
    let field = color.fold_wb("white", "black");
    let name = player.replace('\\', "\\\\").replace('"', "\\\"");
    let query = Query::parse(&format!("{field}:\"{name}\""), QueryContext::default())?;
    Ok(games.clone().matching(query))
}

/// The score of a side in per cent, of games with a result.
#[must_use]
pub fn score_of(score: &MoveScore, color: Color) -> Option<f64> {
    let won = color.fold_wb(score.white, score.black);
    let finished = score.white + score.draws + score.black;
    #[allow(clippy::cast_precision_loss)]
    (finished > 0).then(|| (won as f64 + score.draws as f64 / 2.0) * 100.0 / finished as f64)
}

/// A move by its squares.
fn uci(position: &RepertoirePosition, m: Move) -> String {
    let mut text = Vec::new();
    let board = &position.board;
    let style = match board.is_chess960() {
        true => tabiya_model::board::CastlingStyle::KingTakesRook,
        false => tabiya_model::board::CastlingStyle::KingMoves,
    };
    board.write_uci(m, style, &mut text);
    String::from_utf8_lossy(&text).into_owned()
}

/// A move of a repertoire for programs.
fn move_answer(
    position: &RepertoirePosition,
    m: &RepertoireMove,
    score: Option<&MoveScore>,
    color: Color,
    transposes: bool,
) -> RepertoireMoveAnswer {
    let RepertoireMarks {
        bad,
        good,
        only,
        skip,
        share,
        evaluation,
    } = m.marks;
    let marks = [(bad, "bad"), (good, "good"), (only, "only"), (skip, "skip")];
    RepertoireMoveAnswer {
        san: position.san(m.step),
        uci: uci(position, m.step),
        games: score.map(|score| score.games),
        score: score.and_then(|score| score_of(score, color)),
        evaluation,
        marks: marks
            .into_iter()
            .filter(|(is_so, _)| *is_so)
            .map(|(_, name)| name)
            .collect(),
        share,
        transposes,
    }
}
