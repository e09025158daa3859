//! `tabiya convert`.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde_json::json;
use tabiya::{Input, Inputs};
use tabiya_formats::format::Format;
use tabiya_model::pipeline::{self, renumber};
use tabiya_model::{
    About, Block, Diagnostic, Diagnostics, Encoder, Error, Game, Loss, LossKind, Losses, Part,
    Severity, Sink, Summary, Want,
};

use super::args::{ConvertArgs, WriteArgs};
use super::exit::{Exit, Strict};
use super::output::{count, say};
use super::progress::Progress;
use super::report::{SourceReport, of_game};
use super::verify;

pub(crate) fn run(args: &ConvertArgs) -> Result<Exit> {
    let Some((target, sources @ [_, ..])) = args.paths.split_last() else {
        bail!("a source and a target are wanted");
    };
    let format = args.write.format_of(target)?;
    if args.verify && target.as_os_str() == "-" {
        bail!("what goes into a pipe cannot be read again: --verify wants a file as its target");
    }
    let inputs = args.read.inputs();
    let conversion = Conversion {
        sources,
        target,
        format,
        write: &args.write,
        jobs: args.jobs.jobs(),
        strict: args.strict,
        verify: args.verify,
        skip_deleted: args.skip_deleted,
        report: args.report.as_deref(),
    };
    conversion.run(&inputs)
}

/// A conversion of any number of sources into one target.
pub(crate) struct Conversion<'c> {
    pub(crate) sources: &'c [PathBuf],
    pub(crate) target: &'c Path,
    pub(crate) format: &'static Format,
    pub(crate) write: &'c WriteArgs,
    pub(crate) jobs: usize,
    pub(crate) strict: bool,
    pub(crate) verify: bool,
    pub(crate) skip_deleted: bool,
    pub(crate) report: Option<&'c Path>,
}

/// For each game that lost something: the aspects it lost, as bits.
pub(crate) type LostAspects = HashMap<u64, u16>;

impl Conversion<'_> {
    pub(crate) fn run(&self, inputs: &Inputs) -> Result<Exit> {
        let mut opened: Vec<Input> = Vec::new();
        for source in self.sources {
            opened.extend(inputs.open(source)?);
        }
        if self.verify && opened.iter().any(|input| !input.is_repeatable()) {
            bail!("a source that comes through a pipe cannot be read again: --verify wants files");
        }
        let options = self.write.options(&files_of(self.sources, &opened));
        let mut sink = tabiya::create(self.target, self.format, &options)?;
        let mut reports = Vec::new();
        let mut lost = Vec::new();
        let is_part = opened.len() > 1;
        for input in &mut opened {
            let mut aspects = self.verify.then(LostAspects::new);
            reports.push(self.one(input, &mut *sink, is_part, aspects.as_mut())?);
            lost.push(aspects.unwrap_or_default());
        }
        let summary = sink.finish()?;
        if self.verify {
            verify::run(self, inputs, &mut opened, &lost, &mut reports)?;
        }
        self.tell(&summary, &reports);
        if let Some(path) = self.report {
            self.write_report(path, &summary, &reports)?;
        }
        if reports
            .iter()
            .any(|r| r.unexplained.as_ref().is_some_and(|u| !u.is_empty()))
        {
            bail!("the target differs from the source in ways that were not reported");
        }
        let complete = reports.iter().all(|report| {
            report.damaged == 0
                && report.diagnostics.at_least(Severity::Damage) == 0
                && report
                    .losses
                    .kinds()
                    .all(|(kind, ..)| is_asked_for(self.format, kind))
        });
        Ok(if complete {
            Exit::Success
        } else {
            Exit::Incomplete
        })
    }

    /// What is to be kept of what a source says about itself: what the user has said replaces it.
    fn not_replaced(&self, mut about: About) -> About {
        if self.write.description.is_some() {
            about.description.clear();
        }
        if self.write.database_type.is_some() {
            about.kind = None;
        }
        if self.write.autoload.is_some() {
            about.autoload = None;
        }
        if !self.write.flag_labels.is_empty() {
            about.labels.clear();
        }
        about
    }

    /// Converts one source.
    fn one(
        &self,
        input: &mut Input,
        sink: &mut dyn Sink,
        is_part: bool,
        mut aspects: Option<&mut LostAspects>,
    ) -> Result<SourceReport> {
        let mut report = SourceReport {
            name: input.name.clone(),
            format: input.format.name,
            is_table: self.format.is_table(),
            ..SourceReport::default()
        };
        let encoders = std::sync::Mutex::new(
            (0..self.jobs.max(1))
                .map(|_| sink.encoder())
                .collect::<Vec<_>>(),
        );
        let mut source = input.source()?;
        let about = About {
            is_part,
            ..self.not_replaced(source.about())
        };
        let mut losses = Losses::default();
        sink.describe(&about, &mut losses);
        for loss in losses.iter() {
            report.losses.add(loss);
        }
        if self.strict
            && let Some(fault) = first_fault(self.format, &losses, &Diagnostics::default())
        {
            return Err(fault.into());
        }
        let mut progress = Progress::start(source.total_bytes());
        let skip_deleted = self.skip_deleted;
        let mut fault = None;
        let make = || {
            let encoder = encoders.lock().ok().and_then(|mut encoders| encoders.pop());
            let mut worker = encoder.map(|encoder| Worker {
                encoder,
                game: Game::default(),
                skip_deleted,
            });
            move |block: &mut dyn Block| match &mut worker {
                Some(worker) => worker.block(block),
                None => Err(Error::usage("more threads than encoders")),
            }
        };
        pipeline::run(&mut *source, self.jobs, make, |mut done: Done| {
            let base = match done.first {
                Some(_) => 0,
                None => report.games,
            };
            done.number(base);
            sink.append(done.part, base + 1, &mut done.losses)?;
            report.games += done.games;
            report.skipped += done.skipped;
            report.damaged += done.damaged;
            report.diagnostics.append(&done.diagnostics);
            for loss in done.losses.iter() {
                report.losses.add(loss);
                if let Some(aspects) = &mut aspects {
                    *aspects.entry(loss.game).or_default() |= loss.kind.aspect.bit();
                }
            }
            progress.add(done.games, done.bytes);
            if self.strict {
                fault = first_fault(self.format, &done.losses, &done.diagnostics);
            }
            Ok(fault.is_none())
        })
        .with_context(|| format!("{} was not converted", report.name))?;
        progress.finish();
        if let Some(fault) = fault {
            return Err(fault.into());
        }
        report.diagnostics.append(&source.diagnostics());
        for loss in source.gone().iter() {
            report.losses.add(loss);
        }
        Ok(report)
    }

    fn tell(&self, summary: &Summary, reports: &[SourceReport]) {
        for report in reports {
            report.tell();
        }
        for note in &summary.notes {
            say(note);
        }
        let read: u64 = reports.iter().map(|report| report.games).sum();
        let skipped: u64 = reports.iter().map(|report| report.skipped).sum();
        let lost: u64 = reports.iter().map(|report| report.losses.total()).sum();
        let damaged: u64 = reports.iter().map(|report| report.damaged).sum();
        let mut line = format!(
            "{} read, {} written",
            count(read, "game", "games"),
            summary.games
        );
        if skipped > 0 {
            line.push_str(&format!(", {skipped} deleted ones skipped"));
        }
        if damaged > 0 {
            line.push_str(&format!(
                ", {} with damage (what could be read is kept)",
                count(damaged, "game", "games")
            ));
        }
        line.push_str(&match lost {
            0 => ", nothing lost".to_owned(),
            _ => format!(", {}", count(lost, "loss", "losses")),
        });
        say(&line);
    }

    fn write_report(&self, path: &Path, summary: &Summary, reports: &[SourceReport]) -> Result<()> {
        let report = json!({
            "schema": "tabiya-conversion-1",
            "target": self.target.display().to_string(),
            "format": self.format.name,
            "games": summary.games,
            "bytes": summary.bytes,
            "files": summary.files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>(),
            "notes": summary.notes,
            "sources": reports.iter().map(SourceReport::json).collect::<Vec<_>>(),
        });
        let text = serde_json::to_string_pretty(&report)?;
        std::fs::write(path, text + "\n")
            .with_context(|| format!("{}: cannot be written", path.display()))
    }
}

/// Whether a loss is what the user asked for, so that a conversion with it is still complete: a table leaves out by its
/// nature what it has no column for, and an option of PGN what it says.
pub(crate) fn is_asked_for(format: &Format, kind: &LossKind) -> bool {
    format.is_table() || kind.asked_for
}

/// Every file of the sources, so that none of them is written to.
fn files_of(paths: &[PathBuf], inputs: &[Input]) -> Vec<PathBuf> {
    let mut files = paths.to_vec();
    for input in inputs {
        files.extend(input.info().files.into_iter().map(|(path, _)| path));
    }
    files
}

/// With `--strict`, the first loss or damage ends the conversion.
fn first_fault(format: &Format, losses: &Losses, diagnostics: &Diagnostics) -> Option<Strict> {
    let loss = losses
        .iter()
        .find(|loss| !is_asked_for(format, loss.kind))
        .map(|loss| {
            let Loss { kind, detail, .. } = loss;
            Strict(format!("{}{} ({detail})", of_game(loss), kind.summary))
        });
    let is_damage = |diagnostic: &&Diagnostic| diagnostic.code.severity == Severity::Damage;
    loss.or_else(|| {
        let damage = diagnostics.iter().find(is_damage)?;
        Some(Strict(damage.to_string()))
    })
}

/// Decodes and encodes blocks on one thread.
struct Worker {
    encoder: Box<dyn Encoder>,
    game: Game,
    skip_deleted: bool,
}

/// What became of a block.
struct Done {
    part: Part,
    first: Option<u64>,
    games: u64,
    skipped: u64,
    damaged: u64,
    bytes: u64,
    losses: Losses,
    diagnostics: Diagnostics,
}

impl Worker {
    fn block(&mut self, block: &mut dyn Block) -> tabiya_model::Result<Done> {
        let (mut games, mut skipped, mut damaged) = (0, 0, 0);
        let (mut losses, mut diagnostics) = (Losses::default(), Diagnostics::default());
        while block.next(Want::ALL, &mut self.game)? {
            games += 1;
            if !self.game.diagnostics.is_empty() {
                damaged += u64::from(self.game.diagnostics.at_least(Severity::Damage) > 0);
                diagnostics.append(&self.game.diagnostics);
            }
            if self.skip_deleted && self.game.is_deleted() {
                skipped += 1;
                continue;
            }
            self.encoder.encode(&self.game, &mut losses);
        }
        Ok(Done {
            part: self.encoder.take(),
            first: block.first(),
            games,
            skipped,
            damaged,
            bytes: block.bytes(),
            losses,
            diagnostics,
        })
    }
}

impl Done {
    /// Adds what came before to numbers that count from the block's start.
    fn number(&mut self, base: u64) {
        for loss in self.losses.iter_mut() {
            loss.game += base;
        }
        for diagnostic in self.diagnostics.iter_mut() {
            if let Some(game) = &mut diagnostic.place.game {
                *game += base;
            }
        }
    }
}

/// Calls `each` with every game of an input that a conversion would write, numbered through.
pub(crate) fn for_each_kept(
    input: &mut Input,
    skip_deleted: bool,
    mut each: impl FnMut(&mut Game) -> tabiya_model::Result<()>,
) -> tabiya_model::Result<()> {
    input.for_each(|game| {
        renumber(game, 0);
        if skip_deleted && game.is_deleted() {
            return Ok(());
        }
        each(game)
    })?;
    Ok(())
}
