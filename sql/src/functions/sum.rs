//! `sum` without silent overflow: whole numbers are added up in a type that is wide enough, and an answer that its own type
//! cannot hold is an error.

use std::collections::BTreeMap;
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, AsArray, BooleanArray};
use datafusion::arrow::compute::{CastOptions, cast_with_options};
use datafusion::arrow::datatypes::{DataType, Field, FieldRef, Int64Type};
use datafusion::common::{DataFusionError, Result, ScalarValue};
use datafusion::functions_aggregate::sum::Sum;
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::utils::AggregateOrderSensitivity;
use datafusion::logical_expr::{
    Accumulator, AggregateUDF, AggregateUDFImpl, Documentation, EmitTo, GroupsAccumulator,
    ReversedUDAF, SetMonotonicity, Signature,
};

use super::exact::{ExactSum, is_exact};

/// The function.
pub(super) fn sum() -> AggregateUDF {
    AggregateUDF::from(CheckedSum(Sum::new()))
}

/// DataFusion's own sum, in wider types.
#[derive(Debug, PartialEq, Eq, Hash)]
struct CheckedSum(Sum);

/// The type in which values of a type are added up; `None` where their own says when it is too small, as real numbers do.
///
/// Intervals and decimals of more than 38 digits have no wider one, and are added up one by one ([`super::exact`]).
fn wide(of: &DataType) -> Option<DataType> {
    match of {
        DataType::Int64 | DataType::UInt64 | DataType::Duration(_) => {
            Some(DataType::Decimal128(38, 0))
        }
        DataType::Decimal32(_, scale) | DataType::Decimal64(_, scale) => {
            Some(DataType::Decimal128(38, *scale))
        }
        DataType::Decimal128(_, scale) => Some(DataType::Decimal256(76, *scale)),
        _ => None,
    }
}

/// Values in another type, each of which it holds.
fn converted(values: &ArrayRef, to: &DataType) -> Result<ArrayRef> {
    let options = CastOptions {
        safe: false,
        ..CastOptions::default()
    };
    // Days and seconds are numbers of them.
    let values = match (values.data_type(), to) {
        (DataType::Duration(_), DataType::Decimal128(..)) => {
            cast_with_options(values, &DataType::Int64, &options)?
        }
        (DataType::Decimal128(..), DataType::Duration(_)) => {
            cast_with_options(values, &DataType::Int64, &options).map_err(|_| too_large())?
        }
        _ => Arc::clone(values),
    };
    Ok(cast_with_options(&values, to, &options)?)
}

pub(super) fn too_large() -> DataFusionError {
    DataFusionError::Execution(
        "a sum is larger than its type can hold: use sum(CAST(x AS DOUBLE)) for real numbers, or sum(CAST(x AS DECIMAL(38, \
         0))) for decimals, which hold more"
            .into(),
    )
}

/// What a sum came to, in the type of the answer.
fn answer(values: &ArrayRef, to: &DataType) -> Result<ArrayRef> {
    converted(values, to).map_err(|_| too_large())
}

impl CheckedSum {
    /// What DataFusion's sum is told, so that it adds up in the wide type.
    fn with<T>(
        &self,
        args: AccumulatorArgs<'_>,
        wide: &DataType,
        make: impl FnOnce(&Sum, AccumulatorArgs<'_>) -> Result<T>,
    ) -> Result<T> {
        let field: FieldRef = Arc::new(Field::new(args.name, wide.clone(), true));
        let fields = [Arc::clone(&field)];
        make(
            &self.0,
            AccumulatorArgs {
                return_field: field,
                expr_fields: &fields,
                ..args
            },
        )
    }
}

/// What adds up values one by one.
fn exact(args: &AccumulatorArgs<'_>) -> Result<Box<dyn Accumulator>> {
    if args.is_distinct {
        return Err(DataFusionError::NotImplemented(
            "sum(DISTINCT …) adds up numbers of at most 38 digits, and no intervals".into(),
        ));
    }
    let of = args.return_field.data_type().clone();
    Ok(Box::new(ExactSum::new(of)))
}

impl AggregateUDFImpl for CheckedSum {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn signature(&self) -> &Signature {
        self.0.signature()
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        self.0.return_type(types)
    }

    fn state_fields(&self, args: StateFieldsArgs<'_>) -> Result<Vec<FieldRef>> {
        let Some(wide) = wide(args.return_type()) else {
            return self.0.state_fields(args);
        };
        self.0.state_fields(StateFieldsArgs {
            return_field: Arc::new(Field::new(args.name, wide, true)),
            ..args
        })
    }

    fn accumulator(&self, args: AccumulatorArgs<'_>) -> Result<Box<dyn Accumulator>> {
        let answer = args.return_field.data_type().clone();
        if is_exact(&answer) {
            return exact(&args);
        }
        let Some(wide) = wide(&answer) else {
            return self.0.accumulator(args);
        };
        let inner = self.with(args, &wide, Sum::accumulator)?;
        Ok(Box::new(CheckedTotal {
            inner,
            wide,
            answer,
        }))
    }

    fn create_sliding_accumulator(
        &self,
        args: AccumulatorArgs<'_>,
    ) -> Result<Box<dyn Accumulator>> {
        let answer = args.return_field.data_type().clone();
        if args.is_distinct && answer == DataType::Int64 {
            return Ok(Box::<DistinctSum>::default());
        }
        if is_exact(&answer) {
            return exact(&args);
        }
        let Some(wide) = wide(&answer) else {
            return self.0.create_sliding_accumulator(args);
        };
        let inner = self.with(args, &wide, Sum::create_sliding_accumulator)?;
        Ok(Box::new(CheckedTotal {
            inner,
            wide,
            answer,
        }))
    }

    fn groups_accumulator_supported(&self, args: AccumulatorArgs<'_>) -> bool {
        !is_exact(args.return_field.data_type()) && self.0.groups_accumulator_supported(args)
    }

    fn create_groups_accumulator(
        &self,
        args: AccumulatorArgs<'_>,
    ) -> Result<Box<dyn GroupsAccumulator>> {
        let answer = args.return_field.data_type().clone();
        let Some(wide) = wide(&answer) else {
            return self.0.create_groups_accumulator(args);
        };
        let inner = self.with(args, &wide, Sum::create_groups_accumulator)?;
        Ok(Box::new(CheckedGroupTotals {
            inner,
            wide,
            answer,
        }))
    }

    fn reverse_expr(&self) -> ReversedUDAF {
        self.0.reverse_expr()
    }

    fn order_sensitivity(&self) -> AggregateOrderSensitivity {
        self.0.order_sensitivity()
    }

    fn documentation(&self) -> Option<&Documentation> {
        self.0.documentation()
    }

    fn set_monotonicity(&self, of: &DataType) -> SetMonotonicity {
        self.0.set_monotonicity(of)
    }
}

/// One sum.
#[derive(Debug)]
struct CheckedTotal {
    inner: Box<dyn Accumulator>,
    wide: DataType,
    answer: DataType,
}

impl CheckedTotal {
    fn wide(&self, values: &[ArrayRef]) -> Result<Vec<ArrayRef>> {
        let values = values.iter().map(|values| converted(values, &self.wide));
        values.collect()
    }
}

impl Accumulator for CheckedTotal {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let values = self.wide(values)?;
        self.inner.update_batch(&values)
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        let sum = self.inner.evaluate()?.to_array()?;
        ScalarValue::try_from_array(&answer(&sum, &self.answer)?, 0)
    }

    fn size(&self) -> usize {
        size_of_val(self) + self.inner.size()
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        self.inner.state()
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        self.inner.merge_batch(states)
    }

    fn retract_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let values = self.wide(values)?;
        self.inner.retract_batch(&values)
    }

    fn supports_retract_batch(&self) -> bool {
        self.inner.supports_retract_batch()
    }
}

/// The sums of groups.
struct CheckedGroupTotals {
    inner: Box<dyn GroupsAccumulator>,
    wide: DataType,
    answer: DataType,
}

impl CheckedGroupTotals {
    fn wide(&self, values: &[ArrayRef]) -> Result<Vec<ArrayRef>> {
        let values = values.iter().map(|values| converted(values, &self.wide));
        values.collect()
    }
}

impl GroupsAccumulator for CheckedGroupTotals {
    fn update_batch(
        &mut self,
        values: &[ArrayRef],
        groups: &[usize],
        filter: Option<&BooleanArray>,
        count: usize,
    ) -> Result<()> {
        let values = self.wide(values)?;
        self.inner.update_batch(&values, groups, filter, count)
    }

    fn evaluate(&mut self, emit: EmitTo) -> Result<ArrayRef> {
        answer(&self.inner.evaluate(emit)?, &self.answer)
    }

    fn state(&mut self, emit: EmitTo) -> Result<Vec<ArrayRef>> {
        self.inner.state(emit)
    }

    fn merge_batch(&mut self, states: &[ArrayRef], groups: &[usize], count: usize) -> Result<()> {
        self.inner.merge_batch(states, groups, count)
    }

    fn convert_to_state(
        &self,
        values: &[ArrayRef],
        filter: Option<&BooleanArray>,
    ) -> Result<Vec<ArrayRef>> {
        self.inner.convert_to_state(&self.wide(values)?, filter)
    }

    fn size(&self) -> usize {
        size_of_val(self) + self.inner.size()
    }
}

/// The sum of the different whole numbers in a window that moves.
#[derive(Debug, Default)]
struct DistinctSum {
    /// How often each is there.
    counts: BTreeMap<i64, u64>,
    sum: i128,
}

impl Accumulator for DistinctSum {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        for value in values
            .iter()
            .flat_map(|it| it.as_primitive::<Int64Type>())
            .flatten()
        {
            let count = self.counts.entry(value).or_default();
            *count += 1;
            if *count == 1 {
                self.sum += i128::from(value);
            }
        }
        Ok(())
    }

    fn retract_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        for value in values
            .iter()
            .flat_map(|it| it.as_primitive::<Int64Type>())
            .flatten()
        {
            let Some(count) = self.counts.get_mut(&value) else {
                continue;
            };
            *count -= 1;
            if *count == 0 {
                self.counts.remove(&value);
                self.sum -= i128::from(value);
            }
        }
        Ok(())
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        if self.counts.is_empty() {
            return Ok(ScalarValue::Int64(None));
        }
        let sum = i64::try_from(self.sum).map_err(|_| too_large())?;
        Ok(ScalarValue::Int64(Some(sum)))
    }

    fn size(&self) -> usize {
        // A tree is about half full.
        size_of_val(self) + self.counts.len() * 32
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        Err(DataFusionError::Internal(
            "a window that moves has no parts".into(),
        ))
    }

    fn merge_batch(&mut self, _: &[ArrayRef]) -> Result<()> {
        Err(DataFusionError::Internal(
            "a window that moves has no parts".into(),
        ))
    }

    fn supports_retract_batch(&self) -> bool {
        true
    }
}
