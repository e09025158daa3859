//! `tabiya diff`: compares two databases game by game, by meaning.

use std::io::Write;
use std::sync::mpsc;

use anyhow::Result;
use tabiya::Input;
use tabiya_model::diff::diff;
use tabiya_model::{Error, Game};

use super::args::DiffArgs;
use super::exit::Exit;
use super::output::{self, count, printable};

/// Games that wait for their comparison.
const WAITING: usize = 256;

pub(crate) fn run(args: &DiffArgs) -> Result<Exit> {
    let inputs = args.read.inputs();
    let mut left = inputs.open(&args.a)?;
    let mut right = inputs.open(&args.b)?;
    let mut out = output::stdout();
    let (mut compared, mut different, mut missing) = (0_u64, 0_u64, 0_u64);
    let surplus = std::thread::scope(|scope| -> Result<u64> {
        let (send, receive) = mpsc::sync_channel::<Game>(WAITING);
        let reading = scope.spawn(move || {
            each_of(&mut right, |game| {
                send.send(std::mem::take(game))
                    .map_err(|_| Error::usage("the comparison ended early"))
            })
        });
        let mut result = Ok(());
        each_of(&mut left, |game| {
            let Ok(other) = receive.recv() else {
                missing += 1;
                return Ok(());
            };
            compared += 1;
            let differences = diff(game, &other);
            if differences.is_empty() {
                return Ok(());
            }
            different += 1;
            if different <= args.most && result.is_ok() {
                for difference in differences {
                    let line = printable(&difference.to_string()).into_owned();
                    if let Err(error) = writeln!(out, "game {}: {line}", game.origin.number) {
                        result = Err(error);
                    }
                }
            }
            Ok(())
        })?;
        result?;
        let surplus = receive.iter().count() as u64;
        match reading.join() {
            Ok(read) => read?,
            Err(panic) => std::panic::resume_unwind(panic),
        }
        Ok(surplus)
    })?;
    if different > args.most {
        writeln!(out, "… {} more that differ", different - args.most)?;
    }
    for (number, only) in [(missing, &args.a), (surplus, &args.b)] {
        if number > 0 {
            writeln!(
                out,
                "{} only in {}, at its end",
                count(number, "game", "games"),
                only.display()
            )?;
        }
    }
    writeln!(
        out,
        "{} compared, {different} differ",
        count(compared, "game", "games")
    )?;
    out.flush()?;
    Ok(if different + missing + surplus == 0 {
        Exit::Success
    } else {
        Exit::NoMatch
    })
}

fn each_of(
    inputs: &mut [Input],
    mut each: impl FnMut(&mut Game) -> tabiya_model::Result<()>,
) -> tabiya_model::Result<()> {
    for input in inputs {
        input.for_each(&mut each)?;
    }
    Ok(())
}
