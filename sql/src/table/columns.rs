//! The columns of games in SQL, the same as those of a Parquet file, and what each of them needs.

use std::sync::{Arc, LazyLock};

use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use tabiya::formats::parquet::ParquetRowBuffer;
use tabiya::model::GameNeeds;
use tabiya::model::facts::FactFields;
use tabiya_columns::ColumnType;

/// What has to be known of a game for a column.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum ColumnNeed {
    /// Facts of an index.
    Facts(FactFields),
    /// Its tags.
    Tags,
    /// The moves of its main line.
    Moves,
    /// Everything.
    Whole,
}

/// One column.
#[derive(Debug)]
pub(crate) struct GameColumn {
    pub(crate) name: &'static str,
    pub(crate) need: ColumnNeed,
}

static COLUMNS: LazyLock<(Vec<GameColumn>, SchemaRef)> = LazyLock::new(|| {
    let fields = ParquetRowBuffer::fields();
    let columns = fields
        .iter()
        .map(|field| GameColumn {
            name: field.name,
            need: need(field.name),
        })
        .collect();
    let fields: Vec<Field> = fields
        .iter()
        .map(|field| Field::new(field.name, data_type(field.kind), !field.required))
        .collect();
    (columns, Arc::new(Schema::new(fields)))
});

/// The columns, in their order.
pub(crate) fn columns() -> &'static [GameColumn] {
    &COLUMNS.0
}

/// The same as a schema, with the types that Parquet files are read with.
pub(crate) fn schema() -> SchemaRef {
    Arc::clone(&COLUMNS.1)
}

fn data_type(kind: ColumnType) -> DataType {
    match kind {
        ColumnType::Int => DataType::Int32,
        ColumnType::Long => DataType::Int64,
        ColumnType::Day => DataType::Date32,
        ColumnType::Real => DataType::Float64,
        ColumnType::Text => DataType::Utf8View,
        ColumnType::Bytes => DataType::BinaryView,
    }
}

fn need(name: &str) -> ColumnNeed {
    match name {
        "game" => ColumnNeed::Facts(FactFields::NONE),
        "white" => ColumnNeed::Facts(FactFields::WHITE),
        "black" => ColumnNeed::Facts(FactFields::BLACK),
        "event" => ColumnNeed::Facts(FactFields::EVENT),
        "site" => ColumnNeed::Facts(FactFields::SITE),
        "round" => ColumnNeed::Facts(FactFields::ROUND),
        "date" | "year" | "month" | "day" | "played" => ColumnNeed::Facts(FactFields::DATE),
        "event_date" => ColumnNeed::Facts(FactFields::EVENT_DATE),
        "result" | "score" => ColumnNeed::Facts(FactFields::OUTCOME),
        "white_elo" | "black_elo" => ColumnNeed::Facts(FactFields::ELOS),
        "eco" => ColumnNeed::Facts(FactFields::ECO),
        "plies" => ColumnNeed::Facts(FactFields::PLIES),
        "flags" | "setup" | "fen" => ColumnNeed::Facts(FactFields::FLAGS),
        "moves" | "final_material" | "home_pawns" | "promotions" | "opening_name" | "outcome" => {
            ColumnNeed::Moves
        }
        "clocks" | "evals" | "annotations" => ColumnNeed::Whole,
        // Everything else is a tag; what another version of the format adds to the moves reads them.
        name if name.starts_with("moves") => ColumnNeed::Moves,
        _ => ColumnNeed::Tags,
    }
}

impl ColumnNeed {
    /// The facts that answer it, where they do.
    pub(crate) fn facts(self) -> Option<FactFields> {
        match self {
            ColumnNeed::Facts(fields) => Some(fields),
            _ => None,
        }
    }

    /// What is read of a game that is asked instead.
    pub(crate) fn want(self) -> GameNeeds {
        match self {
            // A result that stands behind the moves alone, and the number of moves, are not in the tags.
            ColumnNeed::Facts(fields)
                if fields.meets(FactFields::OUTCOME.union(FactFields::PLIES)) =>
            {
                GameNeeds::MAIN_LINE
            }
            ColumnNeed::Facts(_) | ColumnNeed::Tags => GameNeeds::TAGS,
            ColumnNeed::Moves => GameNeeds::MAIN_LINE,
            ColumnNeed::Whole => GameNeeds::ALL,
        }
    }

    /// A word for plans.
    pub(crate) fn word(self) -> &'static str {
        match self {
            ColumnNeed::Facts(_) => "facts",
            ColumnNeed::Tags => "tags",
            ColumnNeed::Moves => "moves",
            ColumnNeed::Whole => "whole games",
        }
    }
}

/// What is read of each game for some columns.
pub(crate) fn want_of(columns: impl IntoIterator<Item = usize>) -> GameNeeds {
    columns
        .into_iter()
        .filter_map(|at| self::columns().get(at))
        .map(|column| column.need.want())
        .reduce(GameNeeds::union)
        .unwrap_or(GameNeeds::TAGS)
}
