//! The places of the games of a text file: found by a walk over it, or taken over from somebody who has kept them.

use tabiya_model::database::{Block, Source, Want};
use tabiya_model::error::Result;
use tabiya_model::places::{KeptPlaces, Places};
use tabiya_model::{Control, Game, pipeline};

/// Where a game stands.
#[derive(Copy, Clone, Debug)]
pub struct GamePlace {
    /// Its first byte.
    pub byte: u64,
    /// How many bytes it has.
    pub length: u64,
    /// The line in which it begins, from 1.
    pub line: u64,
}

impl GamePlace {
    fn end(self) -> u64 {
        self.byte.saturating_add(self.length)
    }

    /// A place that somebody has kept; `None` where it lies outside of a file of so many bytes.
    pub fn kept(places: &dyn KeptPlaces, number: u64, size: u64) -> Option<GamePlace> {
        let place = places.place(number)?;
        let length = place.end.checked_sub(place.byte)?;
        (length > 0 && place.end <= size).then_some(GamePlace {
            byte: place.byte,
            length,
            line: place.line,
        })
    }
}

/// Walks over all games, with two threads: more would want more memory, and soon the disk is what is waited for.
pub fn find(source: &mut dyn Source<'_>) -> Result<Vec<GamePlace>> {
    let control = Control::default();
    let threads = control.threads().min(2);
    let mut places = Vec::new();
    let look = || {
        let mut game = Game::default();
        move |block: &mut dyn Block| {
            let mut found = Vec::new();
            while block.next(Want::TAGS, &mut game)? {
                found.push(GamePlace {
                    byte: game.origin.byte,
                    length: game.origin.length,
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
    Ok(places)
}

/// Where the last game ends.
pub fn end(places: &[GamePlace]) -> u64 {
    places.last().map_or(0, |last| last.end())
}

/// Places as they are worth keeping; `None` where there is something between the games.
pub fn to_keep(places: &[GamePlace], about: &str) -> Option<Places> {
    // Without gaps a game ends where the next one begins.
    let whole = places.windows(2).all(|pair| match pair {
        [a, b] => a.end() == b.byte,
        _ => false,
    });
    whole.then(|| Places {
        bytes: places.iter().map(|place| place.byte).collect(),
        lines: places.iter().map(|place| place.line).collect(),
        end: end(places),
        about: about.to_owned(),
    })
}

/// All places that somebody has kept, if they can be those of a file of so many bytes.
pub fn all_kept(places: &dyn KeptPlaces, size: u64) -> Option<Vec<GamePlace>> {
    let Places {
        bytes, lines, end, ..
    } = places.all()?;
    let rising = bytes.is_sorted_by(|a, b| a < b) && lines.is_sorted();
    let inside = end <= size && bytes.last().is_none_or(|last| *last < end);
    if !rising || !inside || bytes.len() != lines.len() {
        return None;
    }
    let ends = bytes.iter().copied().skip(1).chain([end]);
    let games = bytes.iter().zip(ends).zip(lines);
    let place = |((byte, end), line): ((&u64, u64), u64)| GamePlace {
        byte: *byte,
        length: end - byte,
        line,
    };
    Some(games.map(place).collect())
}
