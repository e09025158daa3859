//! One game to what the files hold of it.
//!
//! Tags go to the header, the names and the second header ([`tags`]), the tape to a tree of moves and a list of annotations
//! ([`movetext`]). What was written is then read again as a database of one game, and whatever differs from the game and was
//! not told is told as lost ([`check`]).

mod check;
pub(crate) mod comments;
mod guiding_text;
mod movetext;
pub(crate) mod names;
mod tags;

use tabiya_model::charset::Charset;
use tabiya_model::{Game, Losses};

use self::check::CbhCopyReader;
use self::movetext::CbhMovetextEncoder;
pub(super) use self::names::{CbhGameNames, name_bytes, name_size};
pub(super) use self::tags::USUAL_EXTRA;
use super::layout::{CbhGameRecord, CbhTextRecord, RECORD};
use super::losses::KINDS;
use crate::encode::CbhLossReport;

/// The header of a record, with 0 for every number that only the whole database gives.
#[derive(Clone, Debug)]
pub(super) enum CbhHeaderPart {
    Game(CbhGameRecord),
    Text(CbhTextRecord),
    /// A record that is neither, as it stood.
    Unknown([u8; RECORD]),
}

/// What a second header says besides numbers of other files.
#[derive(Clone, Debug)]
pub(super) struct CbhSecondPart {
    pub(super) ratings: [[u8; 16]; 2],
    pub(super) saves: u16,
    pub(super) created: u64,
    pub(super) saved: u64,
}

/// The kind of every rating of which nothing else is said: an international one of FIDE.
pub(super) const USUAL_RATING: [u8; 16] = *b"\0\x01\0\x01\0FIDE\0\0\0\0\0\0\0";

impl Default for CbhSecondPart {
    fn default() -> CbhSecondPart {
        CbhSecondPart {
            ratings: [USUAL_RATING; 2],
            saves: 0,
            created: 0,
            saved: 0,
        }
    }
}

/// A game as the files hold it.
pub(super) struct CbhGameParts {
    pub(super) header: CbhHeaderPart,
    pub(super) names: CbhGameNames,
    pub(super) second: CbhSecondPart,
    /// The record of `.cbg`.
    pub(super) moves: Vec<u8>,
    /// The record of `.cba` with 0 for the number of the game; empty for none.
    pub(super) notes: Vec<u8>,
    /// The list of `.cbm`; empty for none.
    pub(super) media: Vec<u8>,
}

/// Encodes games one after the other and keeps its buffers.
pub(super) struct CbhGameEncoder {
    charset: Option<Charset>,
    movetext: CbhMovetextEncoder,
    reader: CbhCopyReader,
}

impl CbhGameEncoder {
    /// Writes texts as UTF-8, or in a charset that the user asks for.
    pub(super) fn new(charset: Option<Charset>) -> CbhGameEncoder {
        CbhGameEncoder {
            charset,
            movetext: CbhMovetextEncoder::new(charset),
            reader: CbhCopyReader::new(charset),
        }
    }

    /// Makes the parts of a game and reports what they do not hold.
    pub(super) fn encode(&mut self, game: &Game, losses: &mut Losses) -> CbhGameParts {
        let mut report = CbhLossReport::of(game, &KINDS, losses);
        if let Some(parts) = guiding_text::unknown_record(game) {
            self.reader.check(game, &parts, true, &mut report);
            return parts;
        }
        let mut parts = tags::parts(game, self.charset, &mut report);
        let is_plain = if matches!(parts.header, CbhHeaderPart::Text(_)) {
            guiding_text::write(game, self.charset, &mut parts, &mut report);
            false
        } else {
            self.movetext.encode(game, &mut parts, &mut report)
        };
        self.reader.check(game, &parts, !is_plain, &mut report);
        parts
    }
}
