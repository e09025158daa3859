//! `convert --verify`: reads the target again and compares it with the sources, game by game.

use std::sync::mpsc;

use anyhow::{Context, Result};
use tabiya::{Input, Inputs};
use tabiya_model::diff::diff;
use tabiya_model::{Aspect, Error, Game};

use super::convert::{Conversion, LostAspects, for_each_kept};
use super::report::SourceReport;

/// Games of the target that wait for their comparison.
const WAITING: usize = 256;

/// How many differences are told at most.
const MOST: usize = 1000;

/// Compares the target of a conversion with its sources and notes every difference that no loss explains.
pub(crate) fn run(
    conversion: &Conversion<'_>,
    inputs: &Inputs,
    sources: &mut [Input],
    lost: &[LostAspects],
    reports: &mut [SourceReport],
) -> Result<()> {
    let target = Inputs {
        format: Some(conversion.format),
        options: tabiya_formats::format::OpenOptions {
            encoding: conversion.write.target_encoding,
            ..inputs.options.clone()
        },
        salvage: false,
    };
    let mut written = target
        .open(conversion.target)
        .context("the target cannot be read again")?;
    std::thread::scope(|scope| {
        let (send, receive) = mpsc::sync_channel::<Game>(WAITING);
        let reading = scope.spawn(move || -> tabiya_model::Result<()> {
            for input in &mut written {
                input.for_each(|game| {
                    // The receiver is gone only when the comparison has failed already.
                    send.send(std::mem::take(game))
                        .map_err(|_| Error::usage("the comparison ended early"))
                })?;
            }
            Ok(())
        });
        for ((input, lost), report) in sources.iter_mut().zip(lost).zip(reports.iter_mut()) {
            let mut unexplained = Vec::new();
            for_each_kept(input, conversion.skip_deleted, |game| {
                let number = game.origin.number;
                let aspects = lost.get(&number).copied().unwrap_or(0);
                if aspects & Aspect::Game.bit() != 0 {
                    return Ok(());
                }
                let Ok(copy) = receive.recv() else {
                    if unexplained.len() < MOST {
                        unexplained.push(format!("game {number}: is missing in the target"));
                    }
                    return Ok(());
                };
                if same(game, &copy) {
                    return Ok(());
                }
                for difference in diff(game, &copy) {
                    let explained = Aspect::ALL.iter().any(|aspect| {
                        aspects & aspect.bit() != 0 && aspect.explains(difference.aspect)
                    });
                    if !explained && unexplained.len() < MOST {
                        unexplained.push(format!("game {number}: {difference}"));
                    }
                }
                Ok(())
            })?;
            report.unexplained = Some(unexplained);
        }
        let surplus = receive.iter().count();
        if surplus > 0
            && let Some(report) = reports.last_mut()
            && let Some(unexplained) = &mut report.unexplained
        {
            unexplained.push(format!("the target holds {surplus} games more"));
        }
        drop(receive);
        match reading.join() {
            Ok(result) => result.context("the target cannot be read again"),
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
        && a.result() == b.result()
}
