//! The games that have to be looked at, where facts or an index leave others out.

use tabiya_model::database::Want;
use tabiya_model::pipeline;
use tabiya_model::{Block, Control, Ended, Game, Result, Source};

use crate::judge::{Judge, Told};
use crate::listing::Candidates;
use crate::walk::Answers;

/// Games that one thread takes at a time where facts alone are asked.
const RUN: u64 = 1 << 14;

/// Games of those between two looks at the control.
const LOOK: u64 = 64;

/// Ranges of games as blocks: of their numbers, or of their places among the candidates.
pub(super) struct Batches {
    pub(super) next: u64,
    pub(super) end: u64,
    pub(super) size: u64,
}

/// Games from one number or place on.
struct Batch(u64);

impl Source<'static> for Batches {
    fn next_block(&mut self) -> Result<Option<Box<dyn Block>>> {
        if self.next >= self.end {
            return Ok(None);
        }
        let first = self.next;
        self.next = first.saturating_add(self.size).min(self.end);
        Ok(Some(Box::new(Batch(first))))
    }
}

impl Block for Batch {
    fn next(&mut self, _: Want, _: &mut Game) -> Result<bool> {
        Ok(false)
    }

    fn first(&self) -> Option<u64> {
        Some(self.0)
    }
}

/// The games that are open, or hits that are more than counted: of candidates, or of all games.
pub(super) fn choose(
    judge: &Judge<'_>,
    among: Option<Candidates>,
    games: u64,
    counting: bool,
    control: &Control,
) -> Result<(Candidates, Ended)> {
    let choose = |answers: &mut Answers, chosen: &mut Candidates, number: u64| match judge
        .ask(number, answers)
    {
        Told::NoGame => {}
        Told::Open { .. } => chosen.games.push(number),
        Told::Settled(false) => {}
        Told::Settled(true) if counting => chosen.sure += 1,
        Told::Settled(true) => chosen.games.push(number),
    };
    let mut chosen = Candidates::default();
    if let Some(among) = among {
        let mut answers = Answers::default();
        chosen.sure = among.sure;
        for (number, at) in among.games.into_iter().zip(0_u64..) {
            if at.is_multiple_of(RUN) && control.is_stopped() {
                break;
            }
            choose(&mut answers, &mut chosen, number);
        }
        return Ok((chosen, control.ended()));
    }
    let mut batches = Batches {
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
            let mut answers = Answers::default();
            move |block: &mut dyn Block| {
                let first = block.first().unwrap_or(u64::MAX);
                let last = first.saturating_add(RUN - 1).min(games);
                let mut chosen = Candidates::default();
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
