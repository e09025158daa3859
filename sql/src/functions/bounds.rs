//! Functions whose results can be much larger than their arguments: the size of a result is computed in advance, and
//! refused if it is more than a query may have. Results are kept, and counted with everything else ([`crate::memory`]).

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray};
use datafusion::arrow::compute::cast;
use datafusion::arrow::compute::kernels::length::length;
use datafusion::arrow::datatypes::{
    DataType, FieldRef, Int64Type, IntervalMonthDayNano, IntervalMonthDayNanoType, IntervalUnit,
    TimeUnit,
};
use datafusion::common::{DataFusionError, Result};
use datafusion::logical_expr::simplify::{ExprSimplifyResult, SimplifyContext};
use datafusion::logical_expr::{
    ColumnarValue, Documentation, Expr, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF,
    ScalarUDFImpl, Signature,
};

/// The part of its memory that a query may have for what one call of a function makes.
const PART: usize = 4;
/// Nanoseconds of a day, and the days of the shortest month.
const DAY: i128 = 86_400_000_000_000;
const MONTH: i128 = 28;

/// How many bytes a call makes.
type SizeFunction = fn(&FunctionCall<'_>) -> i128;

/// How much each function makes that makes more than it is given.
fn measure_of(name: &str) -> Option<SizeFunction> {
    Some(match name {
        "repeat" => |call| call.sum(|row| call.length(0, row) * call.number(1, row)),
        // A sign has four bytes at most.
        "lpad" | "rpad" => |call| call.sum(|row| 4 * call.number(1, row)),
        "replace" => |call| {
            // One more than the text is long, where each sign is replaced and nothing is looked for.
            call.sum(|row| {
                let places = call.length(0, row) / call.length(1, row).max(1) + 1;
                call.length(0, row) + places * call.length(2, row)
            })
        },
        "regexp_replace" => {
            |call| call.sum(|row| (call.length(0, row) + 1) * (call.length(2, row) + 1))
        }
        "generate_series" | "range" => |call| call.sum(|row| 8 * call.steps(row)),
        "array_repeat" => |call| call.sum(|row| call.number(1, row) * call.weight(0)),
        "array_resize" => |call| call.sum(|row| call.number(1, row) * call.weight(2)),
        "array_to_string" => {
            |call| call.sum(|row| call.weight(0) + call.length(0, row) * call.length(1, row))
        }
        "array_replace_all" => {
            |call| call.sum(|row| call.weight(0) + call.length(0, row) * call.weight(2))
        }
        "concat" | "concat_ws" => |call| {
            let all = 0..call.values.len();
            call.sum(|row| all.clone().map(|at| call.length(at, row)).sum())
        },
        _ => return None,
    })
}

/// The same functions, of which those that make more than they are given are bounded.
pub(super) fn bounded(functions: &[Arc<ScalarUDF>], memory: usize) -> Vec<ScalarUDF> {
    let most = memory / PART;
    let bounded = functions.iter().filter_map(|inner| {
        Some(ScalarUDF::from(BoundedFunction {
            inner: Arc::clone(inner),
            measure: measure_of(inner.name())?,
            most,
        }))
    });
    bounded.collect()
}

/// A function whose calls make no more than a query may have.
#[derive(Debug)]
struct BoundedFunction {
    inner: Arc<ScalarUDF>,
    measure: SizeFunction,
    most: usize,
}

impl PartialEq for BoundedFunction {
    fn eq(&self, other: &BoundedFunction) -> bool {
        (&self.inner, self.most) == (&other.inner, other.most)
    }
}

impl Eq for BoundedFunction {}

impl Hash for BoundedFunction {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.inner.hash(state);
        self.most.hash(state);
    }
}

impl ScalarUDFImpl for BoundedFunction {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn aliases(&self) -> &[String] {
        self.inner.aliases()
    }

    fn signature(&self) -> &Signature {
        self.inner.signature()
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        self.inner.return_type(types)
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs<'_>) -> Result<FieldRef> {
        self.inner.return_field_from_args(args)
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        self.inner.coerce_types(types)
    }

    fn simplify(&self, args: Vec<Expr>, info: &SimplifyContext) -> Result<ExprSimplifyResult> {
        self.inner.simplify(args, info)
    }

    fn documentation(&self) -> Option<&Documentation> {
        self.inner.documentation()
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let call = FunctionCall::new(&args)?;
        let bytes = (self.measure)(&call);
        if bytes > self.most as i128 {
            return Err(DataFusionError::ResourcesExhausted(format!(
                "one call of {} would make {} MB, but only {} MB are allowed (--memory)",
                self.name(),
                bytes >> 20,
                self.most >> 20
            )));
        }
        self.inner.invoke_with_args(args)
    }
}

/// An argument: the same for all rows, or one for each.
struct ArgumentValue {
    array: ArrayRef,
    is_one: bool,
    /// How long each text or list is, where it has a length.
    lengths: Option<ArrayRef>,
    /// The same as whole numbers, where they are some.
    numbers: Option<ArrayRef>,
    /// Points in time and times, in nanoseconds.
    points: Option<Vec<i128>>,
}

/// Points in time and times in nanoseconds, where an array has some.
fn points(array: &ArrayRef) -> Option<Vec<i128>> {
    let numbers = |kind: &DataType| {
        let numbers = cast(array, kind).and_then(|it| cast(&it, &DataType::Int64));
        let numbers = numbers.ok()?;
        let numbers = numbers.as_primitive::<Int64Type>();
        let numbers = numbers.iter().map(|it| i128::from(it.unwrap_or(0)));
        Some(numbers.collect::<Vec<i128>>())
    };
    match array.data_type() {
        DataType::Date32 => {
            let days = numbers(&DataType::Int32)?;
            Some(days.into_iter().map(|days| days * DAY).collect())
        }
        DataType::Timestamp(..) => numbers(&DataType::Timestamp(TimeUnit::Nanosecond, None)),
        DataType::Interval(IntervalUnit::MonthDayNano) => {
            let steps = array.as_primitive::<IntervalMonthDayNanoType>();
            let of = |step: IntervalMonthDayNano| {
                let days = i128::from(step.months) * MONTH + i128::from(step.days);
                days * DAY + i128::from(step.nanoseconds)
            };
            Some(steps.iter().map(|step| step.map_or(0, of)).collect())
        }
        _ => None,
    }
}

impl ArgumentValue {
    fn new(value: &ColumnarValue) -> Result<ArgumentValue> {
        let (array, is_one) = match value {
            ColumnarValue::Array(array) => (Arc::clone(array), false),
            ColumnarValue::Scalar(value) => (value.to_array()?, true),
        };
        let whole = |array: &ArrayRef| cast(array, &DataType::Int64).ok();
        Ok(ArgumentValue {
            lengths: length(&array).ok().as_ref().and_then(whole),
            numbers: match array.data_type() {
                kind if kind.is_integer() => whole(&array),
                _ => None,
            },
            points: points(&array),
            array,
            is_one,
        })
    }

    fn row(&self, row: usize) -> usize {
        if self.is_one { 0 } else { row }
    }
}

/// What a function is called with.
struct FunctionCall<'a> {
    args: &'a ScalarFunctionArgs,
    values: Vec<ArgumentValue>,
}

/// A number of a row; nothing is 0.
fn at(array: Option<&ArrayRef>, row: usize) -> i128 {
    let Some(array) = array.map(|it| it.as_primitive::<Int64Type>()) else {
        return 0;
    };
    if row < array.len() && array.is_valid(row) {
        i128::from(array.value(row))
    } else {
        0
    }
}

impl FunctionCall<'_> {
    fn new(args: &ScalarFunctionArgs) -> Result<FunctionCall<'_>> {
        let values: Result<Vec<ArgumentValue>> = args.args.iter().map(ArgumentValue::new).collect();
        let values = values?;
        Ok(FunctionCall { args, values })
    }

    /// The bytes of all rows.
    fn sum(&self, bytes: impl Fn(usize) -> i128) -> i128 {
        let is_one = self.values.iter().all(|value| value.is_one);
        let rows = if is_one { 1 } else { self.args.number_rows };
        let bytes = (0..rows).map(|row| bytes(row).max(0));
        bytes.fold(0, i128::saturating_add)
    }

    /// How long a text or a list is.
    fn length(&self, value: usize, row: usize) -> i128 {
        let value = self.values.get(value);
        value.map_or(0, |it| at(it.lengths.as_ref(), it.row(row)))
    }

    /// A whole number; what is less than none makes nothing.
    fn number(&self, value: usize, row: usize) -> i128 {
        let value = self.values.get(value);
        value.map_or(0, |it| at(it.numbers.as_ref(), it.row(row)).max(0))
    }

    /// About how many bytes a value takes.
    fn weight(&self, value: usize) -> i128 {
        let Some(value) = self.values.get(value) else {
            return 8;
        };
        let bytes = value.array.to_data().get_slice_memory_size();
        (bytes.unwrap_or(0) / value.array.len().max(1)).max(8) as i128
    }

    /// How many numbers, days or points in time there are from one to another.
    fn steps(&self, row: usize) -> i128 {
        let point = |value: usize| {
            let value = self.values.get(value)?;
            let row = value.row(row);
            (!value.array.is_null(row)).then_some(())?;
            Some(match &value.points {
                Some(points) => points.get(row).copied().unwrap_or(0),
                None => at(value.numbers.as_ref(), row),
            })
        };
        let (from, to) = match self.values.len() {
            1 => (Some(0), point(0)),
            _ => (point(0), point(1)),
        };
        let step = if self.values.len() > 2 {
            point(2)
        } else {
            Some(1)
        };
        match (from, to, step) {
            (Some(from), Some(to), Some(step)) if step != 0 => ((to - from) / step).max(0) + 1,
            _ => 0,
        }
    }
}
