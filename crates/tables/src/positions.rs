//! The table `positions`: for each position every game in which it stands, where it first does.
//!
//! Sorted by the key of the position and then by game.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use shakmaty::Color;
use tabiya_columns::{Cell, Field, Kind, Packing};
use tabiya_explore::brief::Brief;
use tabiya_explore::step::Step;
use tabiya_formats::lake::{Change, Entry, Manifest};
use tabiya_model::outcome::Outcome;
use tabiya_model::positions::{Listed, Men, PositionLookup};
use tabiya_model::{Control, Database, Result};
use tabiya_openings::key::Key;

use crate::explorer::{DAMAGED, move_number};
use crate::gathering::{Stands, gather};
use crate::shards::Shards;
use crate::sorting::{Record, word};
use crate::stored::{OpenTable, is_whole, may_have};

/// The name of the table.
pub const TABLE: &str = "positions";

static FIELDS: [Field; 7] = [
    Field::new("hash", Kind::Long, Packing::Delta).required(),
    Field::new("game", Kind::Long, Packing::Delta).required(),
    Field::new("ply", Kind::Int, Packing::Dictionary).required(),
    Field::new("move", Kind::Int, Packing::Dictionary).required(),
    Field::new("score", Kind::Real, Packing::Dictionary),
    Field::new("white_elo", Kind::Int, Packing::Dictionary),
    Field::new("black_elo", Kind::Int, Packing::Dictionary),
];

/// A position of a game. Half-moves beyond what two bytes hold are told as the most that they do.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Posting {
    hash: i64,
    game: u64,
    /// The result, both ratings, the half-move and the move above each other.
    rest: u64,
}

impl Posting {
    fn new(stands: &Stands, game: u64) -> Posting {
        let Brief {
            white_elo,
            black_elo,
            ..
        } = stands.brief;
        // A rating takes 12 bits; those beyond 4,095 are none of any rating system.
        let elo = |elo: u16| u64::from(elo).min(4095);
        let ply = u64::from(u16::try_from(stands.ply).unwrap_or(u16::MAX));
        Posting {
            hash: stands.key.0.cast_signed(),
            game,
            rest: u64::from(stands.brief.outcome().to_scid()) << 56
                | elo(white_elo) << 44
                | elo(black_elo) << 32
                | ply << 16
                | u64::from(stands.step.0),
        }
    }
}

impl Record for Posting {
    const SIZE: usize = 24;

    fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.hash.to_le_bytes());
        out.extend_from_slice(&self.game.to_le_bytes());
        out.extend_from_slice(&self.rest.to_le_bytes());
    }

    fn take(bytes: &[u8]) -> Posting {
        Posting {
            hash: word(bytes, 0).cast_signed(),
            game: word(bytes, 8),
            rest: word(bytes, 16),
        }
    }
}

/// Makes the table of some games of a lake, which are to have the numbers that `number` gives them; `None` where it was
/// told to stop.
pub fn build(
    database: &dyn Database,
    games: Range<u64>,
    number: &(dyn Fn(u64) -> u64 + Sync),
    change: &mut Change,
    control: &Control,
) -> Result<Option<Vec<Entry>>> {
    let make = |stands: &Stands| Posting::new(stands, number(stands.game));
    let span = (games.start, games.end);
    let Some((mut sorted, _)) = gather(database, games, &make, control)? else {
        return Ok(None);
    };
    let mut shards = Shards::new(change, TABLE, FIELDS.to_vec(), span);
    let (mut last, mut written) = (None, 0_u64);
    while let Some(Posting { hash, game, rest }) = sorted.next()? {
        let group = shards.group();
        let int = |value: u64| Cell::Int(i64::try_from(value).unwrap_or(i64::MAX));
        group.push(0, Cell::Int(hash));
        group.push(1, int(game));
        group.push(2, int(rest >> 16 & 0xffff));
        group.push(3, Cell::Int(move_number(Step((rest & 0xffff) as u16))));
        let score = match Outcome::from_scid((rest >> 56 & 3) as u8) {
            Outcome::WhiteWins => Cell::Real(1.0),
            Outcome::Draw => Cell::Real(0.5),
            Outcome::BlackWins => Cell::Real(0.0),
            Outcome::Unknown => Cell::Null,
        };
        group.push(4, score);
        for (column, elo) in [(5, rest >> 44 & 0xfff), (6, rest >> 32 & 0xfff)] {
            group.push(column, if elo > 0 { int(elo) } else { Cell::Null });
        }
        shards.end_row(Some(hash), last != Some(hash))?;
        last = Some(hash);
        written += 1;
        if written % 65_536 == 0 && control.is_stopped() {
            return Ok(None);
        }
    }
    Ok(Some(shards.finish()?))
}

/// The table of a lake, open for questions: an index of the positions of its games.
pub struct Positions {
    lake: PathBuf,
    files: Vec<(Entry, OnceLock<OpenTable>)>,
    games: u64,
    /// The first failure to read it.
    damage: OnceLock<String>,
}

impl Positions {
    /// Opens the table of a lake; `None` where it has none, or not of all its games, or where some of them could not be decoded, of
    /// which the table does not tell all positions.
    pub fn open(lake: &Path) -> Result<Option<Positions>> {
        let Some(manifest) = Manifest::of_folder(lake)? else {
            return Ok(None);
        };
        let (entries, games) = (manifest.table(TABLE), manifest.games());
        let damaged = manifest.settings.get(DAMAGED);
        if !is_whole(entries, games) || damaged.is_some_and(|games| games != "0") {
            return Ok(None);
        }
        Ok(Some(Positions {
            lake: lake.to_path_buf(),
            files: entries
                .iter()
                .map(|entry| (entry.clone(), OnceLock::new()))
                .collect(),
            games,
            damage: OnceLock::new(),
        }))
    }

    /// The numbers of all games in which a position stands, rising.
    pub fn find(&self, key: Key) -> Result<Vec<u64>> {
        let hash = key.0.cast_signed();
        let mut games = Vec::new();
        for (entry, open) in &self.files {
            if !may_have(entry, hash) {
                continue;
            }
            let open = OpenTable::opened(open, &self.lake, entry, &FIELDS)?;
            open.find(hash, &open.columns(&["hash", "game"]), |rows| {
                let is_it = rows.next(0)?.int() == Some(hash);
                let game = rows.next(1)?.int();
                let game = game.and_then(|game| u64::try_from(game).ok());
                games.extend(game.filter(|_| is_it));
                Ok(is_it)
            })?;
        }
        games.sort_unstable();
        Ok(games)
    }
}

impl PositionLookup for Positions {
    fn games(&self, men: &Men, turn: Color, variations: bool) -> Option<Listed> {
        if variations {
            return None;
        }
        match self.find(Key::of_men(men, turn)) {
            Ok(games) => Some(Listed { games, exact: true }),
            Err(error) => {
                let _ = self.damage.set(format!(
                    "{error}; all games are looked at instead (`tabiya lake verify` tells what else is damaged)"
                ));
                None
            }
        }
    }

    fn game_count(&self) -> u64 {
        self.games
    }

    fn unsure(&self) -> &[u64] {
        &[]
    }

    fn damage(&self) -> Option<String> {
        self.damage.get().cloned()
    }
}
