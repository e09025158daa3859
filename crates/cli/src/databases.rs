//! `tabiya databases`: the databases that ChessBase shows.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use tabiya::window_list;
use tabiya_answers::Answer;
use tabiya_model::{Error, error_codes};

use super::exit::Exit;
use super::output::{self, count, printable};

#[derive(Args, Debug)]
pub(crate) struct DatabasesArgs {
    /// The list, or the folder that has it [default: that of ChessBase in your documents]
    #[arg(value_name = "DBItems.cbini")]
    path: Option<PathBuf>,
    /// Print JSON, one database per line
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &DatabasesArgs) -> Result<Exit> {
    let path = args.path.clone().or_else(window_list::usual_path);
    let path = path.ok_or_else(|| {
        let why = "there is no list of the databases of ChessBase in your documents: name one";
        Error::new(&error_codes::FILE_NOT_FOUND, why)
    })?;
    let databases = window_list::list(&path)?;
    let mut out = output::stdout_of(args.json);
    for database in &databases {
        if args.json {
            writeln!(out, "{}", database.answer().json())?;
            continue;
        }
        let games = database.listed.games;
        let games = games.map_or("?".to_owned(), |games| count(games, "game", "games"));
        let mark = if database.is_reference {
            "  (reference)"
        } else {
            ""
        };
        let title = printable(&database.listed.title);
        let path = database.path.display().to_string();
        writeln!(
            out,
            "{:<8} {games:>17}  {title}  {}{mark}",
            database.place.name(),
            printable(&path)
        )?;
    }
    out.flush()?;
    Ok(Exit::of(false, false, !databases.is_empty()))
}
