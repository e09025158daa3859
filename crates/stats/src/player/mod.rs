//! One player: the games, and their record.

mod record;
mod streaks;

use shakmaty::Color;
use tabiya_model::Result;
use tabiya_model::collect::{CollectorNeeds, GameView, NameField, NameRef, Statistic};
use tabiya_model::date::Date;
use tabiya_model::eco::EcoCode;
use tabiya_model::facts::{FactFields, FactSource, NameTable};
use tabiya_model::outcome::Outcome;
use tabiya_model::time_class::{self, TimeClass};

use crate::openings;
use crate::score::seen_by;
use crate::statistic::tags;

pub use record::{PlayerRecord, RatingPeriod};
pub use streaks::{PlayerStreak, StreakKind};

/// A game of a player, seen from the player's side.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlayerGame {
    /// The index of its base among those that were read.
    pub base: usize,
    /// Its number there; for games from a list, its place in the list, from 1.
    pub number: u64,
    /// The player's side.
    pub color: Color,
    /// The player's name, as in the game.
    pub name: Box<str>,
    /// The opponent's name.
    pub opponent: Box<str>,
    /// The event.
    pub event: Box<str>,
    /// The round.
    pub round: Box<str>,
    /// The date.
    pub date: Date,
    /// The player's Elo; 0 for none.
    pub elo: u16,
    /// The opponent's Elo; 0 for none.
    pub opponent_elo: u16,
    /// The result; a win is the player's (and written as White's).
    pub outcome: Outcome,
    /// The opening.
    pub eco: Option<EcoCode>,
    /// How fast it was played; unknown if the collector does not read it.
    pub speed: Option<TimeClass>,
}

/// Whether a name is that of a player.
pub type NamePredicate<'t> = &'t (dyn Fn(&str) -> bool + Sync);

/// Finds the games of a player. A game with the name on both sides counts for each of them.
pub struct PlayerCollector<'t> {
    base: usize,
    is_player: NamePredicate<'t>,
    is_opponent: Option<NamePredicate<'t>>,
    /// What is known of the names that have a number.
    known: Vec<bool>,
    reads_speeds: bool,
}

impl<'t> PlayerCollector<'t> {
    /// Finds a player in the base with this index, whose facts have the names; in all games, or in those against another
    /// player.
    pub fn new(
        base: usize,
        facts: Option<&dyn FactSource>,
        is_player: NamePredicate<'t>,
        is_opponent: Option<NamePredicate<'t>>,
    ) -> PlayerCollector<'t> {
        let known = facts.map_or_else(Vec::new, |facts| {
            (0..facts.names(NameTable::Players))
                .map(|number| is_player(&facts.name(NameTable::Players, number)))
                .collect()
        });
        PlayerCollector {
            base,
            is_player,
            is_opponent,
            known,
            reads_speeds: false,
        }
    }

    /// Reads also how fast the games were played, which no index has.
    #[must_use]
    pub fn with_speeds(self) -> PlayerCollector<'t> {
        PlayerCollector {
            reads_speeds: true,
            ..self
        }
    }

    fn is_side(&self, game: &mut GameView<'_>, color: Color) -> Result<bool> {
        Ok(match game.name(NameField::player(color))? {
            NameRef::Number(number) => usize::try_from(number)
                .ok()
                .and_then(|number| self.known.get(number))
                .copied()
                .unwrap_or(false),
            NameRef::Text(text) => (self.is_player)(&text),
        })
    }

    fn played(&self, game: &mut GameView<'_>, color: Color) -> Result<Option<PlayerGame>> {
        let opponent: Box<str> = game.player(color.other())?.into();
        if self.is_opponent.is_some_and(|test| !test(&opponent)) {
            return Ok(None);
        }
        let name = game.player(color)?.into();
        let event = game.event()?.into();
        let round = game.round()?.into();
        let eco = openings::code_of(game)?;
        let speed = match self.reads_speeds {
            true => TimeClass::of_game(&game.game(tags(&time_class::TAGS))?.tags),
            false => None,
        };
        let place = game.place();
        let fact = game.fact()?;
        let [white, black] = fact.elos;
        let (elo, opponent_elo) = match color {
            Color::White => (white, black),
            Color::Black => (black, white),
        };
        Ok(Some(PlayerGame {
            base: self.base,
            number: place,
            color,
            name,
            opponent,
            event,
            round,
            date: fact.date,
            elo,
            opponent_elo,
            outcome: seen_by(color, fact.outcome),
            eco,
            speed,
        }))
    }
}

impl Statistic for PlayerCollector<'_> {
    type Sum = Vec<PlayerGame>;

    fn needs(&self) -> CollectorNeeds {
        let needs = CollectorNeeds::facts(
            FactFields::WHITE
                .union(FactFields::BLACK)
                .union(FactFields::EVENT)
                .union(FactFields::ROUND)
                .union(FactFields::DATE)
                .union(FactFields::ELOS)
                .union(FactFields::OUTCOME),
        )
        .union(openings::needs());
        match self.reads_speeds {
            true => needs.perhaps(tags(&time_class::TAGS)),
            false => needs,
        }
    }

    fn see(&self, sum: &mut Self::Sum, game: &mut GameView<'_>) -> Result<()> {
        for color in Color::ALL {
            if self.is_side(game, color)?
                && let Some(played) = self.played(game, color)?
            {
                sum.push(played);
            }
        }
        Ok(())
    }

    fn add(&self, sum: &mut Self::Sum, part: Self::Sum, first: u64) {
        sum.extend(part.into_iter().map(|played| PlayerGame {
            number: first + played.number,
            ..played
        }));
    }
}
