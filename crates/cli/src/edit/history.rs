//! The edit history of a base.

use std::io::Write;
use std::path::Path;

use anyhow::{Result, bail};
use tabiya::edit;
use tabiya::history::{EditHistory, GameVersionContent, OldGame};
use tabiya::opener::Opener;

use crate::exit::Exit;
use crate::output::{printable, say, stdout};

/// Lists changes, the versions of a game, or one of them.
pub(super) fn run(
    base: &Path,
    opener: &Opener,
    number: Option<u64>,
    version: Option<u64>,
) -> Result<Exit> {
    let history = edit::history(opener, base)?;
    if history.is_damaged() {
        say(&format!(
            "{}: part of the history is damaged and was skipped",
            EditHistory::path_of(base).display()
        ));
    }
    match number {
        None => changes(base, &history),
        Some(number) => versions(base, opener, &history, number, version),
    }
}

fn changes(base: &Path, history: &EditHistory) -> Result<Exit> {
    let reach = history.contiguous_entries().last().map(|head| head.id);
    let mut out = stdout();
    for head in history.changes() {
        let note = match reach {
            Some(reach) if head.id >= reach => "",
            _ => "\tbefore another program changed the database",
        };
        writeln!(
            out,
            "{}\t{}\t{}{note}",
            head.id,
            head.utc_time(),
            printable(&head.wish)
        )?;
    }
    out.flush()?;
    if history.changes().is_empty() {
        say(&format!("{}: no changes", base.display()));
        return Ok(Exit::NoMatch);
    }
    Ok(Exit::Success)
}

fn versions(
    base: &Path,
    opener: &Opener,
    history: &EditHistory,
    number: u64,
    version: Option<u64>,
) -> Result<Exit> {
    let bases = opener.open(base)?;
    let games = match bases.first().and_then(|base| base.database()) {
        Some(database) => database.len()?,
        None => 0,
    };
    if number == 0 || number > games {
        bail!("there is no game {number}: the database has {games} games");
    }
    // The history of other formats has bytes that people cannot read.
    let is_text = bases
        .first()
        .is_some_and(|base| base.format().stream.is_some());
    let mut out = stdout();
    let mut any = false;
    for found in history.versions(number, games)? {
        if version.is_some_and(|version| version != found.change.id) {
            continue;
        }
        any = true;
        if let (
            Some(_),
            GameVersionContent::Game(OldGame {
                text: Some(text), ..
            }),
        ) = (version, &found.was)
            && is_text
        {
            // As it was in the file.
            out.write_all(text.trim_ascii_end())?;
            writeln!(out)?;
            continue;
        }
        let game = match &found.was {
            GameVersionContent::Game(kept) => kept.game().transpose()?,
            GameVersionContent::Flags(_) | GameVersionContent::New => None,
        };
        if version.is_some() {
            let Some(game) = game else {
                bail!("change {} has no version of this game", found.change.id);
            };
            out.write_all(edit::text_of(&game).as_bytes())?;
            continue;
        }
        let was = match (&found.was, game) {
            (GameVersionContent::New, _) => "not in the database yet".to_owned(),
            (GameVersionContent::Flags(flags), _) if flags.had.is_empty() => {
                format!("without the flags {}", flags.touched)
            }
            (GameVersionContent::Flags(flags), _) => {
                format!("with the flags {} (of {})", flags.had, flags.touched)
            }
            (GameVersionContent::Game(_), Some(game)) => {
                printable(&edit::title(&game)).into_owned()
            }
            (GameVersionContent::Game(_), None) => "not kept: no room in the history".to_owned(),
        };
        let change = &found.change;
        writeln!(
            out,
            "{}\t{}\t{}\tas game {}\t{was}",
            change.id,
            change.utc_time(),
            printable(&change.wish),
            found.number
        )?;
    }
    out.flush()?;
    if !any {
        say(&format!(
            "{}: no other version of game {number}",
            base.display()
        ));
        return Ok(Exit::NoMatch);
    }
    Ok(Exit::Success)
}
