//! Copies any number of databases into one, and reports everything that the copy cannot hold.

use tabiya_answers::{ConversionAnswer, FailedSourceAnswer};
use tabiya_model::{
    Control, Error, ErrorKind, JobCompletion, Losses, Result, UserHint, WriteSummary,
};

use crate::error_codes;
use crate::open::base::Base;
use crate::open::opener::BaseFailure;
use crate::write::report::SourceReport;
use crate::write::target::{GameTransform, LostAspects, Target};
use crate::write::verify;

/// How a copy is made.
#[derive(Copy, Clone, Debug, Default)]
pub struct ConvertOptions {
    /// Stop at the first loss or damaged game, and write nothing.
    pub strict: bool,
    /// Read the target again and compare it with the sources.
    pub verify: bool,
}

/// The result of a copy.
#[derive(Debug, Default)]
pub struct Conversion {
    /// The summary of the target; `None` if nothing was written.
    pub summary: Option<WriteSummary>,
    /// One report per source.
    pub sources: Vec<SourceReport>,
    /// Sources that could not be read to their end; the part that was read is in the target.
    pub failed: Vec<BaseFailure>,
    /// Why nothing was written, with [`ConvertOptions::strict`].
    pub fault: Option<String>,
    /// Whether it was stopped; then nothing was written, unless it was stopped while the copy was read again: then the copy
    /// is complete, and a note of its summary says that it was not compared.
    pub ended: JobCompletion,
}

impl Conversion {
    /// Whether everything was read and written without damage, loss or failure.
    pub fn is_complete(&self) -> bool {
        self.failed.is_empty()
            && self.fault.is_none()
            && self.sources.iter().all(SourceReport::is_complete)
    }

    /// Whether no unexplained difference was found.
    pub fn is_verified(&self) -> bool {
        self.sources.iter().all(SourceReport::is_verified)
    }

    /// The report for programs.
    pub fn answer(&self, target: &Target) -> ConversionAnswer {
        let summary = self.summary.clone().unwrap_or_default();
        let files = summary.files.iter().map(|file| file.display().to_string());
        let failed = self.failed.iter().map(|failure| FailedSourceAnswer {
            source: failure.name.clone(),
            error: failure.error.to_string(),
        });
        ConversionAnswer {
            schema: "tabiya-conversion-1",
            target: target.path.display().to_string(),
            format: target.format.name,
            games: summary.games,
            bytes: summary.bytes,
            files: Some(files.collect()),
            notes: summary.notes,
            sources: self.sources.iter().map(SourceReport::answer).collect(),
            failed: failed.collect(),
            whole: self.ended.is_whole(),
            double: None,
            downloads: None,
        }
    }
}

/// Copies databases into one.
///
/// ```
/// # fn main() -> tabiya::model::Result<()> {
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/pgn/ok/opera.pgn");
/// # let folder = tempfile::tempdir()?;
/// # let copy = folder.path().join("opera.si5");
/// use tabiya::model::Control;
/// use tabiya::{Target, convert};
///
/// let bases = tabiya::open(path)?;
/// let target = Target::new(copy, None, Default::default())?;
/// let options = convert::ConvertOptions { verify: true, ..Default::default() };
/// let done = convert::convert(&bases, &target, &options, &Control::default())?;
/// assert!(done.is_complete());
/// # Ok(())
/// # }
/// ```
pub fn convert(
    bases: &[Base],
    target: &Target,
    options: &ConvertOptions,
    control: &Control,
) -> Result<Conversion> {
    let make = || -> GameTransform<'static> { Box::new(|_, _, _| true) };
    copy(bases, target, options, &make, control)
}

/// Copies databases into one, with a change to each game.
pub fn copy<'c>(
    bases: &[Base],
    target: &Target,
    options: &ConvertOptions,
    make: &(dyn Fn() -> GameTransform<'c> + Sync),
    control: &Control,
) -> Result<Conversion> {
    if options.verify {
        if !target.is_readable() {
            return Err(Error::new(&error_codes::NOT_VERIFIABLE, "a pipe or a table cannot be read again, so nothing can be compared: the target must be a database",
            )
            .with_hint(UserHint::WithoutVerify));
        }
        if !target.keeps_order() {
            return Err(Error::new(
                &error_codes::NOT_VERIFIABLE,
                "games that are spread over years and months get other numbers, so \
                 they cannot be compared with their sources",
            )
            .with_hint(UserHint::NoPartition));
        }
        if bases.iter().any(|base| !base.is_repeatable()) {
            return Err(Error::new(&error_codes::READ_ONCE, "a pipe cannot be read again, so nothing can be compared: the source must be a file",
            ).with_hint(UserHint::WithoutVerify));
        }
    }
    let mut writing = target.begin(bases)?;
    let mut done = Conversion::default();
    let mut lost = Vec::new();
    for base in bases {
        let (report, aspects, read) = {
            let mut source = match base.source(control) {
                Ok(source) => source,
                Err(error) => {
                    note_failure(&mut done, base, error, bases.len())?;
                    done.sources.push(target.report(base));
                    lost.push(LostAspects::default());
                    continue;
                }
            };
            let mut feed = writing.feed(source.about(), target.report(base));
            if options.verify {
                feed = feed.with_aspects();
            }
            let read = feed.take_all(&mut *source, make, options.strict, control);
            if options.strict {
                done.fault = feed.fault().map(str::to_owned);
            }
            let (report, aspects) = feed.into_parts();
            (report, aspects, read)
        };
        done.sources.push(report);
        lost.push(aspects);
        if let Err(error) = read {
            note_failure(&mut done, base, error, bases.len())?;
        }
        done.ended = control.completion();
        if !done.ended.is_whole() || done.fault.is_some() {
            return Ok(done);
        }
    }
    let mut summary = writing.finish()?;
    if options.verify {
        let opener = bases.first().map(Base::opener);
        let opener = opener.cloned().unwrap_or_default();
        let written = verify::target(target, &summary.files, &opener)?;
        let mut change = make();
        let kept = |game: &mut _| {
            let is_kept = change(game, &mut Losses::default(), &mut |_| {});
            verify::apply_target_options(target, game)?;
            Ok(is_kept)
        };
        verify::compare(&written, bases, kept, &lost, &mut done.sources, control)?;
        done.ended = control.completion();
        if !done.ended.is_whole() {
            let name = target.path.display();
            let note =
                format!("{name}: written completely, but not compared with its source to the end");
            summary.notes.push(note);
        }
    }
    done.summary = Some(summary);
    Ok(done)
}

/// Notes that a source failed; where it is the only one, that is the end, and so is whatever is not the source's fault.
pub(crate) fn note_failure(
    done: &mut Conversion,
    base: &Base,
    error: Error,
    sources: usize,
) -> Result<()> {
    let is_sources = matches!(
        error.kind,
        ErrorKind::Corrupt
            | ErrorKind::Limit
            | ErrorKind::NotThisFormat
            | ErrorKind::Unsupported
            | ErrorKind::Usage
    );
    if sources == 1 || !is_sources {
        return Err(error);
    }
    done.failed.push(BaseFailure {
        name: base.name().to_owned(),
        error,
    });
    Ok(())
}
