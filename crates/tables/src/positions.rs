//! The table `positions`: for each position, every game in which it occurs, and where it first does.
//!
//! Sorted by the key of the position and then by game.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use shakmaty::Color;
use tabiya_columns::{CellValue, ColumnEncoding, ColumnSchema, ColumnType};
use tabiya_explore::game_brief::GameBrief;
use tabiya_explore::move_code::MoveCode;
use tabiya_formats::lake::{LakeChange, LakeFileEntry, LakeManifest};
use tabiya_model::outcome::Outcome;
use tabiya_model::positions::{PiecePlacement, PositionGames, PositionLookup};
use tabiya_model::{Control, Database, Result};
use tabiya_openings::position_key::PositionKey;

use crate::explorer::{DAMAGED, move_number};
use crate::external_sort::{SortRecord, word};
use crate::position_records::{FirstOccurrence, gather};
use crate::shards::ShardWriter;
use crate::table_file::{LakeTableFile, is_whole, may_have};

/// The name of the table.
pub const TABLE: &str = "positions";

static FIELDS: [ColumnSchema; 7] = [
    ColumnSchema::new("hash", ColumnType::Long, ColumnEncoding::Delta).required(),
    ColumnSchema::new("game", ColumnType::Long, ColumnEncoding::Delta).required(),
    ColumnSchema::new("ply", ColumnType::Int, ColumnEncoding::Dictionary).required(),
    ColumnSchema::new("move", ColumnType::Int, ColumnEncoding::Dictionary).required(),
    ColumnSchema::new("score", ColumnType::Real, ColumnEncoding::Dictionary),
    ColumnSchema::new("white_elo", ColumnType::Int, ColumnEncoding::Dictionary),
    ColumnSchema::new("black_elo", ColumnType::Int, ColumnEncoding::Dictionary),
];

/// A position of a game. Plies that exceed two bytes are stored as the greatest number.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct LakePositionPosting {
    hash: i64,
    game: u64,
    /// The result, both ratings, the ply and the move, packed into bits.
    rest: u64,
}

impl LakePositionPosting {
    fn new(stands: &FirstOccurrence, game: u64) -> LakePositionPosting {
        let GameBrief {
            white_elo,
            black_elo,
            ..
        } = stands.brief;
        // A rating takes 12 bits; no rating system has ratings beyond 4,095.
        let elo = |elo: u16| u64::from(elo).min(4095);
        let ply = u64::from(u16::try_from(stands.ply).unwrap_or(u16::MAX));
        LakePositionPosting {
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

impl SortRecord for LakePositionPosting {
    const SIZE: usize = 24;

    fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.hash.to_le_bytes());
        out.extend_from_slice(&self.game.to_le_bytes());
        out.extend_from_slice(&self.rest.to_le_bytes());
    }

    fn take(bytes: &[u8]) -> LakePositionPosting {
        LakePositionPosting {
            hash: word(bytes, 0).cast_signed(),
            game: word(bytes, 8),
            rest: word(bytes, 16),
        }
    }
}

/// Makes the table of some games of a lake, which will have the numbers that `number` gives them; `None` if it was
/// stopped.
pub fn build(
    database: &dyn Database,
    games: Range<u64>,
    number: &(dyn Fn(u64) -> u64 + Sync),
    change: &mut LakeChange,
    control: &Control,
) -> Result<Option<Vec<LakeFileEntry>>> {
    let make = |stands: &FirstOccurrence| LakePositionPosting::new(stands, number(stands.game));
    let span = (games.start, games.end);
    let Some((mut sorted, _)) = gather(database, games, &make, control)? else {
        return Ok(None);
    };
    let mut shards = ShardWriter::new(change, TABLE, FIELDS.to_vec(), span);
    let (mut last, mut written) = (None, 0_u64);
    while let Some(LakePositionPosting { hash, game, rest }) = sorted.next()? {
        let group = shards.group();
        let int = |value: u64| CellValue::Int(i64::try_from(value).unwrap_or(i64::MAX));
        group.push(0, CellValue::Int(hash));
        group.push(1, int(game));
        group.push(2, int(rest >> 16 & 0xffff));
        group.push(
            3,
            CellValue::Int(move_number(MoveCode((rest & 0xffff) as u16))),
        );
        let score = match Outcome::from_scid((rest >> 56 & 3) as u8) {
            Outcome::WhiteWins => CellValue::Real(1.0),
            Outcome::Draw => CellValue::Real(0.5),
            Outcome::BlackWins => CellValue::Real(0.0),
            Outcome::Unknown => CellValue::Null,
        };
        group.push(4, score);
        for (column, elo) in [(5, rest >> 44 & 0xfff), (6, rest >> 32 & 0xfff)] {
            group.push(column, if elo > 0 { int(elo) } else { CellValue::Null });
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

/// The table of a lake, open for lookups: an index of the positions of its games.
pub struct LakePositionIndex {
    lake: PathBuf,
    files: Vec<(LakeFileEntry, OnceLock<LakeTableFile>)>,
    games: u64,
    /// The first error of reading it.
    damage: OnceLock<String>,
}

impl LakePositionIndex {
    /// Opens the table of a lake; `None` if it has none, or not for all its games, or if some of them could not be decoded, so
    /// that the table does not have all their positions.
    pub fn open(lake: &Path) -> Result<Option<LakePositionIndex>> {
        let Some(manifest) = LakeManifest::of_folder(lake)? else {
            return Ok(None);
        };
        let (entries, games) = (manifest.table(TABLE), manifest.games());
        let damaged = manifest.settings.get(DAMAGED);
        if !is_whole(entries, games) || damaged.is_some_and(|games| games != "0") {
            return Ok(None);
        }
        Ok(Some(LakePositionIndex {
            lake: lake.to_path_buf(),
            files: entries
                .iter()
                .map(|entry| (entry.clone(), OnceLock::new()))
                .collect(),
            games,
            damage: OnceLock::new(),
        }))
    }

    /// The numbers of all games with a position, ascending.
    pub fn find(&self, key: PositionKey) -> Result<Vec<u64>> {
        let hash = key.0.cast_signed();
        let mut games = Vec::new();
        for (entry, open) in &self.files {
            if !may_have(entry, hash) {
                continue;
            }
            let open = LakeTableFile::open_once(open, &self.lake, entry, &FIELDS)?;
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

impl PositionLookup for LakePositionIndex {
    fn games(
        &self,
        pieces: &PiecePlacement,
        turn: Color,
        variations: bool,
    ) -> Option<PositionGames> {
        if variations {
            return None;
        }
        match self.find(PositionKey::of_pieces(pieces, turn)) {
            Ok(games) => Some(PositionGames { games, exact: true }),
            Err(error) => {
                let _ = self.damage.set(format!(
                    "{error}; all games are searched instead; verifying the lake shows what else is damaged"
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
