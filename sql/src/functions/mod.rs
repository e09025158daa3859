//! The SQL functions on the column `moves`: they see the whole main line, and take the starting position as a last argument
//! if games do not begin as usual (`has_position(moves, 'FEN', fen)`).

mod arguments;
mod board;
mod bounds;
mod exact;
mod light_board;
mod material;
pub(crate) mod position;
mod sum;

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use datafusion::arrow::array::ArrayRef;
use datafusion::arrow::datatypes::DataType;
use datafusion::common::Result;
use datafusion::execution::SessionStateDefaults;
use datafusion::logical_expr::{
    AggregateUDF, ColumnarValue, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature,
    Volatility, WindowUDF,
};

use crate::roots::refuse;
use arguments::FunctionArguments;

/// The function that a table answers by its own search.
pub(crate) const MATCHES: &str = "matches";

/// The function that a lake's table of positions answers.
pub(crate) const HAS_POSITION: &str = "has_position";

/// One function.
struct SqlFunction {
    name: &'static str,
    /// How it is called, for those who called it in another way.
    usage: &'static str,
    /// With how many arguments at least and at most.
    arity: [usize; 2],
    returns: DataType,
    signature: Signature,
    run: fn(&FunctionArguments) -> Result<ArrayRef>,
}

fn function(
    name: &'static str,
    usage: &'static str,
    arity: [usize; 2],
    returns: DataType,
    run: fn(&FunctionArguments) -> Result<ArrayRef>,
) -> ScalarUDF {
    ScalarUDF::from(SqlFunction {
        name,
        usage,
        arity,
        returns,
        signature: Signature::variadic_any(Volatility::Immutable),
        run,
    })
}

/// All that queries know, of ours and of others: the same on every machine.
pub(crate) struct FunctionSet {
    pub(crate) scalar: Vec<Arc<ScalarUDF>>,
    pub(crate) aggregate: Vec<Arc<AggregateUDF>>,
    pub(crate) window: Vec<Arc<WindowUDF>>,
}

impl FunctionSet {
    /// The functions of queries that have so much memory. Of two with the same name the later one counts.
    pub(crate) fn new(memory: usize) -> FunctionSet {
        let mut scalar = SessionStateDefaults::default_scalar_functions();
        let bounded = bounds::bounded(&scalar, memory);
        scalar.extend(bounded.into_iter().chain(all()).map(Arc::new));
        let mut aggregate = SessionStateDefaults::default_aggregate_functions();
        aggregate.push(Arc::new(sum::sum()));
        FunctionSet {
            scalar,
            aggregate,
            window: SessionStateDefaults::default_window_functions(),
        }
    }
}

/// All of ours.
pub(crate) fn all() -> Vec<ScalarUDF> {
    vec![
        function(
            HAS_POSITION,
            "has_position(moves, 'FEN' [, fen])",
            [2, 3],
            DataType::Boolean,
            position::has_position,
        ),
        function(
            "material",
            "material(moves, 'KRP v KR' [, fen])",
            [2, 3],
            DataType::Boolean,
            material::material,
        ),
        function(
            "fen_at",
            "fen_at(moves, ply [, fen])",
            [2, 3],
            DataType::Utf8View,
            board::fen_at,
        ),
        function(
            "san",
            "san(moves, ply [, fen])",
            [2, 3],
            DataType::Utf8View,
            board::san,
        ),
        function(
            "line_name",
            "line_name(moves [, fen])",
            [1, 2],
            DataType::Utf8View,
            board::line_name,
        ),
        function(
            MATCHES,
            "matches(game, 'query')",
            [2, 2],
            DataType::Boolean,
            matches,
        ),
    ]
}

/// `matches` is answered by the table that holds the games; elsewhere it is unknown the games.
fn matches(_: &FunctionArguments) -> Result<ArrayRef> {
    Err(refuse(
        "matches(game, 'query') needs a database and a condition of its own in WHERE (… AND …), with the query as a \
         literal; elsewhere, and for Parquet files, FROM read_games('file', 'query') finds the games",
    ))
}

impl ScalarUDFImpl for SqlFunction {
    fn name(&self) -> &str {
        self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        let [least, most] = self.arity;
        if !(least..=most).contains(&types.len()) {
            return Err(refuse(format!("call {} as {}", self.name, self.usage)));
        }
        Ok(self.returns.clone())
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let arguments = FunctionArguments::new(args, self.usage);
        Ok(ColumnarValue::Array((self.run)(&arguments)?))
    }
}

impl std::fmt::Debug for SqlFunction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

impl PartialEq for SqlFunction {
    fn eq(&self, other: &SqlFunction) -> bool {
        self.name == other.name
    }
}

impl Eq for SqlFunction {}

impl Hash for SqlFunction {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}
