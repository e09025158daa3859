//! A field of the facts of a row group, from its columns: each distinct cell is interpreted once, like the tags of games. Rows
//! with incomplete columns are read as games.

use std::collections::HashMap;
use std::ops::Range;

use tabiya_columns::{CellValue, RowGroupReader};
use tabiya_model::facts::{FactFields, GameFacts, MoveFacts, NameTable};
use tabiya_model::outcome::Outcome;
use tabiya_model::rating::RatingKind;
use tabiya_model::tags::TagSet;
use tabiya_model::{Game, GameNeeds, Result, Severity};

use super::annotations::{self, ParquetNote};
use super::layout::{self, tag};
use super::main_line::{read_home_pawns, read_material, read_promotions};
use super::reader::ParquetFile;
use super::text::ParquetTextReader;

/// The columns that follow from the moves.
pub(super) const MOVE_COLUMNS: [usize; 3] = [
    layout::HOME_PAWNS,
    layout::FINAL_MATERIAL,
    layout::PROMOTIONS,
];
/// Nothing is known about a row.
const NOTHING: u32 = u32::MAX;

/// A field of facts, or a part of one, that is read separately.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum FactSlot {
    White,
    Black,
    Event,
    Site,
    Round,
    WhiteRating,
    BlackRating,
    Date,
    EventDate,
    Outcome,
    Eco,
    Flags,
    Plies,
    Annotations,
    // After flags, which it extends.
    Moves,
}

impl FactSlot {
    pub(super) const ALL: [FactSlot; 15] = [
        FactSlot::White,
        FactSlot::Black,
        FactSlot::Event,
        FactSlot::Site,
        FactSlot::Round,
        FactSlot::WhiteRating,
        FactSlot::BlackRating,
        FactSlot::Date,
        FactSlot::EventDate,
        FactSlot::Outcome,
        FactSlot::Eco,
        FactSlot::Flags,
        FactSlot::Plies,
        FactSlot::Annotations,
        FactSlot::Moves,
    ];

    /// The fields to which it belongs.
    #[inline]
    pub(super) const fn fields(self) -> FactFields {
        match self {
            FactSlot::White => FactFields::WHITE,
            FactSlot::Black => FactFields::BLACK,
            FactSlot::Event => FactFields::EVENT,
            FactSlot::Site => FactFields::SITE,
            FactSlot::Round => FactFields::ROUND,
            FactSlot::WhiteRating | FactSlot::BlackRating => {
                FactFields::RATINGS.union(FactFields::ELOS)
            }
            FactSlot::Date => FactFields::DATE,
            FactSlot::EventDate => FactFields::EVENT_DATE,
            FactSlot::Outcome => FactFields::OUTCOME,
            FactSlot::Eco => FactFields::ECO,
            FactSlot::Flags => FactFields::FLAGS,
            FactSlot::Plies => FactFields::PLIES,
            FactSlot::Annotations => FactFields::ANNOTATIONS,
            FactSlot::Moves => FactFields::MOVES,
        }
    }

    /// The table of its names.
    pub(super) const fn table(self) -> Option<NameTable> {
        match self {
            FactSlot::White | FactSlot::Black => Some(NameTable::Players),
            FactSlot::Event => Some(NameTable::Events),
            FactSlot::Site => Some(NameTable::Sites),
            FactSlot::Round => Some(NameTable::Rounds),
            _ => None,
        }
    }

    /// The tag that its column holds.
    const fn tag(self) -> &'static str {
        match self {
            FactSlot::White => "White",
            FactSlot::Black => "Black",
            FactSlot::Event => "Event",
            FactSlot::Site => "Site",
            FactSlot::Round => "Round",
            FactSlot::WhiteRating => "WhiteElo",
            FactSlot::BlackRating => "BlackElo",
            FactSlot::Date => "Date",
            FactSlot::EventDate => "EventDate",
            FactSlot::Outcome => "Result",
            FactSlot::Eco => "ECO",
            FactSlot::Flags | FactSlot::Plies | FactSlot::Annotations | FactSlot::Moves => {
                "ScidFlags"
            }
        }
    }

    /// The tags that determine it, whatever their order.
    fn tags(self) -> TagSet {
        match self {
            FactSlot::WhiteRating | FactSlot::BlackRating => {
                let colors = shakmaty::Color::ALL.into_iter();
                let names = colors
                    .flat_map(|color| RatingKind::all().map(move |kind| kind.tag_name(color)));
                let names: Vec<&str> = names.chain(["WhiteBCF", "BlackBCF"]).collect();
                TagSet::of(&names)
            }
            FactSlot::Flags => TagSet::of(&["ScidFlags", "FEN", "SetUp", "Variant"]),
            _ => TagSet::of(&[self.tag()]),
        }
    }

    fn is_rating(self) -> bool {
        matches!(self, FactSlot::WhiteRating | FactSlot::BlackRating)
    }

    /// Leaves it unsaid.
    pub(super) fn unsay(self, fact: &mut GameFacts) {
        fact.unsaid = fact.unsaid.union(self.fields());
    }
}

/// A number of a row, a name or a judgement.
fn small(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(NOTHING)
}

/// The rows for which the columns of tags are not sufficient: by their numbers in their row group, ascending.
#[derive(Debug, Default)]
pub(super) struct ListedTagRows {
    rows: Vec<u32>,
    /// The list of each of them; [`NOTHING`] if more than a list must be read.
    which: Vec<u32>,
    lists: Vec<List>,
}

/// Names of tags, as `tag_names` lists them.
#[derive(Debug)]
struct List(Box<str>);

/// What a list shows about a tag.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum TagListValue {
    /// It has the value of its column.
    Column,
    /// It is empty.
    Empty,
    /// It is missing.
    Nowhere,
    /// The game has to be read.
    Otherwise,
}

impl List {
    fn of(&self, slot: FactSlot) -> TagListValue {
        let mut listed = TagListValue::Nowhere;
        for line in self.0.split('\n') {
            let (name, found) = match line.strip_suffix('~') {
                Some(name) => (name, TagListValue::Empty),
                None => (line, TagListValue::Column),
            };
            let is_rating = || RatingKind::from_tag_name(name).is_some();
            if name.contains(['=', '~']) {
                return TagListValue::Otherwise;
            } else if name == slot.tag() {
                if listed != TagListValue::Nowhere {
                    return TagListValue::Otherwise;
                }
                listed = found;
            } else if slot.is_rating() && is_rating() && !name.ends_with("Elo") {
                return TagListValue::Otherwise;
            }
        }
        listed
    }

    /// Whether it has none of the tags that determine flags.
    fn has_no_flags(&self) -> bool {
        let mut lines = self.0.split('\n');
        !lines.any(|line| {
            let is_flag = |name| line.starts_with(name);
            line.contains('=') || ["ScidFlags", "FEN"].into_iter().any(is_flag)
        })
    }
}

impl ListedTagRows {
    /// Finds them in rows of a file, counted from 0.
    pub(super) fn read(file: &ParquetFile, rows: &Range<u64>) -> Result<ListedTagRows> {
        const COLUMNS: [usize; 5] = [
            layout::TAG_NAMES,
            layout::TAG_VALUES,
            layout::OUTCOME,
            tag("FEN"),
            tag("Variant"),
        ];
        let mut cursor = file.columns_at(rows.start, &COLUMNS)?;
        let count = rows.end - rows.start;
        let mut odd = Vec::new();
        for (column, is_odd) in [
            (1, (|bytes| !bytes.is_empty()) as fn(&[u8]) -> bool),
            (3, is_no_text),
            (4, is_no_text),
        ] {
            each_value(file, &mut cursor, column, count, |row, cell| {
                if cell.bytes().is_some_and(is_odd) {
                    odd.push(row);
                }
            })?;
        }
        let mut outcomes = DistinctCells::default();
        let mut results: Vec<bool> = Vec::new();
        for row in 0..count {
            let outcome = outcomes.next(file, &mut cursor, 2)?;
            let is_result = |value: &SlotValue| match value {
                SlotValue::None => true,
                SlotValue::Text(text) => Outcome::from_pgn(text).is_some(),
                SlotValue::Odd => false,
            };
            results.extend(outcomes.values.iter().skip(results.len()).map(is_result));
            if !results.get(outcome as usize).is_some_and(|is| *is) {
                odd.push(small(row));
            }
        }
        odd.sort_unstable();
        odd.dedup();
        let mut told = ListedTagRows::default();
        let mut odd = odd.into_iter().peekable();
        let mut names = DistinctCells::default();
        let mut row = 0;
        while row < count {
            let nulls = file.pass_nulls(&mut cursor, 0, count - row)?;
            let end = small(row + nulls);
            while let Some(row) = odd.next_if(|row| *row < end) {
                told.push(row, NOTHING);
            }
            row += nulls;
            if row < count {
                let name = names.next(file, &mut cursor, 0)?;
                let row_number = small(row);
                let is_odd = odd.next_if_eq(&row_number).is_some();
                told.push(row_number, if is_odd { NOTHING } else { name });
                row += 1;
            }
        }
        let list = |value: &SlotValue| match value {
            SlotValue::Text(text) => List(text.clone()),
            // Null has no list, and anything that is not text is read from the game.
            SlotValue::None | SlotValue::Odd => List("=".into()),
        };
        told.lists = names.values.iter().map(list).collect();
        Ok(told)
    }

    fn push(&mut self, row: u32, which: u32) {
        self.rows.push(row);
        self.which.push(which);
    }

    /// The entries of the lists for a field, in their order.
    fn of(&self, slot: FactSlot) -> Vec<TagListValue> {
        self.lists.iter().map(|list| list.of(slot)).collect()
    }

    /// The rows that may have flags.
    fn flagged(&self) -> impl Iterator<Item = u32> {
        let has_none: Vec<bool> = self.lists.iter().map(List::has_no_flags).collect();
        let rows = self.rows.iter().zip(&self.which);
        rows.filter(move |(_, list)| !has_none.get(**list as usize).is_some_and(|none| *none))
            .map(|(row, _)| *row)
    }
}

fn is_no_text(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_err()
}

/// Calls `each` with the rows of a column that have a value, and their values.
fn each_value(
    file: &ParquetFile,
    rows: &mut RowGroupReader,
    column: usize,
    count: u64,
    mut each: impl FnMut(u32, CellValue<'_>),
) -> Result<()> {
    let mut row = 0;
    while row < count {
        row += file.pass_nulls(rows, column, count - row)?;
        if row < count {
            let cell = file.cell(rows, column)?;
            if cell != CellValue::Null {
                each(small(row), cell);
            }
            row += 1;
        }
    }
    Ok(())
}

/// A cell as a game has it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum SlotValue {
    None,
    Text(Box<str>),
    /// Bytes that are not text: then the value is unknown.
    Odd,
}

impl SlotValue {
    fn text(&self) -> Option<&[u8]> {
        match self {
            SlotValue::Text(text) => Some(text.as_bytes()),
            SlotValue::None | SlotValue::Odd => None,
        }
    }

    fn of(cell: CellValue<'_>) -> SlotValue {
        match cell {
            CellValue::Null | CellValue::Real(_) => SlotValue::None,
            CellValue::Int(number) => SlotValue::Text(number.to_string().into()),
            CellValue::Bytes(bytes) => match std::str::from_utf8(bytes) {
                Ok(text) => SlotValue::Text(text.into()),
                Err(_) => SlotValue::Odd,
            },
        }
    }
}

/// The distinct cells of a column, numbered in order of appearance.
#[derive(Default)]
struct DistinctCells {
    values: Vec<SlotValue>,
    numbers: HashMap<SlotValue, u32>,
    null: Option<u32>,
    /// The numbers of a dictionary's values, and the dictionary that they belong to.
    entries: Vec<u32>,
    dictionary: u32,
}

impl DistinctCells {
    /// The number of the next cell of a column.
    #[inline]
    fn next(
        &mut self,
        file: &ParquetFile,
        rows: &mut RowGroupReader,
        column: usize,
    ) -> Result<u32> {
        let (cell, entry) = rows.next_entry(column).map_err(|error| file.wrong(error))?;
        if cell == CellValue::Null {
            let number = self.null.unwrap_or_else(|| self.number(SlotValue::None));
            self.null = Some(number);
            return Ok(number);
        }
        let Some(entry) = entry else {
            return Ok(self.number(SlotValue::of(cell)));
        };
        let at = entry.number as usize;
        if entry.dictionary != self.dictionary {
            self.dictionary = entry.dictionary;
            self.entries.clear();
        }
        match self.entries.get(at) {
            Some(number) if *number != NOTHING => return Ok(*number),
            Some(_) => {}
            None => self.entries.resize(at + 1, NOTHING),
        }
        // The values of a dictionary are distinct already; one that occurs twice is judged twice.
        let number = small(self.values.len() as u64);
        self.values.push(SlotValue::of(cell));
        if let Some(place) = self.entries.get_mut(at) {
            *place = number;
        }
        Ok(number)
    }

    fn number(&mut self, value: SlotValue) -> u32 {
        if let Some(number) = self.numbers.get(&value) {
            return *number;
        }
        let number = small(self.values.len() as u64);
        self.values.push(value.clone());
        self.numbers.insert(value, number);
        number
    }
}

/// The values of a field in the rows of a row group.
#[derive(Debug)]
pub(super) struct SlotCells {
    /// For each row the number of a name, of plies, of a judgement, or the kinds of annotations as bits.
    codes: Box<[u32]>,
    /// Names that have no number yet, in the order of the codes.
    names: Vec<Box<str>>,
    judgements: Vec<GameFacts>,
    /// The facts that follow from the moves of each row, whose code has the flags of promotions.
    moves: Box<[MoveFacts]>,
}

const COMMENTS: u32 = 1;
const VARIATIONS: u32 = 2;
const NAGS: u32 = 4;

impl SlotCells {
    /// Cells without any values.
    pub(super) fn none() -> SlotCells {
        SlotCells {
            codes: Box::default(),
            names: Vec::new(),
            judgements: Vec::new(),
            moves: Box::default(),
        }
    }

    /// The approximate memory in bytes.
    pub(super) fn weight(&self) -> usize {
        self.codes.len() * size_of::<u32>()
            + self.judgements.len() * size_of::<GameFacts>()
            + self.moves.len() * size_of::<MoveFacts>()
            + 64
    }

    /// Adds what is known about a row.
    #[inline]
    pub(super) fn say(&self, slot: FactSlot, row: usize, fact: &mut GameFacts) {
        let Some(code) = self.codes.get(row).copied().filter(|code| *code != NOTHING) else {
            return slot.unsay(fact);
        };
        let judged = || self.judgements.get(code as usize);
        match slot {
            FactSlot::White => fact.players[0] = code,
            FactSlot::Black => fact.players[1] = code,
            FactSlot::Event => fact.event = code,
            FactSlot::Site => fact.site = code,
            FactSlot::Round => fact.round = code,
            FactSlot::Plies => fact.plies = Some(code),
            FactSlot::Annotations => {
                fact.comments = code & COMMENTS != 0;
                fact.variations = code & VARIATIONS != 0;
                fact.nags = code & NAGS != 0;
            }
            FactSlot::Moves => {
                fact.moves = self.moves.get(row).copied();
                fact.flags |= code;
            }
            _ => {
                let Some(judged) = judged() else {
                    return slot.unsay(fact);
                };
                fact.odd = fact.odd.union(judged.odd);
                let unsaid = judged.unsaid.intersection(slot.fields());
                fact.unsaid = fact.unsaid.union(unsaid);
                match slot {
                    FactSlot::WhiteRating => {
                        (fact.ratings[0], fact.elos[0]) = (judged.ratings[0], judged.elos[0]);
                    }
                    FactSlot::BlackRating => {
                        (fact.ratings[1], fact.elos[1]) = (judged.ratings[1], judged.elos[1]);
                    }
                    FactSlot::Date => fact.date = judged.date,
                    FactSlot::EventDate => fact.event_date = judged.event_date,
                    FactSlot::Outcome => fact.outcome = judged.outcome,
                    FactSlot::Eco => fact.eco = judged.eco,
                    _ => fact.flags = judged.flags,
                }
            }
        }
    }

    /// Replaces names by numbers of a table; names without a number are left unsaid.
    pub(super) fn number(&mut self, mut number: impl FnMut(&str) -> Option<u32>) {
        let numbers: Vec<u32> = std::mem::take(&mut self.names)
            .iter()
            .map(|name| number(name).unwrap_or(NOTHING))
            .collect();
        for code in &mut self.codes {
            *code = numbers.get(*code as usize).copied().unwrap_or(NOTHING);
        }
    }

    /// Reads a field of rows of a file, counted from 0. `before` is the number of games before the file.
    pub(super) fn read(
        file: &ParquetFile,
        rows: &Range<u64>,
        before: u64,
        slot: FactSlot,
        told: &ListedTagRows,
    ) -> Result<SlotCells> {
        let mut reading = SlotReader {
            file,
            rows: rows.clone(),
            before,
            slot,
            cells: SlotCells::none(),
            null: Vec::new(),
        };
        let mut codes = match slot {
            FactSlot::Plies => return reading.plies(),
            FactSlot::Annotations => return reading.annotations(),
            FactSlot::Moves => return reading.moves(),
            FactSlot::Flags => {
                let (codes, odd) = reading.flags(told)?;
                reading.read_games(codes, &odd)?
            }
            FactSlot::Outcome => reading.of_columns(&[tag("Result"), layout::OUTCOME])?,
            _ => reading.of_columns(&[tag(slot.tag())])?,
        };
        if slot != FactSlot::Flags {
            let odd = reading.listed(&mut codes, told);
            codes = reading.read_games(codes, &odd)?;
        }
        reading.cells.codes = codes.into();
        Ok(reading.cells)
    }
}

/// Reads a field from its columns.
struct SlotReader<'f> {
    file: &'f ParquetFile,
    rows: Range<u64>,
    before: u64,
    slot: FactSlot,
    cells: SlotCells,
    /// The codes of rows without a value.
    null: Vec<u32>,
}

impl SlotReader<'_> {
    fn count(&self) -> u64 {
        self.rows.end - self.rows.start
    }

    /// The rows by their columns, with each distinct cell judged once.
    fn of_columns(&mut self, columns: &[usize]) -> Result<Vec<u32>> {
        let mut cursor = self.file.columns_at(self.rows.start, columns)?;
        let mut distinct: Vec<DistinctCells> =
            columns.iter().map(|_| DistinctCells::default()).collect();
        let mut pairs = HashMap::new();
        let mut judged = Vec::new();
        let mut codes = Vec::new();
        for _ in 0..self.count() {
            let (mut first, mut second) = (NOTHING, NOTHING);
            for (column, distinct) in distinct.iter_mut().enumerate() {
                let number = distinct.next(self.file, &mut cursor, column)?;
                if column == 0 {
                    first = number;
                } else {
                    second = number;
                }
            }
            let code = match (columns.len(), judged.get(first as usize)) {
                (1, Some(code)) => *code,
                _ => {
                    let code = pairs.get(&(first, second)).copied();
                    let code = code.unwrap_or_else(|| {
                        let value =
                            |at: usize, number: u32| distinct.get(at)?.values.get(number as usize);
                        let code = self.judge([value(0, first), value(1, second)]);
                        pairs.insert((first, second), code);
                        if value(0, first) == Some(&SlotValue::None) {
                            self.null.push(code);
                        }
                        code
                    });
                    // The numbers are consecutive.
                    if columns.len() == 1 {
                        judged.push(code);
                    }
                    code
                }
            };
            codes.push(code);
        }
        Ok(codes)
    }

    /// Judges a cell like the tag of a game, with the result at the end of its moves.
    fn judge(&mut self, values: [Option<&SlotValue>; 2]) -> u32 {
        if let ([first, None], true) = (values, self.slot.table().is_some()) {
            return match first {
                Some(SlotValue::Odd) => NOTHING,
                Some(SlotValue::Text(name)) => self.name(name.clone()),
                Some(SlotValue::None) | None => self.name(Box::default()),
            };
        }
        let mut game = Game::default();
        match values {
            [Some(SlotValue::Odd), _] | [_, Some(SlotValue::Odd)] => return NOTHING,
            [first, second] => {
                if let Some(SlotValue::Text(text)) = first {
                    game.tags.push(self.slot.tag(), text);
                }
                if let Some(SlotValue::Text(text)) = second {
                    game.outcome = Outcome::from_pgn(text);
                }
            }
        }
        self.judge_game(&game)
    }

    fn judge_game(&mut self, game: &Game) -> u32 {
        if self.slot.table().is_some() {
            return self.name(game.tags.value(self.slot.tag()).into());
        }
        let cells = &mut self.cells;
        let fact = GameFacts::of_tags(game, self.slot.fields(), |_, _| None);
        if cells.judgements.last() != Some(&fact) {
            cells.judgements.push(fact);
        }
        small(cells.judgements.len() as u64 - 1)
    }

    fn name(&mut self, name: Box<str>) -> u32 {
        self.cells.names.push(name);
        small(self.cells.names.len() as u64 - 1)
    }

    /// Judges rows by their lists of tags; returns those that must be read.
    fn listed(&mut self, codes: &mut [u32], told: &ListedTagRows) -> Vec<u32> {
        let listed = told.of(self.slot);
        let mut odd = Vec::new();
        let (mut empty, mut none) = (None, None);
        for (row, list) in told.rows.iter().zip(&told.which) {
            let Some(code) = codes.get_mut(*row as usize) else {
                continue;
            };
            let said = listed.get(*list as usize).copied();
            match said.unwrap_or(TagListValue::Otherwise) {
                // A tag that is listed although its column is empty contradicts it.
                TagListValue::Column if !self.null.contains(code) => {}
                TagListValue::Empty if self.slot != FactSlot::Outcome => {
                    let text = SlotValue::Text("".into());
                    *code = *empty.get_or_insert_with(|| self.judge([Some(&text), None]));
                }
                TagListValue::Nowhere if self.slot != FactSlot::Outcome => {
                    *code = *none.get_or_insert_with(|| self.judge([None, None]));
                }
                _ => odd.push(*row),
            }
        }
        odd
    }

    /// Reads these rows as games.
    fn read_games(&mut self, mut codes: Vec<u32>, told: &[u32]) -> Result<Vec<u32>> {
        if told.is_empty() {
            return Ok(codes);
        }
        let want = GameNeeds {
            tags: self.slot.tags(),
            ..GameNeeds::TAGS
        };
        let file = self.file;
        let mut rows = file.rows_at(self.rows.start, want.into())?;
        let mut record = file.record();
        let mut game = Game::default();
        let mut next = 0;
        for row in told {
            file.skip(&mut rows, u64::from(row - next))?;
            next = row + 1;
            file.load(&mut rows, &mut record)?;
            let number = self.before + self.rows.start + u64::from(next);
            record.read(number, file.depth(), want, &mut game);
            // A damaged game is read and reported by every query.
            let code = match game.diagnostics.at_least(Severity::Damage) {
                0 => self.judge_game(&game),
                _ => NOTHING,
            };
            if let Some(place) = codes.get_mut(*row as usize) {
                *place = code;
            }
        }
        Ok(codes)
    }

    /// Flags of rows that have none; and the rows that may have some.
    fn flags(&mut self, told: &ListedTagRows) -> Result<(Vec<u32>, Vec<u32>)> {
        const COLUMNS: [usize; 3] = [tag("ScidFlags"), tag("FEN"), layout::ANNOTATIONS];
        let mut cursor = self.file.columns_at(self.rows.start, &COLUMNS)?;
        let mut odd: Vec<u32> = told.flagged().collect();
        for (column, is_odd) in [
            (0, (|_| true) as fn(CellValue<'_>) -> bool),
            (1, |_| true),
            (2, |notes| notes.bytes().is_some_and(starts_elsewhere)),
        ] {
            each_value(self.file, &mut cursor, column, self.count(), |row, cell| {
                if is_odd(cell) {
                    odd.push(row);
                }
            })?;
        }
        odd.sort_unstable();
        odd.dedup();
        let none = self.judge_game(&Game::default());
        let rows = usize::try_from(self.count()).unwrap_or(0);
        Ok((vec![none; rows], odd))
    }

    /// The numbers of plies, if the file is ours.
    fn plies(mut self) -> Result<SlotCells> {
        let Some(mut rows) = self.file.plies_at(self.rows.start)? else {
            return Ok(self.cells);
        };
        let mut codes = Vec::new();
        for _ in 0..self.count() {
            let plies = self.file.next_plies(&mut rows, 0)?;
            codes.push(plies.unwrap_or(NOTHING));
        }
        self.cells.codes = codes.into();
        Ok(self.cells)
    }

    /// The facts that follow from the moves, if the file is ours.
    fn moves(mut self) -> Result<SlotCells> {
        let Some(mut cursor) = self.file.derived_at(self.rows.start, MOVE_COLUMNS)? else {
            return Ok(self.cells);
        };
        let (mut codes, mut moves) = (Vec::new(), Vec::new());
        let (mut ends, mut promoted) = (DistinctCells::default(), DistinctCells::default());
        let (mut materials, mut flags) = (Vec::new(), Vec::new());
        for _ in 0..self.count() {
            let mut facts = MoveFacts::default();
            let pawns = self.file.cell(&mut cursor, 0)?.bytes();
            let is_said = pawns.is_some_and(|pawns| read_home_pawns(pawns, &mut facts));
            let end = ends.next(self.file, &mut cursor, 1)? as usize;
            let material = ends.values.iter().skip(materials.len());
            materials.extend(material.map(|value| value.text().and_then(read_material)));
            let pieces = promoted.next(self.file, &mut cursor, 2)? as usize;
            let more = promoted.values.iter().skip(flags.len());
            flags.extend(more.map(|value| match value {
                SlotValue::None => Some(0),
                other => other.text().map(read_promotions),
            }));
            let material = materials.get(end).copied().flatten();
            let flags = flags.get(pieces).copied().flatten();
            codes.push(match (material, flags) {
                (Some(material), Some(flags)) if is_said => {
                    facts.material = material;
                    flags
                }
                _ => NOTHING,
            });
            moves.push(facts);
        }
        (self.cells.codes, self.cells.moves) = (codes.into(), moves.into());
        Ok(self.cells)
    }

    /// The kinds of annotations, if the file is ours: then they are valid.
    fn annotations(mut self) -> Result<SlotCells> {
        const COLUMNS: [usize; 3] = [layout::ANNOTATIONS, layout::CLOCKS, layout::EVALS];
        if !self.file.is_ours() {
            return Ok(self.cells);
        }
        let mut cursor = self.file.columns_at(self.rows.start, &COLUMNS)?;
        let mut codes = vec![0; usize::try_from(self.count()).unwrap_or(0)];
        each_value(self.file, &mut cursor, 0, self.count(), |row, notes| {
            if let Some(code) = codes.get_mut(row as usize) {
                *code = annotations_of(notes.bytes().unwrap_or_default()).unwrap_or(NOTHING);
            }
        })?;
        for column in [1, 2] {
            // The column is written if some move has a value, which is read as a comment.
            each_value(self.file, &mut cursor, column, self.count(), |row, cell| {
                let is_there = cell.bytes().is_some_and(|bytes| !bytes.is_empty());
                if let Some(code) = codes.get_mut(row as usize).filter(|_| is_there)
                    && *code != NOTHING
                {
                    *code |= COMMENTS;
                }
            })?;
        }
        self.cells.codes = codes.into();
        Ok(self.cells)
    }
}

/// Whether annotations begin with another start of the game.
fn starts_elsewhere(notes: &[u8]) -> bool {
    let mut reader = ParquetTextReader::new(notes);
    while let Some(kind) = reader.byte() {
        match kind {
            annotations::SPACED => {}
            annotations::RULES => {
                reader.byte();
            }
            annotations::START => return true,
            _ => return false,
        }
    }
    false
}

/// The kinds of annotations as bits; `None` if they are invalid.
fn annotations_of(notes: &[u8]) -> Option<u32> {
    let mut reader = ParquetTextReader::new(notes);
    let mut code = 0;
    while !reader.is_empty() {
        match annotations::next(&mut reader)? {
            ParquetNote::Comment(text) if !text.text.is_empty() => code |= COMMENTS,
            ParquetNote::Begin => code |= VARIATIONS,
            ParquetNote::Nag(_) => code |= NAGS,
            // Damaged games are read by every query.
            ParquetNote::Odd(_) | ParquetNote::Raw(_) => return None,
            _ => {}
        }
    }
    Some(code)
}
