//! The explorer's answer for programs, in the shape of the Lichess explorer (`docs/explorer.md`).

use shakmaty::Color;
use tabiya_answers::{
    ExplorerAnswer, ExplorerBranchAnswer, ExplorerGameAnswer, ExplorerMoveAnswer,
    ExplorerPlayerAnswer, ExplorerScoreAnswer, OpeningAnswer,
};
use tabiya_explore::move_code::MoveCode;
use tabiya_explore::tally::{MoveScore, ShownGame};
use tabiya_model::Result;
use tabiya_model::board::Board;
use tabiya_model::date::Date;
use tabiya_model::outcome::Outcome;
use tabiya_openings::Opening;

use super::{ExploreAnswer, ExploreLine, Explorer, opening_after, san_of, uci_of};

/// Which answer of the Lichess explorer the JSON resembles.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum LichessEndpoint {
    /// With top games.
    Masters,
    /// With top and recent games.
    Lichess,
    /// With recent games: for one player.
    Player,
}

/// How many moves and games are shown.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct ExploreLimits {
    /// Moves.
    pub moves: usize,
    /// Games of strong players.
    pub top: usize,
    /// Recent games.
    pub recent: usize,
}

/// The opening of a position.
pub(super) fn opening(opening: Option<Opening>) -> Option<OpeningAnswer> {
    opening.map(|opening| OpeningAnswer {
        eco: opening.eco,
        name: opening.name,
    })
}

/// A mean as a whole number.
#[allow(clippy::cast_possible_truncation)]
fn whole_number(mean: f64) -> i64 {
    mean.round() as i64
}

fn counts(score: &MoveScore) -> ExplorerScoreAnswer {
    ExplorerScoreAnswer {
        white: score.white,
        draws: score.draws,
        black: score.black,
        // Beyond Lichess: games without a result count too.
        games: score.games,
    }
}

fn date(date: Date) -> Option<String> {
    (!date.is_unknown()).then(|| date.to_string())
}

fn game(
    explorer: &Explorer,
    board: &Board,
    shown: &ShownGame,
    shape: LichessEndpoint,
) -> Result<ExplorerGameAnswer> {
    let header = explorer.header(shown)?;
    let date = shown.facts.date();
    // Clients want numbers for ratings and years; 0 stands for none.
    let player = |name: &str, elo: u16| ExplorerPlayerAnswer {
        name: name.to_owned(),
        rating: elo,
    };
    // A database does not say this; clients want one of the words that Lichess has.
    let word = |word| (shape != LichessEndpoint::Masters).then_some(word);
    Ok(ExplorerGameAnswer {
        uci: uci_of(board, shown.step),
        id: explorer.id(shown),
        winner: match shown.facts.outcome() {
            Outcome::WhiteWins => Some("white"),
            Outcome::BlackWins => Some("black"),
            Outcome::Draw | Outcome::Unknown => None,
        },
        white: player(&header.white, shown.facts.white_elo),
        black: player(&header.black, shown.facts.black_elo),
        year: date.year.unwrap_or(0),
        month: date
            .year
            .zip(date.month)
            .map(|(year, month)| format!("{year:04}-{month:02}")),
        result: shown.facts.outcome().as_pgn(),
        speed: word("classical"),
        mode: word("rated"),
    })
}

/// The whole answer.
pub fn answer(
    explorer: &Explorer,
    line: &ExploreLine,
    found: &ExploreAnswer,
    limits: &ExploreLimits,
    shape: LichessEndpoint,
) -> Result<ExplorerAnswer> {
    let (board, name, tally) = (line.board(), line.opening(), &found.tally);
    let side = board.turn();
    let mut moves = Vec::new();
    for (step, score) in tally
        .moves()
        .iter()
        .filter(|(step, _)| *step != MoveCode::END)
        .take(limits.moves)
    {
        let shown = match score.games {
            1 => explorer.single(line, *step, tally)?,
            _ => None,
        };
        let shown = shown.map(|shown| game(explorer, board, &shown, shape));
        moves.push(ExplorerMoveAnswer {
            uci: uci_of(board, *step),
            san: san_of(board, *step),
            average_rating: score.mean_elo(side).map(whole_number),
            average_opponent_rating: score.mean_elo(!side).map(whole_number),
            performance: score.performance(side).map(whole_number),
            score: counts(score),
            last_played: date(score.last_date()),
            game: shown.transpose()?,
            opening: opening(opening_after(board, *step)),
        });
    }
    let list = |shown: &[ShownGame], most: usize| -> Result<Vec<ExplorerGameAnswer>> {
        shown
            .iter()
            .take(most)
            .map(|shown| game(explorer, board, shown, shape))
            .collect()
    };
    let top = (shape != LichessEndpoint::Player).then(|| list(tally.top(), limits.top));
    let recent = (shape != LichessEndpoint::Masters).then(|| list(tally.recent(), limits.recent));
    Ok(ExplorerAnswer {
        score: counts(&tally.total()),
        moves,
        top_games: top.transpose()?,
        recent_games: recent.transpose()?,
        opening: opening(name),
        queue_position: (shape == LichessEndpoint::Player).then_some(0),
        books: None,
        turn: side.fold_wb("white", "black"),
        whole: found.ended.is_whole(),
        notes: None,
    })
}

/// A move of a tree, without the moves after it.
pub(super) fn branch(
    board: &Board,
    step: MoveCode,
    score: &MoveScore,
    side: Color,
) -> ExplorerBranchAnswer {
    ExplorerBranchAnswer {
        uci: uci_of(board, step),
        san: san_of(board, step),
        score: counts(score),
        average_rating: score.mean_elo(side).map(whole_number),
        performance: score.performance(side).map(whole_number),
        last_played: date(score.last_date()),
        opening: opening(opening_after(board, step)),
        moves: None,
        transposes: None,
    }
}
