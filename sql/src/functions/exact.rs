//! Sums of types that have no wider one: long decimals and intervals, added up one by one, with a check of each step.

use datafusion::arrow::array::{Array, ArrayRef, AsArray};
use datafusion::arrow::datatypes::{
    DataType, Decimal256Type, DecimalType, IntervalDayTime, IntervalDayTimeType,
    IntervalMonthDayNano, IntervalMonthDayNanoType, IntervalUnit, IntervalYearMonthType, i256,
};
use datafusion::common::{DataFusionError, Result, ScalarValue};
use datafusion::logical_expr::Accumulator;

use super::sum::too_large;

/// The parts of a value: months, days and what is less than a day; of a decimal the first alone.
type ExactParts = [i256; 3];

const NOTHING: ExactParts = [i256::ZERO; 3];

/// Whether values of a type are added up here.
pub(super) fn is_exact(of: &DataType) -> bool {
    matches!(of, DataType::Decimal256(..) | DataType::Interval(_))
}

/// The sum of values of one type.
#[derive(Debug)]
pub(super) struct ExactSum {
    of: DataType,
    sum: ExactParts,
    /// How many values there are.
    count: u64,
}

impl ExactSum {
    /// The sum of no value.
    pub(super) fn new(of: DataType) -> ExactSum {
        ExactSum {
            of,
            sum: NOTHING,
            count: 0,
        }
    }

    fn change(
        &mut self,
        values: &ArrayRef,
        step: impl Fn(i256, i256) -> Option<i256>,
        count: impl Fn(u64) -> u64,
    ) -> Result<()> {
        for row in (0..values.len()).filter(|&row| values.is_valid(row)) {
            let parts = parts(values, row)?;
            for (sum, part) in self.sum.iter_mut().zip(parts) {
                *sum = step(*sum, part).ok_or_else(too_large)?;
            }
            self.count = count(self.count);
        }
        Ok(())
    }
}

/// The parts of a value of an array.
fn parts(values: &ArrayRef, row: usize) -> Result<ExactParts> {
    let whole = |number: i64| i256::from_i128(number.into());
    Ok(match values.data_type() {
        DataType::Decimal256(..) => {
            let values = values.as_primitive::<Decimal256Type>();
            [values.value(row), i256::ZERO, i256::ZERO]
        }
        DataType::Interval(IntervalUnit::YearMonth) => {
            let values = values.as_primitive::<IntervalYearMonthType>();
            [whole(values.value(row).into()), i256::ZERO, i256::ZERO]
        }
        DataType::Interval(IntervalUnit::DayTime) => {
            let value = values.as_primitive::<IntervalDayTimeType>().value(row);
            let parts = [value.days.into(), value.milliseconds.into()];
            [i256::ZERO, whole(parts[0]), whole(parts[1])]
        }
        DataType::Interval(IntervalUnit::MonthDayNano) => {
            let value = values.as_primitive::<IntervalMonthDayNanoType>().value(row);
            let parts = [value.months.into(), value.days.into(), value.nanoseconds];
            parts.map(whole)
        }
        other => {
            return Err(DataFusionError::Internal(format!(
                "{other} is no type of these sums"
            )));
        }
    })
}

/// A part in the type that it has in an interval.
fn small<T: TryFrom<i128>>(part: i256) -> Result<T> {
    let number = part.to_i128().and_then(|part| T::try_from(part).ok());
    number.ok_or_else(too_large)
}

impl Accumulator for ExactSum {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let mut all = values.iter();
        all.try_for_each(|values| self.change(values, i256::checked_add, |count| count + 1))
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        if self.count == 0 {
            return ScalarValue::try_new_null(&self.of);
        }
        let [months, days, rest] = self.sum;
        Ok(match self.of {
            DataType::Decimal256(precision, scale) => {
                let checked = Decimal256Type::validate_decimal_precision(months, precision, scale);
                checked.map_err(|_| too_large())?;
                ScalarValue::Decimal256(Some(months), precision, scale)
            }
            DataType::Interval(IntervalUnit::YearMonth) => {
                ScalarValue::IntervalYearMonth(Some(small(months)?))
            }
            DataType::Interval(IntervalUnit::DayTime) => {
                let sum = IntervalDayTime::new(small(days)?, small(rest)?);
                ScalarValue::IntervalDayTime(Some(sum))
            }
            _ => {
                let sum = IntervalMonthDayNano::new(small(months)?, small(days)?, small(rest)?);
                ScalarValue::IntervalMonthDayNano(Some(sum))
            }
        })
    }

    fn size(&self) -> usize {
        size_of_val(self)
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        Ok(vec![self.evaluate()?])
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        self.update_batch(states)
    }

    fn retract_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let mut all = values.iter();
        let less = |count: u64| count.saturating_sub(1);
        all.try_for_each(|values| self.change(values, i256::checked_sub, less))
    }

    fn supports_retract_batch(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use datafusion::arrow::array::{Decimal256Array, IntervalYearMonthArray};

    use super::*;

    #[test]
    fn what_runs_over_is_refused_and_what_comes_back_is_not() {
        let most = i256::from_string(&"9".repeat(76)).expect("a number");
        let array = |values: Vec<i256>| {
            let array = Decimal256Array::from(values).with_precision_and_scale(76, 0);
            Arc::new(array.expect("decimals")) as ArrayRef
        };
        let mut sum = ExactSum::new(DataType::Decimal256(76, 0));
        assert!(sum.evaluate().expect("no value").is_null());
        for _ in 0..4 {
            sum.update_batch(&[array(vec![most])]).expect("it fits");
        }
        assert!(sum.evaluate().is_err());
        sum.retract_batch(&[array(vec![most; 3])]).expect("there");
        let one = ScalarValue::Decimal256(Some(most), 76, 0);
        assert_eq!(sum.evaluate().expect("it fits"), one);
        assert!(sum.update_batch(&[array(vec![most; 9])]).is_err());
        let mut months = ExactSum::new(DataType::Interval(IntervalUnit::YearMonth));
        let many = Arc::new(IntervalYearMonthArray::from(vec![
            Some(i32::MAX),
            None,
            Some(1),
        ]));
        months.update_batch(&[many]).expect("they fit");
        assert!(months.evaluate().is_err());
    }
}
