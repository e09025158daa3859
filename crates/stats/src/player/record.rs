//! The record of a player's games.

use std::collections::BTreeMap;

use shakmaty::Color;
use tabiya_answers::{PlayerGameAnswer, RatingPeriodAnswer, SideAnswer, StreakAnswer};
use tabiya_model::date::Date;
use tabiya_model::eco::EcoCode;
use tabiya_model::outcome::Outcome;
use tabiya_model::time_class::TimeClass;

use super::PlayerGame;
use super::streaks::{self, PlayerStreak};
use crate::openings;
use crate::ratings;
use crate::score::{ResultCounts, ScoreScale};
use crate::statistic::RowOrder;
use crate::table::{StatsRow, StatsTable};

/// A rating, and the first date of a game with it.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct RatingPeriod {
    /// The date of the first game.
    pub date: Date,
    /// The Elo.
    pub elo: u16,
    /// How many games in a row have it.
    pub games: usize,
}

/// The record of a player's games.
#[derive(Clone, Debug)]
pub struct PlayerRecord {
    /// All games.
    pub score: ResultCounts,
    /// The scores by name, colour, year, opponent, event, opening and so on; wins are the player's.
    pub tables: Vec<StatsTable>,
    /// The history of the rating, in order of time.
    pub ratings: Vec<RatingPeriod>,
    /// Wins against the strongest opponents, these first.
    pub best: Vec<PlayerGame>,
    /// Losses against the weakest opponents, these first.
    pub worst: Vec<PlayerGame>,
    /// The longest streaks.
    pub streaks: Vec<PlayerStreak>,
}

/// What orders games as they were played.
fn when(game: &PlayerGame) -> (Date, Vec<u32>, usize, u64) {
    let round = game.round.split('.');
    let round = round.map(|part| part.trim().parse().unwrap_or(u32::MAX));
    (game.date, round.collect(), game.base, game.number)
}

impl PlayerRecord {
    /// The record of games, with lists of names and games no longer than `most`.
    pub fn new(games: Vec<PlayerGame>, most: usize) -> PlayerRecord {
        PlayerRecord::of(games, most).0
    }

    /// The same with the scores by speed and month, of games whose speeds were read.
    pub fn with_speeds_and_months(games: Vec<PlayerGame>, most: usize) -> PlayerRecord {
        let (mut record, games) = PlayerRecord::of(games, most);
        record.add_speeds_and_months(&games);
        record
    }

    /// The record, and its games in the order of time.
    fn of(mut games: Vec<PlayerGame>, most: usize) -> (PlayerRecord, Vec<PlayerGame>) {
        games.sort_by_cached_key(when);
        let mut score = ResultCounts::default();
        games.iter().for_each(|game| score.count(game.outcome));
        let record = PlayerRecord {
            score,
            tables: tables(&games, most),
            ratings: history(&games),
            best: remarkable(&games, Outcome::WhiteWins, most),
            worst: remarkable(&games, Outcome::BlackWins, most),
            streaks: streaks::longest(&games),
        };
        (record, games)
    }

    /// Adds the scores by speed and month, of games whose speed was read.
    fn add_speeds_and_months(&mut self, games: &[PlayerGame]) {
        let own = |name, title, rows: Vec<_>| {
            StatsTable::titled(name, title, true, rows.into(), RowOrder::Own, None)
        };
        let speeds = TimeClass::ALL.map(Some).into_iter().chain([None]);
        let speeds = speeds.filter_map(|speed| {
            let mut score = ResultCounts::default();
            let of_speed = games.iter().filter(|game| game.speed == speed);
            of_speed.for_each(|game| score.count(game.outcome));
            let name = speed.map_or("", TimeClass::name);
            (score.games() > 0).then(|| StatsRow::new(name, score))
        });
        let months = labelled(games, |game| match (game.date.year, game.date.month) {
            (Some(year), Some(month)) => format!("{year:04}.{month:02}"),
            _ => String::new(),
        });
        self.tables.push(own("speeds", "Speeds", speeds.collect()));
        self.tables.push(own("months", "Months", months));
    }

    /// The history of the rating, for programs.
    pub fn ratings_answer(&self) -> Vec<RatingPeriodAnswer> {
        let rated = self.ratings.iter().map(|rated| RatingPeriodAnswer {
            date: rated.date.to_string(),
            elo: rated.elo,
            games: rated.games as u64,
        });
        rated.collect()
    }

    /// The longest streaks, for programs.
    pub fn streaks_answer(&self) -> Vec<StreakAnswer> {
        let streaks = self.streaks.iter().map(|series| StreakAnswer {
            name: series.streak.name(),
            games: series.games as u64,
            first: series.first.answer(),
            last: series.last.answer(),
        });
        streaks.collect()
    }
}

impl PlayerGame {
    /// The game for programs.
    pub fn answer(&self) -> PlayerGameAnswer {
        PlayerGameAnswer {
            base: self.base as u64,
            number: self.number,
            date: self.date.to_string(),
            event: self.event.to_string(),
            round: self.round.to_string(),
            color: self.color.fold_wb(SideAnswer::White, SideAnswer::Black),
            opponent: self.opponent.to_string(),
            elo: (self.elo > 0).then_some(self.elo),
            opponent_elo: (self.opponent_elo > 0).then_some(self.opponent_elo),
            eco: self.eco.map(|eco| eco.to_string()),
        }
    }
}

fn tables(games: &[PlayerGame], most: usize) -> Vec<StatsTable> {
    let own = |name, title, rows: Vec<_>, order| {
        StatsTable::titled(name, title, true, rows.into(), order, Some(most))
    };
    let color = |game: &PlayerGame| match game.color {
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
        openings::tree(&scale(side, |game| game.eco.map(EcoCode::index)))
    };
    vec![
        own("names", "Names", names, RowOrder::Most),
        own("colors", "Colours", colors, RowOrder::Own),
        own("years", "Years", years, RowOrder::Own),
        own(
            "ratings",
            "Opponents' ratings",
            ratings::bands(&bands),
            RowOrder::Own,
        ),
        own("opponents", "Opponents", opponents, RowOrder::Most),
        own("events", "Events", events, RowOrder::Most),
        own(
            "openings-white",
            "Openings as White",
            openings_as(Color::White),
            RowOrder::Own,
        ),
        own(
            "openings-black",
            "Openings as Black",
            openings_as(Color::Black),
            RowOrder::Own,
        ),
    ]
}

/// A row for each label, in their order.
fn labelled(games: &[PlayerGame], label: impl Fn(&PlayerGame) -> String) -> Vec<StatsRow> {
    let mut scores: BTreeMap<String, ResultCounts> = BTreeMap::new();
    for game in games {
        scores.entry(label(game)).or_default().count(game.outcome);
    }
    let rows = scores.into_iter();
    rows.map(|(label, score)| StatsRow::new(label, score))
        .collect()
}

fn scale<'g>(
    games: impl IntoIterator<Item = &'g PlayerGame>,
    place: impl Fn(&PlayerGame) -> Option<u16>,
) -> ScoreScale {
    let mut scale = ScoreScale::default();
    for game in games {
        scale.count(place(game), game.outcome);
    }
    scale
}

/// The ratings of games in their order, as far as year and month are known.
fn history(games: &[PlayerGame]) -> Vec<RatingPeriod> {
    let mut history: Vec<RatingPeriod> = Vec::new();
    for game in games {
        if game.elo == 0 || game.date.month.is_none() {
            continue;
        }
        match history.last_mut() {
            Some(last) if last.elo == game.elo => last.games += 1,
            _ => history.push(RatingPeriod {
                date: game.date,
                elo: game.elo,
                games: 1,
            }),
        }
    }
    history
}

/// The wins against the strongest opponents, or the losses against the weakest, the earlier first of those as strong.
fn remarkable(games: &[PlayerGame], outcome: Outcome, most: usize) -> Vec<PlayerGame> {
    let chosen = games.iter();
    let mut chosen: Vec<&PlayerGame> = chosen
        .filter(|game| game.outcome == outcome && game.opponent_elo > 0)
        .collect();
    chosen.sort_by(|one, two| match outcome {
        Outcome::WhiteWins => two.opponent_elo.cmp(&one.opponent_elo),
        _ => one.opponent_elo.cmp(&two.opponent_elo),
    });
    chosen.into_iter().take(most).cloned().collect()
}
