//! How a game is changed on its way into a target.

use tabiya_model::board::FenWriter;
use tabiya_model::editor::{StripOptions, strip};
use tabiya_model::tape::Replay;
use tabiya_model::{Board, Game, Losses};

use super::computed_tags::ComputedTag;
use super::computed_times::ComputedTimes;
use super::losses;
use super::ply_limits::PlyLimits;
use super::position_comments::PositionComments;
use super::tags::TagChanges;

/// How each game is changed, in the order of the fields.
#[derive(Clone, Default, Debug)]
pub struct ReshapeOptions {
    /// The plies that are kept.
    pub cut: PlyLimits,
    /// Times that are computed.
    pub times: Option<ComputedTimes>,
    /// What is stripped.
    pub strip: StripOptions,
    /// Changes of tags.
    pub tags: TagChanges,
    /// Tags that are computed from the moves.
    pub computed: Vec<ComputedTag>,
    /// Comments with positions.
    pub remarks: Option<PositionComments>,
}

impl ReshapeOptions {
    /// Whether games stay unchanged.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        self.cut.is_nothing()
            && self.times.is_none()
            && self.strip == StripOptions::default()
            && self.tags.is_nothing()
            && self.computed.is_empty()
            && self.remarks.is_none()
    }

    /// One that reshapes games on a thread.
    pub(super) fn worker(&self) -> GameReshaper<'_> {
        GameReshaper {
            strips: self.strip != StripOptions::default(),
            wishes: self,
            replay: Replay::new(&Board::standard()),
            fen: FenWriter::default(),
        }
    }
}

/// Reshapes one game after another, and keeps its memory.
pub(super) struct GameReshaper<'r> {
    wishes: &'r ReshapeOptions,
    strips: bool,
    replay: Replay,
    fen: FenWriter,
}

impl GameReshaper<'_> {
    /// Makes a game what was asked for, and tells what has gone.
    pub(super) fn make(&mut self, game: &mut Game, told: &mut Losses) {
        let number = game.origin.number;
        let wishes = self.wishes;
        if wishes.cut.make(game) {
            told.report(&losses::MOVES, number, "");
        }
        if let Some(times) = wishes.times {
            times.make(game);
        }
        if self.strips {
            let taken = strip(game, &wishes.strip);
            for (is_taken, kind) in [
                (taken.variations, &losses::VARIATIONS),
                (taken.comments, &losses::COMMENTS),
                (taken.nags, &losses::NAGS),
                (taken.tags, &losses::TAGS),
            ] {
                if is_taken {
                    told.report(kind, number, "");
                }
            }
        }
        if wishes.tags.make(game) {
            told.report(&losses::TAGS, number, "");
        }
        for computed in &wishes.computed {
            computed.make(game);
        }
        if let Some(remarks) = wishes.remarks {
            remarks.make(game, &mut self.replay, &mut self.fen);
        }
    }
}
