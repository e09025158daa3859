//! The evaluation of a position by an engine.

use std::fmt::Write as _;

use tabiya_model::board::CastlingStyle;
use tabiya_model::command::Evaluation;
use tabiya_model::{Board, Move};

use crate::driver::{SearchOutcome, uci};
use crate::engine_line::{EvaluationBound, Wdl, legal};

/// What identifies a position: pieces, side to move, castling rights, en passant and the fifty-move clock, which changes
/// its evaluation; not the move number, which does not.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct EvaluationKey(pub u128);

impl EvaluationKey {
    /// The key of a position.
    #[must_use]
    pub fn of(board: &Board) -> EvaluationKey {
        EvaluationKey::of_text(&key_text(board))
    }

    pub(crate) fn of_text(text: &str) -> EvaluationKey {
        // FNV-1a.
        EvaluationKey(
            text.bytes()
                .fold(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d, |hash, byte| {
                    (hash ^ u128::from(byte))
                        .wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b)
                }),
        )
    }
}

/// The FEN record of a position without the number of the move.
pub(crate) fn key_text(board: &Board) -> String {
    let mut fen = board.to_fen();
    if let Some(end) = fen.rfind(' ') {
        fen.truncate(end);
    }
    fen
}

/// An evaluated position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PositionEvaluation {
    /// The evaluation, seen from White.
    pub score: Evaluation,
    /// Whether that is a bound.
    pub bound: EvaluationBound,
    /// The depth of the search.
    pub depth: u32,
    /// The positions that were searched.
    pub nodes: u64,
    /// Winning chances, if requested.
    pub wdl: Option<Wdl>,
    /// The best moves for both sides.
    pub line: Vec<Move>,
}

impl PositionEvaluation {
    /// The evaluation of a position by a search: the score of the last version of its first line, bounds included.
    #[must_use]
    pub fn of(search: &SearchOutcome) -> Option<PositionEvaluation> {
        let first = search.lines.first()?;
        let mut line = first.line.clone();
        // A bound may be told for another move than the one that is chosen in the end.
        if let Some(best) = search.best
            && line.first() != Some(&best)
        {
            line = vec![best];
        }
        Some(PositionEvaluation {
            score: first.score?,
            bound: first.bound,
            depth: first.depth,
            nodes: first.nodes,
            wdl: first.wdl,
            line,
        })
    }

    /// A position in which the game is over: a draw if the side to move has no move, nothing if it is mated.
    #[must_use]
    pub fn of_the_end(board: &Board) -> Option<PositionEvaluation> {
        board.is_stalemate().then(|| PositionEvaluation {
            score: Evaluation::Centipawns(0),
            bound: EvaluationBound::Exact,
            depth: 0,
            nodes: 0,
            wdl: None,
            line: Vec::new(),
        })
    }

    /// Appends the evaluation as fields with tabs between them; [`PositionEvaluation::read`] reads them.
    pub(crate) fn write(&self, board: &Board, out: &mut String) {
        let bound = match self.bound {
            EvaluationBound::Exact => "=",
            EvaluationBound::Lower => ">",
            EvaluationBound::Upper => "<",
        };
        let _ = match self.score {
            Evaluation::Centipawns(value) => write!(out, "{bound}\t{value}"),
            Evaluation::Mate(moves) => write!(out, "{bound}\t#{moves}"),
        };
        let _ = write!(out, "\t{}\t{}\t", self.depth, self.nodes);
        match self.wdl {
            Some(Wdl { win, draw, loss }) => {
                let _ = write!(out, "{win},{draw},{loss}");
            }
            None => out.push('-'),
        }
        out.push('\t');
        let mut board = board.clone();
        for (index, m) in self.line.iter().enumerate() {
            if index > 0 {
                out.push(' ');
            }
            out.push_str(&uci(&board, *m, CastlingStyle::KingTakesRook));
            board.play(*m);
        }
    }

    /// Reads what [`PositionEvaluation::write`] wrote. Moves are played on the board before they are believed.
    pub(crate) fn read(text: &str, board: &Board) -> Option<PositionEvaluation> {
        let mut fields = text.split('\t');
        let bound = match fields.next()? {
            "=" => EvaluationBound::Exact,
            ">" => EvaluationBound::Lower,
            "<" => EvaluationBound::Upper,
            _ => return None,
        };
        let score = fields.next()?;
        let score = match score.strip_prefix('#') {
            Some(moves) => Evaluation::Mate(moves.parse().ok()?),
            None => Evaluation::Centipawns(score.parse().ok()?),
        };
        let depth = fields.next()?.parse().ok()?;
        let nodes = fields.next()?.parse().ok()?;
        let wdl = match fields.next()? {
            "-" => None,
            text => {
                let mut parts = text.split(',').map(|part| part.parse::<u16>().ok());
                let mut part = || parts.next().flatten();
                Some(Wdl {
                    win: part()?,
                    draw: part()?,
                    loss: part()?,
                })
            }
        };
        let mut line = Vec::new();
        let mut now = board.clone();
        for token in fields.next()?.split(' ').filter(|token| !token.is_empty()) {
            let m = legal(&now, token)?;
            line.push(m);
            now.play(m);
        }
        fields.next().is_none().then_some(PositionEvaluation {
            score,
            bound,
            depth,
            nodes,
            wdl,
            line,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(fen: &str) -> Board {
        Board::from_fen(fen).expect("valid").0
    }

    #[test]
    fn keys_tell_clocks_apart_and_not_move_numbers() {
        let of = |fen: &str| EvaluationKey::of(&board(fen));
        let start = of("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1");
        assert_eq!(start, of("4k3/8/8/8/8/8/4P3/4K3 w - - 0 40"));
        assert_ne!(start, of("4k3/8/8/8/8/8/4P3/4K3 w - - 3 1"));
        assert_ne!(start, of("4k3/8/8/8/8/8/4P3/4K3 b - - 0 1"));
    }

    #[test]
    fn evaluations_go_both_ways() {
        let board = board("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 4 20");
        for (score, bound, wdl, moves) in [
            (
                Evaluation::Centipawns(-35),
                EvaluationBound::Exact,
                None,
                vec!["e1g1", "e8c8"],
            ),
            (
                Evaluation::Mate(-2),
                EvaluationBound::Lower,
                Some(Wdl {
                    win: 0,
                    draw: 1,
                    loss: 999,
                }),
                vec![],
            ),
            (
                Evaluation::Centipawns(0),
                EvaluationBound::Upper,
                None,
                vec!["a1a8"],
            ),
        ] {
            let mut now = board.clone();
            let mut line = Vec::new();
            for token in moves {
                let m = legal(&now, token).expect("legal");
                now.play(m);
                line.push(m);
            }
            let evaluated = PositionEvaluation {
                score,
                bound,
                depth: 12,
                nodes: 10_007,
                wdl,
                line,
            };
            let mut text = String::new();
            evaluated.write(&board, &mut text);
            assert_eq!(
                PositionEvaluation::read(&text, &board),
                Some(evaluated),
                "{text}"
            );
            for end in 0..text.len() {
                let cut = text.get(..end).unwrap_or_default();
                // A shorter text may be another evaluation, but never a panic; the journal has sums against that.
                let _ = PositionEvaluation::read(cut, &board);
            }
        }
        assert_eq!(
            PositionEvaluation::read("=\t5\t1\t1\t-\te1e5", &board),
            None
        );
        assert_eq!(PositionEvaluation::read("=\t5\t1\t1\t-\t\t", &board), None);
    }

    #[test]
    fn the_end_of_a_game_needs_no_engine() {
        let stalemate = board("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1");
        assert_eq!(
            PositionEvaluation::of_the_end(&stalemate).map(|e| e.score),
            Some(Evaluation::Centipawns(0))
        );
        let mate = board("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1");
        assert_eq!(PositionEvaluation::of_the_end(&mate), None);
    }
}
