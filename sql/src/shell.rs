//! The shell: queries one after another, with history and completion.

use std::borrow::Cow;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::Result;
use rustyline::completion::{Completer, Pair};
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::DefaultHistory;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{CompletionType, Config, Context, Editor, Helper};
use tabiya_io::terminal_filter::{is_order, plain};
use tokio::runtime::Runtime;

use crate::messages::{complain, say};
use crate::output::AnswerFormat;
use crate::session::SqlSession;
use crate::{file_tables, interrupt, run, table};

/// Lines that are kept from one time to the next.
const HISTORY: usize = 10_000;

const WORDS: &[&str] = &[
    "SELECT",
    "FROM",
    "WHERE",
    "GROUP BY",
    "ORDER BY",
    "LIMIT",
    "HAVING",
    "JOIN",
    "UNION ALL",
    "WITH",
    "DISTINCT",
    "COUNT(*)",
    "AVG(",
    "SUM(",
    "EXPLAIN",
    "DESCRIBE",
    "SHOW TABLES",
    "DESC",
    "BETWEEN",
    "LIKE",
    "IS NULL",
    "IS NOT NULL",
    "CASE WHEN",
    "read_games('",
    "has_position(moves, '",
    "material(moves, '",
    "fen_at(moves, ",
    "san(moves, ",
    "line_name(moves",
    "matches(game, '",
];

const HELP: &str =
    "A query ends with ; and may have several lines. Put file names in quotes: FROM 'games.si5'.
Tab completes files, columns and words; Ctrl-C stops a query, Ctrl-D ends the shell.
\\d 'FILE'  the columns of a table    \\q  ends    \\h  this help";

struct ShellHelper {
    names: Vec<String>,
}

impl Helper for ShellHelper {}

impl Hinter for ShellHelper {
    type Hint = String;
}

impl Highlighter for ShellHelper {
    fn highlight<'l>(&self, line: &'l str, _: usize) -> Cow<'l, str> {
        shown(line)
    }
}

/// A line as the terminal gets it, which obeys none of it.
fn shown(line: &str) -> Cow<'_, str> {
    let lines: Vec<_> = line.split('\n').map(plain).collect();
    if lines.iter().all(|line| matches!(line, Cow::Borrowed(_))) {
        Cow::Borrowed(line)
    } else {
        Cow::Owned(lines.join("\n"))
    }
}

impl Validator for ShellHelper {
    fn validate(&self, context: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        let text = context.input().trim();
        Ok(
            if text.is_empty() || text.starts_with('\\') || is_whole(text) {
                ValidationResult::Valid(None)
            } else {
                ValidationResult::Incomplete
            },
        )
    }
}

/// Whether a query has come to its end.
fn is_whole(text: &str) -> bool {
    let mut quote = None;
    for c in text.chars() {
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if c == '\'' || c == '"' => quote = Some(c),
            None => {}
        }
    }
    quote.is_none() && text.ends_with(';')
}

impl Completer for ShellHelper {
    type Candidate = Pair;

    fn complete(
        &self,
        line: &str,
        at: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<Pair>)> {
        let before = line.get(..at).unwrap_or_default();
        // Within quotes names of files, else words.
        if before.matches('\'').count() % 2 == 1 {
            let start = before.rfind('\'').map_or(at, |quote| quote + 1);
            let typed = before.get(start..).unwrap_or_default();
            let found = file_tables::nearby()
                .into_iter()
                .filter(|name| name.starts_with(typed) && !name.chars().any(is_order));
            return Ok((start, found.map(pair).collect()));
        }
        let start = before
            .rfind(|c: char| !(c.is_alphanumeric() || c == '_'))
            .map_or(0, |place| {
                place
                    + before
                        .get(place..)
                        .and_then(|it| it.chars().next())
                        .map_or(1, char::len_utf8)
            });
        let typed = before.get(start..).unwrap_or_default().to_lowercase();
        if typed.is_empty() {
            return Ok((start, Vec::new()));
        }
        let found = self
            .names
            .iter()
            .filter(|name| name.to_lowercase().starts_with(&typed))
            .cloned();
        Ok((start, found.map(pair).collect()))
    }
}

fn pair(text: String) -> Pair {
    Pair {
        display: plain(&text).into_owned(),
        replacement: text,
    }
}

fn history() -> Option<PathBuf> {
    let folder = std::env::var_os("XDG_STATE_HOME")
        .map(PathBuf::from)
        .or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".local/state")))?
        .join("tabiya");
    std::fs::create_dir_all(&folder).ok()?;
    Some(folder.join("sql-history"))
}

/// Reads queries from a terminal and answers them.
pub(crate) fn run_shell(
    runtime: &Runtime,
    session: &SqlSession,
    form: &AnswerFormat,
    time: Option<Duration>,
) -> Result<()> {
    interrupt::serve_a_shell();
    let config = Config::builder()
        .completion_type(CompletionType::List)
        .max_history_size(HISTORY)?
        .build();
    let mut editor: Editor<ShellHelper, DefaultHistory> = Editor::with_config(config)?;
    let mut names: Vec<String> = WORDS.iter().map(|word| (*word).to_owned()).collect();
    names.extend(
        table::schema()
            .fields()
            .iter()
            .map(|field| field.name().clone()),
    );
    editor.set_helper(Some(ShellHelper { names }));
    let history = history();
    if let Some(path) = &history {
        // The first time there is none.
        let _ = editor.load_history(path);
    }
    say("tabiya sql: \\h for help");
    loop {
        let text = match editor.readline("sql> ") {
            Ok(text) => text,
            Err(ReadlineError::Interrupted) => continue,
            Err(ReadlineError::Eof) => break,
            Err(error) => return Err(error.into()),
        };
        let text = text.trim();
        if text.is_empty() {
            continue;
        }
        let _ = editor.add_history_entry(text);
        let query = match text {
            "\\q" | "exit" | "quit" | "exit;" | "quit;" => break,
            "\\h" | "help" | "help;" => {
                say(HELP);
                continue;
            }
            text => match text.strip_prefix("\\d ") {
                Some(name) => format!("DESCRIBE {name}"),
                None => text.trim_end_matches(';').to_owned(),
            },
        };
        let begin = Instant::now();
        let answer = runtime.block_on(async {
            let late = async {
                match time {
                    Some(time) => tokio::time::sleep(time).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                answer = run::answer(session, &query, form) => answer,
                () = interrupt::asked() => Err(anyhow::anyhow!("stopped")),
                () = late => Err(anyhow::anyhow!("the time limit was reached (--timeout)")),
            }
        });
        match answer {
            Ok(()) => say(&format!("{:.3} s", begin.elapsed().as_secs_f64())),
            Err(error) => complain(run::COMMAND, &run::message(&error)),
        }
    }
    if let Some(path) = &history {
        // A history that cannot be written does no harm.
        let _ = editor.save_history(path);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_gives_the_terminal_no_orders() {
        assert_eq!(shown("SELECT\n 'ä'"), "SELECT\n 'ä'");
        assert_eq!(shown("a\u{1b}[2J\nb\u{9b}"), "a\u{fffd}[2J\nb\u{fffd}");
    }

    #[test]
    fn a_query_ends_outside_of_quotes() {
        assert!(is_whole("SELECT 1;"));
        assert!(!is_whole("SELECT 1"));
        assert!(!is_whole("SELECT ';"));
    }
}
