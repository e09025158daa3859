//! Why a tool refuses a request, in words that help a model do better.

use serde_json::Value;
use tabiya::search::query_fault_answer;
use tabiya_answers::{Answer, McpRefusalAnswer};
use tabiya_model::{Board, Error};
use tabiya_query::error::QueryError;

use crate::tree::legal_moves;

/// Why a tool refuses a request.
#[derive(Clone, Debug)]
pub struct McpRefusal(Box<McpRefusalAnswer>);

impl McpRefusal {
    /// A refusal with a code for programs.
    pub fn new(code: &str, error: impl Into<String>) -> McpRefusal {
        McpRefusal(Box::new(McpRefusalAnswer {
            error: error.into(),
            code: code.to_owned(),
            ..McpRefusalAnswer::default()
        }))
    }

    /// With advice.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> McpRefusal {
        self.0.help = Some(help.into());
        self
    }

    /// With the possible choices.
    #[must_use]
    pub fn with_choices(mut self, choices: impl IntoIterator<Item = String>) -> McpRefusal {
        self.0.choices = Some(choices.into_iter().collect());
        self
    }

    /// Of a move: with the position and the moves that are legal in it.
    #[must_use]
    pub(crate) fn on_board(mut self, board: &Board) -> McpRefusal {
        self.0.fen = Some(board.to_fen());
        self.0.legal_moves = Some(legal_moves(board));
        self
    }

    /// Of the change at this place of several.
    #[must_use]
    pub(crate) fn of_change(mut self, place: usize) -> McpRefusal {
        self.0.change = Some(place as u64);
        self
    }

    /// With what would be lost.
    #[must_use]
    pub(crate) fn with_losses(
        mut self,
        losses: Vec<tabiya_answers::server::ChangeLossAnswer>,
    ) -> McpRefusal {
        self.0.losses = Some(losses);
        self
    }

    /// Too much is going on.
    pub(crate) fn busy() -> McpRefusal {
        McpRefusal::new(
            "too-busy",
            "too many requests are running; try again in a moment",
        )
    }

    /// Nothing is changed here.
    pub(crate) fn read_only() -> McpRefusal {
        McpRefusal::new(
            "read-only",
            "changing databases and writing files is not allowed here",
        )
        .with_help("the user has to start the program in a mode that allows edits")
    }

    /// The code for programs.
    #[must_use]
    pub fn code(&self) -> &str {
        &self.0.code
    }

    /// The answer.
    pub(crate) fn json(&self) -> Value {
        self.0.json()
    }
}

impl From<Error> for McpRefusal {
    fn from(error: Error) -> McpRefusal {
        let words = error.told(str::to_owned, |action| action.words().to_owned());
        let mut refusal = McpRefusal::new(error.code.name, words);
        let cause = std::error::Error::source(&error);
        if let Some(fault) = cause.and_then(|cause| cause.downcast_ref::<QueryError>()) {
            refusal.0.error = fault.message.clone();
            refusal.0.help = fault.help.clone();
            refusal.0.fault = Some(query_fault_answer(fault));
        }
        refusal
    }
}

impl From<QueryError> for McpRefusal {
    fn from(error: QueryError) -> McpRefusal {
        Error::from(error).into()
    }
}
