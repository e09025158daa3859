//! A base as jobs look at it: with the index beside it where its format has none.

use tabiya_explore::Indexed;
use tabiya_explore::index::Index;
use tabiya_model::{Database, Error, Result};

use crate::base::Base;
use crate::stats;

/// A database, with its index over it where that helps.
pub(crate) enum View<'b> {
    Plain(&'b dyn Database),
    Indexed(Box<Indexed<&'b dyn Database, &'b Index>>),
}

impl<'b> View<'b> {
    /// The view of a base; a stream, which can be read only once, has none.
    pub(crate) fn of(base: &'b Base, index: bool, notes: &mut Vec<String>) -> Result<View<'b>> {
        let Some(database) = base.database() else {
            return Err(Error::usage(format!(
                "{}: games of a stream can be read only once: save it to a file first",
                base.name()
            )));
        };
        Ok(match stats::index_of(base, database, index, notes) {
            None => View::Plain(database),
            Some(index) => View::Indexed(Box::new(Indexed::new(database, index))),
        })
    }

    pub(crate) fn database(&self) -> &dyn Database {
        match self {
            View::Plain(database) => *database,
            View::Indexed(indexed) => &**indexed,
        }
    }
}
