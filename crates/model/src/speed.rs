//! How fast a game was played: the speeds of Lichess, for the whole program.

use crate::tags::Tags;
use crate::time_control::{Stage, TimeControl};

/// The tags that say how fast a game was.
pub const TAGS: [&str; 3] = ["TimeControl", "Mode", "Event"];

/// The moves of a player whose time counts.
const MOVES: u64 = 40;
/// From so many seconds for a move on, games are played by letters.
const DAY: u64 = 86_400;

/// The speed of a game, by the time that a player has for the first forty moves.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Speed {
    /// Less than three minutes.
    Bullet,
    /// Less than eight minutes.
    Blitz,
    /// Less than twenty-five minutes.
    Rapid,
    /// More.
    Classical,
    /// Days for a move, by the time control, the mode or the event.
    Correspondence,
}

impl Speed {
    /// All of them, the fastest first.
    pub const ALL: [Speed; 5] = [
        Speed::Bullet,
        Speed::Blitz,
        Speed::Rapid,
        Speed::Classical,
        Speed::Correspondence,
    ];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Speed::Bullet => "bullet",
            Speed::Blitz => "blitz",
            Speed::Rapid => "rapid",
            Speed::Classical => "classical",
            Speed::Correspondence => "correspondence",
        }
    }

    /// The speed of a name, in any case.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Speed> {
        let mut all = Speed::ALL.into_iter();
        all.find(|speed| speed.name().eq_ignore_ascii_case(name))
    }

    /// The speed of a time control; nothing where it says none.
    #[must_use]
    pub fn of_time_control(control: &TimeControl) -> Option<Speed> {
        let stage = control.stages().first()?;
        if takes_days(stage) {
            return Some(Speed::Correspondence);
        }
        let seconds = match *stage {
            Stage::Unknown | Stage::Unlimited => return None,
            Stage::SuddenDeath { time } => time.as_secs(),
            Stage::Sandclock { time } => time.as_secs() / 2,
            Stage::Increment { time, increment } => time
                .as_secs()
                .saturating_add(increment.as_secs().saturating_mul(MOVES)),
            Stage::Moves {
                moves,
                time,
                increment,
            } => {
                // What is given for so many moves, on forty of them.
                let share = time.as_secs().saturating_mul(MOVES) / u64::from(moves.max(1));
                share.saturating_add(increment.as_secs().saturating_mul(MOVES))
            }
        };
        Some(match seconds {
            0..180 => Speed::Bullet,
            180..480 => Speed::Blitz,
            480..1500 => Speed::Rapid,
            _ => Speed::Classical,
        })
    }

    /// The speed of a game by its [`TAGS`]; nothing where they do not say it.
    #[must_use]
    pub fn of_game(tags: &Tags) -> Option<Speed> {
        let mode = tags.value("Mode").trim();
        let by_letters = ["PM", "EM"]
            .iter()
            .any(|known| mode.eq_ignore_ascii_case(known))
            || has_word(tags.value("Event"), b"correspondence");
        if by_letters {
            return Some(Speed::Correspondence);
        }
        Speed::of_time_control(&TimeControl::parse(tags.value("TimeControl"))?)
    }
}

fn takes_days(stage: &Stage) -> bool {
    match stage {
        Stage::Moves { moves, time, .. } => {
            time.as_secs() >= DAY.saturating_mul(u64::from((*moves).max(1)))
        }
        Stage::Increment { increment, .. } => increment.as_secs() >= DAY,
        _ => false,
    }
}

/// Whether a text contains a word of ASCII letters, in any case.
fn has_word(text: &str, word: &[u8]) -> bool {
    let mut places = text.as_bytes().windows(word.len());
    places.any(|place| place.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeds_are_those_of_lichess() {
        for (text, speed) in [
            ("?", None),
            ("-", None),
            ("60+1", Some(Speed::Bullet)),
            ("179", Some(Speed::Bullet)),
            ("180", Some(Speed::Blitz)),
            ("180+2", Some(Speed::Blitz)),
            ("300+5", Some(Speed::Rapid)),
            ("600", Some(Speed::Rapid)),
            ("900+15", Some(Speed::Classical)),
            ("1499", Some(Speed::Rapid)),
            ("1500", Some(Speed::Classical)),
            ("40/7200:3600", Some(Speed::Classical)),
            ("86400", Some(Speed::Classical)),
            ("*300", Some(Speed::Bullet)),
            ("1/86400", Some(Speed::Correspondence)),
            ("10/864000", Some(Speed::Correspondence)),
            ("0+86400", Some(Speed::Correspondence)),
        ] {
            let control = TimeControl::parse(text).expect("a time control");
            assert_eq!(Speed::of_time_control(&control), speed, "{text}");
        }
    }

    #[test]
    fn mode_and_event_tell_of_letters() {
        for (name, value, speed) in [
            ("Mode", "em", Some(Speed::Correspondence)),
            ("Mode", "OTB", None),
            (
                "Event",
                "Rated Correspondence game",
                Some(Speed::Correspondence),
            ),
            ("TimeControl", "60+0", Some(Speed::Bullet)),
            ("TimeControl", "soon", None),
        ] {
            let mut tags = Tags::default();
            tags.set(name, value);
            assert_eq!(Speed::of_game(&tags), speed, "{name} {value}");
        }
    }

    #[test]
    fn names_go_both_ways() {
        for speed in Speed::ALL {
            assert_eq!(Speed::by_name(&speed.name().to_uppercase()), Some(speed));
        }
        assert_eq!(Speed::by_name("quick"), None);
    }
}
