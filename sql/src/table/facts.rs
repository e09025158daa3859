//! Columns from facts of an index, without reading games. If a fact is missing, that game is read.

use std::fmt::Write as _;
use std::sync::{Arc, LazyLock};

use datafusion::arrow::array::{
    ArrayRef, Date32Builder, Float64Builder, Int32Builder, Int64Array, StringViewArray,
    StringViewBuilder, UInt32Array, new_null_array,
};
use datafusion::arrow::compute::{interleave, take};
use datafusion::common::{DataFusionError, Result};
use shakmaty::Color;
use tabiya::Base;
use tabiya::formats::parquet::ParquetRowBuffer;
use tabiya::model::date::Date;
use tabiya::model::eco::EcoCode;
use tabiya::model::facts::{FactFields, FactSource, GameFacts, NameTable};
use tabiya::model::outcome::Outcome;
use tabiya::model::{Database, Game};

use super::arrays;
use super::columns::{self, columns, want_of};
use super::name_views::{NameViewCache, NameViews};

/// The fields whose tags may be spelled in other words than an index of a format has for them.
const SPELLED: FactFields = FactFields::DATE
    .union(FactFields::ECO)
    .union(FactFields::EVENT_DATE);

/// A base that is asked for facts.
pub(crate) struct FactColumns<'b> {
    database: &'b dyn Database,
    facts: &'b dyn FactSource,
    /// Whether the index is the format's own, whose readers make the tags of it.
    is_own: bool,
    names: &'b NameViewCache,
}

impl<'b> FactColumns<'b> {
    /// The base, where games are found by their numbers and facts are known.
    pub(crate) fn new(base: &'b Base, names: &'b NameViewCache) -> Option<FactColumns<'b>> {
        let database = base.database()?;
        if !base.finds_games() {
            return None;
        }
        Some(FactColumns {
            database,
            facts: base.facts()?,
            is_own: database.facts().is_some_and(FactSource::is_index),
            names,
        })
    }

    /// How many games there are.
    pub(crate) fn games(&self) -> u64 {
        self.facts.len()
    }

    /// Whether the facts say all that some columns hold of a game, in the very words of its tags.
    fn answers(&self, number: u64, fact: &GameFacts, wanted: &FactNeeds) -> bool {
        let fields = wanted.fields;
        if fact.unsaid.meets(fields) {
            return false;
        }
        let more = |of: FactFields| self.facts.has_more_tags(number, of);
        let is_open =
            |field: FactFields, is_empty: bool| fields.meets(field) && is_empty && more(field);
        let spelled = fields.intersection(SPELLED);
        if fields.meets(FactFields::PLIES) && fact.plies.is_none()
            || fields.meets(FactFields::DATE) && fact.odd.meets(FactFields::DATE)
            || fields.meets(FactFields::ELOS) && fact.odd.meets(FactFields::ELOS)
            || is_open(FactFields::ELOS, fact.elos.contains(&0))
            || is_open(FactFields::ECO, fact.eco == 0)
            || is_open(FactFields::EVENT_DATE, fact.event_date.is_none())
            || !spelled.is_empty() && self.facts.spells_otherwise(number, spelled)
            // The tag may name another result than the end of the game, which counts where the tag says nothing.
            || wanted.result && self.facts.spells_otherwise(number, FactFields::OUTCOME)
        {
            return false;
        }
        if wanted.start && fact.is_setup()
            || (wanted.start || wanted.flags) && more(FactFields::FLAGS)
        {
            return false;
        }
        // Of a name that is nothing it is unknown whether there is a tag.
        let is_nothing = |named: &NameColumn| {
            let NameColumn { laid, table, of } = named;
            laid.is_nothing(self.facts, of(fact), *table)
        };
        if wanted.names.iter().any(is_nothing) {
            return false;
        }
        // An index beside a database does not tell an empty tag from one that is missing either, nor how a result was spelled.
        self.is_own
            || !(wanted.result
                || wanted.start
                || wanted.flags
                || fields.meets(FactFields::EVENT_DATE)
                || fields.meets(FactFields::ECO) && fact.eco == 0)
    }

    /// What some columns ask.
    fn told(&self, wanted: &[usize]) -> FactNeeds {
        let mut told = FactNeeds::new(wanted);
        let of: [(FactFields, NameTable, NameNumberFunction); 5] = [
            (FactFields::WHITE, NameTable::Players, |fact| {
                fact.players[0]
            }),
            (FactFields::BLACK, NameTable::Players, |fact| {
                fact.players[1]
            }),
            (FactFields::EVENT, NameTable::Events, |fact| fact.event),
            (FactFields::SITE, NameTable::Sites, |fact| fact.site),
            (FactFields::ROUND, NameTable::Rounds, |fact| fact.round),
        ];
        let asked = of
            .into_iter()
            .filter(|(field, ..)| told.fields.meets(*field));
        let names = asked.map(|(_, table, of)| NameColumn {
            laid: self.names.table(self.facts, table),
            table,
            of,
        });
        told.names = names.collect();
        told
    }

    /// Columns of some games.
    pub(crate) fn columns(&self, numbers: &[u64], wanted: &[usize]) -> Result<Vec<ArrayRef>> {
        let told = self.told(wanted);
        let mut missing = Vec::new();
        let facts: Vec<Option<GameFacts>> = numbers
            .iter()
            .enumerate()
            .map(|(row, &number)| {
                if !told.asks() {
                    return None;
                }
                let fact = self.facts.fact(number, told.fields);
                let fact = fact.filter(|fact| self.answers(number, fact, &told));
                if fact.is_none() {
                    missing.push(row);
                }
                fact
            })
            .collect();
        let arrays = wanted
            .iter()
            .map(|&at| self.column(at, numbers, &facts))
            .collect::<Result<Vec<_>>>()?;
        if missing.is_empty() {
            return Ok(arrays);
        }
        let asked: Vec<u64> = missing
            .iter()
            .filter_map(|&row| numbers.get(row).copied())
            .collect();
        let read = self.read(&asked, wanted)?;
        // Each row comes from the first array, or from the second in its turn.
        let mut places: Vec<(usize, usize)> = (0..numbers.len()).map(|row| (0, row)).collect();
        for (turn, &row) in missing.iter().enumerate() {
            if let Some(place) = places.get_mut(row) {
                *place = (1, turn);
            }
        }
        arrays
            .iter()
            .zip(&read)
            .map(|(array, read)| Ok(interleave(&[&**array, &**read], &places)?))
            .collect()
    }

    /// Columns of some games that are read for it.
    pub(crate) fn read(&self, numbers: &[u64], wanted: &[usize]) -> Result<Vec<ArrayRef>> {
        let want = want_of(wanted.iter().copied());
        let mut rows = ParquetRowBuffer::default();
        let mut game = Game::default();
        for &number in numbers {
            self.database
                .read(number, want, &mut game)
                .map_err(failed)?;
            rows.push(&game);
        }
        let mut columns: Vec<_> = rows.take().into_columns().into_iter().map(Some).collect();
        wanted
            .iter()
            .map(|&at| match columns.get_mut(at).and_then(Option::take) {
                Some(_) if at == 0 => Ok(numbers_array(numbers)),
                Some(column) => arrays::array(column),
                None => Err(DataFusionError::Internal("a column twice".into())),
            })
            .collect()
    }

    fn column(&self, at: usize, numbers: &[u64], facts: &[Option<GameFacts>]) -> Result<ArrayRef> {
        let name = columns().get(at).map_or("", |column| column.name);
        let of = |table, number: fn(&GameFacts) -> u32| {
            let laid = self.names.table(self.facts, table);
            let numbers = facts.iter().map(|fact| fact.as_ref().map(number));
            laid.column(self.facts, table, numbers)
        };
        Ok(match name {
            "game" => numbers_array(numbers),
            "white" => of(NameTable::Players, |fact| fact.players[0])?,
            "black" => of(NameTable::Players, |fact| fact.players[1])?,
            "event" => of(NameTable::Events, |fact| fact.event)?,
            "site" => of(NameTable::Sites, |fact| fact.site)?,
            "round" => of(NameTable::Rounds, |fact| fact.round)?,
            "date" => texts(facts, |fact, text| {
                let _ = write!(text, "{}", fact.date);
                true
            }),
            "event_date" => texts(facts, |fact, text| match fact.event_date {
                Some(date) => write!(text, "{date}").is_ok(),
                None => false,
            }),
            "result" => texts(facts, |fact, text| {
                text.push_str(fact.outcome.as_pgn());
                true
            }),
            "eco" => eco(facts)?,
            "flags" => texts(facts, |fact, text| {
                text.push_str(&fact.flag_letters());
                !text.is_empty()
            }),
            "white_elo" => elos(facts, Color::White),
            "black_elo" => elos(facts, Color::Black),
            "year" => ints(facts, |fact| fact.date.year.map(i32::from)),
            "month" => ints(facts, |fact| fact.date.month.map(i32::from)),
            "day" => ints(facts, |fact| fact.date.day.map(i32::from)),
            "plies" => ints(facts, |fact| {
                fact.plies.and_then(|plies| i32::try_from(plies).ok())
            }),
            "played" => {
                let mut days = Date32Builder::with_capacity(facts.len());
                for fact in facts {
                    days.append_option(fact.as_ref().and_then(|fact| day_number(fact.date)));
                }
                Arc::new(days.finish())
            }
            "score" => {
                let mut scores = Float64Builder::with_capacity(facts.len());
                for fact in facts {
                    scores.append_option(fact.as_ref().and_then(|fact| score(fact.outcome)));
                }
                Arc::new(scores.finish())
            }
            // Facts answer for games from the normal start alone, which have neither.
            "setup" | "fen" => new_null_array(
                &datafusion::arrow::datatypes::DataType::Utf8View,
                facts.len(),
            ),
            _ => {
                return Err(DataFusionError::Internal(format!(
                    "no fact has the column {name}"
                )));
            }
        })
    }
}

/// The number of a name in the facts of a game.
type NameNumberFunction = fn(&GameFacts) -> u32;

/// A name that a column asks for.
struct NameColumn {
    laid: Arc<NameViews>,
    table: NameTable,
    of: NameNumberFunction,
}

/// What some columns ask of facts.
struct FactNeeds {
    fields: FactFields,
    names: Vec<NameColumn>,
    result: bool,
    start: bool,
    flags: bool,
    /// Whether anything but the number of the game is asked.
    others: bool,
}

impl FactNeeds {
    fn new(wanted: &[usize]) -> FactNeeds {
        let named = |name: &str| {
            wanted
                .iter()
                .filter_map(|&at| columns().get(at))
                .any(|column| column.name == name)
        };
        let fields = wanted
            .iter()
            .filter_map(|&at| columns().get(at)?.need.facts())
            .fold(FactFields::NONE, FactFields::union);
        FactNeeds {
            fields,
            names: Vec::new(),
            result: named("result"),
            start: named("setup") || named("fen"),
            flags: named("flags"),
            others: !fields.is_empty(),
        }
    }

    fn asks(&self) -> bool {
        self.others
    }
}

fn numbers_array(numbers: &[u64]) -> ArrayRef {
    let numbers = numbers
        .iter()
        .map(|&number| i64::try_from(number).unwrap_or(i64::MAX));
    Arc::new(Int64Array::from_iter_values(numbers))
}

fn texts(facts: &[Option<GameFacts>], write: impl Fn(&GameFacts, &mut String) -> bool) -> ArrayRef {
    let mut texts = StringViewBuilder::with_capacity(facts.len());
    let mut text = String::new();
    for fact in facts {
        text.clear();
        match fact {
            Some(fact) if write(fact, &mut text) => texts.append_value(&text),
            _ => texts.append_null(),
        }
    }
    Arc::new(texts.finish())
}

/// The codes without extensions, by their index: nearly all that games have.
static CODES: LazyLock<StringViewArray> = LazyLock::new(|| {
    let codes = (0..).map_while(EcoCode::from_index);
    codes.map(|code| Some(code.to_string())).collect()
});

fn eco(facts: &[Option<GameFacts>]) -> Result<ArrayRef> {
    let codes = || facts.iter().map(|fact| fact.as_ref()?.eco_code());
    if codes().flatten().any(|code| code != code.base()) {
        return Ok(texts(facts, |fact, text| match fact.eco_code() {
            Some(code) => write!(text, "{code}").is_ok(),
            None => false,
        }));
    }
    let numbers = codes().map(|code| Some(u32::from(code?.index())));
    Ok(take(&*CODES, &numbers.collect::<UInt32Array>(), None)?)
}

fn ints(facts: &[Option<GameFacts>], value: impl Fn(&GameFacts) -> Option<i32>) -> ArrayRef {
    let mut values = Int32Builder::with_capacity(facts.len());
    for fact in facts {
        values.append_option(fact.as_ref().and_then(&value));
    }
    Arc::new(values.finish())
}

fn elos(facts: &[Option<GameFacts>], color: Color) -> ArrayRef {
    ints(facts, |fact| {
        let [white, black] = fact.elos;
        Some(i32::from(color.fold_wb(white, black))).filter(|&elo| elo != 0)
    })
}

fn score(outcome: Outcome) -> Option<f64> {
    match outcome {
        Outcome::WhiteWins => Some(1.0),
        Outcome::Draw => Some(0.5),
        Outcome::BlackWins => Some(0.0),
        Outcome::Unknown => None,
    }
}

fn day_number(date: Date) -> Option<i32> {
    let day = tabiya::formats::parquet::day_number(date)?;
    i32::try_from(day).ok()
}

/// An error of the library as one of a query.
pub(crate) fn failed(error: tabiya::model::Error) -> DataFusionError {
    DataFusionError::External(Box::new(error))
}

/// The columns that facts can answer.
pub(crate) fn is_of_facts(at: usize) -> bool {
    columns::columns()
        .get(at)
        .is_some_and(|column| column.need.facts().is_some())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use tabiya::Opener;

    /// Compares what facts say of a base with what reading every game shows, in all columns; false where there are no facts.
    fn is_compared(base: &Base, name: &Path) -> bool {
        let names = NameViewCache::default();
        let Some(indexed) = FactColumns::new(base, &names) else {
            return false;
        };
        let wanted: Vec<usize> = (0..columns().len()).filter(|&at| is_of_facts(at)).collect();
        let most = if tabiya_testing::is_full() {
            20_000
        } else {
            300
        };
        let numbers: Vec<u64> = (1..=indexed.games().min(most)).collect();
        let read = indexed.read(&numbers, &wanted).expect("games");
        // A column has to be right alone as well: more is read where more is asked.
        let alone = wanted.iter().map(|&at| {
            let column = indexed.columns(&numbers, &[at]).expect("facts");
            column.into_iter().next().expect("a column")
        });
        let alone: Vec<ArrayRef> = alone.collect();
        let together = indexed.columns(&numbers, &wanted).expect("facts");
        for told in [alone, together] {
            for ((at, told), read) in wanted.iter().zip(&told).zip(&read) {
                let column = columns()[*at].name;
                if told != read {
                    let differs = (0..numbers.len())
                        .find(|&row| told.slice(row, 1) != read.slice(row, 1))
                        .expect("a row");
                    panic!(
                        "{}: {column} of game {}: facts say {:?}, the game {:?}",
                        name.display(),
                        differs + 1,
                        told.slice(differs, 1),
                        read.slice(differs, 1),
                    );
                }
            }
        }
        true
    }

    /// Compares the bases of a folder; says how many were asked.
    fn compare(folder: &Path) -> usize {
        let mut asked = 0;
        let Ok(entries) = std::fs::read_dir(folder) else {
            return 0;
        };
        for entry in entries.flatten() {
            let path = entry.path();
            if path.is_dir() {
                asked += compare(&path);
                continue;
            }
            let Ok(bases) = Opener::default().open(&path) else {
                continue;
            };
            let compared = bases.iter().filter(|base| is_compared(base, &path));
            asked += compared.count();
        }
        asked
    }

    /// Games whose tags say something in other words than an index has for it.
    fn odd_tags() -> String {
        let mut text = String::new();
        let dates = [
            "2011.19.11",
            "11.04.1992",
            "1992",
            "1992.11",
            "1992-11-04",
            "04/11/1992",
            "2011.02.31",
            "3000.01.01",
            "1992.??.11",
            "1992.11.??",
            "????.??.??",
            "?",
            "",
            "next week",
        ];
        let mut tags: Vec<(&str, &str)> = Vec::new();
        for name in ["Date", "EventDate"] {
            tags.extend(dates.map(|date| (name, date)));
        }
        for eco in [
            "", "B90", "b90", "B90a", "B90a1", "B90/12", "C", "?", "ZZ9", "B90 ", "A00",
        ] {
            tags.push(("ECO", eco));
        }
        for name in ["WhiteElo", "BlackElo", "WhiteUSCF"] {
            for elo in [
                "", "2785", "2785?", " 2785", "02785", "0", "-", "?", "5000", "70000",
            ] {
                tags.push((name, elo));
            }
        }
        for name in ["Event", "Site", "Round", "White", "Black"] {
            for word in ["", "?", "-", " a ", "1.2", "Ö"] {
                tags.push((name, word));
            }
        }
        for (name, values) in [
            ("Result", &["1-0", "0-1", "*", "", "1/2", "0-0", "1-0 "][..]),
            ("SetUp", &["", "0", "1", "2"]),
            ("FEN", &["", "x"]),
            ("ScidFlags", &["", "D", "DW!", "z"]),
        ] {
            tags.extend(values.iter().map(|value| (name, *value)));
        }
        for (name, value) in &tags {
            text.push_str(&format!("[{name} \"{value}\"]\n\n1. e4 e5 *\n\n"));
            // The same among others, and twice.
            text.push_str(&format!(
                "[Event \"a\"]\n[White \"b\"]\n[{name} \"{value}\"]\n[Result \"1-0\"]\n[{name} \"{value}\"]\n\n1. e4 1-0\n\n"
            ));
        }
        for (first, second) in dates.iter().zip(dates.iter().skip(1)) {
            text.push_str(&format!(
                "[Date \"{first}\"]\n[Date \"{second}\"]\n[EventDate \"{second}\"]\n\n1. d4 *\n\n"
            ));
        }
        text
    }

    #[test]
    fn odd_tags_are_columns_as_they_stand() {
        let folder = tempfile::tempdir().expect("a folder");
        let pgn = folder.path().join("odd.pgn");
        std::fs::write(&pgn, odd_tags()).expect("a file");
        let bases = tabiya::open(&pgn).expect("a base");
        let control = tabiya::model::Control::default();
        let mut compared = 0;
        for format in tabiya::formats::registry::FORMATS {
            let Some(extension) = format.extensions.first() else {
                continue;
            };
            let path = folder
                .path()
                .join(format!("of-{}.{extension}", format.name));
            let Ok(target) = tabiya::Target::new(&path, Some(format), Default::default()) else {
                continue;
            };
            if tabiya::convert::convert(&bases, &target, &Default::default(), &control).is_err() {
                continue;
            }
            let Ok(written) = Opener::default().open(&path) else {
                continue;
            };
            compared += written
                .iter()
                .filter(|base| is_compared(base, &path))
                .count();
        }
        assert!(compared > 3, "{compared}");
    }

    #[test]
    fn an_index_changes_no_answer() {
        let folder = tempfile::tempdir().expect("a folder");
        let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/pgn/ok");
        let mut files = vec![folder.path().join("odd.pgn")];
        std::fs::write(&files[0], odd_tags()).expect("a file");
        for entry in std::fs::read_dir(corpus).expect("the corpus").flatten() {
            if entry.path().extension().is_some_and(|it| it == "pgn") {
                let copy = folder.path().join(entry.file_name());
                std::fs::copy(entry.path(), &copy).expect("a copy");
                files.push(copy);
            }
        }
        let control = tabiya::model::Control::default();
        let mut compared = 0;
        for file in &files {
            let base = &tabiya::open(file).expect("a base")[0];
            tabiya::index::make(base, false, &control).expect("an index");
            let base = &tabiya::open(file).expect("a base")[0];
            compared += usize::from(is_compared(base, file));
        }
        assert_eq!(compared, files.len());
    }

    #[test]
    fn facts_say_what_games_show() {
        let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus");
        assert!(compare(&corpus) > 3);
        if let Some(oracles) = tabiya_testing::shared("oracles") {
            assert!(compare(&oracles) > 10);
        }
    }
}
