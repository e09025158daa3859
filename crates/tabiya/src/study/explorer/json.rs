//! The explorer's answer in the shape of the Lichess explorer (`docs/explorer.md`).

use serde_json::{Map, Value, json};
use shakmaty::Color;
use tabiya_explore::move_code::MoveCode;
use tabiya_explore::tally::{MoveScore, ShownGame};
use tabiya_model::Result;
use tabiya_model::board::Board;
use tabiya_model::date::Date;
use tabiya_model::outcome::Outcome;
use tabiya_openings::Opening;

use super::{ExploreAnswer, ExploreLine, Explorer, opening_after, san_of, uci_of};

/// Which of the Lichess explorer's answers JSON looks like.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum LichessEndpoint {
    /// With top games.
    Masters,
    /// With top and recent games.
    Lichess,
    /// With recent games: for one player.
    Player,
}

/// How much is shown.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct ExploreLimits {
    /// Moves.
    pub moves: usize,
    /// Games of strong players.
    pub top: usize,
    /// Latest games.
    pub recent: usize,
}

fn opening(opening: Option<Opening>) -> Value {
    opening.map_or(
        Value::Null,
        |opening| json!({"eco": opening.eco, "name": opening.name}),
    )
}

/// Adds a mean as a whole number. Where there is none, Lichess leaves the field out.
fn insert_mean(map: &mut Map<String, Value>, field: &str, mean: Option<f64>) {
    if let Some(mean) = mean {
        #[allow(clippy::cast_possible_truncation)]
        map.insert(field.into(), (mean.round() as i64).into());
    }
}

fn counts(score: &MoveScore) -> Map<String, Value> {
    let mut map = Map::new();
    map.insert("white".into(), score.white.into());
    map.insert("draws".into(), score.draws.into());
    map.insert("black".into(), score.black.into());
    // Beyond Lichess: games without a result count too.
    map.insert("games".into(), score.games.into());
    map
}

fn date(date: Date) -> Value {
    if date.is_unknown() {
        Value::Null
    } else {
        Value::from(date.to_string())
    }
}

fn game(
    explorer: &Explorer,
    board: &Board,
    shown: &ShownGame,
    shape: LichessEndpoint,
) -> Result<Value> {
    let header = explorer.header(shown)?;
    let date = shown.facts.date();
    // Clients want numbers for ratings and years; 0 stands for none.
    let player = |name: &str, elo: u16| json!({"name": name, "rating": elo});
    let mut value = json!({
        "uci": uci_of(board, shown.step),
        "id": explorer.id(shown),
        "winner": match shown.facts.outcome() {
            Outcome::WhiteWins => Some("white"),
            Outcome::BlackWins => Some("black"),
            Outcome::Draw | Outcome::Unknown => None,
        },
        "white": player(&header.white, shown.facts.white_elo),
        "black": player(&header.black, shown.facts.black_elo),
        "year": date.year.unwrap_or(0),
        "month": date.year.zip(date.month).map(|(year, month)| format!("{year:04}-{month:02}")),
        "result": shown.facts.outcome().as_pgn(),
    });
    if shape != LichessEndpoint::Masters
        && let Some(map) = value.as_object_mut()
    {
        // A database does not say this; clients want one of the words that Lichess has.
        map.insert("speed".into(), "classical".into());
        map.insert("mode".into(), "rated".into());
    }
    Ok(value)
}

/// The whole answer.
pub fn answer(
    explorer: &Explorer,
    line: &ExploreLine,
    found: &ExploreAnswer,
    limits: &ExploreLimits,
    shape: LichessEndpoint,
) -> Result<Value> {
    let (board, name, tally) = (line.board(), line.opening(), &found.tally);
    let mut map = counts(&tally.total());
    let side = board.turn();
    let mut moves = Vec::new();
    for (step, score) in tally
        .moves()
        .iter()
        .filter(|(step, _)| *step != MoveCode::END)
        .take(limits.moves)
    {
        let mut entry = Map::new();
        entry.insert("uci".into(), uci_of(board, *step).into());
        entry.insert("san".into(), san_of(board, *step).into());
        insert_mean(&mut entry, "averageRating", score.mean_elo(side));
        insert_mean(&mut entry, "averageOpponentRating", score.mean_elo(!side));
        insert_mean(&mut entry, "performance", score.performance(side));
        entry.append(&mut counts(score));
        entry.insert("lastPlayed".into(), date(score.last_date()));
        let shown = match score.games {
            1 => explorer.single(line, *step, tally)?,
            _ => None,
        };
        entry.insert(
            "game".into(),
            shown
                .map(|shown| game(explorer, board, &shown, shape))
                .transpose()?
                .unwrap_or(Value::Null),
        );
        entry.insert("opening".into(), opening(opening_after(board, *step)));
        moves.push(Value::Object(entry));
    }
    map.insert("moves".into(), moves.into());
    let list = |shown: &[ShownGame], most: usize| -> Result<Value> {
        let games: Result<Vec<Value>> = shown
            .iter()
            .take(most)
            .map(|shown| game(explorer, board, shown, shape))
            .collect();
        Ok(games?.into())
    };
    if shape != LichessEndpoint::Player {
        map.insert("topGames".into(), list(tally.top(), limits.top)?);
    }
    if shape != LichessEndpoint::Masters {
        map.insert("recentGames".into(), list(tally.recent(), limits.recent)?);
    }
    map.insert("opening".into(), opening(name));
    if shape == LichessEndpoint::Player {
        map.insert("queuePosition".into(), 0.into());
    }
    map.insert("turn".into(), side.fold_wb("white", "black").into());
    // Beyond Lichess: whether everything was looked at.
    map.insert("whole".into(), found.ended.is_whole().into());
    Ok(Value::Object(map))
}

/// One position of a tree.
pub(super) fn node(
    board: &Board,
    step: Option<(MoveCode, &MoveScore)>,
    side: Color,
) -> Map<String, Value> {
    let mut map = Map::new();
    if let Some((step, score)) = step {
        map.insert("uci".into(), uci_of(board, step).into());
        map.insert("san".into(), san_of(board, step).into());
        map.append(&mut counts(score));
        insert_mean(&mut map, "averageRating", score.mean_elo(side));
        insert_mean(&mut map, "performance", score.performance(side));
        map.insert("lastPlayed".into(), date(score.last_date()));
        map.insert("opening".into(), opening(opening_after(board, step)));
    }
    map
}
