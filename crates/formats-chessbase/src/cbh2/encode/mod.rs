//! One game to what the files hold of it.
//!
//! Tags go to the header and the names ([`tags`]), the tape to a tree of moves and a list of annotations ([`movetext`]). What
//! was written is then read again as a database of one game, and whatever differs from the game and was not told is told as
//! lost ([`check`]).

mod check;
mod comments;
mod guiding_text;
mod movetext;
pub(super) mod names;
mod note_order;
mod notes;
mod start;
mod tags;
mod texts;

use tabiya_model::charset::Charset;
use tabiya_model::{Game, Losses};

use self::check::Cbh2CopyReader;
use self::movetext::Cbh2MovetextEncoder;
use self::names::Cbh2GameNames;
use super::layout::{Cbh2AnalysisRecord, Cbh2GameRecord, Cbh2TextRecord, RECORD, tag};
use super::losses::KINDS;
use crate::encode::CbhLossReport;

/// The header of a record, with 0 for every number that only the whole database gives.
#[derive(Clone, Debug)]
pub(super) enum Cbh2HeaderPart {
    Game(Box<Cbh2GameRecord>),
    Text(Cbh2TextRecord),
    /// An analysis, with the bytes whose meaning is not known.
    Analysis(Cbh2AnalysisRecord, Vec<u8>),
    /// A record that is none of these, as it stood.
    Unknown(Box<[u8; RECORD]>),
}

/// A game as the files hold it.
pub(super) struct Cbh2GameParts {
    pub(super) header: Cbh2HeaderPart,
    pub(super) names: Cbh2GameNames,
    /// The kind of the record of `.2cbg`.
    pub(super) tag: u16,
    /// The content of the record of `.2cbg`; empty for none.
    pub(super) moves: Vec<u8>,
    /// The content of the record of `.2cba`; empty for none.
    pub(super) notes: Vec<u8>,
}

impl Cbh2GameParts {
    fn new(header: Cbh2HeaderPart, names: Cbh2GameNames) -> Cbh2GameParts {
        Cbh2GameParts {
            header,
            names,
            tag: tag::GAME,
            moves: Vec::new(),
            notes: Vec::new(),
        }
    }
}

/// Encodes games one after the other and keeps its buffers.
pub(super) struct Cbh2GameEncoder {
    charset: Option<Charset>,
    movetext: Cbh2MovetextEncoder,
    reader: Cbh2CopyReader,
}

impl Cbh2GameEncoder {
    /// Writes texts as UTF-8, or in a charset that the user asks for.
    pub(super) fn new(charset: Option<Charset>) -> Cbh2GameEncoder {
        Cbh2GameEncoder {
            charset,
            movetext: Cbh2MovetextEncoder::new(charset),
            reader: Cbh2CopyReader::new(charset),
        }
    }

    /// Makes the parts of a game and reports what they do not hold.
    pub(super) fn encode(&mut self, game: &Game, losses: &mut Losses) -> Cbh2GameParts {
        let mut report = CbhLossReport::of(game, &KINDS, losses);
        if let Some(parts) = guiding_text::unknown_record(game) {
            self.reader.check(game, &parts, true, &mut report);
            return parts;
        }
        let mut parts = tags::parts(game, self.charset, &mut report);
        let is_plain = if matches!(parts.header, Cbh2HeaderPart::Text(_)) {
            guiding_text::write(game, self.charset, &mut parts, &mut report);
            false
        } else {
            self.movetext.encode(game, &mut parts, &mut report)
        };
        self.reader.check(game, &parts, !is_plain, &mut report);
        parts
    }
}
