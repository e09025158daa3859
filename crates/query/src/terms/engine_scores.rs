//! Evaluations in comments from engine matches: `+0.35/20 1.2s` or `-M5/18`, seen from the player who moved, and
//! `d=32, wv=0.35`, seen from White.

use shakmaty::Color;
use tabiya_model::{Game, TapeOp};

use crate::language::values::mate_score;
use crate::language::values::score;

/// The evaluation of a comment behind a move of `mover`, seen from White, in hundredths of a pawn.
pub(crate) fn match_score(comment: &str, mover: Color) -> Option<i64> {
    if let Some((_, rest)) = comment.split_once("wv=") {
        let end = rest.find([',', ' ', ';', '}']).unwrap_or(rest.len());
        return read(rest.get(..end)?);
    }
    let (value, depth) = comment.trim_start().split_once('/')?;
    if value.len() > 10
        || !depth.starts_with(|c: char| c.is_ascii_digit())
        || !value.contains(['.', 'M'])
    {
        return None;
    }
    let value = read(value)?;
    Some(if mover == Color::White { value } else { -value })
}

/// Reads `0.35`, `-M5` or `+M12`.
fn read(text: &str) -> Option<i64> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let Some(moves) = digits.strip_prefix('M') else {
        return score(text).filter(|_| !text.starts_with('#'));
    };
    let moves = moves
        .parse::<i64>()
        .ok()
        .filter(|n| (1..10_000).contains(n))?;
    Some(mate_score(if negative { -moves } else { moves }))
}

/// Whether any comment of a game has such an evaluation that fits.
pub(crate) fn any(game: &Game, test: impl Fn(i64) -> bool) -> bool {
    let mut mover = !game.start_board().turn();
    let mut outer = Vec::new();
    let mut is_at_start = true;
    for op in game.tape.ops() {
        match op {
            TapeOp::Move(_) => {
                mover = !mover;
                is_at_start = false;
            }
            TapeOp::Begin(_) => {
                outer.push(mover);
                mover = !mover;
            }
            TapeOp::End => mover = outer.pop().unwrap_or(mover),
            TapeOp::Comment(id)
                if !is_at_start && match_score(game.tape.text(id), mover).is_some_and(&test) =>
            {
                return true;
            }
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_engines_write_is_read() {
        use Color::{Black, White};
        for (comment, mover, answer) in [
            ("+0.35/20 1.2s", White, Some(35)),
            ("+0.35/20 1.2s", Black, Some(-35)),
            ("0.00/7 0.01s", Black, Some(0)),
            ("-M5/18", Black, Some(mate_score(5))),
            ("d=32, pd=d4, wv=-1.20, R50=49", Black, Some(-120)),
            ("wv=M12", Black, Some(mate_score(12))),
            ("1/2", White, None),
            ("12/7", White, None),
            ("better is 0.5/x", White, None),
            ("", White, None),
        ] {
            assert_eq!(match_score(comment, mover), answer, "{comment}");
        }
    }
}
