//! What was found, as JSON.

use serde_json::{Value, json};
use tabiya_engine::annotate::PlayerAccuracy;

use super::{AnalyseGameReport, AnalyseReport};

impl AnalyseReport {
    /// As JSON, with what was found in each of some games.
    pub fn json(&self, games: &[AnalyseGameReport]) -> Value {
        json!({
            "schema": "tabiya-analysis-1",
            "engine": self.engine,
            "games": self.games,
            "changed": self.changed,
            "kept": self.kept,
            "positions": self.positions,
            "searched": self.searched,
            "failed": self.failed,
            "restarts": self.restarts,
            "notes": self.notes,
            "refused": self.refused.iter().map(|(number, why)| {
                json!({ "number": number, "why": why })
            }).collect::<Vec<_>>(),
            "games_found": games.iter().map(AnalyseGameReport::json).collect::<Vec<_>>(),
        })
    }
}

impl AnalyseGameReport {
    /// As JSON.
    pub fn json(&self) -> Value {
        json!({
            "number": self.number,
            "names": [self.white, self.black],
            "positions": self.positions,
            "failed": self.failed,
            "kept": self.kept,
            "white": side(&self.sides.white),
            "black": side(&self.sides.black),
        })
    }
}

fn side(side: &PlayerAccuracy) -> Value {
    json!({
        "moves": side.moves,
        "inaccuracies": side.inaccuracies,
        "mistakes": side.mistakes,
        "blunders": side.blunders,
        "accuracy": side.accuracy,
        "average_loss": side.average_loss,
    })
}
