//! The tables of names of a base, laid out once so that a column of names is a row of views into them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use datafusion::arrow::array::{Array, ArrayRef, StringViewArray, StringViewBuilder, UInt32Array};
use datafusion::arrow::compute::take;
use datafusion::common::Result;
use tabiya::model::facts::{FactSource, NameTable};

/// Bytes of names that are laid out at most.
const MOST_BYTES: usize = i32::MAX as usize;

/// One table of names.
#[derive(Debug)]
pub(crate) struct NameViews(StringViewArray);

/// The tables of one base.
#[derive(Debug, Default)]
pub(crate) struct NameViewCache(Mutex<HashMap<NameTable, Arc<NameViews>>>);

impl NameViewCache {
    /// A table, laid out when it is first asked for.
    pub(crate) fn table(&self, facts: &dyn FactSource, table: NameTable) -> Arc<NameViews> {
        let mut tables = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(
            tables
                .entry(table)
                .or_insert_with(|| Arc::new(NameViews::new(facts, table))),
        )
    }
}

impl NameViews {
    fn new(facts: &dyn FactSource, table: NameTable) -> NameViews {
        let count = facts.names(table);
        let mut names = StringViewBuilder::with_capacity(count as usize);
        let mut bytes = 0;
        for number in 0..count {
            let name = facts.name(table, number);
            bytes += name.len();
            // What does not fit is asked name by name.
            if bytes > MOST_BYTES {
                break;
            }
            names.append_value(&name);
        }
        NameViews(names.finish())
    }

    /// Whether a name is none.
    pub(crate) fn is_nothing(&self, facts: &dyn FactSource, number: u32, table: NameTable) -> bool {
        match number as usize {
            at if at < self.0.len() => self.0.value(at).is_empty(),
            _ => facts.name(table, number).is_empty(),
        }
    }

    /// A column of names by their numbers; `None` is null.
    pub(crate) fn column(
        &self,
        facts: &dyn FactSource,
        table: NameTable,
        numbers: impl Iterator<Item = Option<u32>> + Clone,
    ) -> Result<ArrayRef> {
        let laid = u32::try_from(self.0.len()).unwrap_or(u32::MAX);
        if numbers.clone().flatten().any(|number| number >= laid) {
            let names = numbers.map(|number| number.map(|number| facts.name(table, number)));
            return Ok(Arc::new(names.collect::<StringViewArray>()));
        }
        Ok(take(&self.0, &numbers.collect::<UInt32Array>(), None)?)
    }
}
