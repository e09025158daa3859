//! `read_games('file', 'query')`: the games of a database that our own language finds, as a table.

use std::sync::Arc;

use datafusion::catalog::{TableFunctionArgs, TableFunctionImpl, TableProvider};
use datafusion::common::Result;
use datafusion::logical_expr::Expr;

use crate::files::Files;
use crate::roots::refuse;
use crate::table::{BaseTable, Search};

/// The name of the function.
pub(crate) const NAME: &str = "read_games";

/// The function.
#[derive(Debug)]
pub(crate) struct ReadGames(pub(crate) Arc<Files>);

impl TableFunctionImpl for ReadGames {
    fn call_with_args(&self, args: TableFunctionArgs) -> Result<Arc<dyn TableProvider>> {
        let text = |expr: &Expr| match expr {
            Expr::Literal(value, _) => value.try_as_str().flatten().map(str::to_owned),
            _ => None,
        };
        let texts: Option<Vec<String>> = args.exprs().iter().map(text).collect();
        match texts.as_deref() {
            Some([path]) => Ok(Arc::new(BaseTable::new(path, self.0.bases(path)?))),
            Some([path, query]) => {
                let search = Search::new(query)?;
                let table = BaseTable::new(path, self.0.bases(path)?);
                Ok(Arc::new(table.searched(search)))
            }
            _ => Err(refuse(
                "read_games is called as read_games('file') or read_games('file', query => 'white:Tal eco:B')",
            )),
        }
    }
}
