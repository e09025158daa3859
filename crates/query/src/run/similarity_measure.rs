//! The distance of games from the positions of a query with `similar:`.

use tabiya_model::tape::Replay;
use tabiya_model::{Game, TapeOp};

use crate::terms::board_transform::BoardTransform;
use crate::terms::piece_squares::piece_squares;
use crate::terms::position::{PositionAtom, PositionExpr};
use crate::terms::query::{Query, QueryTerm};
use crate::terms::similarity::SimilarityTest;

/// The positions of a query with `similar:`.
#[derive(Clone, Debug)]
pub struct SimilarityMeasure {
    wanted: Vec<SimilarityTarget>,
}

#[derive(Clone, Debug)]
struct SimilarityTarget {
    similar: SimilarityTest,
    /// Whether positions of variations count.
    variations: bool,
}

impl SimilarityMeasure {
    /// The positions of a query; none without `similar:`.
    #[must_use]
    pub fn new(query: &Query) -> Option<SimilarityMeasure> {
        let mut wanted = Vec::new();
        for term in &query.terms {
            let QueryTerm::Walk(walk) = term else {
                continue;
            };
            let mut found = Vec::new();
            for expr in walk.exprs() {
                gather(expr, &[BoardTransform::default()], &mut found);
            }
            wanted.extend(found.into_iter().map(|similar| SimilarityTarget {
                similar,
                variations: walk.variations,
            }));
        }
        (!wanted.is_empty()).then_some(SimilarityMeasure { wanted })
    }

    /// Whether positions of variations count.
    #[must_use]
    pub fn wants_variations(&self) -> bool {
        self.wanted.iter().any(|wanted| wanted.variations)
    }

    /// The smallest number of moves between any position of a game and one of the query; none if all of them are too far
    /// away.
    #[must_use]
    pub fn of(&self, game: &Game) -> Option<u32> {
        let tape = &game.tape;
        let mut replay = Replay::new(&game.start_board());
        let lines = self.wants_variations();
        let mut depth = 0_u32;
        let mut nearest = self.at(&replay, true);
        let mut at = 0;
        while let Some(op) = tape.get(at) {
            if nearest == Some(0) {
                break;
            }
            if matches!(op, TapeOp::Begin(_)) && !lines {
                at = tape.skip(at);
                continue;
            }
            at += 1;
            replay.follow(op);
            match op {
                TapeOp::Begin(_) => depth += 1,
                TapeOp::End => depth = depth.saturating_sub(1),
                TapeOp::Move(_) => {
                    let here = self.at(&replay, depth == 0);
                    nearest = nearest.into_iter().chain(here).min();
                }
                _ => {}
            }
        }
        nearest
    }

    fn at(&self, replay: &Replay, main: bool) -> Option<u32> {
        let board = replay.now();
        let pieces = piece_squares(board);
        let asked = self
            .wanted
            .iter()
            .filter(|wanted| main || wanted.variations);
        asked
            .filter_map(|wanted| wanted.similar.nearness(&pieces, board.turn()))
            .min()
    }
}

/// The positions that a question asks for, in each way in which the board may be turned.
fn gather(expr: &PositionExpr, ways: &[BoardTransform], found: &mut Vec<SimilarityTest>) {
    match expr {
        PositionExpr::Atom(PositionAtom::Similar(similar)) => {
            found.extend(ways.iter().map(|way| similar.turned(*way)));
        }
        PositionExpr::Atom(_) => {}
        PositionExpr::And(parts) | PositionExpr::Or(parts) => {
            parts.iter().for_each(|part| gather(part, ways, found));
        }
        PositionExpr::Not(part) | PositionExpr::Each { question: part, .. } => {
            gather(part, ways, found);
        }
        PositionExpr::Turned(more, part) => {
            let all: Vec<BoardTransform> = ways
                .iter()
                .flat_map(|way| more.iter().map(|other| way.and(*other)))
                .collect();
            gather(part, &all, found);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terms::query::QueryContext;
    use tabiya_model::Board;

    fn nearness(query: &str, moves: &[&str]) -> Option<Option<u32>> {
        let query = Query::parse(query, QueryContext::default()).expect("a query");
        let mut game = Game::default();
        let mut board = Board::standard();
        for uci in moves {
            let m = board.parse_uci(uci.as_bytes()).expect("a move");
            game.tape.push_move(m);
            board.play(m);
        }
        SimilarityMeasure::new(&query).map(|near| near.of(&game))
    }

    #[test]
    fn the_nearest_position_of_a_game_counts() {
        let similar = "similar[within 4]:\"r1bqkbnr/pppppppp/2n5/8/8/2N2N2/PPPPPPPP/R1BQKB1R\"";
        let game = ["b1c3", "b8c6", "h2h3"];
        assert_eq!(nearness(similar, &game), Some(Some(1)));
        assert_eq!(nearness(similar, &[]), Some(Some(3)));
        assert_eq!(
            nearness(similar, &["g1f3", "b8c6", "b1c3", "g8f6"]),
            Some(Some(0))
        );
        let flipped = similar.replace("within 4", "within 1, flip");
        assert_eq!(nearness(&flipped, &["b1c3", "b8c6"]), Some(Some(1)));
        assert_eq!(nearness(&flipped, &[]), Some(None));
        assert_eq!(nearness("check", &game), None);
    }
}
