//! A repertoire with the figures of a reference.

use tabiya_answers::RepertoirePositionAnswer;
use tabiya_explore::tally::MoveScore;
use tabiya_repertoire::Repertoire;

use super::reference::RepertoireReference;
use super::{move_answer, side_answer};

/// A position of the tree.
#[derive(Clone, PartialEq, Debug)]
pub struct RepertoireTreePosition {
    /// The number of the position.
    pub number: u32,
    /// The number of branches before it.
    pub branches: usize,
    /// How often it arises if the repertoire is played; nothing without a reference.
    pub frequency: Option<f64>,
    /// For each move, those that are marked bad last: its reference games, and whether the position after it is elsewhere in the tree.
    pub moves: Vec<(Option<MoveScore>, bool)>,
}

impl RepertoireTreePosition {
    /// The answer for programs.
    #[must_use]
    pub fn answer(&self, repertoire: &Repertoire) -> RepertoirePositionAnswer {
        let position = repertoire.position(self.number);
        let moves = position.into_iter().flat_map(|position| {
            let all = position.moves.iter().chain(&position.bad_moves);
            all.zip(&self.moves).map(|(m, (score, transposes))| {
                let color = repertoire.color();
                move_answer(position, m, score.as_ref(), color, *transposes)
            })
        });
        RepertoirePositionAnswer {
            color: side_answer(repertoire.color()),
            line: repertoire.line_in_words(self.number),
            fen: position.map_or_else(String::new, |position| position.board.to_fen()),
            my_turn: repertoire.is_my_turn(self.number),
            frequency: self.frequency,
            moves: moves.collect(),
        }
    }
}

/// The positions of a repertoire that have moves, line by line, each once.
#[must_use]
pub fn tree(
    repertoire: &Repertoire,
    reference: Option<&RepertoireReference>,
) -> Vec<RepertoireTreePosition> {
    let frequencies = reference.map(|reference| reference.frequencies(repertoire));
    let place = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
    let mut seen = vec![false; repertoire.positions().len()];
    let mut found = Vec::new();
    let mut waiting: Vec<(u32, usize)> = repertoire
        .starts()
        .iter()
        .rev()
        .map(|start| (*start, 0))
        .collect();
    for start in repertoire.starts() {
        if let Some(seen) = seen.get_mut(place(*start)) {
            *seen = true;
        }
    }
    while let Some((number, branches)) = waiting.pop() {
        let Some(position) = repertoire.position(number) else {
            continue;
        };
        if position.moves.is_empty() && position.bad_moves.is_empty() {
            continue;
        }
        let mut moves = Vec::new();
        let mut next = Vec::new();
        for (at, m) in position.moves.iter().enumerate() {
            let score = reference.map(|reference| reference.score(repertoire, number, at));
            let is_elsewhere =
                m.to.and_then(|to| Some((to, seen.get_mut(place(to))?)))
                    .is_some_and(|(to, seen)| {
                        let is_elsewhere = std::mem::replace(seen, true);
                        if !is_elsewhere {
                            next.push((to, branches + usize::from(at > 0)));
                        }
                        is_elsewhere
                    });
            moves.push((score, is_elsewhere));
        }
        moves.extend(position.bad_moves.iter().map(|_| (None, false)));
        waiting.extend(next.into_iter().rev());
        found.push(RepertoireTreePosition {
            number,
            branches,
            frequency: frequencies
                .as_ref()
                .and_then(|all| all.get(place(number)).copied()),
            moves,
        });
    }
    found
}
