//! Places in a file: lines and columns for messages, counted only when needed.

use tabiya_model::diagnostic::Location;

use super::reader::state::{KnownColumn, PgnReaderState};

/// How far back columns are counted.
const COLUMN_WINDOW: usize = 1 << 16;

impl PgnReaderState {
    /// The line of a place, counted from the previous place.
    pub(super) fn line(&mut self, data: &[u8], at: usize) -> u64 {
        let (known, line) = self.known;
        let breaks = |from: usize, to: usize| {
            let part = data.get(from..to).unwrap_or(&[]);
            if self.lone_returns {
                // A carriage return at the end of the part may have its line feed after it.
                let (feeds, lone) = line_breaks(part);
                let split = part.last() == Some(&b'\r') && data.get(to) == Some(&b'\n');
                feeds + lone - u64::from(split)
            } else {
                memchr::memchr_iter(b'\n', part).count() as u64
            }
        };
        let line = if at >= known {
            line + breaks(known, at)
        } else {
            line.saturating_sub(breaks(at, known))
        };
        self.known = (at, line);
        line
    }

    /// The column of a place, counted from the previous place on its line.
    fn column(&mut self, data: &[u8], at: usize) -> Option<u64> {
        let known = self.known_column;
        let from = if at >= known.at { known.at } else { 0 };
        let floor = from.max(at.saturating_sub(COLUMN_WINDOW));
        let part = data.get(floor..at).unwrap_or(&[]);
        let line = match memchr::memrchr2(b'\n', b'\r', part) {
            Some(n) => floor + n + 1,
            None if floor == 0 => 0,
            None if floor == from => known.line,
            // Somewhere before: too far away in any case.
            None => floor - 1,
        };
        if at - line > COLUMN_WINDOW {
            self.known_column = KnownColumn {
                at,
                line,
                column: 0,
            };
            return None;
        }
        let characters = |from: usize| {
            let part = data.get(from..at).unwrap_or(&[]);
            String::from_utf8_lossy(part).chars().count() as u64
        };
        let column = match line == known.line && at >= known.at && known.at > 0 {
            true => known.column + characters(known.at),
            false => 1 + characters(line),
        };
        self.known_column = KnownColumn { at, line, column };
        Some(column)
    }

    pub(super) fn place(
        &mut self,
        data: &[u8],
        at: usize,
        number: u64,
        ply: Option<u32>,
    ) -> Location {
        let column = self.column(data, at);
        Location {
            file: None,
            game: Some(number),
            byte: Some(self.base.byte + at as u64),
            line: Some(self.line(data, at)),
            column,
            ply,
        }
    }
}

/// The number of line feeds, and of carriage returns without a following line feed.
pub(super) fn line_breaks(data: &[u8]) -> (u64, u64) {
    let feeds = memchr::memchr_iter(b'\n', data).count() as u64;
    if memchr::memchr(b'\r', data).is_none() {
        return (feeds, 0);
    }
    // In this form, the compiler counts many bytes at once.
    const RUN: usize = 128;
    let mut lone = 0_u64;
    let next = data.get(1..).unwrap_or(&[]);
    for (here, next) in data.chunks(RUN).zip(next.chunks(RUN)) {
        let found: u8 = here
            .iter()
            .zip(next)
            .map(|(&here, &next)| u8::from(here == b'\r') & u8::from(next != b'\n'))
            .sum();
        lone += u64::from(found);
    }
    (feeds, lone + u64::from(data.last() == Some(&b'\r')))
}
