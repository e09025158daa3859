//! Games as columns in memory: only the requested ones. Data that no column needs is neither read nor computed.

use tabiya_columns::{CellValue, ColumnData, ColumnSchema, RowGroupBuilder};
use tabiya_model::tags::TagSet;
use tabiya_model::text::TextId;
use tabiya_model::{Encoder, Game, GameNeeds, Losses};

use super::encode::ParquetRowEncoder;
use super::layout::{self, MoveColumn, TAGS};
use super::{derived_columns, tags};

/// Makes some of the columns of a file, in the requested order.
pub struct ParquetColumnBuffer {
    columns: Vec<usize>,
    rows: ColumnRows,
}

/// How rows are made.
enum ColumnRows {
    /// All columns, of which some are returned: a column of the moves is made together with all others.
    Whole(Box<ParquetRowEncoder>),
    /// Columns that follow from tags, the result and the number of plies.
    Plain(Box<PlainRowMaker>),
}

impl std::fmt::Debug for ParquetColumnBuffer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ParquetColumnBuffer")
            .field("columns", &self.columns)
            .finish_non_exhaustive()
    }
}

/// Whether a column is made without following the moves.
fn is_plain(column: usize) -> bool {
    column < layout::FINAL_MATERIAL || column == layout::OUTCOME
}

/// Needs only tags with these names.
fn tags_of(names: &[&str]) -> GameNeeds {
    GameNeeds {
        tags: TagSet::of(names),
        ..GameNeeds::TAGS
    }
}

/// What is read of a game for a column, by its index in [`layout::fields`].
fn needs_of(column: usize, knows_plies: bool) -> GameNeeds {
    let main_line = GameNeeds {
        moves: true,
        verify: true,
        ..tags_of(&["FEN", "SetUp", "Variant"])
    };
    match column {
        layout::GAME => tags_of(&[]),
        layout::YEAR..=layout::PLAYED => tags_of(&["Date"]),
        layout::TIME_BASE | layout::TIME_INCREMENT => tags_of(&["TimeControl"]),
        layout::PLIES if knows_plies => tags_of(&[]),
        // A result may occur only after the moves.
        layout::SCORE | layout::OUTCOME => main_line.union(tags_of(&["Result"])),
        layout::PLIES
        | layout::FINAL_MATERIAL
        | layout::HOME_PAWNS
        | layout::PROMOTIONS
        | layout::MOVES => main_line,
        layout::OPENING_NAME => main_line.union(tags_of(&["Opening"])),
        layout::TAG_NAMES | layout::TAG_VALUES => GameNeeds::TAGS,
        layout::CLOCKS | layout::EVALS | layout::ANNOTATIONS => GameNeeds::ALL,
        _ => {
            let tag = column.checked_sub(layout::FIRST_TAG);
            match tag.and_then(|at| TAGS.get(at)) {
                Some(column) => tags_of(&[column.tag]),
                None => GameNeeds::ALL,
            }
        }
    }
}

impl ParquetColumnBuffer {
    /// For columns by their indices in [`super::ParquetRowBuffer::fields`], each at most once.
    #[must_use]
    pub fn new(columns: &[usize]) -> ParquetColumnBuffer {
        let rows = match columns.iter().all(|column| is_plain(*column)) {
            true => ColumnRows::Plain(Box::new(PlainRowMaker::new(columns))),
            false => ColumnRows::Whole(Box::new(ParquetRowEncoder::new(MoveColumn::Fast))),
        };
        ParquetColumnBuffer {
            columns: columns.to_vec(),
            rows,
        }
    }

    /// Whether the columns need only the number of plies of the moves, so that games need not be read if it is known.
    #[must_use]
    pub fn asks_plies_alone(&self) -> bool {
        self.columns.contains(&layout::PLIES) && !self.needs(true).moves
    }

    /// The needed parts of games; `knows_plies` is whether [`ParquetColumnBuffer::push`] gets their numbers of plies.
    #[must_use]
    pub fn needs(&self, knows_plies: bool) -> GameNeeds {
        let knows_plies = knows_plies && matches!(self.rows, ColumnRows::Plain(_));
        let needs = self.columns.iter();
        needs
            .map(|column| needs_of(*column, knows_plies))
            .fold(tags_of(&[]), GameNeeds::union)
    }

    /// Adds a game as a row, with its number of plies if its moves were not read. The number of the game is left out: it is
    /// known when the rows are taken.
    pub fn push(&mut self, game: &Game, plies: Option<u32>) {
        match &mut self.rows {
            // The columns hold every game completely, so nothing can be lost.
            ColumnRows::Whole(encoder) => encoder.encode(game, &mut Losses::default()),
            ColumnRows::Plain(rows) => rows.push(game, plies),
        }
    }

    /// Adds a row whose cells are all known: `cell` is called with the index of each column in the order of delivery, and
    /// passes it the content of the cell. False if the columns need moves, for which games have to be read.
    pub fn push_cells(
        &mut self,
        mut cell: impl FnMut(usize, &mut dyn FnMut(CellValue<'_>)),
    ) -> bool {
        let ColumnRows::Plain(rows) = &mut self.rows else {
            return false;
        };
        for at in 0..self.columns.len() {
            cell(at, &mut |value| rows.group.push(at, value));
        }
        rows.group.end_row();
        true
    }

    /// Takes the columns of the rows that were added.
    pub fn take(&mut self) -> Vec<ColumnData> {
        match &mut self.rows {
            ColumnRows::Plain(rows) => rows.take().into_columns(),
            ColumnRows::Whole(encoder) => {
                let mut all: Vec<_> = (encoder.take_rows().into_columns().into_iter())
                    .map(Some)
                    .collect();
                let columns = self.columns.iter();
                columns
                    .filter_map(|column| all.get_mut(*column)?.take())
                    .collect()
            }
        }
    }
}

/// Makes rows of columns that do not need the moves.
struct PlainRowMaker {
    fields: Vec<ColumnSchema>,
    group: RowGroupBuilder,
    /// The index of each column among those that are made.
    places: Vec<Option<usize>>,
    has_date: bool,
    has_score: bool,
    has_times: bool,
}

impl PlainRowMaker {
    fn new(columns: &[usize]) -> PlainRowMaker {
        let all = layout::fields(MoveColumn::Fast);
        let fields: Vec<ColumnSchema> = columns
            .iter()
            .filter_map(|column| all.get(*column).copied())
            .collect();
        let mut places = vec![None; all.len()];
        for (at, column) in columns.iter().enumerate() {
            if let Some(place) = places.get_mut(*column) {
                *place = Some(at);
            }
        }
        let has = |columns: &[usize]| {
            let mut columns = columns.iter();
            columns.any(|column| places.get(*column).is_some_and(Option::is_some))
        };
        PlainRowMaker {
            group: RowGroupBuilder::new(&fields),
            has_date: has(&[layout::YEAR, layout::MONTH, layout::DAY, layout::PLAYED]),
            has_score: has(&[layout::SCORE]),
            has_times: has(&[layout::TIME_BASE, layout::TIME_INCREMENT]),
            fields,
            places,
        }
    }

    fn take(&mut self) -> RowGroupBuilder {
        std::mem::replace(&mut self.group, RowGroupBuilder::new(&self.fields))
    }

    /// The index of a column, if it is made.
    fn place(&self, column: usize) -> Option<usize> {
        self.places.get(column).copied().flatten()
    }

    fn put(&mut self, column: usize, cell: CellValue<'_>) {
        if let Some(place) = self.place(column) {
            self.group.push(place, cell);
        }
    }

    fn push(&mut self, game: &Game, plies: Option<u32>) {
        self.tags(game);
        if self.has_date {
            derived_columns::push_date(game, &mut |column, cell| self.put(column, cell));
        }
        if self.has_score {
            derived_columns::push_score(game, &mut |column, cell| self.put(column, cell));
        }
        if self.has_times {
            derived_columns::push_times(game, &mut |column, cell| self.put(column, cell));
        }
        if let Some(place) = self.place(layout::PLIES) {
            let plies = match plies {
                Some(plies) => i64::from(plies),
                None => i64::try_from(game.tape.plies()).unwrap_or(i64::MAX),
            };
            self.group.push(place, CellValue::Int(plies));
        }
        if let Some(outcome) = game.outcome {
            let outcome = CellValue::Bytes(outcome.as_pgn().as_bytes());
            self.put(layout::OUTCOME, outcome);
        }
        self.group.end_row();
    }

    /// The columns of tags, as [`tags::TagSplitter`] fills them.
    fn tags(&mut self, game: &Game) {
        let texts = game.tags.texts();
        let mut taken = [false; TAGS.len()];
        let mut near = 0;
        for (index, tag) in game.tags.iter().enumerate() {
            let name = TextId(u32::try_from(index * 2).unwrap_or(u32::MAX));
            if texts.provenance(name).is_some() {
                continue;
            }
            let Some(at) = tags::column_of(tag.name, near) else {
                continue;
            };
            near = at;
            let Some(place) = self.place(layout::FIRST_TAG + at) else {
                continue;
            };
            let Some(taken) = taken.get_mut(at).filter(|taken| !**taken) else {
                continue;
            };
            if let Some(cell) = tags::cell(at, &tag) {
                self.group.push(place, cell);
                *taken = true;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use tabiya_model::Board;
    use tabiya_model::charset::Charset;
    use tabiya_model::outcome::Outcome;

    use super::*;
    use crate::parquet::ParquetRowBuffer;

    /// Games whose tags are put into columns, or are not, for various reasons.
    fn games() -> Vec<Game> {
        let mut games = Vec::new();
        for tags in [
            &[("White", "A"), ("Black", "B"), ("Result", "1-0")][..],
            &[("Result", "1-0"), ("White", "A"), ("Event", "x")],
            &[
                ("White", "A"),
                ("White", "B"),
                ("WhiteElo", "none"),
                ("WhiteElo", "2500"),
            ],
            &[
                ("WhiteElo", "02500"),
                ("BlackElo", "0"),
                ("Date", "2011.??.07"),
                ("Date", "1999.01.01"),
            ],
            &[
                ("Date", "2000.02.29"),
                ("TimeControl", "300+3"),
                ("Foo", "bar"),
                ("", ""),
            ],
            &[
                ("TimeControl", "-"),
                ("Result", "*"),
                ("Odd name", "x"),
                ("ECO", "B90"),
            ],
            &[],
        ] {
            let mut game = Game::default();
            for (name, value) in tags {
                game.tags.push(name, value);
            }
            game.outcome = (games.len() % 2 == 0).then_some(Outcome::Draw);
            games.push(game);
        }
        let mut game = Game::default();
        game.tags
            .push_bytes(b"White", b"M\xfcller", Charset::Cp1252);
        game.tags.push_bytes(b"Bl\xe4ck", b"x", Charset::Cp1252);
        let mut board = Board::standard();
        for san in ["e4", "e5", "Nf3"] {
            let (found, _) = board.read_san(san.as_bytes()).expect("a move in letters");
            let m = found.expect("a move of this position");
            game.tape.push_move(m);
            board.play(m);
        }
        games.push(game);
        games
    }

    fn shown(columns: &[ColumnData]) -> Vec<String> {
        columns.iter().map(|column| format!("{column:?}")).collect()
    }

    #[test]
    fn a_column_is_the_same_alone() {
        let mut whole = ParquetRowBuffer::default();
        for game in games() {
            whole.push(&game);
        }
        let whole = shown(&whole.take().into_columns());
        let plain: Vec<usize> = (0..whole.len())
            .filter(|column| is_plain(*column))
            .collect();
        assert!(plain.len() > 40);
        let alone = (0..whole.len()).map(|column| vec![column]);
        let reversed = plain.iter().rev().copied().collect();
        for columns in alone.chain([plain, reversed, (0..whole.len()).collect()]) {
            let mut buffer = ParquetColumnBuffer::new(&columns);
            for game in games() {
                buffer.push(&game, None);
            }
            let expected: Vec<String> = columns
                .iter()
                .map(|column| whole[*column].clone())
                .collect();
            assert_eq!(shown(&buffer.take()), expected, "{columns:?}");
        }
    }

    #[test]
    fn plies_that_are_known_are_not_read() {
        let mut buffer = ParquetColumnBuffer::new(&[layout::PLIES, layout::tag("White")]);
        assert!(buffer.asks_plies_alone());
        assert!(buffer.needs(false).moves && !buffer.needs(true).moves);
        assert!(
            buffer.needs(true).tags.may_hold(b"White")
                && !buffer.needs(true).tags.may_hold(b"Annotator")
        );
        buffer.push(&Game::default(), Some(7));
        buffer.push_cells(|at, put| {
            if at == 0 {
                put(CellValue::Int(9));
            }
        });
        let made = shown(&buffer.take());
        assert!(
            made[0].contains("Ints([7, 9])") && made[1].contains("levels: [0, 0]"),
            "{made:?}"
        );
        let mut whole = ParquetColumnBuffer::new(&[layout::PLIES, layout::MOVES]);
        assert!(!whole.asks_plies_alone() && whole.needs(true).moves);
        assert!(!whole.push_cells(|_, _| {}));
    }
}
