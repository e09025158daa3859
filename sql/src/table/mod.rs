//! Databases of games as tables.
//!
//! A table is everything that a path holds: one base or several, of any format. Its columns are those of our Parquet files.
//! If a base has an index, its own or the one beside it, columns in the index are read from there, filters on them are
//! decided before any game is read, and games are only read for the other columns of the remaining rows. Other bases are
//! read once completely, on all threads.

mod arrays;
mod columns;
mod facts;
mod name_views;
mod reader;
mod scan;

use std::sync::{Arc, OnceLock};

use async_trait::async_trait;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::stats::Precision;
use datafusion::common::{Column, Result, ScalarValue, Statistics};
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown, TableType};
use datafusion::physical_plan::ExecutionPlan;
use tabiya::Base;
use tabiya::query::{Query, QueryContext};

use crate::functions::MATCHES;
use crate::roots::refuse;

pub(crate) use columns::schema;
pub(crate) use facts::failed;
pub(crate) use scan::DatabaseScan;

use columns::columns;
use facts::{FactColumns, is_of_facts};
use name_views::NameViewCache;

/// A base with its names, as they are laid out for columns.
#[derive(Debug)]
pub(crate) struct TablePart {
    pub(crate) base: Base,
    names: NameViewCache,
}

impl TablePart {
    fn indexed(&self) -> Option<FactColumns<'_>> {
        FactColumns::new(&self.base, &self.names)
    }
}

/// A query of our own language over the games of a table.
#[derive(Clone, Debug)]
pub(crate) struct TableSearch {
    pub(crate) text: String,
    pub(crate) query: Arc<Query>,
}

impl TableSearch {
    /// Reads a query.
    pub(crate) fn new(text: &str) -> Result<TableSearch> {
        let query = Query::parse(text, QueryContext::default())
            .map_err(|error| refuse(format!("the query of games {text:?}: {error}")))?;
        Ok(TableSearch {
            text: text.to_owned(),
            query: Arc::new(query),
        })
    }
}

/// What a path holds as a table.
#[derive(Clone, Debug)]
pub(crate) struct DatabaseTable {
    /// How a query names it.
    name: String,
    parts: Arc<Vec<TablePart>>,
    searches: Vec<TableSearch>,
    /// What the searches find in each base, once it is known.
    found: Arc<Vec<SearchNumbers>>,
}

/// The numbers of the games that the searches of a table find in a base, once they are known.
type SearchNumbers = OnceLock<std::result::Result<Vec<u64>, String>>;

impl DatabaseTable {
    /// The table of some bases.
    pub(crate) fn new(name: &str, bases: Vec<Base>) -> DatabaseTable {
        let parts: Vec<TablePart> = bases
            .into_iter()
            .map(|base| TablePart {
                base,
                names: NameViewCache::default(),
            })
            .collect();
        DatabaseTable {
            name: name.to_owned(),
            found: Arc::new(parts.iter().map(|_| SearchNumbers::new()).collect()),
            parts: Arc::new(parts),
            searches: Vec::new(),
        }
    }

    /// How a query names it.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The queries whose games it has.
    #[cfg(feature = "cluster")]
    pub(crate) fn searches(&self) -> &[TableSearch] {
        &self.searches
    }

    /// The bases that it has the games of.
    #[cfg(feature = "cluster")]
    pub(crate) fn bases(&self) -> impl Iterator<Item = &Base> {
        self.parts.iter().map(|part| &part.base)
    }

    /// Those of its games that a query finds.
    pub(crate) fn searched(&self, search: TableSearch) -> DatabaseTable {
        let mut table = self.clone();
        table.searches.push(search);
        table.found = Arc::new(table.parts.iter().map(|_| SearchNumbers::new()).collect());
        table
    }

    /// Whether every base answers from facts.
    fn is_indexed(&self) -> bool {
        self.parts.iter().all(|part| part.indexed().is_some())
    }

    /// The number of games, if it is known at once.
    fn games(&self) -> Option<u64> {
        if !self.searches.is_empty() {
            return None;
        }
        self.parts
            .iter()
            .map(|part| part.indexed().map(|indexed| indexed.games()))
            .sum()
    }
}

/// The query in `matches(game, 'query')`.
fn match_of(filter: &Expr) -> Option<&str> {
    let Expr::ScalarFunction(call) = filter else {
        return None;
    };
    if call.name() != MATCHES {
        return None;
    }
    match call.args.as_slice() {
        [
            Expr::Column(Column { name, .. }),
            Expr::Literal(
                ScalarValue::Utf8(Some(text))
                | ScalarValue::Utf8View(Some(text))
                | ScalarValue::LargeUtf8(Some(text)),
                _,
            ),
        ] if name == "game" => Some(text),
        _ => None,
    }
}

/// Whether a filter asks another query, which is not known here.
fn asks_elsewhere(filter: &Expr) -> bool {
    use datafusion::common::tree_node::TreeNode;
    let found = filter.exists(|part| {
        Ok(matches!(
            part,
            Expr::ScalarSubquery(_)
                | Expr::InSubquery(_)
                | Expr::Exists(_)
                | Expr::OuterReferenceColumn(..)
                | Expr::Placeholder(_)
        ))
    });
    found.unwrap_or(true)
}

/// The places of the columns that a filter asks about.
fn asked(filter: &Expr) -> Vec<usize> {
    let names = filter.column_refs();
    let mut places: Vec<usize> = columns()
        .iter()
        .enumerate()
        .filter(|(_, column)| names.iter().any(|asked| asked.name == column.name))
        .map(|(at, _)| at)
        .collect();
    places.sort_unstable();
    places
}

#[async_trait]
impl TableProvider for DatabaseTable {
    fn schema(&self) -> SchemaRef {
        schema()
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    fn supports_filters_pushdown(
        &self,
        filters: &[&Expr],
    ) -> Result<Vec<TableProviderFilterPushDown>> {
        let is_indexed = self.is_indexed();
        Ok(filters
            .iter()
            .map(|filter| {
                let is_answered = match_of(filter).is_some()
                    || is_indexed
                        && !filter.is_volatile()
                        && !asks_elsewhere(filter)
                        && asked(filter).into_iter().all(is_of_facts);
                if is_answered {
                    TableProviderFilterPushDown::Exact
                } else {
                    TableProviderFilterPushDown::Unsupported
                }
            })
            .collect())
    }

    fn statistics(&self) -> Option<Statistics> {
        let games = usize::try_from(self.games()?).ok()?;
        Some(Statistics::new_unknown(&self.schema()).with_num_rows(Precision::Exact(games)))
    }

    async fn scan(
        &self,
        state: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let mut table = self.clone();
        let mut plain = Vec::new();
        for filter in filters {
            match match_of(filter) {
                Some(text) => table = table.searched(TableSearch::new(text)?),
                None => plain.push(filter),
            }
        }
        let filters: Result<Vec<Expr>> = plain
            .into_iter()
            .map(|filter| unqualified(filter.clone()))
            .collect();
        let wanted = match projection {
            Some(projection) => projection.clone(),
            None => (0..columns().len()).collect(),
        };
        let partitions = state.config().target_partitions();
        Ok(Arc::new(DatabaseScan::new(
            &table, wanted, &filters?, limit, partitions,
        )?))
    }
}

/// A filter whose columns are known by their names alone.
fn unqualified(filter: Expr) -> Result<Expr> {
    use datafusion::common::tree_node::{Transformed, TreeNode};
    filter
        .transform(|part| {
            Ok(match part {
                Expr::Column(column) => {
                    Transformed::yes(Expr::Column(Column::new_unqualified(column.name)))
                }
                part => Transformed::no(part),
            })
        })
        .map(|changed| changed.data)
}
