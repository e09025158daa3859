//! Moves to bytes.

use shakmaty::{CastlingSide, Role};
use tabiya_model::outcome::Outcome;
use tabiya_model::{Board, Game, Losses, Move, TapeOp};

use super::decode::{TARGETS, row_of};
use super::pieces::{JosePieceNumber, JosePieces};
use super::{
    BEGIN, CASTLE_LONG, CASTLE_SHORT, COMMENT, END, END_LINE, ERROR_WORDS, NAG_LONG, NULL_MOVE,
    PROMOTED, PROMOTION, RESULT_FIRST,
};
use crate::jose::losses::{
    BAD_STRUCTURE, ENDING, EXTENSION, IMPOSSIBLE_MOVE, LARGE_NAG, RAW_TEXT, SETUP, ZERO_IN_COMMENT,
};
use crate::jose::text;

/// A game in the form of the columns of a row.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JoseEncodedMoves {
    /// The moves.
    pub bin: Vec<u8>,
    /// The texts, each ended by a zero byte.
    pub comments: Vec<u8>,
    /// The attributes of the game: 1 variations, 2 comments, 4 error texts, 8 Chess960.
    pub attributes: u16,
    /// Plies of the main line.
    pub plies: u32,
}

const HAS_VARIATIONS: u16 = 1;
const HAS_COMMENTS: u16 = 2;
const HAS_ERRORS: u16 = 4;
const IS_CHESS960: u16 = 8;

#[derive(Debug, Clone)]
struct JoseEncoderPosition {
    board: Board,
    pieces: JosePieces,
}

/// Encodes games; when reused, it allocates little.
#[derive(Debug, Default)]
pub struct JoseMoveEncoder {
    outer: Vec<(JoseEncoderPosition, JoseEncoderPosition, bool)>,
}

impl JoseMoveEncoder {
    /// Encodes a game. False if jose cannot hold it at all; the loss says why.
    pub fn encode(&mut self, game: &Game, out: &mut JoseEncodedMoves, losses: &mut Losses) -> bool {
        let number = game.origin.number;
        out.bin.clear();
        out.comments.clear();
        out.attributes = 0;
        out.plies = 0;
        self.outer.clear();
        let board = game.start_board();
        let (pieces, enough) = JosePieces::of(&board);
        if !enough {
            losses.report(&SETUP, number, board.to_fen());
            return false;
        }
        let mut now = JoseEncoderPosition { board, pieces };
        let mut before = now.clone();
        let mut replaceable = false;
        // The end of the codes after a result: the movetext there may have no codes.
        let mut behind_outcome = None;
        let mut index = 0;
        let tape = &game.tape;
        while let Some(op) = tape.get(index) {
            index += 1;
            match op {
                TapeOp::Move(m) => {
                    if !code(&now, m, &mut out.bin) {
                        // The rest of the line is kept as readable text.
                        let mut words = Vec::new();
                        let mut board = now.board.clone();
                        index -= 1;
                        while let Some(op) = tape.get(index) {
                            match op {
                                TapeOp::Move(m) => {
                                    if !words.is_empty() {
                                        words.push(b' ');
                                    }
                                    board.write_san(m, &mut words);
                                    board.play(m);
                                    index += 1;
                                }
                                TapeOp::Begin(_) => index = tape.skip(index),
                                TapeOp::End => break,
                                _ => index += 1,
                            }
                        }
                        let words = String::from_utf8_lossy(&words).into_owned();
                        out.bin.push(COMMENT + 2);
                        out.attributes |= HAS_ERRORS;
                        push_text(&words, number, &mut out.comments, losses);
                        losses.report(&IMPOSSIBLE_MOVE, number, words);
                        continue;
                    }
                    before.clone_from(&now);
                    now.pieces.play(now.board.turn(), m);
                    now.board.play(m);
                    replaceable = true;
                    if self.outer.is_empty() {
                        out.plies = out.plies.saturating_add(1);
                    }
                }
                TapeOp::Nag(nag) => match u8::try_from(nag.0) {
                    Ok(small @ 1..=31) => out.bin.push(NAG_LONG + small),
                    Ok(other) => out.bin.extend([NAG_LONG, other]),
                    Err(_) => losses.report(&LARGE_NAG, number, format!("${}", nag.0)),
                },
                TapeOp::Comment(id) => {
                    let mut text = tape.text(id);
                    let mut code = COMMENT;
                    for (error, words) in (1u8..).zip(ERROR_WORDS) {
                        if let Some(rest) = text.strip_prefix(words) {
                            text = rest;
                            code = COMMENT + error;
                        }
                    }
                    out.attributes |= if code == COMMENT {
                        HAS_COMMENTS
                    } else {
                        HAS_ERRORS
                    };
                    out.bin.push(code);
                    push_text(text, number, &mut out.comments, losses);
                }
                TapeOp::Raw(id) => {
                    let text = tape.text(id);
                    let code = if text.is_empty() {
                        COMMENT + 5
                    } else if tabiya_model::board::parse_san(text.as_bytes()).is_some() {
                        COMMENT + 2
                    } else {
                        COMMENT + 4
                    };
                    out.attributes |= HAS_ERRORS;
                    out.bin.push(code);
                    push_text(text, number, &mut out.comments, losses);
                    losses.report(&RAW_TEXT, number, text);
                }
                TapeOp::Ext(at) => {
                    let name = tape
                        .extensions()
                        .get(at as usize)
                        .map_or("", |ext| &ext.name);
                    losses.report(&EXTENSION, number, name);
                }
                TapeOp::Begin(_) => {
                    if !replaceable {
                        losses.report(&BAD_STRUCTURE, number, "");
                        index = tape.skip(index - 1);
                        continue;
                    }
                    out.attributes |= HAS_VARIATIONS;
                    out.bin.push(BEGIN);
                    let inner = before.clone();
                    self.outer.push((
                        std::mem::replace(&mut now, inner.clone()),
                        std::mem::replace(&mut before, inner),
                        replaceable,
                    ));
                    replaceable = false;
                }
                TapeOp::End => {
                    if let Some((outer_now, outer_before, outer_replaceable)) = self.outer.pop() {
                        out.bin.push(END_LINE);
                        now = outer_now;
                        before = outer_before;
                        replaceable = outer_replaceable;
                    }
                }
                TapeOp::Outcome(outcome) => {
                    out.bin.push(outcome_code(outcome));
                    behind_outcome = Some(out.bin.len());
                }
            }
        }
        for _ in self.outer.drain(..) {
            out.bin.push(END_LINE);
        }
        match game.outcome {
            Some(outcome) => out.bin.push(outcome_code(outcome)),
            // Without this code, the last result of the movetext would become the result of the game.
            None if behind_outcome == Some(out.bin.len()) => {
                out.bin.push(outcome_code(Outcome::Unknown));
                losses.report(&ENDING, number, "*");
            }
            None => {}
        }
        out.bin.push(END);
        if game.variant == tabiya_model::game::Variant::Chess960 {
            out.attributes |= IS_CHESS960;
        }
        true
    }
}

fn outcome_code(outcome: Outcome) -> u8 {
    RESULT_FIRST
        + match outcome {
            Outcome::BlackWins => 0,
            Outcome::Draw => 1,
            Outcome::WhiteWins => 2,
            Outcome::Unknown => 3,
        }
}

fn push_text(text: &str, number: u64, comments: &mut Vec<u8>, losses: &mut Losses) {
    if text.contains('\0') {
        losses.report(&ZERO_IN_COMMENT, number, text.replace('\0', " "));
        text::encode(&text.replace('\0', " "), comments);
    } else {
        text::encode(text, comments);
    }
    comments.push(0);
}

/// Writes the code of a move; false if it has none.
fn code(position: &JoseEncoderPosition, m: Move, bin: &mut Vec<u8>) -> bool {
    if m.is_null() {
        bin.push(NULL_MOVE);
        return true;
    }
    let board = &position.board;
    // An impossible move is not read back unchanged.
    if !board.is_pseudo_legal(m) {
        return false;
    }
    if let Some(side) = m.castling_side() {
        bin.push(match side {
            CastlingSide::KingSide => CASTLE_SHORT,
            CastlingSide::QueenSide => CASTLE_LONG,
        });
        return true;
    }
    let turn = board.turn();
    let (from, to) = (m.from(), m.to());
    let role = m.role();
    let Some(number) = position
        .pieces
        .number(turn, from)
        .and_then(JosePieceNumber::of)
    else {
        return false;
    };
    let to = u32::from(to);
    let value = (0u8..32).find(|&value| {
        row_of(role, value, turn)
            .and_then(|row| TARGETS.get(usize::from(row)))
            .and_then(|row| row.get(usize::from(from)))
            .is_some_and(|&target| u32::from(target) == to)
    });
    let Some(value) = value else {
        return false;
    };
    match (number, m.promotion()) {
        (JosePieceNumber::Pawn(n), Some(promotion)) => {
            let piece = match promotion {
                Role::Knight => 0,
                Role::Bishop => 1,
                Role::Rook => 2,
                _ => 3,
            };
            bin.extend([PROMOTION + n, 0x20 + (value << 2) + piece]);
        }
        (JosePieceNumber::Pawn(n), None) if role == Role::Pawn => bin.push((n << 2) + value),
        (JosePieceNumber::Pawn(n), None) => bin.extend([PROMOTED + n, 0x20 + value]),
        (JosePieceNumber::Knight(n), _) => bin.push(0x20 + (n << 3) + value),
        (JosePieceNumber::Bishop(n), _) => bin.push(0x30 + (n << 4) + value),
        (JosePieceNumber::Rook(n), _) => bin.push(0x50 + (n << 4) + value),
        (JosePieceNumber::Queen, _) => bin.push(0x70 + value),
        (JosePieceNumber::King, _) => bin.push(0x90 + value),
    }
    true
}
