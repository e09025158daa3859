//! A base as jobs look at it: with the index beside it where its format has none.

use tabiya_explore::IndexedDatabase;
use tabiya_explore::index::ExplorerIndex;
use tabiya_model::{Database, Error, Result};

use crate::open::base::Base;
use crate::select::selection;

/// A database, with its index over it where that helps.
pub(crate) enum BaseView<'b> {
    Plain(&'b dyn Database),
    Indexed(Box<IndexedDatabase<&'b dyn Database, &'b ExplorerIndex>>),
}

impl<'b> BaseView<'b> {
    /// The view of a base; a stream, which can be read only once, has none.
    pub(crate) fn of(base: &'b Base, index: bool, notes: &mut Vec<String>) -> Result<BaseView<'b>> {
        let Some(database) = base.database() else {
            return Err(Error::usage(format!(
                "{}: games of a stream can be read only once: save it to a file first",
                base.name()
            )));
        };
        Ok(match selection::index_of(base, database, index, notes) {
            None => BaseView::Plain(database),
            Some(index) => BaseView::Indexed(Box::new(IndexedDatabase::new(database, index))),
        })
    }

    pub(crate) fn database(&self) -> &dyn Database {
        match self {
            BaseView::Plain(database) => *database,
            BaseView::Indexed(indexed) => &**indexed,
        }
    }
}
