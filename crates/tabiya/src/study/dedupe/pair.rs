//! A pair of duplicates, with the reasons.

use tabiya_answers::DuplicatePairAnswer;

use super::cluster::DedupeCandidate;
use super::names::NameMatch;
use super::same_game::{DateAgreement, conflict};
use super::{KeepCriterion, PlayersAgreement};
use crate::select::list::GameListRow;

/// The place of a game, and its entry in a list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DuplicateGame {
    /// The base, from 0.
    pub base: usize,
    /// The name of the base.
    pub name: String,
    /// The game.
    pub game: GameListRow,
}

/// How the moves of the dropped game relate to those of the kept one.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum DuplicateKind {
    /// The same moves.
    Same,
    /// Only the first of them.
    Begins,
    /// All of them, and more.
    GoesOn,
}

impl DuplicateKind {
    /// Its name for programs.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            DuplicateKind::Same => "same",
            DuplicateKind::Begins => "begins",
            DuplicateKind::GoesOn => "goes-on",
        }
    }
}

/// Two games that are the same game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DuplicatePair {
    /// The game that is kept.
    pub keep: DuplicateGame,
    /// The game that is dropped.
    pub drop: DuplicateGame,
    /// How the moves of the two relate.
    pub kind: DuplicateKind,
    /// Why they are the same game, and how they differ, each a sentence.
    pub reasons: Vec<String>,
    /// Why the kept one is kept.
    pub stays: String,
}

impl DuplicatePair {
    pub(super) fn new(
        [keep, drop]: [DuplicateGame; 2],
        [kept, dropped]: [&DedupeCandidate; 2],
        how: KeepCriterion,
        agreement: PlayersAgreement,
    ) -> DuplicatePair {
        let (kept, dropped) = (&kept.card, &dropped.card);
        let kind = match dropped.plies.cmp(&kept.plies) {
            std::cmp::Ordering::Equal => DuplicateKind::Same,
            std::cmp::Ordering::Less => DuplicateKind::Begins,
            std::cmp::Ordering::Greater => DuplicateKind::GoesOn,
        };
        let mut reasons = Vec::new();
        reasons.push(match kind {
            DuplicateKind::Same => format!("the same {} plies", kept.plies),
            DuplicateKind::Begins => format!(
                "its {} plies are the first of {}",
                dropped.plies, kept.plies
            ),
            DuplicateKind::GoesOn => format!(
                "it has {} plies after the {} of the other",
                dropped.plies - kept.plies,
                kept.plies
            ),
        });
        if agreement.swapped {
            reasons.push("the colours are reversed".to_owned());
        }
        let (one, two) = (&keep.game, &drop.game);
        let theirs = match agreement.swapped {
            false => [&two.white, &two.black],
            true => [&two.black, &two.white],
        };
        if [&one.white, &one.black] == theirs {
            reasons.push("the same players".to_owned());
        } else {
            let names = [&one.white, &one.black].into_iter().zip(theirs);
            for ((name, other), fit) in names.zip(agreement.fits) {
                if name != other {
                    reasons.push(match fit {
                        NameMatch::Misspelt => format!("{other} and {name} differ in one letter"),
                        _ => format!("{other} is a form of {name}"),
                    });
                }
            }
        }
        let dates = format!("{} and {}", shown(&one.date), shown(&two.date));
        reasons.push(match DateAgreement::of(kept.date, dropped.date) {
            DateAgreement::Same => "the same day".to_owned(),
            DateAgreement::Open => format!("the dates are compatible: {dates}"),
            DateAgreement::Near => format!("the dates are close: {dates}"),
            DateAgreement::Year | DateAgreement::Apart => format!("the same year: {dates}"),
            DateAgreement::Blank => format!("a date is unknown: {dates}"),
        });
        for (what, one, two) in [
            ("events", &one.event, &two.event),
            ("sites", &one.site, &two.site),
            ("rounds", &one.round, &two.round),
        ] {
            if one != two {
                reasons.push(format!("{what} differ: {} and {}", shown(one), shown(two)));
            }
        }
        if one.result != two.result {
            let word = match conflict(one.result, two.result) {
                true => "results contradict each other",
                false => "results differ",
            };
            let results = format!("{} and {}", one.result.as_pgn(), two.result.as_pgn());
            reasons.push(format!("{word}: {results}"));
        }
        let elos = |elos: [u16; 2]| elos.iter().filter(|elo| **elo > 0).count();
        let moves = (kept.plies > dropped.plies).then_some("more moves");
        let notes = (kept.notes > dropped.notes).then_some("more annotations");
        let ratings = (elos(kept.elos) > elos(dropped.elos)).then_some("more ratings");
        let wish = match how {
            KeepCriterion::Moves => moves,
            KeepCriterion::Annotations => notes,
            KeepCriterion::Elo => ratings,
            KeepCriterion::Newest => Some("the later game"),
            KeepCriterion::First => None,
        };
        let stays = wish
            .or(moves.filter(|_| how != KeepCriterion::First))
            .or(notes.filter(|_| how != KeepCriterion::First))
            .or(ratings.filter(|_| how != KeepCriterion::First))
            .unwrap_or("the earlier game");
        DuplicatePair {
            kind,
            reasons,
            stays: stays.to_owned(),
            keep,
            drop,
        }
    }

    /// The pair for programs.
    #[must_use]
    pub fn answer(&self) -> DuplicatePairAnswer {
        DuplicatePairAnswer {
            keep: self.keep.game.base_answer(&self.keep.name),
            drop: self.drop.game.base_answer(&self.drop.name),
            kind: self.kind.name(),
            reasons: self.reasons.clone(),
            stays: self.stays.clone(),
        }
    }
}

fn shown(text: &str) -> &str {
    if text.is_empty() { "nothing" } else { text }
}
