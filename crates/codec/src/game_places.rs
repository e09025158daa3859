//! The offsets of the games of a text file: found by a scan, or taken over from a saved list.

use tabiya_model::database::{Block, DatabaseInfo, GameNeeds, Source};
use tabiya_model::error::{Error, Result};
use tabiya_model::error_codes;
use tabiya_model::game_offsets::{GameOffsets, GameSpan, OffsetLookup};
use tabiya_model::{Control, Game, pipeline};

/// The offsets found by a scan.
#[derive(Debug)]
pub struct GamePlaceList(Vec<GameSpan>);

impl GamePlaceList {
    /// Offsets that the format has found in its own way.
    pub fn new(places: Vec<GameSpan>) -> GamePlaceList {
        GamePlaceList(places)
    }

    /// Scans all games, with two threads: more would need more memory, and the disk soon becomes the limit.
    pub fn scan(source: &mut dyn Source<'_>) -> Result<GamePlaceList> {
        let control = Control::default();
        let threads = control.threads().min(2);
        let mut places = Vec::new();
        let look = || {
            let mut game = Game::default();
            move |block: &mut dyn Block| {
                let mut found = Vec::new();
                while block.next(GameNeeds::TAGS, &mut game)? {
                    found.push(GameSpan {
                        byte: game.origin.byte,
                        end: game.origin.byte.saturating_add(game.origin.length),
                        line: game.origin.line,
                    });
                }
                Ok(found)
            }
        };
        pipeline::run(source, &control.with_threads(threads), look, |found| {
            places.extend(found);
            Ok(true)
        })?;
        Ok(GamePlaceList(places))
    }

    /// The same for formats in which the text between two games belongs to the first of them.
    pub fn without_gaps(mut self) -> GamePlaceList {
        let mut next = end(&self);
        for place in self.0.iter_mut().rev() {
            place.end = next;
            next = place.byte;
        }
        self
    }
}

impl OffsetLookup for GamePlaceList {
    fn count(&self) -> u64 {
        self.0.len() as u64
    }

    fn place(&self, number: u64) -> Option<GameSpan> {
        let at = usize::try_from(number.checked_sub(1)?).ok()?;
        self.0.get(at).copied()
    }

    fn before(&self, byte: u64) -> Option<u64> {
        Some(self.0.partition_point(|place| place.byte < byte) as u64)
    }

    fn about(&self) -> &str {
        ""
    }

    fn all(&self) -> Option<GameOffsets> {
        // Without gaps, a game ends where the next one begins.
        let whole = self.0.windows(2).all(|pair| match pair {
            [a, b] => a.end == b.byte,
            _ => false,
        });
        whole.then(|| GameOffsets {
            bytes: self.0.iter().map(|place| place.byte).collect(),
            lines: self.0.iter().map(|place| place.line).collect(),
            end: end(self),
            about: String::new(),
        })
    }
}

/// Reports the number of pieces of a compressed file, and what it means for reading single games.
pub fn describe_packing(info: &mut DatabaseInfo, pieces: Option<u64>) {
    match pieces {
        None => {}
        Some(1) => info.field(
            "packed",
            "in one piece: to read a single game, the file is decompressed from the beginning",
        ),
        Some(pieces) => info.field(
            "packed",
            format!(
                "in {pieces} pieces: to read a single game, its piece is decompressed from the beginning"
            ),
        ),
    }
}

/// Where the last game ends.
pub fn end(places: &dyn OffsetLookup) -> u64 {
    places.place(places.count()).map_or(0, |last| last.end)
}

/// Whether offsets can be those of a file of this size. The ends of the lists show whether they are complete and
/// ascending; the others are checked when they are used.
pub fn fit(places: &dyn OffsetLookup, size: u64) -> bool {
    let is_there = |number| saved_place(places, number, size).is_some();
    places.count() == 0 || is_there(1) && is_there(places.count())
}

/// The offsets of a game, or `None` if there is no such game.
pub fn of(places: &dyn OffsetLookup, number: u64) -> Result<Option<GameSpan>> {
    if number == 0 || number > places.count() {
        return Ok(None);
    }
    places.place(number).map(Some).ok_or_else(unreadable)
}

/// The offsets of the games are saved, but cannot be read.
pub fn unreadable() -> Error {
    Error::new(
        &error_codes::DAMAGED,
        "the offsets of the games in its index cannot be read",
    )
}

/// The saved offsets of a game; `None` if they are impossible in a file of this size.
pub fn saved_place(places: &dyn OffsetLookup, number: u64, size: u64) -> Option<GameSpan> {
    let place = places.place(number)?;
    (place.byte < place.end && place.end <= size).then_some(place)
}
