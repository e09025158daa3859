//! The places of the games of a text file: found by a walk over it, or taken over from somebody who has kept them.

use tabiya_model::database::{Block, DatabaseInfo, GameNeeds, Source};
use tabiya_model::error::{Error, Result};
use tabiya_model::error_codes;
use tabiya_model::game_offsets::{GameOffsets, GameSpan, OffsetLookup};
use tabiya_model::{Control, Game, pipeline};

/// The places that a walk has found.
#[derive(Debug)]
pub struct GamePlaceList(Vec<GameSpan>);

impl GamePlaceList {
    /// Places that the format has found in its own way.
    pub fn new(places: Vec<GameSpan>) -> GamePlaceList {
        GamePlaceList(places)
    }

    /// Walks over all games, with two threads: more would want more memory, and soon the disk is what is waited for.
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

    /// The same where what stands between two games belongs to the first of them.
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
        // Without gaps a game ends where the next one begins.
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

/// Says of a packed file in how many pieces it is packed, and what that means to who wants single games.
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

/// Whether places can be those of a file of so many bytes. The ends of the lists show whether they are whole and rise;
/// the others are looked at when they are used.
pub fn fit(places: &dyn OffsetLookup, size: u64) -> bool {
    let is_there = |number| saved_place(places, number, size).is_some();
    places.count() == 0 || is_there(1) && is_there(places.count())
}

/// The place of a game, or nothing where there are not so many.
pub fn of(places: &dyn OffsetLookup, number: u64) -> Result<Option<GameSpan>> {
    if number == 0 || number > places.count() {
        return Ok(None);
    }
    places.place(number).map(Some).ok_or_else(unreadable)
}

/// Where the games stand is kept, and cannot be read.
pub fn unreadable() -> Error {
    Error::new(
        &error_codes::DAMAGED,
        "the offsets of the games in its index cannot be read",
    )
}

/// The place of a game that somebody has kept; `None` where it cannot be one in a file of so many bytes.
pub fn saved_place(places: &dyn OffsetLookup, number: u64, size: u64) -> Option<GameSpan> {
    let place = places.place(number)?;
    (place.byte < place.end && place.end <= size).then_some(place)
}
