//! How fast a game was played: the speeds of Lichess, for the whole program.

use crate::tags::Tags;
use crate::time_control::{TimeControl, TimeControlStage};

/// The tags about the speed of a game.
pub const TAGS: [&str; 3] = ["TimeControl", "Mode", "Event"];

/// The number of a player's moves whose time counts.
const MOVES: u64 = 40;
/// From this number of seconds per move on, a game is a correspondence game.
const DAY: u64 = 86_400;

/// The speed of a game, by a player's time for the first forty moves.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum TimeClass {
    /// Less than three minutes.
    Bullet,
    /// Less than eight minutes.
    Blitz,
    /// Less than twenty-five minutes.
    Rapid,
    /// More.
    Classical,
    /// Days per move, by the time control, the mode or the event.
    Correspondence,
}

impl TimeClass {
    /// All of them, the fastest first.
    pub const ALL: [TimeClass; 5] = [
        TimeClass::Bullet,
        TimeClass::Blitz,
        TimeClass::Rapid,
        TimeClass::Classical,
        TimeClass::Correspondence,
    ];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            TimeClass::Bullet => "bullet",
            TimeClass::Blitz => "blitz",
            TimeClass::Rapid => "rapid",
            TimeClass::Classical => "classical",
            TimeClass::Correspondence => "correspondence",
        }
    }

    /// The speed of a name, in any case.
    #[must_use]
    pub fn by_name(name: &str) -> Option<TimeClass> {
        let mut all = TimeClass::ALL.into_iter();
        all.find(|speed| speed.name().eq_ignore_ascii_case(name))
    }

    /// The speed of a time control; `None` if it is unknown.
    #[must_use]
    pub fn of_time_control(control: &TimeControl) -> Option<TimeClass> {
        let stage = control.stages().first()?;
        if takes_days(stage) {
            return Some(TimeClass::Correspondence);
        }
        let seconds = match *stage {
            TimeControlStage::Unknown | TimeControlStage::Unlimited => return None,
            TimeControlStage::SuddenDeath { time } => time.as_secs(),
            TimeControlStage::Sandclock { time } => time.as_secs() / 2,
            TimeControlStage::Increment { time, increment } => time
                .as_secs()
                .saturating_add(increment.as_secs().saturating_mul(MOVES)),
            TimeControlStage::Moves {
                moves,
                time,
                increment,
            } => {
                // The time for `moves` moves, scaled to forty moves.
                let share = time.as_secs().saturating_mul(MOVES) / u64::from(moves.max(1));
                share.saturating_add(increment.as_secs().saturating_mul(MOVES))
            }
        };
        Some(match seconds {
            0..180 => TimeClass::Bullet,
            180..480 => TimeClass::Blitz,
            480..1500 => TimeClass::Rapid,
            _ => TimeClass::Classical,
        })
    }

    /// The speed of a game by its [`TAGS`]; `None` if it is unknown.
    #[must_use]
    pub fn of_game(tags: &Tags) -> Option<TimeClass> {
        let by_letters = is_correspondence_mode(tags.value("Mode"))
            || is_correspondence_event(tags.value("Event"));
        if by_letters {
            return Some(TimeClass::Correspondence);
        }
        TimeClass::of_time_control(&TimeControl::parse(tags.value("TimeControl"))?)
    }
}

/// Whether the mode of a game says that it is a correspondence game.
#[must_use]
pub fn is_correspondence_mode(mode: &str) -> bool {
    let mut known = ["PM", "EM"].iter();
    known.any(|known| mode.trim().eq_ignore_ascii_case(known))
}

/// Whether the name of an event says that its games are correspondence games.
#[must_use]
pub fn is_correspondence_event(event: &str) -> bool {
    has_word(event, b"correspondence")
}

fn takes_days(stage: &TimeControlStage) -> bool {
    match stage {
        TimeControlStage::Moves { moves, time, .. } => {
            time.as_secs() >= DAY.saturating_mul(u64::from((*moves).max(1)))
        }
        TimeControlStage::Increment { increment, .. } => increment.as_secs() >= DAY,
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
            ("60+1", Some(TimeClass::Bullet)),
            ("179", Some(TimeClass::Bullet)),
            ("180", Some(TimeClass::Blitz)),
            ("180+2", Some(TimeClass::Blitz)),
            ("300+5", Some(TimeClass::Rapid)),
            ("600", Some(TimeClass::Rapid)),
            ("900+15", Some(TimeClass::Classical)),
            ("1499", Some(TimeClass::Rapid)),
            ("1500", Some(TimeClass::Classical)),
            ("40/7200:3600", Some(TimeClass::Classical)),
            ("86400", Some(TimeClass::Classical)),
            ("*300", Some(TimeClass::Bullet)),
            ("1/86400", Some(TimeClass::Correspondence)),
            ("10/864000", Some(TimeClass::Correspondence)),
            ("0+86400", Some(TimeClass::Correspondence)),
        ] {
            let control = TimeControl::parse(text).expect("a time control");
            assert_eq!(TimeClass::of_time_control(&control), speed, "{text}");
        }
    }

    #[test]
    fn mode_and_event_tell_of_letters() {
        for (name, value, speed) in [
            ("Mode", "em", Some(TimeClass::Correspondence)),
            ("Mode", "OTB", None),
            (
                "Event",
                "Rated Correspondence game",
                Some(TimeClass::Correspondence),
            ),
            ("TimeControl", "60+0", Some(TimeClass::Bullet)),
            ("TimeControl", "soon", None),
        ] {
            let mut tags = Tags::default();
            tags.set(name, value);
            assert_eq!(TimeClass::of_game(&tags), speed, "{name} {value}");
        }
    }

    #[test]
    fn names_go_both_ways() {
        for speed in TimeClass::ALL {
            assert_eq!(
                TimeClass::by_name(&speed.name().to_uppercase()),
                Some(speed)
            );
        }
        assert_eq!(TimeClass::by_name("quick"), None);
    }
}
