//! `tabiya identify`.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use tabiya::{BaseFailure, Opener, identify};
use tabiya_answers::Answer;

use super::exit::Exit;
use super::{interrupt, output, report};

#[derive(Args, Debug)]
pub(crate) struct IdentifyArgs {
    /// Files or folders; `-` is standard input
    #[arg(required = true)]
    pub(crate) paths: Vec<PathBuf>,
    /// Print JSON, one file per line
    #[arg(long)]
    pub(crate) json: bool,
}

/// The format of standard input.
fn of_stdin(opener: &Opener) -> Result<Vec<identify::PathIdentity>, tabiya_model::Error> {
    let opened = opener.open_all(&["-"]).or_fail()?;
    let bases = opened.bases.iter().map(|base| identify::PathIdentity {
        path: "-".into(),
        what: identify::PathKind::Database {
            format: base.format(),
            certain: true,
        },
    });
    Ok(bases.collect())
}

pub(crate) fn run(args: &IdentifyArgs) -> Result<Exit> {
    let opener = Opener::default();
    let control = interrupt::control();
    let mut all_known = true;
    let mut failed = Vec::new();
    let mut out = output::stdout_of(args.json);
    for path in &args.paths {
        let identified = match path.as_os_str() == "-" {
            true => of_stdin(&opener),
            false => identify::identify(&opener, path, &control),
        };
        let found = match identified {
            Ok(found) => found,
            Err(error) => {
                let name = path.display().to_string();
                failed.push(BaseFailure { name, error });
                continue;
            }
        };
        // Of a folder, one database is enough.
        all_known &= found.iter().any(identify::PathIdentity::is_known);
        for identified in found {
            if args.json {
                writeln!(out, "{}", identified.answer().json())?;
            } else {
                let path = identified.path.display().to_string();
                writeln!(out, "{}: {}", output::printable(&path), identified.title())?;
            }
        }
    }
    out.flush()?;
    report::failures(&failed);
    Ok(Exit::of(!failed.is_empty(), false, all_known))
}
