//! The tables of names of a base, laid out once so that a column of names is a row of views into them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use datafusion::arrow::array::{ArrayRef, StringViewBuilder};
use datafusion::arrow::buffer::Buffer;
use datafusion::common::Result;
use tabiya::model::facts::{Facts, NameTable};

/// A buffer that views point into has an end that fits 32 bits.
const MOST_BYTES: usize = i32::MAX as usize;

/// One table of names.
#[derive(Debug)]
pub(crate) struct Laid {
    text: Buffer,
    /// Where each name ends; the first begins at 0.
    ends: Vec<u32>,
}

/// The tables of one base.
#[derive(Debug, Default)]
pub(crate) struct Names(Mutex<HashMap<NameTable, Arc<Laid>>>);

impl Names {
    /// A table, laid out when it is first asked for.
    pub(crate) fn table(&self, facts: &dyn Facts, table: NameTable) -> Arc<Laid> {
        let mut tables = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(
            tables
                .entry(table)
                .or_insert_with(|| Arc::new(Laid::new(facts, table))),
        )
    }
}

impl Laid {
    fn new(facts: &dyn Facts, table: NameTable) -> Laid {
        let mut text = String::new();
        let mut ends = Vec::new();
        for number in 0..facts.names(table) {
            let name = facts.name(table, number);
            // What does not fit is asked name by name.
            if text.len() + name.len() > MOST_BYTES {
                break;
            }
            text.push_str(&name);
            ends.push(u32::try_from(text.len()).unwrap_or(u32::MAX));
        }
        Laid {
            text: Buffer::from_vec(text.into_bytes()),
            ends,
        }
    }

    /// A column of names by their numbers; `None` is null.
    pub(crate) fn column(
        &self,
        facts: &dyn Facts,
        table: NameTable,
        numbers: impl Iterator<Item = Option<u32>>,
    ) -> Result<ArrayRef> {
        let mut names = StringViewBuilder::with_capacity(numbers.size_hint().0);
        let block = names.append_block(self.text.clone());
        for number in numbers {
            let Some(number) = number else {
                names.append_null();
                continue;
            };
            let at = number as usize;
            match self.ends.get(at) {
                Some(&end) => {
                    let start = at
                        .checked_sub(1)
                        .and_then(|at| self.ends.get(at).copied())
                        .unwrap_or(0);
                    names.try_append_view(block, start, end - start)?;
                }
                None => names.append_value(facts.name(table, number)),
            }
        }
        Ok(Arc::new(names.finish()))
    }
}
