//! `tabiya cat`: single games.

use std::io::Write;

use anyhow::{Result, bail};
use tabiya::Input;
use tabiya_formats::{csv, ndjson, pgn};
use tabiya_model::{Error, ErrorKind, Game, Losses, Want};

use super::args::{CatArgs, ranges};
use super::exit::Exit;
use super::output::{self, say};

pub(crate) fn run(args: &CatArgs) -> Result<Exit> {
    let wanted = ranges(&args.games)?;
    let mut form = Form::of(args);
    let mut out = output::stdout();
    let mut buffer = Vec::new();
    form.heading(&mut out)?;
    let mut written = 0_u64;
    for mut input in args.read.inputs().open(&args.source)? {
        let mut each = |game: &Game| -> Result<(), Error> {
            for diagnostic in game.diagnostics.iter() {
                say(&diagnostic.to_string());
            }
            buffer.clear();
            form.write(game, &mut buffer);
            out.write_all(&buffer)?;
            written += 1;
            Ok(())
        };
        if let Some(database) = input.database()
            && !wanted.is_empty()
        {
            let len = database.len()?;
            let mut game = Game::default();
            for number in wanted
                .iter()
                .flat_map(|range| range.start..range.end.min(len + 1))
            {
                database.read(number, Want::ALL, &mut game)?;
                each(&game)?;
            }
        } else {
            walk(&mut input, |game| {
                let number = game.origin.number;
                if wanted.is_empty() || wanted.iter().any(|range| range.contains(&number)) {
                    each(game)?;
                }
                if !wanted.is_empty() && wanted.iter().all(|range| number + 1 >= range.end) {
                    return Err(Error::new(ErrorKind::Interrupted, ""));
                }
                Ok(())
            })?;
        }
    }
    out.flush()?;
    if written == 0 && !wanted.is_empty() {
        bail!(
            "{}: there is no game of these numbers",
            args.source.display()
        );
    }
    Ok(Exit::Success)
}

/// How games are written.
enum Form {
    Pgn(Box<pgn::GameWriter>),
    Json(ndjson::GameWriter),
    Csv(csv::PlyRows),
}

impl Form {
    fn of(args: &CatArgs) -> Form {
        match (args.json, args.csv) {
            (true, _) => Form::Json(ndjson::GameWriter::default()),
            (_, true) => Form::Csv(csv::PlyRows::default()),
            _ => Form::Pgn(Box::new(pgn::GameWriter::new(pgn::PgnStyle::of(
                &args.settings.0,
            )))),
        }
    }

    fn heading(&self, out: &mut impl Write) -> std::io::Result<()> {
        match self {
            Form::Csv(_) => out.write_all(&csv::PlyRows::heading()),
            Form::Pgn(_) | Form::Json(_) => Ok(()),
        }
    }

    /// Nobody converts here: what the form leaves out is not reported.
    fn write(&mut self, game: &Game, out: &mut Vec<u8>) {
        match self {
            Form::Pgn(writer) => writer.write(game, out, &mut Losses::default()),
            Form::Json(writer) => writer.write(game, out),
            Form::Csv(rows) => rows.write_numbered(game, out, &mut Losses::default()),
        }
    }
}

/// Walks until `each` interrupts.
fn walk(input: &mut Input, each: impl FnMut(&mut Game) -> Result<(), Error>) -> Result<()> {
    match input.for_each(each) {
        Err(error) if error.kind != ErrorKind::Interrupted => Err(error.into()),
        _ => Ok(()),
    }
}
