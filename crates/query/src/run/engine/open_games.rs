//! The games that have to be read after facts or an index have excluded others.

use tabiya_model::database::GameNeeds;
use tabiya_model::pipeline;
use tabiya_model::{Block, Control, Game, JobCompletion, Result, Source};

use crate::plan::term_games::CandidateGames;
use crate::run::index_answers::{IndexAnswer, IndexAnswers};
use crate::run::walk::TermAnswers;

/// Games that one thread takes at a time where facts alone are asked.
const RUN: u64 = 1 << 14;

/// Games of those between two looks at the control.
const LOOK: u64 = 64;

/// Ranges of games as blocks: of their numbers, or of their places among the candidates.
pub(super) struct GameRangeSource {
    pub(super) next: u64,
    pub(super) end: u64,
    pub(super) size: u64,
}

/// Games from one number or place on.
struct GameRangeBlock(u64);

impl Source<'static> for GameRangeSource {
    fn next_block(&mut self) -> Result<Option<Box<dyn Block>>> {
        if self.next >= self.end {
            return Ok(None);
        }
        let first = self.next;
        self.next = first.saturating_add(self.size).min(self.end);
        Ok(Some(Box::new(GameRangeBlock(first))))
    }
}

impl Block for GameRangeBlock {
    fn next(&mut self, _: GameNeeds, _: &mut Game) -> Result<bool> {
        Ok(false)
    }

    fn first(&self) -> Option<u64> {
        Some(self.0)
    }
}

/// The games that are open, or hits that are more than counted: of candidates, or of all games.
pub(super) fn choose(
    judge: &IndexAnswers<'_>,
    among: Option<CandidateGames>,
    games: u64,
    counting: bool,
    control: &Control,
) -> Result<(CandidateGames, JobCompletion)> {
    let choose = |answers: &mut TermAnswers, chosen: &mut CandidateGames, number: u64| match judge
        .ask(number, answers)
    {
        IndexAnswer::NoGame => {}
        IndexAnswer::Open { .. } => chosen.games.push(number),
        IndexAnswer::Settled(false) => {}
        IndexAnswer::Settled(true) if counting => chosen.sure += 1,
        IndexAnswer::Settled(true) => chosen.games.push(number),
    };
    let mut chosen = CandidateGames::default();
    if let Some(among) = among {
        let mut answers = TermAnswers::default();
        chosen.sure = among.sure;
        for (number, at) in among.games.into_iter().zip(0_u64..) {
            if at.is_multiple_of(RUN) && control.is_stopped() {
                break;
            }
            choose(&mut answers, &mut chosen, number);
        }
        return Ok((chosen, control.completion()));
    }
    let mut batches = GameRangeSource {
        next: 1,
        end: games.saturating_add(1),
        size: RUN,
    };
    let control = &match games <= RUN {
        true => control.clone().with_threads(1),
        false => control.clone(),
    };
    control.expect_more(Some(games));
    let ended = pipeline::run(
        &mut batches,
        control,
        || {
            let mut answers = TermAnswers::default();
            move |block: &mut dyn Block| {
                let first = block.first().unwrap_or(u64::MAX);
                let last = first.saturating_add(RUN - 1).min(games);
                let mut chosen = CandidateGames::default();
                for number in first..=last {
                    if number.is_multiple_of(LOOK) && control.is_stopped() {
                        break;
                    }
                    choose(&mut answers, &mut chosen, number);
                }
                control.advance(0, last.saturating_sub(first).saturating_add(1));
                Ok(chosen)
            }
        },
        |part| {
            chosen.sure += part.sure;
            chosen.games.extend(part.games);
            Ok(true)
        },
    )?;
    Ok((chosen, ended))
}
