//! The starting position of a game by its tags. The writer uses the same code, so that it writes no tags that would give
//! another one.

use tabiya_model::board::Board;
use tabiya_model::game::{StartingPosition, Variant};
use tabiya_model::setup_tags::{SetupTags, beginning};

use super::state::PgnReader;
use crate::pgn::codes;
use crate::pgn::quote::quote;

static STANDARD: std::sync::LazyLock<Board> = std::sync::LazyLock::new(Board::standard);

impl PgnReader<'_> {
    /// Sets up the board from the tags.
    pub(super) fn begin(&mut self) {
        if !self.want.moves {
            return;
        }
        self.state.frames.clear();
        self.state.deferred.clear();
        self.state.replays.clear();
        self.state.now.clone_from(&STANDARD);
        if self.setup {
            let tags = self.game.tags.iter();
            let found = beginning(tags.map(|tag| (tag.name, tag.value)));
            self.set_up(found);
        }
    }

    #[cold]
    fn set_up(&mut self, found: SetupTags) {
        let at = self.start_of_game();
        let told = found
            .name
            .as_deref()
            .map_or(Variant::Standard, Variant::from_name);
        let fen = found.fen.unwrap_or_default();
        if told == Variant::Other {
            let name = found.name.unwrap_or_default();
            self.report(&codes::VARIANT_MOVETEXT, at, || {
                format!("the moves of {} are kept as text", quote(name.as_bytes()))
            });
        } else if let Some(fault) = &found.fault {
            self.report(&codes::BAD_FEN, at, || {
                format!(
                    "the position {} is not valid ({fault}); the moves are kept as text",
                    quote(fen.as_bytes())
                )
            });
        } else if let StartingPosition::Setup(_, problems) = &found.start
            && !problems.is_empty()
        {
            self.report(&codes::ODD_FEN, at, || {
                let odd: Vec<_> = problems.descriptions().collect();
                format!(
                    "the position {} is unusual: {}",
                    quote(fen.as_bytes()),
                    odd.join(", ")
                )
            });
        }
        if let StartingPosition::Setup(board, _) = &found.start {
            self.state.now.clone_from(board);
            self.first_ply = board.ply_number();
        }
        self.game.start = found.start;
        self.game.variant = found.variant;
    }
}
