//! Reads a copy again and compares it with its sources, game by game.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::mpsc;

use tabiya_formats::format::OpenOptions;
use tabiya_formats::options::FormatSettings;
use tabiya_formats::{pgn, registry};
use tabiya_model::diff::diff;
use tabiya_model::{Control, Error, Game, GameAspect, GameNeeds, Result};

use crate::error_codes;
use crate::open::base::Base;
use crate::open::opener::Opener;
use crate::write::report::SourceReport;
use crate::write::target::{LostAspects, Target};

/// Games of the target that wait for their comparison.
const WAITING: usize = 256;

/// How many differences are told at most.
const MOST: usize = 1000;

/// Opens what was written: by what its writer was told, and within the bounds of the sources. What the user has said of
/// the sources' charset and letters says nothing of the target.
pub(crate) fn target(target: &Target, files: &[PathBuf], opener: &Opener) -> Result<Vec<Base>> {
    let is_pgn = target.format.name == pgn::FORMAT.name;
    // The format of what lies in an archive is found there.
    let extension = target.path.extension().and_then(|it| it.to_str());
    let is_archive = extension.is_some_and(registry::is_written_archive);
    let opener = Opener {
        format: (!is_archive).then_some(target.format),
        options: OpenOptions {
            encoding: target.options.encoding,
            mmap: opener.options.mmap,
            limits: opener.options.limits,
            settings: match is_pgn {
                true => pgn::reread_settings(&target.options.settings)?,
                false => FormatSettings::default(),
            },
            ..OpenOptions::default()
        },
        ..Opener::default()
    };
    // The games of one run may stand in several files, none of them under the target's name.
    let paths: Vec<&Path> = match is_pgn {
        true => files.iter().map(PathBuf::as_path).collect(),
        false => vec![&target.path],
    };
    let mut bases = Vec::new();
    for path in paths {
        bases.extend(opener.open(path).map_err(unreadable)?);
    }
    Ok(bases)
}

/// Makes of a game of a source what the target was asked for.
pub(crate) fn apply_target_options(target: &Target, game: &mut Game) -> Result<()> {
    match target.format.name == pgn::FORMAT.name {
        true => pgn::translate_marks(&target.options.settings, game),
        false => Ok(()),
    }
}

fn unreadable(error: Error) -> Error {
    Error::new(
        &error_codes::TARGET_UNREADABLE,
        format!("the target cannot be read again: {error}"),
    )
    .because(error)
}

/// Compares the target of a copy with its sources and notes every difference that no loss explains. `kept` makes the
/// change to a game that the copy made, and says whether it is in the copy.
pub(crate) fn compare(
    written: &[Base],
    sources: &[Base],
    mut kept: impl FnMut(&mut Game) -> Result<bool>,
    lost: &[LostAspects],
    reports: &mut [SourceReport],
    control: &Control,
) -> Result<()> {
    std::thread::scope(|scope| {
        let (send, receive) = mpsc::sync_channel::<Game>(WAITING);
        let reading = scope.spawn(move || -> Result<()> {
            for base in written {
                base.for_each(GameNeeds::ALL, control, |game| {
                    // The receiver is gone only when the comparison has ended already.
                    Ok(match send.send(std::mem::take(game)) {
                        Ok(()) => ControlFlow::Continue(()),
                        Err(_) => ControlFlow::Break(()),
                    })
                })?;
            }
            Ok(())
        });
        for ((base, lost), report) in sources.iter().zip(lost).zip(reports.iter_mut()) {
            let mut unexplained = Vec::new();
            let mut note = |text: String| {
                if unexplained.len() < MOST {
                    unexplained.push(text);
                }
            };
            let ended = base.for_each(GameNeeds::ALL, control, |game| {
                if !kept(game)? {
                    return Ok(ControlFlow::Continue(()));
                }
                let number = game.origin.number;
                let aspects = lost.get(&number).copied().unwrap_or(0);
                if aspects & GameAspect::Game.bit() != 0 {
                    return Ok(ControlFlow::Continue(()));
                }
                let Ok(copy) = receive.recv() else {
                    if !control.is_stopped() {
                        note(format!("game {number} is missing in the target"));
                    }
                    return Ok(ControlFlow::Continue(()));
                };
                if same(game, &copy) {
                    return Ok(ControlFlow::Continue(()));
                }
                for difference in diff(game, &copy) {
                    let explained = GameAspect::ALL.iter().any(|aspect| {
                        aspects & aspect.bit() != 0 && aspect.explains(difference.aspect)
                    });
                    if !explained {
                        note(format!("game {number}: {difference}"));
                    }
                }
                Ok(ControlFlow::Continue(()))
            });
            // A source that failed while it was copied fails in the same place again.
            match ended {
                // The target may have been left before its end, whatever became of the source.
                Ok(_) if control.is_stopped() => break,
                Ok(_) => {}
                Err(_) if sources.len() > 1 => {}
                Err(error) => return Err(error),
            }
            report.unexplained = Some(unexplained);
        }
        if !control.is_stopped() {
            let surplus = receive.iter().count();
            if surplus > 0
                && let Some(report) = reports.last_mut()
                && let Some(unexplained) = &mut report.unexplained
            {
                unexplained.push(format!("the target has {surplus} surplus games"));
            }
        }
        drop(receive);
        match reading.join() {
            Ok(result) => result.map_err(unreadable),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

/// Whether two games are the same to the letter, which is quicker to see than the difference of their canonical forms.
fn same(a: &Game, b: &Game) -> bool {
    a.tags == b.tags
        && a.tape == b.tape
        && a.start == b.start
        && a.variant == b.variant
        && a.ending() == b.ending()
}
