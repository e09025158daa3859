//! Recovery from a damaged database: records that the header does not count, and games whose headers are lost.
//!
//! A record of moves stores its own size, and a game ends where its record does, so that records follow each other like
//! the links of a chain. A place is accepted if such a record begins there and all its moves can be played, or if a
//! guiding text begins there that fills its record.

use super::base::CbhReader;
use super::layout::{CbhMoveHead, CbhRecord, CbhStartRecord};
use super::moves::{
    self, CbhDecoderMemory, CbhMoveEncoding, CbhMoveFinding, CbhMoveOptions, CbhMoveTree, CbhPieces,
};
use super::text;
use shakmaty::Chess;
use tabiya_model::board::Board;

/// The number of records to read: all that the header counts, and those behind them as long as they are live.
pub(super) fn live_records(reader: &CbhReader, claimed: Option<u32>, whole: u64) -> u64 {
    let counted = claimed.map_or(0, |next| u64::from(next).saturating_sub(1));
    let mut count = counted.min(whole);
    while count < whole
        && reader
            .record(count + 1)
            .is_some_and(|record| is_plausible(reader, count + 1, &record))
    {
        count += 1;
    }
    count
}

/// Whether the moves of a record are where it says.
fn is_plausible(reader: &CbhReader, number: u64, record: &CbhRecord) -> bool {
    let stored = match record {
        CbhRecord::Game(game) => game.moves,
        CbhRecord::Text(text) => text.body,
        CbhRecord::Unknown(_) => return false,
    };
    let at = reader.moves_offset(number, stored);
    reader.move_bytes(at).is_some_and(|(head, bytes)| {
        head.size as usize >= CbhMoveHead::LENGTH && head.size as usize <= bytes.len()
    })
}

/// Games in the file of moves that no header knows.
pub(super) fn search(reader: &CbhReader) -> Vec<u64> {
    let Some(data) = &reader.moves else {
        return Vec::new();
    };
    // What the headers know, in the order of the file.
    let mut known: Vec<(u64, u64)> = (1..=reader.headers_count())
        .filter_map(|number| {
            let stored = match reader.record(number)? {
                CbhRecord::Game(game) => game.moves,
                CbhRecord::Text(text) => text.body,
                CbhRecord::Unknown(_) => return None,
            };
            let at = reader.moves_offset(number, stored);
            let (head, _) = reader.move_bytes(at)?;
            Some((at, at.saturating_add(u64::from(head.size).max(1))))
        })
        .collect();
    known.sort_unstable();
    let mut known = known.into_iter().peekable();
    let size = data.bytes.len() as u64;
    let mut found = Vec::new();
    let mut at = data.start;
    // Where the last record ends that is known or was found.
    let mut link = at;
    let mut search = CbhSalvageSearch::default();
    while at < size {
        while known.next_if(|(_, end)| *end <= at).is_some() {}
        if let Some((start, end)) = known.peek()
            && *start <= at
        {
            (at, link) = (*end, *end);
            continue;
        }
        match search.length(reader, at, at == link) {
            Some(length) => {
                found.push(at);
                at += length;
                link = at;
            }
            None => at += 1,
        }
    }
    found
}

#[derive(Default)]
struct CbhSalvageSearch {
    memory: CbhDecoderMemory,
    tree: CbhMoveTree,
}

impl CbhSalvageSearch {
    /// The length of the record at a place, if a whole game or a whole guiding text is there.
    fn length(&mut self, reader: &CbhReader, at: u64, is_linked: bool) -> Option<u64> {
        let (head, bytes) = reader.move_bytes(at)?;
        if head.is_text() {
            let body = bytes.get(CbhMoveHead::LENGTH..head.size as usize)?;
            let (guiding, fault) = text::guiding(body);
            let says_something = !guiding.titles.is_empty() || !guiding.contents.is_empty();
            return (fault.is_none() && says_something).then_some(u64::from(head.size));
        }
        let coder = CbhMoveEncoding::of(head.mode())?;
        let record = bytes.get(..head.size as usize)?;
        let mut from = CbhMoveHead::LENGTH;
        let mut board = Board::standard();
        let mut is_telling = is_linked;
        if head.has_start() {
            let start = CbhStartRecord::decode(record.get(from..)?.first_chunk()?)?;
            if start.version != 1 {
                return None;
            }
            board = Board::from_setup(&start.setup()).0;
            is_telling |= Chess::try_from(&board).is_ok();
            from += CbhStartRecord::LENGTH;
        }
        if coder.is_chess960() {
            // Its castling needs what the ordinary way reads; a whole record of it is not found at random.
            from += 8;
        }
        let stream = record.get(from..).filter(|stream| !stream.is_empty())?;
        let mut is_whole = true;
        let rules = CbhMoveOptions {
            coder,
            variations: true,
            depth: 1_000,
        };
        moves::decode(
            stream,
            CbhPieces::of(&board, None),
            None,
            rules,
            &mut self.memory,
            &mut self.tree,
            &mut |_, finding| is_whole &= finding == CbhMoveFinding::Filler,
        );
        // Nothing but an end may be anything, unless a position stands before it, or another record right before all that.
        is_telling |= !self.tree.is_empty();
        (is_whole && is_telling).then_some(u64::from(head.size))
    }
}
