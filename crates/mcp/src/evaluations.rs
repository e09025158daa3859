//! The evaluations by engines in this run, for repeated questions about the same position.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, PoisonError};

use tabiya_answers::McpEvaluationAnswer;
use tabiya_model::Board;

/// Positions that are remembered.
const POSITIONS: usize = 10_000;

/// The evaluations of this run.
#[derive(Default)]
pub(crate) struct KnownEvaluations(Mutex<EvaluationTable>);

#[derive(Default)]
struct EvaluationTable {
    by_position: BTreeMap<u64, McpEvaluationAnswer>,
    order: VecDeque<u64>,
}

impl KnownEvaluations {
    /// Remembers one; the deeper of two stays.
    pub(crate) fn add(&self, board: &Board, told: &McpEvaluationAnswer) {
        let key = board.zobrist();
        let mut table = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = table.by_position.get(&key);
        if known.is_some_and(|known| known.depth > told.depth) {
            return;
        }
        if table.by_position.insert(key, told.clone()).is_none() {
            table.order.push_back(key);
        }
        while table.order.len() > POSITIONS {
            if let Some(oldest) = table.order.pop_front() {
                table.by_position.remove(&oldest);
            }
        }
    }

    pub(crate) fn of(&self, board: &Board) -> Option<McpEvaluationAnswer> {
        let table = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        table.by_position.get(&board.zobrist()).cloned()
    }
}
