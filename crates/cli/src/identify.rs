//! `tabiya identify`.

use std::io::Write;

use anyhow::Result;
use tabiya::Inputs;
use tabiya_formats::format::Identity;

use super::args::IdentifyArgs;
use super::exit::Exit;
use super::output;

pub(crate) fn run(args: &IdentifyArgs) -> Result<Exit> {
    let inputs = Inputs::default();
    let mut exit = Exit::Success;
    let mut out = output::stdout();
    for path in &args.paths {
        let answer = match inputs.identify(path)? {
            Some((format, Identity::Yes)) => format.title.to_owned(),
            Some((format, _)) => format!("{}, perhaps", format.title),
            None => {
                exit = Exit::NoMatch;
                "unknown".to_owned()
            }
        };
        writeln!(out, "{}: {answer}", path.display())?;
    }
    out.flush()?;
    Ok(exit)
}
