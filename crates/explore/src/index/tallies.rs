//! Precomputed tallies as bytes.

use super::coding::{IndexByteReader, IndexDamage, push_number};
use crate::game_brief::GameBrief;
use crate::move_code::MoveCode;
use crate::tally::{KEPT, MoveScore, PositionTally, ShownGame};

/// Appends a tally; numbers of games count from `first`.
pub(super) fn push(out: &mut Vec<u8>, tally: &PositionTally, first: u64) {
    let moves = tally.moves();
    push_number(out, moves.len() as u64);
    for (step, score) in &moves {
        out.extend_from_slice(&step.0.to_le_bytes());
        for number in [
            score.games,
            score.white,
            score.draws,
            score.black,
            score.rated,
            score.white_elo,
            score.black_elo,
            u64::from(score.last),
        ] {
            push_number(out, number);
        }
    }
    for list in [tally.top(), tally.recent()] {
        push_number(out, list.len() as u64);
        for shown in list {
            push_number(out, shown.number.saturating_sub(first));
            out.extend_from_slice(&shown.step.0.to_le_bytes());
            out.extend_from_slice(&shown.facts.to_bits().to_le_bytes());
        }
    }
}

/// Reads a tally whose games have the numbers from `first` on, `games` of them.
pub(super) fn read(bytes: &[u8], first: u64, games: u64) -> Result<PositionTally, IndexDamage> {
    let mut bytes = IndexByteReader(bytes);
    let mut tally = PositionTally::default();
    // A move takes at least ten bytes.
    let moves = bytes.size()?;
    if moves > bytes.0.len() / 10 {
        return Err(IndexDamage);
    }
    for _ in 0..moves {
        let step = MoveCode(bytes.u16()?);
        let mut numbers = [0; 8];
        for number in &mut numbers {
            *number = bytes.number()?;
        }
        let [
            games,
            white,
            draws,
            black,
            rated,
            white_elo,
            black_elo,
            last,
        ] = numbers;
        let score = MoveScore {
            games,
            white,
            draws,
            black,
            rated,
            white_elo,
            black_elo,
            last: u32::try_from(last).map_err(|_| IndexDamage)?,
        };
        tally.add_score(step, &score);
    }
    for top in [true, false] {
        let count = bytes.size()?;
        if count > KEPT {
            return Err(IndexDamage);
        }
        for _ in 0..count {
            let number = bytes.number()?;
            let number = first
                .checked_add(number)
                .filter(|_| number < games)
                .ok_or(IndexDamage)?;
            let step = MoveCode(bytes.u16()?);
            let facts = GameBrief::from_bits(bytes.u64()?);
            let shown = ShownGame {
                base: 0,
                number,
                step,
                facts,
            };
            tally.show(shown, top);
        }
    }
    if bytes.0.is_empty() {
        Ok(tally)
    } else {
        Err(IndexDamage)
    }
}
