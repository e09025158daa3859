//! Playing a move area on trial, without making a game from it: for finding records in a damaged file.

use tabiya_model::Board;

use super::movetext::CbfReaderLine;
use super::{BEGIN, END};
use crate::cbf::moves::{CbfEnPassant, CbfMoveMeaning, move_among};

/// How well a decrypted move area plays.
pub(in crate::cbf) struct CbfTrialResult {
    /// Moves that could be played.
    pub played: u32,
    /// Whether every byte is valid.
    pub is_clean: bool,
    /// Moves that announce a comment.
    pub commented: u32,
}

/// Plays a move area on trial.
pub(in crate::cbf) fn try_moves(
    area: &[u8],
    start: &Board,
    en_passant: CbfEnPassant,
    takes_kings: bool,
) -> CbfTrialResult {
    let mut trial = CbfTrialResult {
        played: 0,
        is_clean: true,
        commented: 0,
    };
    let mut line = CbfReaderLine::new(start.clone(), en_passant, 0);
    let mut outer: Vec<CbfReaderLine> = Vec::new();
    for byte in area {
        match *byte {
            BEGIN if line.replaceable => {
                let inner = CbfReaderLine::new(line.before.clone(), line.en_passant_before, 0);
                outer.push(std::mem::replace(&mut line, inner));
            }
            END if !outer.is_empty() => {
                if let Some(back) = outer.pop() {
                    line = back;
                }
            }
            0 => return trial,
            BEGIN | END => {
                trial.is_clean = false;
                return trial;
            }
            byte => {
                let number = u32::from(byte & 0x7f);
                let CbfMoveMeaning::Move(m) =
                    move_among(&line.now, line.en_passant, number, takes_kings)
                else {
                    trial.is_clean = false;
                    return trial;
                };
                line.before.clone_from(&line.now);
                line.en_passant_before = line.en_passant;
                line.now.play(m);
                if line.now.is_exposed() {
                    trial.is_clean = false;
                    return trial;
                }
                line.en_passant = line.en_passant.after(m);
                line.replaceable = true;
                trial.played += 1;
                trial.commented += u32::from(byte & 0x80 != 0);
            }
        }
    }
    trial.is_clean = outer.is_empty();
    trial
}
