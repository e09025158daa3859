//! Changes a database in place. Whatever job does it goes through here.

use std::ops::{ControlFlow, Range};
use std::path::Path;

use tabiya_formats::edit::{Description, Edit};
use tabiya_model::{
    About, Control, Ended, Error, ErrorKind, Game, LossReport, Losses, Result, Want,
};

use crate::base::Base;
use crate::numbers::up_to;
use crate::opener::Opener;

/// One change.
#[derive(Clone, Debug)]
pub enum Change {
    /// Adds the games of other bases at the end.
    Append(Vec<Base>),
    /// Puts a game in the place of another one.
    Replace {
        /// The number of the game that goes.
        number: u64,
        /// The game that comes.
        game: Box<Game>,
    },
    /// Sets and clears flags, in Scid's letters.
    Flags {
        /// The games, from 1, end excluded.
        games: Vec<Range<u64>>,
        /// Flags to set.
        set: String,
        /// Flags to clear.
        clear: String,
    },
    /// Sorts the games; several keys count one after another.
    Sort(Vec<String>),
    /// Removes deleted games, unused names and unused records.
    Compact,
    /// Sets what the database says about itself.
    Describe(Description),
}

/// What a change has done.
#[derive(Clone, Debug, Default)]
pub struct Edited {
    /// Games that were added, changed, sorted or removed.
    pub games: u64,
    /// Games that the database could not hold.
    pub refused: u64,
    /// Games that are in the database now, where games were sorted or removed: to count them can take a walk over a
    /// long file, which adding a game to it does without.
    pub left: u64,
    /// What the database could not hold.
    pub losses: LossReport,
    /// Whether it was done; else the database is as it was.
    pub ended: Ended,
}

/// The first game of some bases.
pub fn first_game(bases: &[Base], control: &Control) -> Result<Option<Box<Game>>> {
    let mut first = None;
    for base in bases {
        base.for_each(Want::ALL, control, |game| {
            first = Some(Box::new(std::mem::take(game)));
            Ok(ControlFlow::Break(()))
        })?;
        if first.is_some() {
            break;
        }
    }
    Ok(first)
}

/// Makes one change to the database at a path: all of it, or nothing.
pub fn edit(opener: &Opener, path: &Path, change: &Change, control: &Control) -> Result<Edited> {
    let mut base = begin(opener, path)?;
    let mut done = Edited::default();
    apply(&mut *base, change, &mut done, control)?;
    done.ended = control.ended();
    if done.ended.is_whole() {
        base.commit()?;
    }
    Ok(done)
}

/// Opens the database at a path for changes.
pub(crate) fn begin(opener: &Opener, path: &Path) -> Result<Box<dyn Edit>> {
    let refuse = |why: &str| {
        Err(Error::new(
            ErrorKind::Unsupported,
            format!("{}: {why}", path.display()),
        ))
    };
    let Some((format, _)) = opener.identify(path)? else {
        return refuse("this is no chess database that Tabiya knows");
    };
    let Some(open) = format.edit else {
        return refuse(&format!(
            "{} is not changed in place: convert it, and change the copy",
            format.title
        ));
    };
    open(path, &opener.options)
}

fn apply(base: &mut dyn Edit, change: &Change, done: &mut Edited, control: &Control) -> Result<()> {
    match change {
        Change::Append(bases) => append(base, bases, done, control)?,
        Change::Replace { number, game } => {
            let mut losses = Losses::default();
            let replaced = base.replace(*number, game, &mut losses)?;
            if !replaced {
                let why = losses.iter().next();
                let why = why.map(|loss| format!("{} ({})", loss.kind.summary, loss.detail));
                return Err(Error::usage(format!(
                    "game {number} stays as it is: {}",
                    why.unwrap_or_default()
                )));
            }
            add(&mut done.losses, &losses);
            done.games = 1;
        }
        Change::Flags { games, set, clear } => {
            // A number beyond the last game is a mistake, which the base tells.
            let wanted = up_to(games, base.len());
            done.games = base.flags(&wanted, set, clear)?;
        }
        Change::Sort(keys) => {
            base.sort(keys)?;
            done.games = base.len();
            done.left = done.games;
        }
        Change::Compact => {
            done.games = base.compact()?;
            done.left = base.len();
        }
        Change::Describe(new) => base.describe(new)?,
    }
    Ok(())
}

fn append(
    base: &mut dyn Edit,
    sources: &[Base],
    done: &mut Edited,
    control: &Control,
) -> Result<()> {
    for source in sources {
        // What the source says about itself does not hold for the games that are there already.
        let about = About {
            is_part: true,
            ..source.about()?
        };
        let mut losses = Losses::default();
        about.lose(&mut losses);
        add(&mut done.losses, &losses);
        source.for_each(Want::ALL, control, |game| {
            let mut losses = Losses::default();
            match base.append(game, &mut losses)? {
                true => done.games += 1,
                false => done.refused += 1,
            }
            add(&mut done.losses, &losses);
            Ok(ControlFlow::Continue(()))
        })?;
        if let Some(database) = source.database() {
            add(&mut done.losses, &database.gone());
        }
    }
    Ok(())
}

fn add(losses: &mut LossReport, new: &Losses) {
    for loss in new.iter() {
        losses.add(loss);
    }
}
