//! The moves that a repertoire does not answer.

use tabiya_answers::RepertoireGapAnswer;
use tabiya_explore::move_code::MoveCode;
use tabiya_explore::tally::MoveScore;
use tabiya_model::board::Move;
use tabiya_openings::position_key::PositionKey;
use tabiya_repertoire::Repertoire;

use super::reference::RepertoireReference;
use super::{score_of, side_answer, uci};

/// Which moves of the opponent need an answer.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RepertoireGapOptions {
    /// Those that were played in at least this per cent of the games in a position.
    pub share: f64,
    /// Those that were played in at least this number of games.
    pub games: u64,
}

impl Default for RepertoireGapOptions {
    fn default() -> RepertoireGapOptions {
        RepertoireGapOptions {
            share: 5.0,
            games: 5,
        }
    }
}

/// A move of the opponent that a repertoire does not answer.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RepertoireGap {
    /// The number of the position.
    pub position: u32,
    /// The move.
    pub step: Move,
    /// Its games.
    pub score: MoveScore,
    /// Games that went on in the position.
    pub of: u64,
    /// The probability that the position arises if the repertoire is played.
    pub frequency: f64,
    /// Whether the repertoire has no move in the position.
    pub is_end_of_line: bool,
}

impl RepertoireGap {
    /// The answer for programs.
    #[must_use]
    pub fn answer(&self, repertoire: &Repertoire) -> RepertoireGapAnswer {
        let position = repertoire.position(self.position);
        RepertoireGapAnswer {
            color: side_answer(repertoire.color()),
            line: repertoire.line_in_words(self.position),
            fen: position.map_or_else(String::new, |position| position.board.to_fen()),
            san: position.map_or_else(String::new, |position| position.san(self.step)),
            uci: position.map_or_else(String::new, |position| uci(position, self.step)),
            games: self.score.games,
            of: self.of,
            frequency: self.frequency,
            end_of_line: self.is_end_of_line,
            score: score_of(&self.score, repertoire.color()),
        }
    }
}

/// The moves of the opponent that a repertoire does not answer, the most frequent first; of equals, the one whose position
/// is first in the repertoire, and then the one with more games.
#[must_use]
pub fn gaps(
    repertoire: &Repertoire,
    reference: &RepertoireReference,
    options: RepertoireGapOptions,
) -> Vec<RepertoireGap> {
    let frequencies = reference.frequencies(repertoire);
    let mut found = Vec::new();
    for (number, position) in (0..).zip(repertoire.positions()) {
        if repertoire.is_my_turn(number) || !position.is_active {
            continue;
        }
        let of = reference.games(number);
        for (step, score) in reference.moves(number) {
            #[allow(clippy::cast_precision_loss)]
            let share = score.games as f64 * 100.0 / of.max(1) as f64;
            if share < options.share || score.games < options.games {
                continue;
            }
            let Some(m) = unanswered(repertoire, number, *step) else {
                continue;
            };
            let at = usize::try_from(number).unwrap_or(usize::MAX);
            let marked = position.moves.iter().find(|known| known.step == m);
            let share = match marked.and_then(|known| known.marks.share) {
                Some(marked) => f64::from(marked),
                None => share,
            };
            found.push(RepertoireGap {
                position: number,
                step: m,
                score: *score,
                of,
                frequency: frequencies.get(at).copied().unwrap_or_default() * share / 100.0,
                is_end_of_line: position.moves.is_empty(),
            });
        }
    }
    found.sort_by(|one, two| {
        two.frequency
            .total_cmp(&one.frequency)
            .then(one.position.cmp(&two.position))
            .then(two.score.games.cmp(&one.score.games))
    });
    found
}

/// A move of the opponent, if the repertoire has no answer and needs one.
fn unanswered(repertoire: &Repertoire, number: u32, step: MoveCode) -> Option<Move> {
    let position = repertoire.position(number)?;
    let m = step.on(&position.board).filter(|m| !m.is_null())?;
    let mut board = position.board.clone();
    board.play(m);
    if let Some(known) = position.moves.iter().find(|known| known.step == m)
        && known.marks.skip
    {
        return None;
    }
    let is_answered = repertoire
        .find(PositionKey::of_board(&board))
        .and_then(|after| repertoire.position(after))
        .is_some_and(|after| !after.moves.is_empty());
    (!is_answered && board.turn() == repertoire.color() && board.has_legal_move()).then_some(m)
}

#[cfg(test)]
mod tests {
    use shakmaty::Color;

    use super::*;

    #[test]
    fn scores_are_those_of_the_side() {
        let score = MoveScore {
            games: 4,
            white: 2,
            draws: 1,
            black: 0,
            ..MoveScore::default()
        };
        assert_eq!(score_of(&score, Color::White), Some(250.0 / 3.0));
        assert_eq!(score_of(&score, Color::Black), Some(50.0 / 3.0));
        assert_eq!(score_of(&MoveScore::default(), Color::Black), None);
    }
}
