//! One PGN game from a text in memory: other formats have such texts in their fields.

use std::sync::Arc;

use tabiya_codec::format::OpenOptions;
use tabiya_model::database::{Block as _, GameNeeds};
use tabiya_model::game::Game;

use super::block::PgnBlock;
use super::block_start::PgnBlockStart;
use super::line_numbers::line_breaks;
use super::settings::PgnReaderSettings;

/// Reads texts of one game each.
#[derive(Clone, Debug)]
pub struct PgnTextReader {
    settings: Arc<PgnReaderSettings>,
}

impl PgnTextReader {
    /// A reader with the options of readers of files.
    pub fn new(options: &OpenOptions) -> PgnTextReader {
        PgnTextReader {
            settings: Arc::new(PgnReaderSettings::new(options)),
        }
    }

    /// Reads a text into a game. False if it is not exactly one game.
    pub fn read(&self, text: &[u8], want: GameNeeds, game: &mut Game) -> bool {
        let (_, lone_returns) = line_breaks(text);
        let settings = Arc::clone(&self.settings);
        let start = PgnBlockStart::default();
        let block = PgnBlock::new(text.to_vec(), lone_returns > 0, start, settings);
        let mut block = block.numbered(Some(1));
        if !matches!(block.next(want, game), Ok(true)) {
            return false;
        }
        !matches!(block.next(GameNeeds::TAGS, &mut Game::default()), Ok(true))
    }
}
