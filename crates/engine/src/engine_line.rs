//! The output of an engine during a search.

use shakmaty::Color;
use tabiya_model::command::Evaluation;
use tabiya_model::{Board, Move};

/// Whether a score is exact or a bound.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum EvaluationBound {
    /// It is exact.
    #[default]
    Exact,
    /// A lower bound: the truth is at least as good for the side to move.
    Lower,
    /// An upper bound: the truth is at most as good for the side to move.
    Upper,
}

/// Wins, draws and losses in thousands of games, seen from White.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Wdl {
    /// White wins.
    pub win: u16,
    /// Draws.
    pub draw: u16,
    /// White loses.
    pub loss: u16,
}

/// One line of a search, in its last version.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct EngineLine {
    /// Its rank among the lines, from 1.
    pub rank: u32,
    /// The depth that it was searched to.
    pub depth: u32,
    /// The depth of its longest branch (selective depth).
    pub selective_depth: u32,
    /// The evaluation, seen from White.
    pub score: Option<Evaluation>,
    /// Whether that is a bound.
    pub bound: EvaluationBound,
    /// Winning chances, if the engine reports them.
    pub wdl: Option<Wdl>,
    /// Positions searched.
    pub nodes: u64,
    /// Positions per second.
    pub speed: u64,
    /// Milliseconds since the search began.
    pub time: u64,
    /// How full the hash table is, in thousandths.
    pub hash_full: u32,
    /// Positions found in endgame tablebases.
    pub table_hits: u64,
    /// The best moves for both sides, all legal.
    pub line: Vec<Move>,
    /// The first illegal move of the line, if there was one; the line ends before it.
    pub illegal: Option<String>,
}

/// The most moves of a line that are kept.
const LONGEST_LINE: usize = 256;

/// A score as the side to move sees it, from White's side.
fn seen_from_white(turn: Color, value: i32) -> i32 {
    match turn {
        Color::White => value,
        Color::Black => value.saturating_neg(),
    }
}

impl EngineLine {
    /// Parses what follows `info ` in the output of an engine that searches `board`. None if it contains no line of moves:
    /// comments, the current move, and invalid output.
    #[must_use]
    pub fn parse(text: &str, board: &Board) -> Option<EngineLine> {
        let mut info = EngineLine {
            rank: 1,
            ..EngineLine::default()
        };
        let turn = board.turn();
        let mut tokens = text.split_ascii_whitespace();
        let mut told = false;
        while let Some(token) = tokens.next() {
            match token {
                "string" => break,
                "depth" => info.depth = tokens.next()?.parse().ok()?,
                "seldepth" => info.selective_depth = tokens.next()?.parse().ok()?,
                "multipv" => info.rank = tokens.next()?.parse().ok().filter(|rank| *rank > 0)?,
                "nodes" => info.nodes = tokens.next()?.parse().ok()?,
                "nps" => info.speed = tokens.next()?.parse().ok()?,
                "time" => info.time = tokens.next()?.parse().ok()?,
                "hashfull" => info.hash_full = tokens.next()?.parse().ok()?,
                "tbhits" => info.table_hits = tokens.next()?.parse().ok()?,
                "score" => {
                    let kind = tokens.next()?;
                    let value: i32 = tokens.next()?.parse().ok()?;
                    let value = seen_from_white(turn, value.clamp(-1_000_000, 1_000_000));
                    info.score = Some(match kind {
                        "cp" => Evaluation::Centipawns(value),
                        "mate" => Evaluation::Mate(value),
                        _ => return None,
                    });
                    told = true;
                }
                "lowerbound" => info.bound = EvaluationBound::Lower,
                "upperbound" => info.bound = EvaluationBound::Upper,
                "wdl" => {
                    let mut part = || tokens.next()?.parse::<u16>().ok().filter(|n| *n <= 1000);
                    let (win, draw, loss) = (part()?, part()?, part()?);
                    info.wdl = Some(match turn {
                        Color::White => Wdl { win, draw, loss },
                        Color::Black => Wdl {
                            win: loss,
                            draw,
                            loss: win,
                        },
                    });
                }
                "pv" => {
                    info.follow(board, &mut tokens);
                    told = true;
                    break;
                }
                // Single values that nobody asks for, and words of later protocols.
                _ => {}
            }
        }
        told.then_some(info)
    }

    /// Plays the moves of a line as far as they are legal.
    fn follow<'t>(&mut self, board: &Board, tokens: &mut impl Iterator<Item = &'t str>) {
        let mut board = board.clone();
        for token in tokens.take(LONGEST_LINE) {
            match legal(&board, token) {
                Some(m) => {
                    self.line.push(m);
                    board.play(m);
                }
                None => {
                    self.illegal = Some(token.chars().take(20).collect());
                    return;
                }
            }
        }
    }
}

/// The legal move that an engine means.
#[must_use]
pub fn legal(board: &Board, token: &str) -> Option<Move> {
    board
        .parse_uci(token.as_bytes())
        .filter(|m| !m.is_null() && board.is_legal(*m))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<EngineLine> {
        EngineLine::parse(text, &Board::standard())
    }

    #[test]
    fn lines_of_engines_are_read() {
        let info = read(
            "depth 10 seldepth 13 multipv 2 score cp 31 lowerbound wdl 90 880 30 nodes 20024 nps 444977 hashfull 10 \
             tbhits 3 time 45 pv e2e4 e7e5",
        )
        .expect("a line");
        assert_eq!((info.depth, info.selective_depth, info.rank), (10, 13, 2));
        assert_eq!(info.score, Some(Evaluation::Centipawns(31)));
        assert_eq!(info.bound, EvaluationBound::Lower);
        assert_eq!(
            (
                info.nodes,
                info.speed,
                info.time,
                info.hash_full,
                info.table_hits
            ),
            (20024, 444_977, 45, 10, 3)
        );
        assert_eq!(info.line.len(), 2);
        assert_eq!(info.wdl.map(|wdl| wdl.win), Some(90));
        assert_eq!(info.illegal, None);
    }

    #[test]
    fn scores_are_turned_to_white() {
        let (board, _) = Board::from_fen("4k3/8/8/8/8/8/q7/4K3 b - - 0 1").expect("valid");
        let info = EngineLine::parse("score mate 3 wdl 1000 0 0 pv a2b2", &board).expect("a line");
        assert_eq!(info.score, Some(Evaluation::Mate(-3)));
        assert_eq!(info.wdl.map(|wdl| wdl.loss), Some(1000));
        assert_eq!(
            EngineLine::parse("score cp 50", &board).and_then(|info| info.score),
            Some(Evaluation::Centipawns(-50))
        );
        let least = EngineLine::parse("score cp -2147483648", &board).and_then(|info| info.score);
        assert_eq!(least, Some(Evaluation::Centipawns(1_000_000)));
    }

    #[test]
    fn a_line_ends_before_its_first_illegal_move() {
        let info = read("score cp 1 pv e2e4 e2e4 e7e5").expect("a line");
        assert_eq!(info.line.len(), 1);
        assert_eq!(info.illegal.as_deref(), Some("e2e4"));
        let info = read("score cp 1 pv 0000").expect("a line");
        assert!(info.line.is_empty() && info.illegal.is_some());
    }

    #[test]
    fn what_tells_nothing_is_no_line() {
        for text in [
            "",
            "string NNUE evaluation using score cp 5",
            "depth 12 currmove e2e4 currmovenumber 1",
            "depth x score cp 3",
            "score cp",
            "score pawns 3",
            "score cp 99999999999",
            "wdl 1001 0 0 score cp 1",
            "multipv 0 score cp 1",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
