//! `tabiya cat`: single games.

use std::io::Write;

use anyhow::{Result, bail};
use tabiya::Input;
use tabiya_formats::pgn::GameWriter;
use tabiya_model::{Error, ErrorKind, Game, Losses, Want};

use super::args::{CatArgs, ranges};
use super::exit::Exit;
use super::output::{self, say};

pub(crate) fn run(args: &CatArgs) -> Result<Exit> {
    let wanted = ranges(&args.games)?;
    let mut writer = GameWriter::new(args.style.style());
    let mut out = output::stdout();
    let mut buffer = Vec::new();
    let mut written = 0_u64;
    for mut input in args.read.inputs().open(&args.source)? {
        let mut each = |game: &Game| -> Result<(), Error> {
            for diagnostic in game.diagnostics.iter() {
                say(&diagnostic.to_string());
            }
            buffer.clear();
            writer.write(game, &mut buffer, &mut Losses::default());
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

/// Walks until `each` interrupts.
fn walk(input: &mut Input, each: impl FnMut(&mut Game) -> Result<(), Error>) -> Result<()> {
    match input.for_each(each) {
        Err(error) if error.kind != ErrorKind::Interrupted => Err(error.into()),
        _ => Ok(()),
    }
}
