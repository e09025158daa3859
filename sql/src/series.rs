//! `generate_series` and `range` as tables: DataFusion's own, which remember their arguments, so that another machine can call them too.

use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::{Session, TableFunctionArgs, TableFunctionImpl, TableProvider};
use datafusion::common::{DataFusionError, Result};
use datafusion::execution::SessionStateBuilder;
use datafusion::functions_table::generate_series::{GenerateSeriesFunc, RangeFunc};
use datafusion::logical_expr::{Expr, TableType};
use datafusion::physical_plan::ExecutionPlan;

/// One of the functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SeriesFunction {
    /// The last value is one of them.
    Closed,
    /// It is not.
    Open,
}

impl SeriesFunction {
    /// Both.
    pub(crate) const ALL: [SeriesFunction; 2] = [SeriesFunction::Closed, SeriesFunction::Open];

    /// How it is called.
    pub(crate) fn name(self) -> &'static str {
        match self {
            SeriesFunction::Closed => "generate_series",
            SeriesFunction::Open => "range",
        }
    }

    /// The one of a name.
    #[cfg(feature = "cluster")]
    pub(crate) fn named(name: &str) -> Option<SeriesFunction> {
        SeriesFunction::ALL
            .into_iter()
            .find(|series| series.name() == name)
    }

    /// The table of a call with these values.
    pub(crate) fn table(self, args: Vec<Expr>) -> Result<SeriesTable> {
        // Values are asked of no session.
        let state = SessionStateBuilder::new().build();
        let call = TableFunctionArgs::new(&args, &state);
        let inner = match self {
            SeriesFunction::Closed => GenerateSeriesFunc {}.call_with_args(call),
            SeriesFunction::Open => RangeFunc {}.call_with_args(call),
        }?;
        Ok(SeriesTable {
            series: self,
            args,
            inner,
        })
    }
}

impl TableFunctionImpl for SeriesFunction {
    fn call_with_args(&self, args: TableFunctionArgs<'_, '_>) -> Result<Arc<dyn TableProvider>> {
        if !args
            .exprs()
            .iter()
            .all(|it| matches!(it, Expr::Literal(..)))
        {
            return Err(DataFusionError::Plan(format!(
                "{} as a table is called with values",
                self.name()
            )));
        }
        Ok(Arc::new(self.table(args.exprs().to_vec())?))
    }
}

/// The table of a call.
#[derive(Debug)]
pub(crate) struct SeriesTable {
    #[cfg_attr(
        not(feature = "cluster"),
        expect(dead_code, reason = "clusters send it")
    )]
    pub(crate) series: SeriesFunction,
    #[cfg_attr(
        not(feature = "cluster"),
        expect(dead_code, reason = "clusters send it")
    )]
    pub(crate) args: Vec<Expr>,
    inner: Arc<dyn TableProvider>,
}

#[async_trait]
impl TableProvider for SeriesTable {
    fn schema(&self) -> SchemaRef {
        self.inner.schema()
    }

    fn table_type(&self) -> TableType {
        self.inner.table_type()
    }

    async fn scan(
        &self,
        state: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        self.inner.scan(state, projection, filters, limit).await
    }
}
