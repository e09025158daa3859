//! What the games of a player come to.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use shakmaty::Color;
use tabiya_model::date::Date;
use tabiya_model::eco::Eco;
use tabiya_model::outcome::Outcome;

use super::Played;
use super::series::{self, Series};
use crate::kind::Order;
use crate::openings;
use crate::ratings;
use crate::score::{Scale, Score};
use crate::table::{Row, Table};

/// A rating, and from when on the games say it.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Rated {
    /// The date of the first game.
    pub date: Date,
    /// The Elo.
    pub elo: u16,
    /// How many games in a row say it.
    pub games: usize,
}

/// What the games of a player come to.
#[derive(Clone, Debug)]
pub struct Record {
    /// All games.
    pub score: Score,
    /// The scores by name, colour, year, opponent, event, opening and so on; wins are the player's.
    pub tables: Vec<Table>,
    /// How the rating went, in order of time.
    pub ratings: Vec<Rated>,
    /// Wins against the strongest, these first.
    pub best: Vec<Played>,
    /// Losses against the weakest, these first.
    pub worst: Vec<Played>,
    /// The longest series.
    pub series: Vec<Series>,
}

/// What orders games as they were played.
fn when(game: &Played) -> (Date, Vec<u32>, usize, u64) {
    let round = game.round.split('.');
    let round = round.map(|part| part.trim().parse().unwrap_or(u32::MAX));
    (game.date, round.collect(), game.base, game.number)
}

impl Record {
    /// The record of games, with lists of names and games no longer than `most`.
    pub fn new(mut games: Vec<Played>, most: usize) -> Record {
        games.sort_by_cached_key(when);
        let mut score = Score::default();
        games.iter().for_each(|game| score.count(game.outcome));
        Record {
            score,
            tables: tables(&games, most),
            ratings: history(&games),
            best: remarkable(&games, Outcome::WhiteWins, most),
            worst: remarkable(&games, Outcome::BlackWins, most),
            series: series::longest(&games),
        }
    }

    /// The record for programs.
    pub fn json(&self) -> Value {
        let tables: Vec<Value> = self.tables.iter().map(Table::json).collect();
        let ratings: Vec<Value> = self
            .ratings
            .iter()
            .map(|rated| {
                json!({"date": rated.date.to_string(), "elo": rated.elo, "games": rated.games})
            })
            .collect();
        let list = |games: &[Played]| games.iter().map(game_json).collect::<Vec<_>>();
        let series: Vec<Value> = self
            .series
            .iter()
            .map(|series| {
                json!({
                    "name": series.streak.name(),
                    "games": series.games,
                    "first": game_json(&series.first),
                    "last": game_json(&series.last),
                })
            })
            .collect();
        json!({
            "games": self.score.games(),
            "wins": self.score.wins,
            "draws": self.score.draws,
            "losses": self.score.losses,
            "other": self.score.other,
            "statistics": tables,
            "ratings": ratings,
            "best_wins": list(&self.best),
            "worst_losses": list(&self.worst),
            "series": series,
        })
    }
}

fn game_json(game: &Played) -> Value {
    json!({
        "base": game.base,
        "number": game.number,
        "date": game.date.to_string(),
        "event": game.event,
        "round": game.round,
        "color": if game.color == Color::White { "white" } else { "black" },
        "opponent": game.opponent,
        "elo": (game.elo > 0).then_some(game.elo),
        "opponent_elo": (game.opponent_elo > 0).then_some(game.opponent_elo),
        "eco": game.eco.map(|eco| eco.to_string()),
    })
}

fn tables(games: &[Played], most: usize) -> Vec<Table> {
    let own = |name, title, rows: Vec<_>, order| {
        Table::titled(name, title, true, rows.into(), order, Some(most))
    };
    let color = |game: &Played| match game.color {
        Color::White => "White".to_owned(),
        Color::Black => "Black".to_owned(),
    };
    let mut colors = labelled(games, color);
    colors.reverse();
    let opponents = labelled(games, |game| game.opponent.to_string());
    let events = labelled(games, |game| game.event.to_string());
    let names = labelled(games, |game| game.name.to_string());
    let years = labelled(games, |game| {
        let year = game.date.year;
        year.map_or_else(String::new, |year| format!("{year:04}"))
    });
    let bands = scale(games, |game| {
        (game.opponent_elo > 0).then_some(game.opponent_elo / ratings::BAND)
    });
    let openings_as = |color| {
        let side = games.iter().filter(|game| game.color == color);
        openings::tree(&scale(side, |game| game.eco.map(Eco::index)))
    };
    vec![
        own("names", "Names", names, Order::Most),
        own("colors", "Colours", colors, Order::Own),
        own("years", "Years", years, Order::Own),
        own(
            "ratings",
            "Opponents' ratings",
            ratings::bands(&bands),
            Order::Own,
        ),
        own("opponents", "Opponents", opponents, Order::Most),
        own("events", "Events", events, Order::Most),
        own(
            "openings-white",
            "Openings as White",
            openings_as(Color::White),
            Order::Own,
        ),
        own(
            "openings-black",
            "Openings as Black",
            openings_as(Color::Black),
            Order::Own,
        ),
    ]
}

/// A row for each label, in their order.
fn labelled(games: &[Played], label: impl Fn(&Played) -> String) -> Vec<Row> {
    let mut scores: BTreeMap<String, Score> = BTreeMap::new();
    for game in games {
        scores.entry(label(game)).or_default().count(game.outcome);
    }
    let rows = scores.into_iter();
    rows.map(|(label, score)| Row::new(label, score)).collect()
}

fn scale<'g>(
    games: impl IntoIterator<Item = &'g Played>,
    place: impl Fn(&Played) -> Option<u16>,
) -> Scale {
    let mut scale = Scale::default();
    for game in games {
        scale.count(place(game), game.outcome);
    }
    scale
}

/// The ratings of games in their order, as far as year and month are known.
fn history(games: &[Played]) -> Vec<Rated> {
    let mut history: Vec<Rated> = Vec::new();
    for game in games {
        if game.elo == 0 || game.date.month.is_none() {
            continue;
        }
        match history.last_mut() {
            Some(last) if last.elo == game.elo => last.games += 1,
            _ => history.push(Rated {
                date: game.date,
                elo: game.elo,
                games: 1,
            }),
        }
    }
    history
}

/// The wins against the strongest opponents, or the losses against the weakest, the earlier first of those as strong.
fn remarkable(games: &[Played], outcome: Outcome, most: usize) -> Vec<Played> {
    let chosen = games.iter();
    let mut chosen: Vec<&Played> = chosen
        .filter(|game| game.outcome == outcome && game.opponent_elo > 0)
        .collect();
    chosen.sort_by(|one, two| match outcome {
        Outcome::WhiteWins => two.opponent_elo.cmp(&one.opponent_elo),
        _ => one.opponent_elo.cmp(&two.opponent_elo),
    });
    chosen.into_iter().take(most).cloned().collect()
}
