//! The columns of tables, and the parts of games that they need.

use std::sync::Arc;

use arrow_schema::{DataType, Field, Schema, SchemaRef};
use tabiya::formats::parquet::ParquetRowBuffer;
use tabiya::model::GameNeeds;
use tabiya_columns::{ColumnEncoding, ColumnSchema, ColumnType};

/// What the rows of a table are.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum TableKind {
    /// Games, in the columns of a Parquet file.
    Games,
    /// Moves of main lines.
    Moves,
    /// Positions of main lines.
    Positions,
}

impl TableKind {
    pub(crate) fn of(word: &str) -> Option<TableKind> {
        match word {
            "games" => Some(TableKind::Games),
            "moves" => Some(TableKind::Moves),
            "positions" => Some(TableKind::Positions),
            _ => None,
        }
    }

    /// All columns that there are.
    fn fields(self) -> Vec<ColumnSchema> {
        match self {
            TableKind::Games => ParquetRowBuffer::fields(),
            TableKind::Moves => MOVES.to_vec(),
            TableKind::Positions => POSITIONS.to_vec(),
        }
    }

    /// Whether a column is left out where nobody asks for it: it takes more room than all others.
    fn is_on_demand(self, name: &str) -> bool {
        self != TableKind::Games && name == "fen"
    }

    /// What is read of games for a column of moves or positions; those of games know it themselves.
    fn needs(self, name: &str) -> GameNeeds {
        let moves = GameNeeds {
            tags: tabiya::model::tags::TagSet::of(&["FEN", "SetUp", "Variant"]),
            ..GameNeeds::MAIN_LINE
        };
        let annotations = GameNeeds {
            variations: true,
            annotations: true,
            ..moves
        };
        match (self, name) {
            (
                TableKind::Moves,
                "nags" | "clk" | "emt" | "eval" | "mate" | "depth" | "text" | "comment",
            ) => annotations,
            (TableKind::Positions, "score" | "white_elo" | "black_elo") => GameNeeds::MAIN_LINE,
            (_, _) => moves,
        }
    }
}

const fn field(name: &'static str, kind: ColumnType) -> ColumnSchema {
    ColumnSchema::new(name, kind, ColumnEncoding::Plain)
}

/// The columns of moves, which are those of `convert --to csv-plies`.
static MOVES: [ColumnSchema; 15] = [
    field("game", ColumnType::Long).required(),
    field("ply", ColumnType::Int).required(),
    field("move", ColumnType::Int).required(),
    field("side", ColumnType::Text).required(),
    field("san", ColumnType::Text).required(),
    field("uci", ColumnType::Text).required(),
    field("nags", ColumnType::Text),
    field("clk", ColumnType::Real),
    field("emt", ColumnType::Real),
    field("eval", ColumnType::Real),
    field("mate", ColumnType::Int),
    field("depth", ColumnType::Int),
    field("text", ColumnType::Text),
    field("comment", ColumnType::Text),
    field("fen", ColumnType::Text),
];

/// The columns of positions, which are those of a lake's table of positions.
static POSITIONS: [ColumnSchema; 8] = [
    field("hash", ColumnType::Long).required(),
    field("game", ColumnType::Long).required(),
    field("ply", ColumnType::Int).required(),
    field("move", ColumnType::Int),
    field("score", ColumnType::Real),
    field("white_elo", ColumnType::Int),
    field("black_elo", ColumnType::Int),
    field("fen", ColumnType::Text),
];

/// The columns of a table that are wanted.
#[derive(Clone, Debug)]
pub(crate) struct TableColumns {
    pub(super) kind: TableKind,
    pub(super) fields: Vec<ColumnSchema>,
    /// The places of those that are wanted, in the order in which they are.
    pub(super) wanted: Vec<usize>,
    schema: SchemaRef,
}

impl TableColumns {
    pub(crate) fn new(kind: TableKind, names: Option<&[String]>) -> Result<TableColumns, String> {
        let fields = kind.fields();
        let wanted = match names {
            None => (0..fields.len())
                .filter(|at| {
                    let field = fields.get(*at);
                    field.is_some_and(|field| !kind.is_on_demand(field.name))
                })
                .collect(),
            Some(names) => {
                let mut wanted = Vec::new();
                for name in names {
                    let at = fields.iter().position(|field| field.name == name);
                    match at {
                        Some(at) if wanted.contains(&at) => {
                            return Err(format!("the column {name} is requested twice"));
                        }
                        Some(at) => wanted.push(at),
                        None => {
                            let all: Vec<_> = fields.iter().map(|field| field.name).collect();
                            let all = all.join(", ");
                            return Err(format!(
                                "there is no column {name}; the columns are {all}"
                            ));
                        }
                    }
                }
                wanted
            }
        };
        let shown = wanted.iter().filter_map(|at| fields.get(*at));
        let shown: Vec<Field> = shown
            .map(|field| Field::new(field.name, data_type(field.kind), !field.required))
            .collect();
        Ok(TableColumns {
            kind,
            fields,
            wanted,
            schema: Arc::new(Schema::new(shown)),
        })
    }

    pub(crate) fn names(&self) -> Vec<&'static str> {
        let wanted = self.wanted.iter().filter_map(|at| self.fields.get(*at));
        wanted.map(|field| field.name).collect()
    }

    pub(crate) fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    /// Whether a column is wanted.
    pub(super) fn has(&self, name: &str) -> bool {
        self.names().contains(&name)
    }

    /// What is read of games for moves and positions.
    pub(super) fn needs(&self) -> GameNeeds {
        let names = self.names().into_iter();
        names
            .map(|name| self.kind.needs(name))
            .fold(self.kind.needs("game"), GameNeeds::union)
    }
}

fn data_type(kind: ColumnType) -> DataType {
    match kind {
        ColumnType::Int => DataType::Int32,
        ColumnType::Long => DataType::Int64,
        ColumnType::Day => DataType::Date32,
        ColumnType::Real => DataType::Float64,
        ColumnType::Text => DataType::Utf8,
        ColumnType::Bytes => DataType::Binary,
    }
}
