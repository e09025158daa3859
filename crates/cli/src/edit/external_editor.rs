//! A game in the user's editor.

use std::io::{BufRead, IsTerminal, Write};
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, anyhow, bail};
use tabiya::Base;
use tabiya::edit::{self, TextMerge};
use tabiya::opener::Opener;
use tabiya_model::{Database, Game, GameNeeds};

use super::EditArgs;
use crate::exit::{self, Exit};
use crate::output::{self, printable, say};

/// The user's answer to problems in the text.
enum EditorAnswer {
    Take,
    Again,
    Leave,
}

/// The base that is changed, if it has random access.
pub(super) fn base(path: &Path, opener: &Opener) -> Result<Base> {
    edit::can_change(opener, path)?;
    let bases = opener.open(path)?;
    let base = bases
        .first()
        .ok_or_else(|| anyhow!("{}: no database found", path.display()))?;
    if base.database().is_none() {
        bail!(
            "{}: a pipe cannot be edited; save it to a file first",
            path.display()
        );
    }
    Ok(base.clone())
}

/// A game as it is now.
fn read(path: &Path, opener: &Opener, number: u64) -> Result<Game> {
    let base = base(path, opener)?;
    let count = base.database().map_or(Ok(0), Database::len)?;
    if number == 0 || number > count {
        bail!("there is no game {number}: the database has {count} games; nothing was changed");
    }
    Ok(base.read(number, GameNeeds::ALL)?)
}

/// Makes a change to the base.
pub(super) type EditApplier<'a> = dyn FnMut(edit::EditOperation) -> Result<Exit> + 'a;

/// Lets the user change a game. No text is ever lost: if it is not taken, it is left in a file, and the message names the file.
pub(super) fn change(
    args: &EditArgs,
    opener: &Opener,
    number: u64,
    yes: bool,
    apply: &mut EditApplier<'_>,
) -> Result<Exit> {
    let old = read(&args.base, opener, number)?;
    let folder = tabiya::edit::scratch()?;
    let file = folder.path().join(format!("game-{number}.pgn"));
    let shown = edit::text_of(&old);
    std::fs::write(&file, &shown).with_context(|| file.display().to_string())?;
    let work = EditorSession {
        args,
        opener,
        number,
        yes,
        file: &file,
    };
    let is_touched = || std::fs::read(&file).is_ok_and(|text| text != shown.as_bytes());
    match work.edit(old, apply) {
        Ok(exit) => Ok(exit),
        Err(error) if !is_touched() => Err(error),
        Err(error) => {
            folder.keep();
            bail!(
                "{}; your text is in {}",
                exit::message(&error),
                file.display()
            )
        }
    }
}

/// A game in the editor.
struct EditorSession<'w> {
    args: &'w EditArgs,
    opener: &'w Opener,
    number: u64,
    yes: bool,
    file: &'w Path,
}

impl EditorSession<'_> {
    fn edit(&self, mut old: Game, apply: &mut EditApplier<'_>) -> Result<Exit> {
        let number = self.number;
        // Whether another user has changed the game since it was opened.
        let mut meanwhile = false;
        let mut is_open = false;
        loop {
            if !std::mem::replace(&mut is_open, true) {
                open_editor(self.file)?;
            }
            let text = std::fs::read(self.file).with_context(|| self.file.display().to_string())?;
            let merged = match edit::merge(&old, &String::from_utf8_lossy(&text)) {
                Ok(merged) => merged,
                Err(error) => {
                    say(&format!("{error}"));
                    match ask("edit again, or leave the game as it was", false, self.yes)? {
                        EditorAnswer::Again => {
                            is_open = false;
                            continue;
                        }
                        _ => bail!("nothing was changed"),
                    }
                }
            };
            if merged.differences.is_empty() && merged.problems.is_empty() {
                say(&format!("game {number}: nothing to change"));
                return Ok(Exit::Success);
            }
            show(&merged);
            let is_sound = merged.problems.is_empty() && merged.conflicts.is_empty();
            let answer = match (meanwhile, is_sound || self.args.dry_run) {
                // Another user's change is not overwritten without asking.
                (true, _) => ask(
                    "take your text, edit again, or leave the game as it is now",
                    true,
                    false,
                )?,
                (false, true) => EditorAnswer::Take,
                (false, false) => ask(
                    "take the text as it was read, edit again, or leave the game as it was",
                    true,
                    self.yes,
                )?,
            };
            match answer {
                EditorAnswer::Take => {}
                EditorAnswer::Again => {
                    is_open = false;
                    continue;
                }
                EditorAnswer::Leave => bail!("nothing was changed"),
            }
            let done = apply(edit::EditOperation::Replace {
                number,
                game: merged.game,
                was: Some(Box::new(old.clone())),
            });
            match done {
                Err(error) if error.downcast_ref().is_some_and(edit::is_conflict) => {
                    say(&format!(
                        "game {number} was changed by somebody else while you edited it; your text now changes this:"
                    ));
                    old = read(&self.args.base, self.opener, number)?;
                    meanwhile = true;
                }
                done => return done,
            }
        }
    }
}

fn show(merged: &TextMerge) {
    for difference in &merged.differences {
        say(&format!("  {}", printable(difference)));
    }
    for problem in &merged.problems {
        say(&format!("not understood: {}", printable(problem)));
    }
    for conflict in &merged.conflicts {
        say(&format!("would also be lost: {}", printable(conflict)));
    }
}

fn ask(what: &str, may_take: bool, yes: bool) -> Result<EditorAnswer> {
    if yes && may_take {
        return Ok(EditorAnswer::Take);
    }
    let input = std::io::stdin();
    if !input.is_terminal() {
        // Nobody can answer.
        return Ok(EditorAnswer::Leave);
    }
    let letters = if may_take { "t/e/l" } else { "e/l" };
    loop {
        let mut out = output::stderr();
        write!(out, "{what}? [{letters}] ")?;
        out.flush()?;
        let mut line = String::new();
        if input.lock().read_line(&mut line)? == 0 {
            return Ok(EditorAnswer::Leave);
        }
        match line.trim() {
            "t" if may_take => return Ok(EditorAnswer::Take),
            "e" => return Ok(EditorAnswer::Again),
            "l" => return Ok(EditorAnswer::Leave),
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
        bail!("no editor is set: set VISUAL or EDITOR, for example EDITOR=nano");
    };
    let mut words = named.split_whitespace();
    let program = words.next().unwrap_or_default();
    let status = Command::new(program)
        .args(words)
        .arg(file)
        .status()
        .with_context(|| format!("cannot start the editor {program}"))?;
    if !status.success() {
        bail!("the editor {program} failed; nothing was changed");
    }
    Ok(())
}
