//! Times on clocks.

use std::fmt;
use std::time::Duration;

/// The kind of time in a clock command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ClockKind {
    /// `clk`: the time left on the clock of the player who moved.
    Remaining,
    /// `emt`: the time used for the move.
    MoveTime,
    /// `egt`: the time used for the game.
    GameTime,
    /// `mct`: the time shown by a mechanical clock.
    Mechanical,
}

/// Each kind with the name of its command.
pub(super) const CLOCKS: [(ClockKind, &str); 4] = [
    (ClockKind::Remaining, "clk"),
    (ClockKind::MoveTime, "emt"),
    (ClockKind::GameTime, "egt"),
    (ClockKind::Mechanical, "mct"),
];

/// A time on a clock; it can be negative if a flag fall was overlooked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ClockTime {
    /// Whether the time is below zero.
    pub negative: bool,
    /// The amount.
    pub amount: Duration,
}

impl ClockTime {
    /// Reads `H:MM:SS`, `MM:SS` or seconds, with decimals and perhaps a minus sign.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (negative, text) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
        let number = |s: &str| -> Option<u64> {
            (!s.is_empty() && s.len() <= 9 && s.bytes().all(|b| b.is_ascii_digit()))
                .then(|| s.parse().ok())?
        };
        let mut seconds = 0u64;
        let mut count = 0;
        for part in whole.split(':') {
            count += 1;
            if count > 3 {
                return None;
            }
            seconds = seconds.checked_mul(60)?.checked_add(number(part)?)?;
        }
        let digits = u32::try_from(fraction.len()).ok()?;
        let nanos = number(fraction)?.checked_mul(10u64.checked_pow(9u32.checked_sub(digits)?)?)?;
        Some(Self {
            negative,
            amount: Duration::new(seconds, u32::try_from(nanos).ok()?),
        })
    }
}

impl fmt::Display for ClockTime {
    /// Writes `H:MM:SS`, with as many decimals as are needed.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.amount.as_secs();
        let sign = if self.negative { "-" } else { "" };
        write!(
            f,
            "{sign}{}:{:02}:{:02}",
            seconds / 3600,
            seconds / 60 % 60,
            seconds % 60
        )?;
        if self.amount.subsec_nanos() == 0 {
            return Ok(());
        }
        let decimals = format!("{:09}", self.amount.subsec_nanos());
        write!(f, ".{}", decimals.trim_end_matches('0'))
    }
}
