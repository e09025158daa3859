//! The part of a line that cannot be stored, as text: moves, NAGs, comments and all variations in it.

use tabiya_model::tape::Replay;
use tabiya_model::{Board, Tape, TapeOp};

/// Appends the text of a tape from an operation on, to the end of the line that it stands in or, where it begins a
/// variation, to the end of that one; gives the index of the operation after it. The end of a line is left to stand.
pub(crate) fn render(tape: &Tape, from: usize, board: &Board, text: &mut String) -> usize {
    let mut replay = Replay::new(board);
    let is_variation = matches!(tape.get(from), Some(TapeOp::Begin(_)));
    let (mut at, mut depth) = (from, 0_usize);
    // The number of a move is said where it is White's, and after whatever interrupts.
    let mut interrupted = true;
    while let Some(op) = tape.get(at) {
        match op {
            TapeOp::Move(m) => {
                space(text);
                let board = replay.now();
                let is_white = board.turn().is_white();
                if is_white || interrupted {
                    let dots = if is_white { "." } else { "..." };
                    text.push_str(&format!("{}{dots}", board.fullmoves()));
                }
                interrupted = false;
                let mut san = Vec::new();
                board.write_san(m, &mut san);
                text.push_str(&String::from_utf8_lossy(&san));
            }
            TapeOp::Begin(_) => {
                space(text);
                text.push('(');
                depth += 1;
                interrupted = true;
            }
            TapeOp::End if depth == 0 => return at,
            TapeOp::End => {
                text.push(')');
                depth -= 1;
                interrupted = true;
                if depth == 0 && is_variation {
                    return at + 1;
                }
            }
            TapeOp::Nag(nag) => {
                space(text);
                text.push_str(&format!("${}", nag.0));
            }
            TapeOp::Comment(id) => {
                space(text);
                text.push('{');
                text.push_str(tape.text(id));
                text.push('}');
                interrupted = true;
            }
            TapeOp::Raw(id) => {
                space(text);
                text.push_str(tape.text(id));
                interrupted = true;
            }
            TapeOp::Outcome(outcome) => {
                space(text);
                text.push_str(outcome.as_pgn());
            }
            TapeOp::Ext(_) => {}
        }
        if !(is_variation && at == from) {
            replay.follow(op);
        }
        at += 1;
    }
    at
}

fn space(text: &mut String) {
    if !text.is_empty() && !text.ends_with(['(', ' ']) {
        text.push(' ');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabiya_model::nag::Nag;

    fn play(tape: &mut Tape, board: &mut Board, words: &str) {
        for word in words.split(' ') {
            let m = board.parse_uci(word.as_bytes()).expect("a move");
            tape.push_move(m);
            board.play(m);
        }
    }

    #[test]
    fn everything_in_a_line_is_there() {
        let mut tape = Tape::default();
        let mut board = Board::standard();
        play(&mut tape, &mut board, "e2e4");
        let mut before = board.clone();
        play(&mut tape, &mut board, "0000");
        tape.push_nag(Nag(2));
        tape.push_comment("why");
        tape.begin_variation();
        play(&mut tape, &mut before, "e7e5 g1f3");
        tape.end_variation();
        play(&mut tape, &mut board, "d2d4");
        let mut text = String::from("said.");
        let mut start = Board::standard();
        start.play(start.parse_uci(b"e2e4").expect("a move"));
        let end = render(&tape, 1, &start, &mut text);
        assert_eq!(text, "said. 1...-- $2 {why} (1...e5 2.Nf3) 2.d4");
        assert_eq!(end, tape.len());

        let begin = (0..tape.len()).find(|at| matches!(tape.get(*at), Some(TapeOp::Begin(_))));
        let mut text = String::new();
        let end = render(&tape, begin.expect("there"), &start, &mut text);
        assert_eq!(text, "(1...e5 2.Nf3)");
        assert!(matches!(tape.get(end), Some(TapeOp::Move(_))));
    }
}
