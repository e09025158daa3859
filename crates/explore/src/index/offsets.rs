//! The offsets of the database's games, for formats that would have to walk a file to find them.

use std::sync::OnceLock;

use tabiya_model::game_offsets::{GameOffsets, GameSpan, OffsetLookup};

use super::coding::{IndexByteReader, IndexDamage, push_number, push_rising, read_rising};

/// The number of games whose places count from the first of them.
const RUN: usize = 1 << 12;

/// The places as bytes; empty if there are none, or if a run of games is too large.
pub(super) fn to_bytes(places: Option<&GameOffsets>) -> Vec<u8> {
    let mut out = Vec::new();
    if let Some(places) = places
        && push(&mut out, places).is_none()
    {
        out.clear();
    }
    out
}

fn push(out: &mut Vec<u8>, places: &GameOffsets) -> Option<()> {
    push_number(out, places.bytes.len() as u64);
    push_number(out, places.end);
    push_number(out, places.about.len() as u64);
    out.extend_from_slice(places.about.as_bytes());
    let mut coded = Vec::new();
    for (bytes, lines) in places.bytes.chunks(RUN).zip(places.lines.chunks(RUN)) {
        // Several games may begin in one line; each counts one more, so that the numbers ascend.
        for (numbers, more) in [(bytes, 0), (lines, 1)] {
            let first = *numbers.first()?;
            let relative: Option<Vec<u32>> = (0..)
                .zip(numbers)
                .map(|(index, number)| {
                    let number = number.checked_sub(first)?.checked_add(index * more)?;
                    u32::try_from(number).ok()
                })
                .collect();
            coded.clear();
            push_rising(&mut coded, relative?.into_iter());
            push_number(out, first);
            push_number(out, coded.len() as u64);
            out.extend_from_slice(&coded);
        }
    }
    Some(())
}

/// Places as stored in an index. A run of games is decoded when the first of them is needed.
pub(super) struct IndexedOffsets {
    bytes: Vec<u8>,
    count: usize,
    end: u64,
    about: String,
    runs: Vec<OffsetRun>,
}

/// A run of games whose places count from the first of them.
struct OffsetRun {
    first: u64,
    /// The start of its byte offsets, and of its lines.
    start: usize,
    lines_start: usize,
    bytes: OnceLock<Option<Vec<u64>>>,
    lines: OnceLock<Option<Vec<u64>>>,
}

impl IndexedOffsets {
    /// Reads the bytes that [`to_bytes`] has written.
    pub(super) fn read(bytes: Vec<u8>) -> Result<IndexedOffsets, IndexDamage> {
        let mut rest = IndexByteReader(&bytes);
        let count = rest.size()?;
        let end = rest.number()?;
        let length = rest.size()?;
        let about = std::str::from_utf8(rest.take(length)?).map_err(|_| IndexDamage)?;
        let about = about.to_owned();
        let mut runs = Vec::new();
        for _ in 0..count.div_ceil(RUN) {
            let start = bytes.len() - rest.0.len();
            let first = rest.number()?;
            let length = rest.size()?;
            rest.take(length)?;
            let lines_start = bytes.len() - rest.0.len();
            rest.number()?;
            let length = rest.size()?;
            rest.take(length)?;
            runs.push(OffsetRun {
                first,
                start,
                lines_start,
                bytes: OnceLock::new(),
                lines: OnceLock::new(),
            });
        }
        if !rest.0.is_empty() {
            return Err(IndexDamage);
        }
        Ok(IndexedOffsets {
            bytes,
            count,
            end,
            about,
            runs,
        })
    }

    /// The byte offsets of the games of a run.
    fn bytes(&self, run: usize) -> Option<&[u64]> {
        let at = self.runs.get(run)?;
        let bytes = at.bytes.get_or_init(|| self.list(run, at.start, 0));
        bytes.as_deref()
    }

    /// The lines in which the games of a run begin.
    fn lines(&self, run: usize) -> Option<&[u64]> {
        let at = self.runs.get(run)?;
        let lines = at.lines.get_or_init(|| self.list(run, at.lines_start, 1));
        lines.as_deref()
    }

    /// A list of a run's numbers, each of which counts `more` more than the one before.
    fn list(&self, run: usize, start: usize, more: u64) -> Option<Vec<u64>> {
        let mut rest = IndexByteReader(self.bytes.get(start..)?);
        let games = RUN.min(self.count.checked_sub(run * RUN)?);
        let first = rest.number().ok()?;
        let length = rest.size().ok()?;
        let mut numbers = Vec::with_capacity(games);
        let mut index = 0;
        read_rising(rest.take(length).ok()?, games, 1 << 32, |number| {
            numbers.push(first.saturating_add(number.saturating_sub(index * more)));
            index += 1;
        })
        .ok()?;
        Some(numbers)
    }
}

impl OffsetLookup for IndexedOffsets {
    fn count(&self) -> u64 {
        self.count as u64
    }

    fn place(&self, number: u64) -> Option<GameSpan> {
        let at = usize::try_from(number.checked_sub(1)?).ok()?;
        let bytes = self.bytes(at / RUN)?;
        let byte = *bytes.get(at % RUN)?;
        let end = match bytes.get(at % RUN + 1) {
            Some(next) => *next,
            None => self
                .runs
                .get(at / RUN + 1)
                .map_or(self.end, |run| run.first),
        };
        Some(GameSpan {
            byte,
            end,
            line: *self.lines(at / RUN)?.get(at % RUN)?,
        })
    }

    fn before(&self, byte: u64) -> Option<u64> {
        let after = self.runs.partition_point(|run| run.first < byte);
        let Some(run) = after.checked_sub(1) else {
            return Some(0);
        };
        let within = self.bytes(run)?;
        Some((run * RUN + within.partition_point(|begin| *begin < byte)) as u64)
    }

    fn about(&self) -> &str {
        &self.about
    }

    fn all(&self) -> Option<GameOffsets> {
        let mut places = GameOffsets {
            end: self.end,
            about: self.about.clone(),
            ..GameOffsets::default()
        };
        for number in 0..self.runs.len() {
            places.bytes.extend(self.bytes(number)?);
            places.lines.extend(self.lines(number)?);
        }
        Some(places)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn no_places_are_no_bytes() {
        assert!(to_bytes(None).is_empty());
        assert!(IndexedOffsets::read(Vec::new()).is_err());
        let far = GameOffsets {
            bytes: vec![0, 1 << 33],
            lines: vec![1, 2],
            ..GameOffsets::default()
        };
        assert!(to_bytes(Some(&far)).is_empty());
    }

    proptest! {
        #[test]
        fn places_come_back(games in prop::collection::vec((1..5000_u64, 0..40_u64), 0..9000), start in 0..1_u64 << 40) {
            let (mut byte, mut line) = (start, 1);
            let mut places = GameOffsets { about: "cp1252".to_owned(), ..GameOffsets::default() };
            for (length, lines) in games {
                places.bytes.push(byte);
                places.lines.push(line);
                byte += length;
                line += lines;
            }
            places.end = byte;
            let kept = IndexedOffsets::read(to_bytes(Some(&places))).expect("read");
            for number in 0..places.bytes.len() as u64 + 2 {
                prop_assert_eq!(kept.place(number), places.place(number));
            }
            prop_assert_eq!(kept.count(), places.count());
            for byte in places.bytes.iter().flat_map(|byte| [byte.saturating_sub(1), *byte, byte + 1]) {
                prop_assert_eq!(kept.before(byte), places.before(byte));
            }
            prop_assert_eq!(kept.all(), Some(places));
        }

        #[test]
        fn any_bytes_are_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
            if let Ok(kept) = IndexedOffsets::read(bytes)
                && let Some(places) = kept.all()
            {
                prop_assert_eq!(places.bytes.len(), places.lines.len());
            }
        }
    }
}
