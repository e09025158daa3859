//! The results of parts of a search, and how they are joined.

use tabiya_model::database::GameNeeds;
use tabiya_model::pipeline;
use tabiya_model::{Database, Diagnostics, Game, Result, Severity};

use super::{MatchCallback, MatchedGame, QueryReport};
use crate::run::profile::SearchProfile;

/// What one block or batch brought.
#[derive(Default)]
pub(super) struct QueryPart {
    pub(super) games: u64,
    pub(super) found: Vec<MatchedGame>,
    pub(super) hits: u64,
    pub(super) first: Option<u64>,
    pub(super) damaged: u64,
    pub(super) diagnostics: Diagnostics,
    pub(super) positions: u64,
    pub(super) ways: SearchProfile,
}

impl QueryPart {
    pub(super) fn damaged(&mut self, game: &Game) {
        self.damaged += 1;
        self.diagnostics.append(&game.diagnostics);
    }
}

pub(super) fn is_damaged(game: &Game) -> bool {
    game.diagnostics.at_least(Severity::Damage) > 0
}

/// Joins parts to one report, and hands their hits on.
pub(super) struct QueryPartJoiner<'e, 'd> {
    pub(super) report: QueryReport,
    pub(super) each: Option<MatchCallback<'e>>,
    /// For reading hits again whose number is known only now.
    pub(super) again: Option<(&'d dyn Database, GameNeeds)>,
}

impl QueryPartJoiner<'_, '_> {
    pub(super) fn take(&mut self, part: QueryPart) -> Result<bool> {
        let base = match part.first {
            Some(_) => 0,
            None => self.report.games,
        };
        let report = &mut self.report;
        report.games += part.games;
        report.hits += part.hits;
        report.damaged += part.damaged;
        report.positions += part.positions;
        report.ways.add(&part.ways);
        let mut diagnostics = part.diagnostics;
        for finding in diagnostics.iter_mut() {
            if let Some(number) = &mut finding.place.game {
                *number += base;
            }
        }
        report.diagnostics.append(&diagnostics);
        let Some(each) = &mut self.each else {
            return Ok(true);
        };
        for mut found in part.found {
            found.hit.number += base;
            if let Some(game) = &mut found.game {
                pipeline::renumber(game, base);
            } else if let Some((database, want)) = self.again {
                let mut game = Box::<Game>::default();
                database.read(found.hit.number, want, &mut game)?;
                found.game = Some(game);
            }
            if !each(found)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
