//! Training of repertoires: the due positions, the questions of a training, and answers, which go into the log of reviews.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::Json;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use serde::Deserialize;
use tabiya::repertoire::{
    self, MoveFrequency, RepertoireCards, RepertoirePosition, Review, ReviewRating, TrainingSession,
};
use tabiya_answers::server::{
    TrainingAnswer, TrainingCountsAnswer, TrainingMoveAnswer, TrainingQuestionAnswer,
    TrainingVerdictAnswer,
};
use tabiya_model::board::{CastlingStyle, Move};

use super::clipboard::private_folder;
use super::repertoires::{
    RepertoireParameters, SideParameter, nearest_first, position_of, read, side,
};
use super::selection::SelectionParameters;
use super::statistics::text;
use super::{long_work, work};
use crate::ServerState;
use crate::answer::{Refusal, RouteResult};
use crate::clock;
use crate::error_codes;
use crate::repertoires::{RepertoireEntry, TrainingEntry};

/// The probability of recall at which a position is asked again.
const RETENTION: f64 = 0.9;

/// New positions of a training, unless it is said how many.
const NEW: usize = 10;

/// The log of reviews: the same one as that of the command line.
fn log(shared: &ServerState) -> Result<PathBuf, Refusal> {
    let folder = shared.data.as_ref().ok_or_else(|| {
        Refusal::new(
            StatusCode::FORBIDDEN,
            &error_codes::NO_FOLDER,
            "this machine has no folder to keep the reviews in",
        )
    })?;
    Ok(folder.join("reviews.log"))
}

/// The time as the log has it.
fn now() -> i64 {
    i64::try_from(clock::now()).unwrap_or(i64::MAX)
}

/// The positions as the log leaves them, and lines of it that are no reviews.
fn cards(shared: &ServerState, entry: &RepertoireEntry) -> Result<(RepertoireCards, u64), Refusal> {
    let log = repertoire::read_reviews(&[log(shared)?])?;
    let reference = entry.reference.as_deref();
    let cards = RepertoireCards::new(&entry.repertoire, reference, &log, RETENTION, now());
    Ok((cards, log.unreadable))
}

/// How much is due.
pub(super) async fn counts(
    State(shared): State<ServerState>,
    Path(id): Path<String>,
    Query(asked): Query<RepertoireParameters>,
) -> RouteResult<TrainingCountsAnswer> {
    long_work(&shared, move |shared, control| {
        let plain = RepertoireParameters {
            reference: None,
            ..asked
        };
        let entry = read(
            shared,
            &id,
            &plain,
            &SelectionParameters::default(),
            control,
        )?;
        let (cards, unreadable) = cards(shared, &entry)?;
        let all = &cards.cards;
        let due = all.iter().filter(|card| card.is_due(cards.now)).count();
        let later = all.iter().filter_map(|card| Some(card.reviewed?.due));
        Ok(Json(TrainingCountsAnswer {
            color: side(entry.repertoire.color()),
            due: due as u64,
            new: all.iter().filter(|card| card.reviewed.is_none()).count() as u64,
            all: all.len() as u64,
            next: later
                .min()
                .filter(|_| due == 0)
                .map(repertoire::time_in_words),
            unreadable,
        }))
    })
    .await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TrainingRequest {
    color: Option<SideParameter>,
    /// The database whose games say how often the opponent's moves are played.
    reference: Option<String>,
    /// The position from which on positions are asked.
    fen: Option<String>,
    /// The maximum number of new positions.
    new: Option<usize>,
    /// If nothing is due and nothing is new, the positions that are due next are asked.
    #[serde(default)]
    ahead: bool,
}

/// Begins a training: what is due, then new positions.
pub(super) async fn begin(
    State(shared): State<ServerState>,
    Path(id): Path<String>,
    Json(asked): Json<TrainingRequest>,
) -> RouteResult<TrainingAnswer> {
    long_work(&shared, move |shared, control| {
        let parameters = RepertoireParameters {
            color: asked.color,
            reference: asked.reference,
        };
        let all = SelectionParameters::default();
        let entry = read(shared, &id, &parameters, &all, control)?;
        let (mut cards, _) = cards(shared, &entry)?;
        if let Some(fen) = text(asked.fen) {
            let from = position_of(&entry.repertoire, &fen)?;
            let wanted: BTreeSet<u32> = nearest_first(&entry.repertoire, &[from])
                .into_iter()
                .collect();
            cards.cards.retain(|card| wanted.contains(&card.position));
        }
        let new = asked.new.unwrap_or(NEW);
        let mut positions = cards.asked(new);
        if positions.is_empty() && asked.ahead {
            let next = cards.cards.iter().take(new.max(1));
            positions = next.map(|card| card.position).collect();
        }
        let seed = u64::try_from(now()).unwrap_or(0) ^ positions.len() as u64;
        let count = positions.len();
        let session = TrainingSession::new(
            Arc::clone(&entry.repertoire),
            positions,
            frequency(&entry),
            seed,
        );
        let training = shared.trainings.begin(session, count);
        Ok(Json(hold(&training).answer()))
    })
    .await
}

/// How often the opponent's moves are played.
fn frequency(entry: &RepertoireEntry) -> Box<dyn Fn(u32, usize) -> MoveFrequency + Send> {
    let repertoire = Arc::clone(&entry.repertoire);
    match entry.reference.clone() {
        Some(reference) => Box::new(move |position, at| MoveFrequency {
            games: reference.score(&repertoire, position, at).games,
            of: reference.games(position),
        }),
        None => Box::new(move |position, _| repertoire::equal_frequency(&repertoire, position)),
    }
}

fn hold(training: &Mutex<TrainingEntry>) -> MutexGuard<'_, TrainingEntry> {
    training.lock().unwrap_or_else(PoisonError::into_inner)
}

fn training(shared: &ServerState, id: &str) -> Result<Arc<Mutex<TrainingEntry>>, Refusal> {
    shared.trainings.get(id).ok_or_else(|| {
        Refusal::missing(
            &error_codes::NO_SUCH_TRAINING,
            "this training is over; begin another one",
        )
    })
}

/// A training with its question.
pub(super) async fn one(
    State(shared): State<ServerState>,
    Path(id): Path<String>,
) -> RouteResult<TrainingAnswer> {
    work(&shared, move |shared| {
        let training = training(shared, &id)?;
        let told = hold(&training).answer();
        Ok(Json(told))
    })
    .await
}

/// What a right answer is worth.
#[derive(Copy, Clone, Deserialize, Default)]
#[serde(rename_all = "kebab-case")]
enum RatingParameter {
    Hard,
    #[default]
    Good,
    Easy,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TrainingReply {
    /// The number of the question.
    number: u64,
    /// The move, by its squares or in words; none if the user does not know it.
    #[serde(rename = "move")]
    given: Option<String>,
    #[serde(default)]
    rating: RatingParameter,
}

/// Judges an answer, and writes it into the log.
pub(super) async fn answer(
    State(shared): State<ServerState>,
    Path(id): Path<String>,
    Json(reply): Json<TrainingReply>,
) -> RouteResult<TrainingVerdictAnswer> {
    work(&shared, move |shared| {
        let training = training(shared, &id)?;
        let mut training = hold(&training);
        training.is_asked(reply.number)?;
        let log = log(shared)?;
        if let Some(folder) = log.parent() {
            private_folder(folder)?;
        }
        let told = training.judge(&reply, |review| {
            repertoire::append_review(&log, review).map_err(Refusal::from)
        })?;
        Ok(Json(told))
    })
    .await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SkipRequest {
    number: u64,
}

/// Leaves the line.
pub(super) async fn skip(
    State(shared): State<ServerState>,
    Path(id): Path<String>,
    Json(SkipRequest { number }): Json<SkipRequest>,
) -> RouteResult<TrainingAnswer> {
    work(&shared, move |shared| {
        let training = training(shared, &id)?;
        let mut training = hold(&training);
        training.is_asked(number)?;
        training.session.skip_line();
        training.number += 1;
        training.begins = true;
        Ok(Json(training.answer()))
    })
    .await
}

fn move_answer(position: &RepertoirePosition, m: Move) -> TrainingMoveAnswer {
    let style = match position.board.is_chess960() {
        true => CastlingStyle::KingTakesRook,
        false => CastlingStyle::KingMoves,
    };
    let mut uci = Vec::new();
    position.board.write_uci(m, style, &mut uci);
    TrainingMoveAnswer {
        san: position.san(m),
        uci: String::from_utf8_lossy(&uci).into_owned(),
    }
}

impl TrainingEntry {
    /// Refuses an answer to another question: another tab, or the same one a second time, has answered.
    fn is_asked(&self, number: u64) -> Result<(), Refusal> {
        match number == self.number {
            true => Ok(()),
            false => Err(Refusal::new(
                StatusCode::CONFLICT,
                &error_codes::TRAINING_WENT_ON,
                "this question has already been answered",
            )),
        }
    }

    fn answer(&mut self) -> TrainingAnswer {
        let repertoire = Arc::clone(self.session.repertoire());
        let (number, begins) = (self.number, self.begins);
        let question = self.session.question().cloned();
        let question = question.and_then(|question| {
            let start = repertoire.position(question.start)?;
            let here = repertoire.position(question.position)?;
            let mut board = start.board.clone();
            let mut moves = Vec::new();
            for m in &question.line {
                let mut uci = Vec::new();
                board.write_uci(*m, CastlingStyle::KingTakesRook, &mut uci);
                moves.push(String::from_utf8_lossy(&uci).into_owned());
                board.play(*m);
            }
            Some(TrainingQuestionAnswer {
                number,
                start: start.board.to_fen(),
                moves,
                line: start.words_of(question.line.iter().copied()),
                fen: here.board.to_fen(),
                begins,
            })
        });
        TrainingAnswer {
            id: self.id.clone(),
            color: side(repertoire.color()),
            question,
            left: self.session.left() as u64,
            all: self.all,
            right: self.right,
            wrong: self.wrong,
        }
    }

    /// Judges an answer. What goes into the log is there before anything else has become of it.
    fn judge(
        &mut self,
        reply: &TrainingReply,
        append: impl FnOnce(&Review) -> Result<(), Refusal>,
    ) -> Result<TrainingVerdictAnswer, Refusal> {
        let repertoire = Arc::clone(self.session.repertoire());
        let over = || {
            Refusal::missing(
                &error_codes::NO_SUCH_TRAINING,
                "this training is over; begin another one",
            )
        };
        let question = self.session.question().cloned().ok_or_else(over)?;
        let position = repertoire.position(question.position).ok_or_else(over)?;
        let given = match &reply.given {
            None => None,
            Some(given) => Some(move_of(position, given)?),
        };
        let rating = match reply.rating {
            RatingParameter::Hard => ReviewRating::Hard,
            RatingParameter::Good => ReviewRating::Good,
            RatingParameter::Easy => ReviewRating::Easy,
        };
        if let Some(rating) = self.session.rating(given, rating) {
            let mut board = position.board.clone();
            if let Some(start) = repertoire.position(question.start) {
                board = start.board.clone();
                question.line.iter().for_each(|m| board.play(*m));
            }
            append(&Review {
                time: now(),
                position: repertoire::position_in_words(&board),
                answer: given.map_or_else(|| "-".to_owned(), |m| move_answer(position, m).uci),
                rating,
                device: repertoire::device_name(&std::env::var("HOSTNAME").unwrap_or_default()),
            })?;
        }
        let verdict = self.session.answer(given, rating).ok_or_else(over)?;
        match verdict.rating {
            Some(ReviewRating::Again) => self.wrong += 1,
            Some(_) => self.right += 1,
            None => {}
        }
        let played = given
            .filter(|_| verdict.is_right)
            .or_else(|| verdict.right.first().copied());
        let after = played.and_then(|m| {
            let known = position.moves.iter().find(|known| known.step == m)?;
            repertoire.position(known.to?)
        });
        let line_ends = !self.session.is_in_line();
        self.number += 1;
        self.begins = line_ends;
        Ok(TrainingVerdictAnswer {
            right: verdict.is_right,
            rating: verdict.rating.map(ReviewRating::name),
            moves: verdict
                .right
                .iter()
                .map(|m| move_answer(position, *m))
                .collect(),
            played: played.map(|m| move_answer(position, m)),
            reply: verdict
                .reply
                .zip(after)
                .map(|(m, after)| move_answer(after, m)),
            line_ends,
            next: self.answer(),
        })
    }
}

/// A move by its squares or in words.
fn move_of(position: &RepertoirePosition, given: &str) -> Result<Move, Refusal> {
    let board = &position.board;
    let text = given.trim().as_bytes();
    let by_squares = || board.parse_uci(text);
    let by_name = board.read_san(text).and_then(|(read, _)| read.ok());
    by_name
        .or_else(by_squares)
        .filter(|m| !m.is_null() && board.is_legal(*m))
        .ok_or_else(|| {
            Refusal::bad(
                &error_codes::BAD_LINE,
                format!("{given:.40}: no move in this position"),
            )
        })
}
