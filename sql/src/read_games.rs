//! `read_games('file', 'query')`: the games of a database that match a Tabiya query, as a table.

use std::sync::Arc;

use datafusion::catalog::{TableFunctionArgs, TableFunctionImpl, TableProvider};
use datafusion::common::Result;
use datafusion::logical_expr::Expr;

use crate::file_tables::FileTables;
use crate::roots::refuse;
use crate::table::{DatabaseTable, TableSearch};

/// The name of the function.
pub(crate) const NAME: &str = "read_games";

/// The function.
#[derive(Debug)]
pub(crate) struct ReadGamesFunction(pub(crate) Arc<FileTables>);

impl TableFunctionImpl for ReadGamesFunction {
    fn call_with_args(&self, args: TableFunctionArgs) -> Result<Arc<dyn TableProvider>> {
        let text = |expr: &Expr| match expr {
            Expr::Literal(value, _) => value.try_as_str().flatten().map(str::to_owned),
            _ => None,
        };
        let texts: Option<Vec<String>> = args.exprs().iter().map(text).collect();
        match texts.as_deref() {
            Some([path]) => Ok(Arc::new(DatabaseTable::new(path, self.0.bases(path)?))),
            Some([path, query]) => {
                let search = TableSearch::new(query)?;
                let table = DatabaseTable::new(path, self.0.bases(path)?);
                Ok(Arc::new(table.searched(search)))
            }
            _ => Err(refuse(
                "call read_games as read_games('file') or read_games('file', query => 'white:Tal eco:B')",
            )),
        }
    }
}
