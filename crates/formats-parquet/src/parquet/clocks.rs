//! Clocks and evaluations of the main line, which online games have as comments of a fixed form.
//!
//! A comment with only `[%eval …]` and `[%clk …]`, in that order and in the usual spelling, is stored in the columns instead.
//! Both hold a number for each ply, split into planes: the lowest bytes of all numbers, then the next ones. `clocks` has the
//! difference from the previous clock of the same player (from 0 at first), folded so that small positive and negative ones are
//! small numbers: three planes of seconds if no clock of the game has tenths; otherwise four planes of tenths. `evals` has
//! hundredths of a pawn in two planes, mate in n moves as 32,000 − n, negative against White. One number of each kind means
//! that there is none.

/// No clock, in three bytes.
const NO_SECONDS: u32 = 0xff_ffff;
/// Added to folded tenths; smaller values are plain differences, from files that were written before folding was introduced.
const FOLDED: u32 = 1 << 30;
/// No clock, in four bytes: in folded tenths, and in plain ones.
const NO_TENTHS: u32 = FOLDED | (FOLDED - 1);
const NO_PLAIN_TENTHS: u32 = 1 << 31;
/// No evaluation.
const NO_EVAL: i16 = i16::MIN;
/// Evaluations beyond this many hundredths are mates.
const MAX_EVAL: i16 = 30_000;
const MATE: i16 = 32_000;
/// The most tenths of seconds: a thousand hours.
const MAX_CLOCK: i32 = 36_000_000;

/// The values in the comment of a ply.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct ClockAndEval {
    clock: Option<i32>,
    eval: Option<i16>,
}

fn digits(text: &str) -> Option<i32> {
    let is_number =
        !text.is_empty() && text.len() <= 6 && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok())?
}

/// Tenths of seconds of `H:MM:SS` or `H:MM:SS.d`.
fn clock(text: &str) -> Option<i32> {
    let (whole, tenths) = match text.split_once('.') {
        Some((whole, tenth)) if tenth.len() == 1 => (whole, digits(tenth)?),
        Some(_) => return None,
        None => (text, 0),
    };
    let mut parts = whole.split(':');
    let (hours, minutes, seconds) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() || minutes.len() != 2 || seconds.len() != 2 {
        return None;
    }
    let hours = digits(hours).filter(|hours| *hours < 1000)?;
    Some(((hours * 60 + digits(minutes)?) * 60 + digits(seconds)?) * 10 + tenths)
}

/// Hundredths of a pawn, or mate.
fn eval(text: &str) -> Option<i16> {
    if let Some(mate) = text.strip_prefix('#') {
        let (sign, moves) = sign(mate);
        let moves = i16::try_from(digits(moves)?)
            .ok()
            .filter(|moves| (1..=1000).contains(moves))?;
        return Some(sign * (MATE - moves));
    }
    let (sign, text) = sign(text);
    let (pawns, fraction) = text.split_once('.')?;
    let scale = match fraction.len() {
        1 => 10,
        2 => 1,
        _ => return None,
    };
    let value = digits(pawns)?.checked_mul(100)? + digits(fraction)? * scale;
    let value = i16::try_from(value)
        .ok()
        .filter(|value| *value <= MAX_EVAL)?;
    Some(sign * value)
}

fn sign(text: &str) -> (i16, &str) {
    text.strip_prefix('-').map_or((1, text), |rest| (-1, rest))
}

impl ClockAndEval {
    /// The values of a comment, if it has nothing else and writing them gives the same text.
    pub(super) fn read(comment: &str) -> Option<ClockAndEval> {
        let mut said = ClockAndEval::default();
        let mut rest = comment;
        if let Some(more) = rest.strip_prefix("[%eval ") {
            let (value, more) = more.split_once(']')?;
            said.eval = Some(eval(value)?);
            rest = match more.strip_prefix(' ') {
                Some(more) if more.starts_with("[%clk ") => more,
                _ => more,
            };
        }
        if let Some(more) = rest.strip_prefix("[%clk ") {
            let (value, more) = more.split_once(']')?;
            said.clock = Some(clock(value)?);
            rest = more;
        }
        let mut again = String::new();
        said.write(&mut again);
        (rest.is_empty() && said != ClockAndEval::default() && again == comment).then_some(said)
    }

    /// The same for a comment that may have a space at both ends, and whether it has.
    pub(super) fn read_either(comment: &str) -> Option<(ClockAndEval, bool)> {
        match comment.strip_prefix(' ') {
            Some(rest) => Some((ClockAndEval::read(rest.strip_suffix(' ')?)?, true)),
            None => Some((ClockAndEval::read(comment)?, false)),
        }
    }

    /// Appends the comment.
    pub(super) fn write(self, out: &mut String) {
        if let Some(eval) = self.eval {
            let amount = i32::from(eval).abs();
            let sign = if eval < 0 { "-" } else { "" };
            let text = if amount > i32::from(MAX_EVAL) {
                format!("[%eval #{sign}{}]", i32::from(MATE) - amount)
            } else if amount % 10 == 0 {
                format!("[%eval {sign}{}.{}]", amount / 100, amount / 10 % 10)
            } else {
                format!("[%eval {sign}{}.{:02}]", amount / 100, amount % 100)
            };
            out.push_str(&text);
        }
        if let Some(clock) = self.clock {
            if self.eval.is_some() {
                out.push(' ');
            }
            let seconds = clock / 10;
            let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
            out.push_str(&format!("[%clk {hours}:{minutes:02}:{seconds:02}"));
            if clock % 10 != 0 {
                out.push_str(&format!(".{}", clock % 10));
            }
            out.push(']');
        }
    }
}

/// The planes of numbers of `WIDTH` bytes.
fn planes<const WIDTH: usize>(numbers: &[[u8; WIDTH]], out: &mut Vec<u8>) {
    for plane in 0..WIDTH {
        out.extend(numbers.iter().filter_map(|number| number.get(plane)));
    }
}

/// The clocks of a game as bytes; empty if there is none.
pub(super) fn write_clocks(said: &[ClockAndEval], out: &mut Vec<u8>) {
    if said.iter().all(|said| said.clock.is_none()) {
        return;
    }
    let mut before = [0_i32; 2];
    let steps = said.iter().zip(0_usize..).map(|(said, ply)| {
        let (clock, before) = said.clock.zip(before.get_mut(ply & 1))?;
        Some(clock - std::mem::replace(before, clock))
    });
    if said.iter().all(|said| said.clock.unwrap_or(0) % 10 == 0) {
        let numbers: Vec<[u8; 3]> = steps
            .map(|step| {
                step.map_or(NO_SECONDS, |step| fold(step / 10))
                    .to_le_bytes()
            })
            .map(|[low, middle, high, _]| [low, middle, high])
            .collect();
        planes(&numbers, out);
    } else {
        let numbers: Vec<_> = steps
            .map(|step| {
                step.map_or(NO_TENTHS, |step| FOLDED | fold(step))
                    .to_le_bytes()
            })
            .collect();
        planes(&numbers, out);
    }
}

/// A signed number as an unsigned one: 0, −1, 1, −2, 2 become 0 to 4.
fn fold(number: i32) -> u32 {
    (number << 1 ^ number >> 31).cast_unsigned()
}

fn unfold(number: u32) -> i32 {
    (number >> 1).cast_signed() ^ -(number & 1).cast_signed()
}

/// The evaluations of a game as bytes; empty if there is none.
pub(super) fn write_evals(said: &[ClockAndEval], out: &mut Vec<u8>) {
    if said.iter().all(|said| said.eval.is_none()) {
        return;
    }
    let numbers: Vec<_> = said
        .iter()
        .map(|said| said.eval.unwrap_or(NO_EVAL).to_le_bytes())
        .collect();
    planes(&numbers, out);
}

/// The number at an index in planes.
fn number<const WIDTH: usize>(bytes: &[u8], plies: usize, at: usize) -> [u8; WIDTH] {
    std::array::from_fn(|plane| bytes.get(plane * plies + at).copied().unwrap_or(0))
}

/// Reads both columns of a game; false if one of them does not match the number of plies.
pub(super) fn read(
    clocks: &[u8],
    evals: &[u8],
    plies: usize,
    said: &mut Vec<ClockAndEval>,
) -> bool {
    said.clear();
    if clocks.is_empty() && evals.is_empty() {
        return true;
    }
    let fits = |bytes: &[u8], width: usize| Some(bytes.len()) == plies.checked_mul(width);
    let (in_seconds, in_tenths) = (fits(clocks, 3), fits(clocks, 4));
    let evals_fit = evals.is_empty() || fits(evals, 2);
    said.resize(plies, ClockAndEval::default());
    let mut before = [0_i32; 2];
    let mut sound = (clocks.is_empty() || in_seconds || in_tenths) && evals_fit;
    for (at, said) in said.iter_mut().enumerate() {
        let step = if in_seconds {
            let [low, middle, high] = number(clocks, plies, at);
            let step = u32::from_le_bytes([low, middle, high, 0]);
            (step != NO_SECONDS).then(|| unfold(step) * 10)
        } else if in_tenths {
            match u32::from_le_bytes(number(clocks, plies, at)) {
                NO_TENTHS | NO_PLAIN_TENTHS => None,
                step if step >> 30 == 1 => Some(unfold(step & !FOLDED)),
                step => Some(step.cast_signed()),
            }
        } else {
            None
        };
        if let Some((step, before)) = step.zip(before.get_mut(at & 1)) {
            *before = before.wrapping_add(step);
            said.clock = Some(*before).filter(|clock| (0..=MAX_CLOCK).contains(clock));
            sound &= said.clock.is_some();
        }
        if evals_fit && !evals.is_empty() {
            let value = i16::from_le_bytes(number(evals, plies, at));
            let is_told = value != NO_EVAL;
            said.eval =
                Some(value).filter(|value| is_told && value.unsigned_abs() < MATE.unsigned_abs());
            sound &= said.eval.is_some() == is_told;
        }
    }
    sound
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_comments_come_back() {
        for comment in [
            "[%eval 0.17] [%clk 0:10:00]",
            "[%clk 0:24:55.5]",
            "[%eval #-3]",
            "[%eval #12] [%clk 1:00:00]",
            "[%eval -0.2]",
            "[%eval 0.0] [%clk 0:00:01]",
            "[%eval -12.05]",
        ] {
            let said = ClockAndEval::read(comment).unwrap_or_default();
            assert_eq!(
                ClockAndEval::read_either(&format!(" {comment} ")),
                Some((said, true))
            );
            assert_eq!(ClockAndEval::read_either(&format!("{comment} ")), None);
            let mut again = String::new();
            said.write(&mut again);
            assert_eq!(again, comment);
        }
    }

    #[test]
    fn other_spellings_stay_comments() {
        for comment in [
            "",
            "[%eval 0.20]",
            "[%eval -0.0]",
            "[%clk 0:00:59.0]",
            "[%clk 00:01:00]",
            "[%clk 0:61:00]",
            "[%clk 0:1:00]",
            "[%clk 1000:00:00]",
            "[%clk 0:01:00] [%eval 0.1]",
            "[%eval 0.1][%clk 0:01:00]",
            "[%eval 0.1] ",
            "[%eval +0.1]",
            "[%eval 400.0]",
            "[%eval #0]",
            "good [%clk 0:01:00]",
        ] {
            assert_eq!(ClockAndEval::read(comment), None, "{comment}");
        }
    }

    #[test]
    fn planes_hold_both_kinds() {
        let read_one = |text: &str| ClockAndEval::read(text).unwrap_or_default();
        for (clock, width) in [("0:02:59.5", 4), ("999:59:59", 3), ("0:00:00", 3)] {
            let said = [
                read_one("[%eval 0.3] [%clk 0:03:00]"),
                read_one(&format!("[%clk {clock}]")),
                ClockAndEval::default(),
                read_one("[%eval #-1] [%clk 0:01:00]"),
                read_one("[%clk 0:03:02]"),
            ];
            let (mut clocks, mut evals) = (Vec::new(), Vec::new());
            write_clocks(&said, &mut clocks);
            write_evals(&said, &mut evals);
            assert_eq!((clocks.len(), evals.len()), (5 * width, 10));
            let mut again = Vec::new();
            assert!(read(&clocks, &evals, 5, &mut again));
            assert_eq!(again, said);
            assert!(!read(&clocks, &evals, 6, &mut again));
        }
        // In the former encoding.
        let mut clocks = Vec::new();
        planes(&[1800, i32::MIN, -5].map(i32::to_le_bytes), &mut clocks);
        let mut again = Vec::new();
        assert!(read(&clocks, &[], 3, &mut again));
        let clocks = again.iter().map(|said| said.clock);
        assert_eq!(clocks.collect::<Vec<_>>(), [Some(1800), None, Some(1795)]);
    }
}
