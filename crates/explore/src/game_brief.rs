//! The data of a game for statistics, in eight bytes.

use tabiya_model::Game;
use tabiya_model::date::Date;
use tabiya_model::facts::{FactFields, GameFacts};
use tabiya_model::outcome::Outcome;

/// Ratings, date and result of a game.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct GameBrief {
    /// White's rating; 0 for none.
    pub white_elo: u16,
    /// Black's rating; 0 for none.
    pub black_elo: u16,
    /// The date in 20 bits, and the result in the two bits above them.
    when: u32,
}

const DATE: u32 = (1 << 20) - 1;

impl From<&GameFacts> for GameBrief {
    fn from(fact: &GameFacts) -> GameBrief {
        let [white_elo, black_elo] = fact.elos;
        // An invalid date (month 14) counts as unknown here.
        let date = fact.date.to_scid().unwrap_or(0);
        GameBrief {
            white_elo,
            black_elo,
            when: date & DATE | u32::from(fact.outcome.to_scid()) << 20,
        }
    }
}

impl GameBrief {
    /// The facts that it is made from.
    pub const FIELDS: FactFields = FactFields::ELOS
        .union(FactFields::DATE)
        .union(FactFields::OUTCOME);

    /// The same from a game whose tags were read.
    pub fn of_game(game: &Game) -> GameBrief {
        GameBrief::from(&GameFacts::of_tags(game, GameBrief::FIELDS, |_, _| None))
    }
}

impl GameBrief {
    /// The date as bits that sort by date, unknown parts first.
    #[must_use]
    pub fn date_bits(self) -> u32 {
        self.when & DATE
    }

    /// The date.
    #[must_use]
    pub fn date(self) -> Date {
        Date::from_scid(self.date_bits())
    }

    /// The result.
    #[must_use]
    pub fn outcome(self) -> Outcome {
        Outcome::from_scid((self.when >> 20 & 3) as u8)
    }

    /// Whether both players have a rating.
    #[must_use]
    pub fn both_rated(self) -> bool {
        self.white_elo != 0 && self.black_elo != 0
    }

    /// The sum of both ratings, which ranks top games.
    #[must_use]
    pub fn strength(self) -> u32 {
        if self.both_rated() {
            u32::from(self.white_elo) + u32::from(self.black_elo)
        } else {
            0
        }
    }

    /// All of it as one number.
    #[must_use]
    pub fn to_bits(self) -> u64 {
        u64::from(self.white_elo) | u64::from(self.black_elo) << 16 | u64::from(self.when) << 32
    }

    /// The facts of [`GameBrief::to_bits`].
    #[must_use]
    pub fn from_bits(bits: u64) -> GameBrief {
        GameBrief {
            white_elo: (bits & 0xffff) as u16,
            black_elo: (bits >> 16 & 0xffff) as u16,
            when: (bits >> 32) as u32 & (DATE | 3 << 20),
        }
    }
}
