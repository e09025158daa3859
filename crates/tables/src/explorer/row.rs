//! A row of the table `explorer`: the results of a move in a position.

use tabiya_columns::{
    CellValue, ColumnEncoding, ColumnSchema, ColumnType, RowGroupBuilder, RowGroupReader,
};
use tabiya_explore::game_brief::GameBrief;
use tabiya_explore::move_code::MoveCode;
use tabiya_explore::tally::{KEPT, MoveScore, PositionTally, ShownGame};
use tabiya_model::date::Date;

pub(crate) const HASH: usize = 0;
const MOVE: usize = 1;
const GAMES: usize = 2;
const WHITE: usize = 3;
const DRAWS: usize = 4;
const BLACK: usize = 5;
const RATED: usize = 6;
const WHITE_ELO: usize = 7;
const BLACK_ELO: usize = 8;
const FIRST: usize = 9;
const LAST: usize = 10;
const TOP: usize = 11;
const RECENT: usize = 12;

/// The columns.
pub(crate) static FIELDS: [ColumnSchema; 13] = [
    ColumnSchema::new("hash", ColumnType::Long, ColumnEncoding::Delta).required(),
    ColumnSchema::new("move", ColumnType::Int, ColumnEncoding::Dictionary).required(),
    ColumnSchema::new("games", ColumnType::Long, ColumnEncoding::Dictionary).required(),
    ColumnSchema::new("white", ColumnType::Long, ColumnEncoding::Dictionary).required(),
    ColumnSchema::new("draws", ColumnType::Long, ColumnEncoding::Dictionary).required(),
    ColumnSchema::new("black", ColumnType::Long, ColumnEncoding::Dictionary).required(),
    ColumnSchema::new("rated", ColumnType::Long, ColumnEncoding::Dictionary).required(),
    ColumnSchema::new("white_elo", ColumnType::Long, ColumnEncoding::Dictionary).required(),
    ColumnSchema::new("black_elo", ColumnType::Long, ColumnEncoding::Dictionary).required(),
    ColumnSchema::new("first", ColumnType::Int, ColumnEncoding::Dictionary),
    ColumnSchema::new("last", ColumnType::Int, ColumnEncoding::Dictionary),
    ColumnSchema::new("top", ColumnType::Bytes, ColumnEncoding::Delta).required(),
    ColumnSchema::new("recent", ColumnType::Bytes, ColumnEncoding::Delta),
];

/// The bytes of a shown game: five for its number, seven for its facts.
const SHOWN: usize = 12;

/// A move as stored in the column: −1 for the end of a game.
pub(crate) fn move_number(step: MoveCode) -> i64 {
    match step {
        MoveCode::END => -1,
        MoveCode(bits) => i64::from(bits),
    }
}

fn step_of(number: i64) -> MoveCode {
    u16::try_from(number).map_or(MoveCode::END, MoveCode)
}

/// A date as a number of eight digits: year, month, day.
pub(crate) fn digits(bits: u32) -> Option<i64> {
    let Date { year, month, day } = Date::from_scid(bits);
    let number = i64::from(year.unwrap_or(0)) * 10_000
        + i64::from(month.unwrap_or(0)) * 100
        + i64::from(day.unwrap_or(0));
    (number > 0).then_some(number)
}

fn bits_of(digits: Option<i64>) -> u32 {
    let digits = u32::try_from(digits.unwrap_or(0)).unwrap_or(0);
    ((digits / 10_000) << 9) | ((digits / 100 % 100) << 5) | (digits % 100)
}

/// The statistics of a move in a position.
#[derive(Clone, Debug, Default)]
pub(crate) struct LakeExplorerRow {
    pub(crate) hash: i64,
    pub(crate) step: i64,
    pub(crate) score: MoveScore,
    /// The first known date, in Scid's bits; 0 for none.
    pub(crate) first: u32,
    /// The strongest and the latest games; one list as long as it has all of them.
    top: Vec<ShownGame>,
    recent: Vec<ShownGame>,
}

impl LakeExplorerRow {
    /// Starts a position and a move; memory is reused.
    pub(crate) fn begin(&mut self, hash: i64, step: i64) {
        self.hash = hash;
        self.step = step;
        self.score = MoveScore::default();
        self.first = 0;
        self.top.clear();
        self.recent.clear();
    }

    /// Counts a game.
    pub(crate) fn add(&mut self, number: u64, brief: GameBrief) {
        self.score.add(brief);
        self.note_first(brief.date_bits());
        let shown = ShownGame {
            base: 0,
            number,
            step: step_of(self.step),
            facts: brief,
        };
        self.show(shown, true);
        self.show(shown, false);
    }

    fn note_first(&mut self, date: u32) {
        if date > 0 && (self.first == 0 || date < self.first) {
            self.first = date;
        }
    }

    /// Inserts a shown game among the strongest or the latest.
    fn show(&mut self, shown: ShownGame, is_top: bool) {
        let list = if is_top {
            &mut self.top
        } else {
            &mut self.recent
        };
        list.push(shown);
        // Sorted only if some games must be dropped.
        if list.len() >= 8 * KEPT {
            truncate_games(list, is_top);
        }
    }

    /// Counts the games of another row of the same position and move.
    pub(crate) fn merge(&mut self, other: &LakeExplorerRow) {
        self.score.merge(&other.score);
        self.note_first(other.first);
        for shown in &other.top {
            self.show(*shown, true);
        }
        for shown in &other.recent {
            self.show(*shown, false);
        }
    }

    /// Writes it.
    pub(crate) fn push(&mut self, group: &mut RowGroupBuilder, scratch: &mut Vec<u8>) {
        truncate_games(&mut self.top, true);
        truncate_games(&mut self.recent, false);
        let score = &self.score;
        let long = |value: u64| CellValue::Int(i64::try_from(value).unwrap_or(i64::MAX));
        group.push(HASH, CellValue::Int(self.hash));
        group.push(MOVE, CellValue::Int(self.step));
        for (column, value) in [
            (GAMES, score.games),
            (WHITE, score.white),
            (DRAWS, score.draws),
            (BLACK, score.black),
            (RATED, score.rated),
            (WHITE_ELO, score.white_elo),
            (BLACK_ELO, score.black_elo),
        ] {
            group.push(column, long(value));
        }
        for (column, date) in [(FIRST, self.first), (LAST, score.last)] {
            if let Some(date) = digits(date) {
                group.push(column, CellValue::Int(date));
            }
        }
        write(&self.top, scratch);
        group.push(TOP, CellValue::Bytes(scratch));
        if score.games > KEPT as u64 {
            write(&self.recent, scratch);
            group.push(RECENT, CellValue::Bytes(scratch));
        }
    }

    /// Reads the next row of a table.
    pub(crate) fn read(&mut self, rows: &mut RowGroupReader) -> tabiya_columns::Result<()> {
        let (hash, step) = (next(rows, HASH)?, next(rows, MOVE)?);
        self.begin(hash, step);
        let natural = |value: i64| u64::try_from(value).unwrap_or(0);
        self.score = MoveScore {
            games: natural(next(rows, GAMES)?),
            white: natural(next(rows, WHITE)?),
            draws: natural(next(rows, DRAWS)?),
            black: natural(next(rows, BLACK)?),
            rated: natural(next(rows, RATED)?),
            white_elo: natural(next(rows, WHITE_ELO)?),
            black_elo: natural(next(rows, BLACK_ELO)?),
            last: 0,
        };
        self.first = bits_of(rows.next(FIRST)?.int());
        self.score.last = bits_of(rows.next(LAST)?.int());
        let step = step_of(step);
        read(rows.next(TOP)?.bytes(), step, &mut self.top);
        let recent = rows.next(RECENT)?.bytes();
        if recent.is_some() {
            read(recent, step, &mut self.recent);
        } else {
            self.recent.extend_from_slice(&self.top);
        }
        Ok(())
    }

    /// Gives its games new numbers.
    pub(crate) fn renumber(&mut self, new: impl Fn(u64) -> u64) {
        for shown in self.top.iter_mut().chain(&mut self.recent) {
            shown.number = new(shown.number);
        }
    }

    /// Counts its games in the tally of its position.
    pub(crate) fn add_to_tally(&self, tally: &mut PositionTally) {
        let step = step_of(self.step);
        if let (1, [shown]) = (self.score.games, &self.top[..]) {
            tally.add(shown.number, step, shown.facts);
            return;
        }
        tally.add_score(step, &self.score);
        for shown in &self.top {
            tally.show(*shown, true);
        }
        for shown in &self.recent {
            tally.show(*shown, false);
        }
    }
}

fn next(rows: &mut RowGroupReader, column: usize) -> tabiya_columns::Result<i64> {
    Ok(rows.next(column)?.int().unwrap_or(0))
}

/// Keeps as many games as a tally does, in the same order.
fn truncate_games(list: &mut Vec<ShownGame>, is_top: bool) {
    if list.len() < 2 {
        return;
    }
    let mut tally = PositionTally::default();
    list.iter().for_each(|shown| tally.show(*shown, is_top));
    list.clear();
    list.extend_from_slice(if is_top { tally.top() } else { tally.recent() });
}

fn write(list: &[ShownGame], out: &mut Vec<u8>) {
    out.clear();
    for shown in list {
        out.extend_from_slice(shown.number.to_le_bytes().get(..5).unwrap_or_default());
        let facts = shown.facts.to_bits().to_le_bytes();
        out.extend_from_slice(facts.get(..SHOWN - 5).unwrap_or_default());
    }
}

fn read(bytes: Option<&[u8]>, step: MoveCode, list: &mut Vec<ShownGame>) {
    list.clear();
    for bytes in bytes.unwrap_or_default().as_chunks::<SHOWN>().0 {
        let [n0, n1, n2, n3, n4, f0, f1, f2, f3, f4, f5, f6] = *bytes;
        list.push(ShownGame {
            base: 0,
            number: u64::from_le_bytes([n0, n1, n2, n3, n4, 0, 0, 0]),
            step,
            facts: GameBrief::from_bits(u64::from_le_bytes([f0, f1, f2, f3, f4, f5, f6, 0])),
        });
    }
}
