//! Evaluations.

use std::fmt;

use super::CommentCommand;

/// An evaluation, seen from White.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Evaluation {
    /// Hundredths of a pawn.
    Centipawns(i32),
    /// Mate in this number of moves; negative if White is mated.
    Mate(i32),
}

/// Reads `0.35`, `-1.2,18`, `#-3` or `#5,20`.
pub(super) fn eval(args: &str) -> Option<CommentCommand> {
    let (score, depth) = match args.split_once(',') {
        Some((score, depth)) => (score.trim(), Some(depth.trim().parse().ok()?)),
        None => (args, None),
    };
    if let Some(mate) = score.strip_prefix('#') {
        return Some(CommentCommand::Eval(
            Evaluation::Mate(mate.parse().ok()?),
            depth,
        ));
    }
    let (negative, digits) = match score.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, score.strip_prefix('+').unwrap_or(score)),
    };
    let (pawns, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    let is_number = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    // Only hundredths can be stored: an evaluation with more digits stays text.
    if !is_number(pawns) || !is_number(fraction) || fraction.len() > 2 {
        return None;
    }
    let hundredths = fraction.parse::<i32>().ok()? * if fraction.len() == 1 { 10 } else { 1 };
    let value = pawns
        .parse::<i32>()
        .ok()?
        .checked_mul(100)?
        .checked_add(hundredths)?;
    Some(CommentCommand::Eval(
        Evaluation::Centipawns(if negative { -value } else { value }),
        depth,
    ))
}

impl fmt::Display for Evaluation {
    /// Writes `0.35`, `-1.20` or `#-3`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Centipawns(value) => {
                let sign = if *value < 0 { "-" } else { "" };
                let amount = value.unsigned_abs();
                write!(f, "{sign}{}.{:02}", amount / 100, amount % 100)
            }
            Self::Mate(moves) => write!(f, "#{moves}"),
        }
    }
}
