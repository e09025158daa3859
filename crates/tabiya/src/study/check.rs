//! Reads every game with all its derived fields, and collects what is wrong or unusual.

use tabiya_model::pipeline;
use tabiya_model::{Block, Control, Diagnostics, Game, GameNeeds, JobCompletion, Result, Severity};

use crate::open::base::Base;

/// The result of a check.
#[derive(Clone, Debug, Default)]
pub struct CheckReport {
    /// Games that were read.
    pub games: u64,
    /// Games with damage.
    pub damaged: u64,
    /// The findings.
    pub diagnostics: Diagnostics,
    /// Whether everything was read.
    pub ended: JobCompletion,
}

impl CheckReport {
    /// Whether something could not be read.
    pub fn is_damaged(&self) -> bool {
        self.diagnostics.at_least(Severity::Damage) > 0
    }
}

/// Checks a base. Derived fields are checked if it was opened with [`tabiya_formats::format::OpenOptions::audit`]; `most`
/// findings of each kind are kept.
///
/// ```
/// # fn main() -> tabiya::model::Result<()> {
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/pgn/bad/illegal.pgn");
/// use tabiya::check::check;
/// use tabiya::model::Control;
///
/// for base in tabiya::open(path)? {
///     let checked = check(&base, 100, &Control::default())?;
///     assert!(checked.is_damaged());
///     for found in checked.diagnostics.iter() {
///         println!("{found}");
///     }
/// }
/// # Ok(())
/// # }
/// ```
pub fn check(base: &Base, most: u64, control: &Control) -> Result<CheckReport> {
    let mut source = base.source(control)?;
    let mut all = CheckReport {
        diagnostics: Diagnostics::with_cap(most),
        ..CheckReport::default()
    };
    pipeline::run(
        &mut *source,
        control,
        || {
            let mut game = Game::default();
            move |block: &mut dyn Block| {
                let mut part = CheckReport {
                    diagnostics: Diagnostics::with_cap(most),
                    ..CheckReport::default()
                };
                while block.next(GameNeeds::ALL, &mut game)? {
                    part.games += 1;
                    if !game.diagnostics.is_empty() {
                        part.damaged += u64::from(game.diagnostics.at_least(Severity::Damage) > 0);
                        part.diagnostics.append(&game.diagnostics);
                    }
                }
                Ok((part, block.first().is_some()))
            }
        },
        |(mut part, numbered)| {
            if !numbered {
                for diagnostic in part.diagnostics.iter_mut() {
                    if let Some(game) = &mut diagnostic.place.game {
                        *game += all.games;
                    }
                }
            }
            all.games += part.games;
            all.damaged += part.damaged;
            all.diagnostics.append(&part.diagnostics);
            Ok(!control.is_stopped())
        },
    )?;
    all.diagnostics.append(&source.diagnostics());
    all.ended = control.completion();
    Ok(all)
}
