//! Which statements are allowed: those that only read, and that can be planned in bounded time and stack.

use std::ops::ControlFlow;

use datafusion::common::{DataFusionError, Result};
use datafusion::execution::context::SessionState;
use datafusion::sql::parser::Statement;
use datafusion::sql::sqlparser::ast::{
    Expr, FunctionArg, Ident, ObjectNamePart, Statement as Sql, TableFactor, VisitMut, VisitorMut,
};
use datafusion::sql::sqlparser::dialect::GenericDialect;
use datafusion::sql::sqlparser::tokenizer::{Token, Tokenizer};

use crate::file_tables::is_stdin;
use crate::roots::refuse;

/// The longest query. Long lists of values belong into a file of their own, which can be joined.
pub(crate) const MOST_BYTES: usize = 1 << 18;
/// Words and signs, values and commas apart: each may nest what stands before it.
const MOST_WORDS: usize = 2_000;
/// Tables that a query names, each time counted.
const MOST_TABLES: usize = 200;

/// The statement of a text, if it is one that only asks.
pub(crate) fn read(state: &SessionState, text: &str) -> Result<Statement> {
    if text.len() > MOST_BYTES {
        return Err(refuse(format!(
            "the query has {} bytes, but at most {MOST_BYTES} are allowed",
            text.len()
        )));
    }
    let tokens = Tokenizer::new(&GenericDialect {}, text)
        .tokenize()
        .map_err(|error| refuse(format!("invalid query: {error}")))?;
    let is_word = |token: &&Token| {
        !matches!(
            token,
            Token::Whitespace(_)
                | Token::Comma
                | Token::Number(..)
                | Token::SingleQuotedString(_)
                | Token::EOF
        )
    };
    let words = tokens.iter().filter(is_word).count();
    if words > MOST_WORDS {
        return Err(refuse(format!(
            "the query has {words} words and symbols besides values, but at most {MOST_WORDS} are allowed"
        )));
    }
    let dialect = &state.config_options().sql_parser.dialect;
    let mut statement = state
        .sql_to_statement(text, dialect)
        .map_err(|error| match error {
            DataFusionError::NotImplemented(_) => refuse("one query at a time"),
            error => error,
        })?;
    let Some(sql) = question(&mut statement) else {
        return Err(refuse(
            "only SELECT, EXPLAIN, SHOW and DESCRIBE are allowed: no statement can change or write anything",
        ));
    };
    let mut tables = TableCounter(0);
    if sql.visit(&mut tables).is_break() {
        return Err(refuse(format!(
            "the query names more than {MOST_TABLES} tables"
        )));
    }
    Ok(statement)
}

/// Counts the tables of a query, and takes the names from the arguments of their functions, which are known by their order.
struct TableCounter(usize);

impl VisitorMut for TableCounter {
    type Break = ();

    fn pre_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<()> {
        self.0 += 1;
        if let TableFactor::Table {
            args: Some(call), ..
        } = factor
        {
            for argument in &mut call.args {
                if let FunctionArg::Named { arg, .. } | FunctionArg::ExprNamed { arg, .. } =
                    argument
                {
                    *argument = FunctionArg::Unnamed(arg.clone());
                }
            }
        }
        if self.0 > MOST_TABLES {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

/// Writes names of files so that they are not taken for a schema and a table where a plan is read again: `./games.pgn`.
pub(crate) fn spell_out(statement: &mut Statement) -> Result<()> {
    match question(statement).map(|sql| sql.visit(&mut FileNameSpeller)) {
        Some(ControlFlow::Break(())) => Err(refuse("a cluster cannot read standard input")),
        _ => Ok(()),
    }
}

/// A name of a column as it would be without [`spell_out`].
pub(crate) fn spelt(name: &str) -> String {
    name.replace("./", "")
}

struct FileNameSpeller;

impl FileNameSpeller {
    fn name(part: &mut Ident) {
        let is_plain = !part.value.starts_with('.') && !part.value.contains(['/', '\\']);
        if part.quote_style.is_some() && part.value.contains('.') && is_plain {
            part.value.insert_str(0, "./");
        }
    }
}

impl VisitorMut for FileNameSpeller {
    type Break = ();

    fn pre_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<()> {
        if let TableFactor::Table { name, .. } = factor
            && let [ObjectNamePart::Identifier(part)] = name.0.as_mut_slice()
        {
            if is_stdin(&part.value) {
                return ControlFlow::Break(());
            }
            FileNameSpeller::name(part);
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if let Expr::CompoundIdentifier(parts) = expr
            && let [table, _] = parts.as_mut_slice()
        {
            FileNameSpeller::name(table);
        }
        ControlFlow::Continue(())
    }
}

/// The statement, or the one that is explained, if it only asks.
fn question(statement: &mut Statement) -> Option<&mut Sql> {
    match statement {
        Statement::Statement(sql) => is_question(sql).then_some(&mut **sql),
        Statement::Explain(explain) => question(&mut explain.statement),
        Statement::CopyTo(_) | Statement::CreateExternalTable(_) | Statement::Reset(_) => None,
    }
}

fn is_question(sql: &Sql) -> bool {
    match sql {
        Sql::Query(_)
        | Sql::ExplainTable { .. }
        | Sql::ShowTables { .. }
        | Sql::ShowColumns { .. }
        | Sql::ShowFunctions { .. } => true,
        Sql::Explain { statement, .. } => is_question(statement),
        _ => false,
    }
}
