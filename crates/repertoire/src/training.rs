//! Training: which positions are asked, in which order, and how a line continues.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use tabiya_model::board::Move;
use tabiya_openings::position_key::PositionKey;

use crate::frequency::{MoveFrequency, shares};
use crate::fsrs::{Fsrs, ReviewRating};
use crate::repertoire::Repertoire;
use crate::reviews::ReviewedPosition;

/// Seconds of a day.
const DAY: i64 = 86_400;

/// A position with the trained side to move, and its state.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TrainingCard {
    /// The number of the position.
    pub position: u32,
    /// Its memory; nothing for a new one.
    pub reviewed: Option<ReviewedPosition>,
    /// The probability that the move is recalled now; 0 for a new one.
    pub retrievability: f64,
    /// How often the position arises.
    pub frequency: f64,
}

impl TrainingCard {
    /// Whether it is due.
    #[must_use]
    pub fn is_due(&self, now: i64) -> bool {
        self.reviewed.is_some_and(|reviewed| reviewed.due <= now)
    }
}

/// The positions of a repertoire that can be trained: those that are due first, the longest due at the head; then new ones,
/// the most frequent at the head; then the others, the next one due at the head.
#[must_use]
pub fn training_cards(
    repertoire: &Repertoire,
    frequencies: &[f64],
    known: &BTreeMap<PositionKey, ReviewedPosition>,
    model: &Fsrs,
    now: i64,
) -> Vec<TrainingCard> {
    let mut cards = Vec::new();
    for (number, position) in (0..).zip(repertoire.positions()) {
        let is_mine = repertoire.is_my_turn(number) && position.is_active;
        if !is_mine || position.active_moves(true).is_empty() {
            continue;
        }
        let key = PositionKey::of_board(&position.board);
        let reviewed = known.get(&key).copied();
        let at = usize::try_from(number).unwrap_or(usize::MAX);
        cards.push(TrainingCard {
            position: number,
            reviewed,
            retrievability: reviewed.map_or(0.0, |reviewed| {
                let days = now.saturating_sub(reviewed.last).max(0) / DAY;
                let days = u32::try_from(days).unwrap_or(u32::MAX);
                model.retrievability(reviewed.memory, days)
            }),
            frequency: frequencies.get(at).copied().unwrap_or_default(),
        });
    }
    let rank = |card: &TrainingCard| match card.reviewed {
        Some(reviewed) if reviewed.due <= now => (0, reviewed.due),
        None => (1, 0),
        Some(reviewed) => (2, reviewed.due),
    };
    cards.sort_by(|one, two| {
        rank(one)
            .cmp(&rank(two))
            .then(two.frequency.total_cmp(&one.frequency))
            .then(one.position.cmp(&two.position))
    });
    cards
}

/// A question: the trained side's move in a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TrainingQuestion {
    /// The number of the position.
    pub position: u32,
    /// The number of the position where its line starts.
    pub start: u32,
    /// The moves of the line so far.
    pub line: Vec<Move>,
}

/// The result of an answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TrainingVerdict {
    /// Whether it was right.
    pub is_right: bool,
    /// The rating for the log; nothing if a position that was not due was known.
    pub rating: Option<ReviewRating>,
    /// The right moves.
    pub right: Vec<Move>,
    /// The opponent's reply, which continues the line.
    pub reply: Option<Move>,
}

/// A session. Each line is played to its end; then the next position to ask begins another.
pub struct TrainingSession<'r> {
    repertoire: Arc<Repertoire>,
    /// Positions that remain to be asked.
    waiting: VecDeque<u32>,
    /// Those of them whose answer goes into the log.
    open: BTreeSet<u32>,
    /// Where the line stands, if it is my turn.
    question: Option<TrainingQuestion>,
    /// The positions of the line, each of which it comes to once.
    seen: BTreeSet<u32>,
    played: Box<dyn Fn(u32, usize) -> MoveFrequency + Send + 'r>,
    seed: u64,
}

impl std::fmt::Debug for TrainingSession<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TrainingSession")
            .field("waiting", &self.waiting)
            .field("question", &self.question)
            .finish_non_exhaustive()
    }
}

impl<'r> TrainingSession<'r> {
    /// Asks some positions. `played` returns how often the opponent's moves are played, by the number of a position and the
    /// index of a move there; `seed` decides which of them are played.
    #[must_use]
    pub fn new(
        repertoire: Arc<Repertoire>,
        positions: impl IntoIterator<Item = u32>,
        played: Box<dyn Fn(u32, usize) -> MoveFrequency + Send + 'r>,
        seed: u64,
    ) -> TrainingSession<'r> {
        let waiting: VecDeque<u32> = positions.into_iter().collect();
        TrainingSession {
            repertoire,
            open: waiting.iter().copied().collect(),
            waiting,
            question: None,
            seen: BTreeSet::new(),
            played,
            seed,
        }
    }

    /// The repertoire whose positions are asked.
    #[must_use]
    pub fn repertoire(&self) -> &Arc<Repertoire> {
        &self.repertoire
    }

    /// How many positions remain to be asked.
    #[must_use]
    pub fn left(&self) -> usize {
        self.open.len()
    }

    /// The open question, or the next one; nothing if all positions were asked.
    pub fn question(&mut self) -> Option<&TrainingQuestion> {
        if self.question.is_none() {
            let position = loop {
                let position = self.waiting.pop_front()?;
                // It may have been asked on the way through another line.
                if self.open.contains(&position) {
                    break position;
                }
            };
            let (start, line) = self.repertoire.line_to(position);
            self.seen = BTreeSet::from([position]);
            self.question = Some(TrainingQuestion {
                position,
                start,
                line,
            });
        }
        self.question.as_ref()
    }

    /// Leaves the line.
    pub fn skip_line(&mut self) {
        if let Some(question) = self.question.take()
            && self.open.contains(&question.position)
        {
            self.open.remove(&question.position);
        }
    }

    /// Whether the line continues with a question.
    #[must_use]
    pub fn is_in_line(&self) -> bool {
        self.question.is_some()
    }

    /// What an answer to the open question adds to the log; nothing if a position that was not due is known.
    #[must_use]
    pub fn rating(&self, given: Option<Move>, rating: ReviewRating) -> Option<ReviewRating> {
        let question = self.question.as_ref()?;
        let position = self.repertoire.position(question.position)?;
        let mut right = position.active_moves(true).into_iter();
        let is_right = right.any(|at| position.moves.get(at).map(|m| m.step) == given);
        match (
            given.is_some() && is_right,
            self.open.contains(&question.position),
        ) {
            (true, true) => Some(rating.max(ReviewRating::Hard)),
            (true, false) => None,
            (false, _) => Some(ReviewRating::Again),
        }
    }

    /// Checks a move, which is right if it is one of the repertoire's and no other is mandatory. `rating` is the rating of a right answer.
    pub fn answer(&mut self, given: Option<Move>, rating: ReviewRating) -> Option<TrainingVerdict> {
        let rating = self.rating(given, rating);
        let question = self.question.take()?;
        let repertoire = Arc::clone(&self.repertoire);
        let position = repertoire.position(question.position)?;
        let active = position.active_moves(true);
        let right: Vec<Move> = active
            .iter()
            .filter_map(|at| Some(position.moves.get(*at)?.step))
            .collect();
        let is_right = given.is_some_and(|given| right.contains(&given));
        match is_right {
            true => {
                self.open.remove(&question.position);
            }
            false => {
                // It is asked again before the end.
                self.open.insert(question.position);
                self.waiting.push_back(question.position);
            }
        }
        let mine = given
            .filter(|_| is_right)
            .or_else(|| right.first().copied());
        let mut reply = None;
        if let Some(mine) = mine {
            reply = self.go_on(question, mine);
        }
        Some(TrainingVerdict {
            is_right,
            rating,
            right,
            reply,
        })
    }

    /// Plays my move and a reply, as far as the repertoire goes.
    fn go_on(&mut self, mut question: TrainingQuestion, mine: Move) -> Option<Move> {
        let repertoire = Arc::clone(&self.repertoire);
        let position = repertoire.position(question.position)?;
        let after = position.moves.iter().find(|m| m.step == mine)?.to?;
        let next = shares(&repertoire, after, &self.played);
        let of = repertoire.position(after)?;
        let total: f64 = next.iter().map(|(.., share)| share).sum();
        let mut drawn = self.draw() * if total > 0.0 { total } else { 1.0 };
        #[allow(clippy::cast_precision_loss)]
        let equal = 1.0 / next.len().max(1) as f64;
        let mut chosen = next.last().copied();
        for one in &next {
            drawn -= if total > 0.0 { one.2 } else { equal };
            if drawn < 0.0 {
                chosen = Some(*one);
                break;
            }
        }
        let (at, to, _) = chosen?;
        let reply = of.moves.get(at)?.step;
        let next = repertoire.position(to)?;
        if next.active_moves(true).is_empty() || !self.seen.insert(to) {
            return Some(reply);
        }
        question.line.extend([mine, reply]);
        question.position = to;
        self.question = Some(question);
        Some(reply)
    }

    /// A number from 0 to 1, and less than 1, drawn from the seed.
    fn draw(&mut self) -> f64 {
        self.seed = self.seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.seed;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        #[allow(clippy::cast_precision_loss)]
        let part = ((z ^ z >> 31) >> 11) as f64 / (1_u64 << 53) as f64;
        part
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::RepertoireBuilder;
    use shakmaty::Color;
    use tabiya_model::{Board, Game};

    fn repertoire() -> Repertoire {
        let mut builder = RepertoireBuilder::default();
        for line in [
            &["e2e4", "c7c5", "g1f3", "d7d6", "d2d4"][..],
            &["e2e4", "e7e5", "g1f3", "b8c6", "f1b5"],
            &["e2e4", "e7e5", "b1c3"],
        ] {
            let mut game = Game::default();
            let mut board = Board::standard();
            for uci in line {
                let m = board.parse_uci(uci.as_bytes()).expect("legal");
                game.tape.push_move(m);
                board.play(m);
            }
            builder.add(&game).expect("a game");
        }
        builder
            .finish(Some(Color::White))
            .expect("a repertoire")
            .remove(0)
    }

    #[test]
    fn a_session_asks_each_position_until_it_is_known() {
        let repertoire = Arc::new(repertoire());
        let cards = training_cards(&repertoire, &[], &BTreeMap::new(), &Fsrs::default(), 0);
        assert_eq!(cards.len(), 5);
        for seed in 0..50 {
            let equal = Box::new(|_: u32, _: usize| MoveFrequency { games: 1, of: 1 });
            let positions = cards.iter().map(|card| card.position);
            let mut session = TrainingSession::new(Arc::clone(&repertoire), positions, equal, seed);
            let (mut asked, mut wrong, mut right) = (0, 0, BTreeSet::new());
            while let Some(question) = session.question().cloned() {
                asked += 1;
                assert!(asked < 100, "it ends");
                let position = repertoire.position(question.position).expect("known");
                let mut board = Board::standard();
                question.line.iter().for_each(|m| board.play(*m));
                assert_eq!(board.to_fen(), position.board.to_fen());
                // The first answer is wrong.
                let given = position.moves.last().map(|m| m.step).filter(|_| asked > 1);
                let verdict = session.answer(given, ReviewRating::Good).expect("open");
                assert_eq!(verdict.is_right, asked > 1);
                match verdict.rating {
                    Some(ReviewRating::Again) => wrong += 1,
                    Some(rating) => {
                        assert_eq!(rating, ReviewRating::Good);
                        assert!(right.insert(question.position), "it is logged once");
                    }
                    None => assert!(right.contains(&question.position)),
                }
            }
            assert_eq!((wrong, right.len(), session.left()), (1, 5, 0));
        }
    }

    #[test]
    fn due_positions_come_first_and_new_ones_by_how_often_they_arise() {
        let repertoire = repertoire();
        let mine: Vec<u32> = (0..)
            .zip(repertoire.positions())
            .filter(|(number, position)| {
                repertoire.is_my_turn(*number) && !position.moves.is_empty()
            })
            .map(|(number, _)| number)
            .collect();
        let key = |at: usize| {
            let position = repertoire.position(mine[at]).expect("known");
            PositionKey::of_board(&position.board)
        };
        let model = Fsrs::default();
        let reviewed = |due: i64| ReviewedPosition {
            memory: model.review(None, ReviewRating::Good),
            last: 0,
            due,
            reviews: 1,
            lapses: 0,
        };
        let known = BTreeMap::from([
            (key(0), reviewed(900)),
            (key(1), reviewed(100)),
            (key(2), reviewed(200)),
        ]);
        let mut frequencies = vec![0.0; repertoire.positions().len()];
        frequencies[usize::try_from(mine[4]).expect("small")] = 0.5;
        let cards = training_cards(&repertoire, &frequencies, &known, &model, 500);
        let order: Vec<u32> = cards.iter().map(|card| card.position).collect();
        assert_eq!(order, [mine[1], mine[2], mine[4], mine[3], mine[0]]);
        assert_eq!(cards.iter().filter(|card| card.is_due(500)).count(), 2);
    }
}
