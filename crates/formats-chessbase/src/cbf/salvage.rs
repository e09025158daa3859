//! Finding records in a file without a usable index: by decrypting on trial, by the checksum, by legal moves.

use std::collections::BTreeSet;
use std::ops::Range;

use super::charset::COMMENT_END;
use super::layout::{CbfChecksum, CbfHeader, CbfIndex, HEADER_BYTES, index_offset};
use super::record::{CbfRecordAreas, CbfTrialResult, try_moves};

/// Texts shorter than this, and games with fewer moves, prove nothing without a checksum.
const PROOF: usize = 6;
/// The most bytes that a search decrypts and plays on trial, per byte of the file: bounds the time of a search in a
/// hostile file, where every place could begin a long record.
const EFFORT: usize = 64;

/// What a search has found.
pub(super) struct CbfSalvageResult {
    /// The offsets of the records, in order.
    pub offsets: Vec<u64>,
    /// Bytes that belong to none of them.
    pub gaps: Vec<Range<u64>>,
}

/// How much speaks for a record.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum CbfRecordEvidence {
    None,
    /// Enough where a record is expected: after another one, or where the index has one.
    Weak,
    /// Enough anywhere.
    Strong,
}

/// Searches a file for records. The index, if there is one, only says where one is expected.
pub(super) fn search(data: &[u8], index: Option<CbfIndex<'_>>) -> CbfSalvageResult {
    let hints = hints(data, index);
    let mut search = CbfSalvageSearch {
        data,
        texts: Vec::new(),
        moves: Vec::new(),
        effort: data.len().saturating_mul(EFFORT).max(1 << 20),
    };
    let mut found = CbfSalvageResult {
        offsets: Vec::new(),
        gaps: Vec::new(),
    };
    let (mut at, mut expected, mut covered) = (0_usize, 0_usize, 0_usize);
    while at + HEADER_BYTES <= data.len() {
        let hinted = at == expected || hints.contains(&(at as u64));
        let (evidence, whole, body) = search.weigh(at, hinted);
        let is_record = evidence == CbfRecordEvidence::Strong
            || (evidence == CbfRecordEvidence::Weak && hinted);
        if !is_record {
            at += 1;
            continue;
        }
        if at > covered {
            found.gaps.push(covered as u64..at as u64);
        }
        found.offsets.push(at as u64);
        expected = at + whole;
        covered = covered.max(expected.min(data.len()));
        // A damaged record may claim more than it has: the next one may begin within it.
        at = if evidence == CbfRecordEvidence::Strong {
            expected
        } else {
            at + body
        };
    }
    if covered < data.len() {
        found.gaps.push(covered as u64..data.len() as u64);
    }
    found
}

/// The places that the index has for records.
fn hints(data: &[u8], index: Option<CbfIndex<'_>>) -> BTreeSet<u64> {
    let Some(index) = index else {
        return BTreeSet::new();
    };
    (1..index.words())
        .filter_map(|number| index_offset(index.word(number)?, number))
        .filter(|offset| *offset < data.len() as u64)
        .collect()
}

struct CbfSalvageSearch<'a> {
    data: &'a [u8],
    texts: Vec<u8>,
    moves: Vec<u8>,
    /// Bytes that may still be tried.
    effort: usize,
}

impl CbfSalvageSearch<'_> {
    /// What speaks for a record at a place, its whole length, and the length of its header and texts.
    fn weigh(&mut self, at: usize, hinted: bool) -> (CbfRecordEvidence, usize, usize) {
        let nothing = (CbfRecordEvidence::None, 0, 0);
        let Some(bytes) = self
            .data
            .get(at..)
            .and_then(|rest| rest.first_chunk::<HEADER_BYTES>())
        else {
            return nothing;
        };
        let header = CbfHeader::decrypt(*bytes);
        let whole = header.record_len();
        let body = HEADER_BYTES + header.texts_len();
        let Some(moves) = header.moves_len() else {
            return nothing;
        };
        let fits = at + whole <= self.data.len();
        let checked = header.checksum() != CbfChecksum::Wrong;
        // Without the right sum and the right length there must be another reason to look closer.
        let expected = checked && hinted;
        if !fits && !expected {
            return nothing;
        }
        // Bits that programs leave at 0 need the right sum, or a place where a record is expected.
        let is_odd = header.0[1] & 0xc0 != 0 || header.en_passant_file() > 8 && header.is_setup();
        if is_odd && !checked && !hinted {
            return nothing;
        }
        let Some(areas) = CbfRecordAreas::new(self.data, at as u64) else {
            return nothing;
        };
        areas.decrypt_texts(&mut self.texts);
        if !is_text(&self.texts) || areas.texts.len() < header.texts_len() {
            return nothing;
        }
        if !begins_like_comments(areas.comments) {
            return nothing;
        }
        if !checked && !hinted && self.texts.len() < PROOF {
            return nothing;
        }
        if self.effort < moves {
            return nothing;
        }
        self.effort -= moves;
        areas.decrypt_moves(&mut self.moves);
        let trial = match areas.start() {
            Some((start, en_passant)) => {
                let trial = try_moves(&self.moves, &start, en_passant, false);
                match trial.is_clean || !start.is_exposed() {
                    true => trial,
                    false => try_moves(&self.moves, &start, en_passant, true),
                }
            }
            None => CbfTrialResult {
                played: 0,
                is_clean: false,
                commented: 0,
            },
        };
        // A comment before the first move belongs to no move.
        let is_early = areas.comments.get(1..5) == Some(&[0; 4]);
        let commented = (trial.commented > 0) == (header.comments_len() > 0) || is_early;
        let clean = fits && trial.is_clean && commented;
        let proved = self.texts.len() + trial.played as usize >= PROOF;
        let evidence = match (checked, clean) {
            (true, true) if proved || hinted => CbfRecordEvidence::Strong,
            (false, true) if proved && trial.played > 0 => CbfRecordEvidence::Strong,
            (true, _) => CbfRecordEvidence::Weak,
            (false, true) => CbfRecordEvidence::Weak,
            (false, false) if trial.played as usize >= PROOF => CbfRecordEvidence::Weak,
            (false, false) => CbfRecordEvidence::None,
        };
        (evidence, whole, body)
    }
}

/// Whether bytes can be names: no control characters.
fn is_text(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| *byte >= b' ' && *byte != 0x7f)
}

/// Whether an area is empty or begins as comments do.
fn begins_like_comments(area: &[u8]) -> bool {
    area.first().is_none_or(|byte| *byte == COMMENT_END)
}
