//! The results of an analysis, for programs.

use tabiya_answers::{AccuracyAnswer, AnalysisAnswer, AnalysisGameAnswer, UnchangedGameAnswer};
use tabiya_engine::annotate::PlayerAccuracy;

use super::{AnalyseGameReport, AnalyseReport};

impl AnalyseReport {
    /// The report for programs, with the findings in each of some games.
    pub fn answer(&self, games: &[AnalyseGameReport]) -> AnalysisAnswer {
        let refused = self.refused.iter();
        let refused = refused.map(|(number, why)| UnchangedGameAnswer {
            number: *number,
            why: why.clone(),
        });
        AnalysisAnswer {
            schema: "tabiya-analysis-1",
            engine: self.engine.clone(),
            games: self.games,
            changed: self.changed,
            kept: self.kept,
            positions: self.positions,
            searched: self.searched,
            failed: self.failed,
            restarts: self.restarts,
            notes: self.notes.clone(),
            refused: refused.collect(),
            games_found: games.iter().map(AnalyseGameReport::answer).collect(),
            whole: self.ended.is_whole(),
        }
    }
}

impl AnalyseGameReport {
    /// The report for programs.
    pub fn answer(&self) -> AnalysisGameAnswer {
        AnalysisGameAnswer {
            number: self.number,
            names: [self.white.clone(), self.black.clone()],
            positions: self.positions,
            failed: self.failed,
            kept: self.kept,
            white: side(&self.sides.white),
            black: side(&self.sides.black),
        }
    }
}

fn side(side: &PlayerAccuracy) -> AccuracyAnswer {
    AccuracyAnswer {
        moves: side.moves,
        inaccuracies: side.inaccuracies,
        mistakes: side.mistakes,
        blunders: side.blunders,
        accuracy: side.accuracy,
        average_loss: side.average_loss,
    }
}
