//! A game in the user's editor.

use std::io::{BufRead, IsTerminal, Write};
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, anyhow, bail};
use tabiya::edit::{self, Merged};
use tabiya::opener::Opener;
use tabiya_model::{Control, Want};

use super::EditArgs;
use crate::output::{printable, say};

/// What the user says to what was found in the text.
enum Answer {
    Take,
    Again,
    Leave,
}

/// Lets the user change a game; nothing where nothing is to be done.
pub(super) fn change(
    args: &EditArgs,
    opener: &Opener,
    number: u64,
    yes: bool,
    _control: &Control,
) -> Result<Option<edit::Change>> {
    let bases = opener.open(&args.base)?;
    let base = bases
        .first()
        .ok_or_else(|| anyhow!("{}: there is no database", args.base.display()))?;
    let count = base
        .database()
        .ok_or_else(|| {
            anyhow!(
                "{}: a pipe cannot be changed: save it to a file first",
                args.base.display()
            )
        })?
        .len()?;
    if number == 0 || number > count {
        bail!("there is no game {number}: the base has {count} games; nothing was changed");
    }
    let old = base.read(number, Want::ALL)?;
    let text = edit::text_of(&old);
    let folder = tabiya::edit::scratch()?;
    let file = folder.path().join(format!("game-{number}.pgn"));
    std::fs::write(&file, &text).with_context(|| file.display().to_string())?;
    loop {
        open_editor(&file)?;
        let changed = std::fs::read(&file).with_context(|| file.display().to_string())?;
        let changed = String::from_utf8_lossy(&changed).into_owned();
        let merged = match edit::merge(&old, &changed) {
            Ok(merged) => merged,
            Err(error) => {
                say(&format!("{error}"));
                match ask("edit again, or leave it", false, yes)? {
                    Answer::Again => continue,
                    _ => return left(folder, &file, "nothing was changed"),
                }
            }
        };
        if merged.differences.is_empty() && merged.problems.is_empty() {
            say(&format!("game {number} stays as it is"));
            return Ok(None);
        }
        show(&merged);
        let is_sound = merged.problems.is_empty() && merged.conflicts.is_empty();
        let answer = match is_sound || args.dry_run {
            true => Answer::Take,
            false => ask("take it as it was read, edit again, or leave it", true, yes)?,
        };
        match answer {
            Answer::Take => {
                return Ok(Some(edit::Change::Replace {
                    number,
                    game: merged.game,
                    was: Some(Box::new(old)),
                }));
            }
            Answer::Again => {}
            Answer::Leave => return left(folder, &file, "nothing was changed"),
        }
    }
}

/// Ends without a change; what the user wrote stays.
fn left(folder: tabiya::edit::Scratch, file: &Path, why: &str) -> Result<Option<edit::Change>> {
    folder.keep();
    bail!("{why}; your text is in {}", file.display())
}

fn show(merged: &Merged) {
    for difference in &merged.differences {
        say(&format!("  {}", printable(difference)));
    }
    for problem in &merged.problems {
        say(&format!("not understood: {}", printable(problem)));
    }
    for conflict in &merged.conflicts {
        say(&format!("would go with it: {}", printable(conflict)));
    }
}

fn ask(what: &str, may_take: bool, yes: bool) -> Result<Answer> {
    if yes && may_take {
        return Ok(Answer::Take);
    }
    let input = std::io::stdin();
    if !input.is_terminal() {
        // Nobody can answer.
        return Ok(Answer::Leave);
    }
    let letters = if may_take { "t/e/l" } else { "e/l" };
    loop {
        let mut out = std::io::stderr().lock();
        write!(out, "{what}? [{letters}] ")?;
        out.flush()?;
        let mut line = String::new();
        if input.lock().read_line(&mut line)? == 0 {
            return Ok(Answer::Leave);
        }
        match line.trim() {
            "t" if may_take => return Ok(Answer::Take),
            "e" => return Ok(Answer::Again),
            "l" => return Ok(Answer::Leave),
            _ => {}
        }
    }
}

fn open_editor(file: &Path) -> Result<()> {
    let named = ["VISUAL", "EDITOR"].into_iter().find_map(|name| {
        std::env::var(name)
            .ok()
            .filter(|value| !value.trim().is_empty())
    });
    let Some(named) = named else {
        bail!("no editor is known: set VISUAL or EDITOR to one, such as EDITOR=nano");
    };
    let mut words = named.split_whitespace();
    let program = words.next().unwrap_or_default();
    let status = Command::new(program)
        .args(words)
        .arg(file)
        .status()
        .with_context(|| format!("the editor {program} cannot be started"))?;
    if !status.success() {
        bail!("the editor {program} ended with a failure; nothing was changed");
    }
    Ok(())
}
