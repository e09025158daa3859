//! Time controls: `40/7200:3600`, `300+2`, `*180`.

use std::fmt;
use std::time::Duration;

/// One stage of a time control.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TimeControlStage {
    /// `?`: not known.
    Unknown,
    /// `-`: no limit.
    Unlimited,
    /// `moves/seconds`, with an increment if a program writes one.
    Moves {
        /// The number of moves to be made.
        moves: u32,
        /// The time for them.
        time: Duration,
        /// The time added per move.
        increment: Duration,
    },
    /// `seconds` for the rest of the game.
    SuddenDeath {
        /// The time for the rest of the game.
        time: Duration,
    },
    /// `seconds+increment`.
    Increment {
        /// The time at the start.
        time: Duration,
        /// The time added per move.
        increment: Duration,
    },
    /// `*seconds`: the total of a sandclock, half of it for each player.
    Sandclock {
        /// The total time.
        time: Duration,
    },
}

/// A time control: stages in order; the last one repeats.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TimeControl {
    stages: Vec<TimeControlStage>,
}

impl TimeControl {
    /// Builds a time control of at least one stage.
    #[must_use]
    pub fn new(stages: Vec<TimeControlStage>) -> Option<Self> {
        (!stages.is_empty()).then_some(Self { stages })
    }

    /// The stages in order; there is at least one.
    #[must_use]
    pub fn stages(&self) -> &[TimeControlStage] {
        &self.stages
    }

    /// Reads the value of a `TimeControl` tag; anything unusual stays text.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let stages = text.trim().split(':').map(|field| stage(field.trim()));
        stages.collect::<Option<Vec<_>>>().and_then(Self::new)
    }

    /// Whether stages for the rest of the game are only at the end, as PGN requires.
    #[must_use]
    pub fn is_well_ordered(&self) -> bool {
        let open = |s: &TimeControlStage| {
            matches!(
                s,
                TimeControlStage::SuddenDeath { .. }
                    | TimeControlStage::Increment { .. }
                    | TimeControlStage::Sandclock { .. }
            )
        };
        self.stages
            .split_last()
            .is_some_and(|(_, before)| !before.iter().any(open))
    }
}

fn stage(field: &str) -> Option<TimeControlStage> {
    match field {
        "?" => return Some(TimeControlStage::Unknown),
        "-" => return Some(TimeControlStage::Unlimited),
        _ => {}
    }
    if let Some(total) = field.strip_prefix('*') {
        return Some(TimeControlStage::Sandclock {
            time: seconds(total)?,
        });
    }
    let (moves, times) = match field.split_once('/') {
        Some((moves, times)) if moves.bytes().all(|b| b.is_ascii_digit()) => {
            (Some(moves.parse().ok()?), times)
        }
        Some(_) => return None,
        None => (None, field),
    };
    let (time, increment) = match times.split_once('+') {
        Some((time, increment)) => (seconds(time)?, Some(seconds(increment)?)),
        None => (seconds(times)?, None),
    };
    Some(match (moves, increment) {
        (Some(moves), increment) => TimeControlStage::Moves {
            moves,
            time,
            increment: increment.unwrap_or_default(),
        },
        (None, Some(increment)) => TimeControlStage::Increment { time, increment },
        (None, None) => TimeControlStage::SuddenDeath { time },
    })
}

/// Reads seconds, with up to nine decimals as engine matches use them.
fn seconds(text: &str) -> Option<Duration> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    if !digits(whole) || !digits(fraction) || fraction.len() > 9 {
        return None;
    }
    let scale = 10u32.pow(9 - u32::try_from(fraction.len()).ok()?);
    let nanos = fraction.parse::<u32>().ok()?.checked_mul(scale)?;
    Some(Duration::new(u64::from(whole.parse::<u32>().ok()?), nanos))
}

/// Shows a duration in seconds, without superfluous decimals.
struct SecondsDisplay(Duration);

impl fmt::Display for SecondsDisplay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.as_secs())?;
        if self.0.subsec_nanos() == 0 {
            return Ok(());
        }
        let decimals = format!("{:09}", self.0.subsec_nanos());
        write!(f, ".{}", decimals.trim_end_matches('0'))
    }
}

impl fmt::Display for TimeControlStage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Unknown => f.write_str("?"),
            Self::Unlimited => f.write_str("-"),
            Self::Moves {
                moves,
                time,
                increment,
            } if increment.is_zero() => {
                write!(f, "{moves}/{}", SecondsDisplay(time))
            }
            Self::Moves {
                moves,
                time,
                increment,
            } => {
                write!(
                    f,
                    "{moves}/{}+{}",
                    SecondsDisplay(time),
                    SecondsDisplay(increment)
                )
            }
            Self::SuddenDeath { time } => SecondsDisplay(time).fmt(f),
            Self::Increment { time, increment } => {
                write!(f, "{}+{}", SecondsDisplay(time), SecondsDisplay(increment))
            }
            Self::Sandclock { time } => write!(f, "*{}", SecondsDisplay(time)),
        }
    }
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, stage) in self.stages.iter().enumerate() {
            if n > 0 {
                f.write_str(":")?;
            }
            stage.fmt(f)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn controls_go_both_ways() {
        for (text, ordered) in [
            ("?", true),
            ("-", true),
            ("40/9000", true),
            ("300", true),
            ("4500+60", true),
            ("*180", true),
            ("40/7200:3600", true),
            ("40/5400+30:20/3600+30:900+30", true),
            ("300:40/60", false),
            ("60+0.6", true),
            ("1/259200", true),
        ] {
            let control = TimeControl::parse(text);
            assert_eq!(
                control.as_ref().map(ToString::to_string).as_deref(),
                Some(text)
            );
            assert_eq!(
                control.map(|c| c.is_well_ordered()),
                Some(ordered),
                "{text}"
            );
        }
        for text in [
            "",
            "abc",
            "40/",
            "/40",
            "1+",
            "+1",
            "1:",
            "1.",
            "99999999999",
            "G/60",
            "1.0000000001",
            "-5",
        ] {
            assert_eq!(TimeControl::parse(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_is_read_is_written_and_read_again(text in "[0-9/:+*?. -]{0,20}") {
            if let Some(control) = TimeControl::parse(&text) {
                prop_assert_eq!(TimeControl::parse(&control.to_string()), Some(control));
            }
        }
    }
}
