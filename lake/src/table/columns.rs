//! The columns of games as SQL sees them, the same as those of a Parquet file, and what each of them takes.

use std::sync::{Arc, LazyLock};

use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use tabiya::formats::parquet::Rows;
use tabiya::model::Want;
use tabiya::model::facts::Fields;
use tabiya_columns::Kind;

/// What has to be known of a game for a column.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Need {
    /// What an index says.
    Facts(Fields),
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
    pub(crate) need: Need,
}

static COLUMNS: LazyLock<(Vec<GameColumn>, SchemaRef)> = LazyLock::new(|| {
    let fields = Rows::fields();
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

fn data_type(kind: Kind) -> DataType {
    match kind {
        Kind::Int => DataType::Int32,
        Kind::Long => DataType::Int64,
        Kind::Day => DataType::Date32,
        Kind::Real => DataType::Float64,
        Kind::Text => DataType::Utf8View,
        Kind::Bytes => DataType::BinaryView,
    }
}

fn need(name: &str) -> Need {
    match name {
        "game" => Need::Facts(Fields::NONE),
        "white" => Need::Facts(Fields::WHITE),
        "black" => Need::Facts(Fields::BLACK),
        "event" => Need::Facts(Fields::EVENT),
        "site" => Need::Facts(Fields::SITE),
        "round" => Need::Facts(Fields::ROUND),
        "date" | "year" | "month" | "day" | "played" => Need::Facts(Fields::DATE),
        "event_date" => Need::Facts(Fields::EVENT_DATE),
        "result" | "score" => Need::Facts(Fields::OUTCOME),
        "white_elo" | "black_elo" => Need::Facts(Fields::ELOS),
        "eco" => Need::Facts(Fields::ECO),
        "plies" => Need::Facts(Fields::PLIES),
        "flags" | "setup" | "fen" => Need::Facts(Fields::FLAGS),
        "moves" | "final_material" | "opening_name" | "outcome" => Need::Moves,
        "clocks" | "evals" | "annotations" => Need::Whole,
        // Everything else is a tag; what another version of the format adds to the moves reads them.
        name if name.starts_with("moves") => Need::Moves,
        _ => Need::Tags,
    }
}

impl Need {
    /// The facts that answer it, where they do.
    pub(crate) fn facts(self) -> Option<Fields> {
        match self {
            Need::Facts(fields) => Some(fields),
            _ => None,
        }
    }

    /// What is read of a game that is asked instead.
    pub(crate) fn want(self) -> Want {
        match self {
            // A result that stands behind the moves alone, and the number of moves, are not in the tags.
            Need::Facts(fields) if fields.meets(Fields::OUTCOME.union(Fields::PLIES)) => {
                Want::MAIN_LINE
            }
            Need::Facts(_) | Need::Tags => Want::TAGS,
            Need::Moves => Want::MAIN_LINE,
            Need::Whole => Want::ALL,
        }
    }

    /// A word for plans.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Need::Facts(_) => "facts",
            Need::Tags => "tags",
            Need::Moves => "moves",
            Need::Whole => "whole games",
        }
    }
}

/// What is read of each game for some columns.
pub(crate) fn want_of(columns: impl IntoIterator<Item = usize>) -> Want {
    columns
        .into_iter()
        .filter_map(|at| self::columns().get(at))
        .map(|column| column.need.want())
        .reduce(Want::union)
        .unwrap_or(Want::TAGS)
}
