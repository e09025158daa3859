//! PGN from a text in memory: other formats have such texts, of one game each, in their fields.

use std::sync::Arc;

use tabiya_codec::format::OpenOptions;
use tabiya_model::database::{Block, GameNeeds};
use tabiya_model::game::Game;

use super::block::PgnBlock;
use super::block_start::PgnBlockStart;
use super::lexer::is_tag_start;
use super::line_numbers::line_breaks;
use super::settings::PgnReaderSettings;
use super::skim::begins_movetext;

/// Reads texts of one game each, or of many.
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

    /// All games of a text, if it is UTF-8 and a game begins with its first byte: then nothing has to be found out about it, as about
    /// the beginning of a file.
    pub fn block(&self, text: String) -> Result<Box<dyn Block>, String> {
        let bytes = text.as_bytes();
        let begins = is_tag_start(bytes, 0) || begins_movetext(bytes, 0);
        if !begins || bytes.len() > self.settings.limits.game_bytes {
            return Err(text);
        }
        let (_, lone_returns) = line_breaks(bytes);
        let (settings, start) = (Arc::clone(&self.settings), PgnBlockStart::default());
        Ok(Box::new(PgnBlock::of_text(
            text,
            lone_returns > 0,
            start,
            settings,
        )))
    }
}
