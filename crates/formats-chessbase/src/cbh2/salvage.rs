//! Recovery from a damaged database: games whose headers are lost.
//!
//! Every record of moves begins with a mark of eight bytes and ends with its own size, so that it is found wherever it is.

use super::base::Cbh2Reader;
use super::layout::{Cbh2Frame, DATA_HEADER, FRAME_MARK, tag};

/// Games and texts in the file of moves that no header knows.
pub(super) fn search(reader: &Cbh2Reader) -> Vec<u64> {
    let Some(file) = &reader.moves else {
        return Vec::new();
    };
    // What the headers know, in the order of the file.
    let mut known: Vec<u64> = (1..=reader.headers_count())
        .filter_map(|number| u64::try_from(reader.record(number)?.body()?).ok())
        .collect();
    known.sort_unstable();
    let finder = memchr::memmem::Finder::new(&FRAME_MARK);
    let mut found = Vec::new();
    let mut at = DATA_HEADER;
    while let Some(next) = file.get(at..).and_then(|rest| finder.find(rest)) {
        at += next;
        let frame = i64::try_from(at)
            .ok()
            .and_then(|offset| Cbh2Frame::decode(file, offset).ok());
        let Some(frame) = frame.filter(is_sound) else {
            at += 1;
            continue;
        };
        if known.binary_search(&frame.offset).is_err() {
            found.push(frame.offset);
        }
        at += frame.length();
    }
    found
}

/// Whether a record is closed by its own size. Its checksum is looked at when it is read: a wrong one is no reason to lose it, and
/// a search that added up the same bytes again and again could take forever.
fn is_sound(frame: &Cbh2Frame<'_>) -> bool {
    let is_kind = matches!(frame.tag, tag::GAME | tag::CHESS960 | tag::TEXT);
    is_kind && u64::try_from(frame.total).ok() == Some(frame.length() as u64)
}
