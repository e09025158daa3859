//! One player: the games, and the record that they make.

mod record;
mod series;

use shakmaty::Color;
use tabiya_model::Result;
use tabiya_model::collect::{Name, NameOf, Needs, Seen, Statistic};
use tabiya_model::date::Date;
use tabiya_model::eco::Eco;
use tabiya_model::facts::{Facts, Fields, NameTable};
use tabiya_model::outcome::Outcome;

use crate::openings;
use crate::score::seen_by;

pub use record::{Rated, Record};
pub use series::{Series, Streak};

/// A game of a player, seen from the player's side.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Played {
    /// The place of its base among those that were looked at.
    pub base: usize,
    /// Its number there; of games from a list its place in the list, from 1.
    pub number: u64,
    /// The player's side.
    pub color: Color,
    /// The player's name, as it stands there.
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
    /// The result, a win being the player's (and spelled as White's).
    pub outcome: Outcome,
    /// The opening.
    pub eco: Option<Eco>,
}

/// Whether a name is that of a player.
pub type IsName<'t> = &'t (dyn Fn(&str) -> bool + Sync);

/// Finds the games of a player. A game whose sides both bear the name counts for each of them.
pub struct Player<'t> {
    base: usize,
    is_player: IsName<'t>,
    is_opponent: Option<IsName<'t>>,
    /// What is known of the names that have a number.
    known: Vec<bool>,
}

impl<'t> Player<'t> {
    /// Looks for a player in the base of that place, whose facts tell the names; of all games, or of those against another
    /// player.
    pub fn new(
        base: usize,
        facts: Option<&dyn Facts>,
        is_player: IsName<'t>,
        is_opponent: Option<IsName<'t>>,
    ) -> Player<'t> {
        let known = facts.map_or_else(Vec::new, |facts| {
            (0..facts.names(NameTable::Players))
                .map(|number| is_player(&facts.name(NameTable::Players, number)))
                .collect()
        });
        Player {
            base,
            is_player,
            is_opponent,
            known,
        }
    }

    fn is_side(&self, game: &mut Seen<'_>, color: Color) -> Result<bool> {
        Ok(match game.name(NameOf::player(color))? {
            Name::Number(number) => usize::try_from(number)
                .ok()
                .and_then(|number| self.known.get(number))
                .copied()
                .unwrap_or(false),
            Name::Text(text) => (self.is_player)(&text),
        })
    }

    fn played(&self, game: &mut Seen<'_>, color: Color) -> Result<Option<Played>> {
        let opponent: Box<str> = game.player(color.other())?.into();
        if self.is_opponent.is_some_and(|test| !test(&opponent)) {
            return Ok(None);
        }
        let name = game.player(color)?.into();
        let event = game.event()?.into();
        let round = game.round()?.into();
        let eco = openings::code_of(game)?;
        let place = game.place();
        let fact = game.fact()?;
        let [white, black] = fact.elos;
        let (elo, opponent_elo) = match color {
            Color::White => (white, black),
            Color::Black => (black, white),
        };
        Ok(Some(Played {
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
        }))
    }
}

impl Statistic for Player<'_> {
    type Sum = Vec<Played>;

    fn needs(&self) -> Needs {
        Needs::facts(
            Fields::WHITE
                .union(Fields::BLACK)
                .union(Fields::EVENT)
                .union(Fields::ROUND)
                .union(Fields::DATE)
                .union(Fields::ELOS)
                .union(Fields::OUTCOME)
                .union(Fields::ECO),
        )
    }

    fn see(&self, sum: &mut Self::Sum, game: &mut Seen<'_>) -> Result<()> {
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
        sum.extend(part.into_iter().map(|played| Played {
            number: first + played.number,
            ..played
        }));
    }
}
