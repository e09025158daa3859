//! `tabiya mcp`: tools for language models, on standard input and output.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, bail};
use clap::Args;
use tabiya_mcp::{McpConfig, McpFolders, McpServer, serve_stdio};

use super::args::ReadArgs;
use super::exit::Exit;
use super::{external_program, interrupt};

/// How often to check whether the program should end.
const LOOK: Duration = Duration::from_millis(50);

/// More in the long help.
const CLIENTS: &str = "\
Speaks the Model Context Protocol (2026-07-28, and versions up to 2025-11-25) on standard input and output, one message per line. \
A client starts it: docs/mcp.md shows how for common clients. It reads and writes nothing outside the given folders and databases.";

#[derive(Args, Debug)]
#[command(after_long_help = CLIENTS)]
pub(crate) struct McpArgs {
    /// Folders with databases, or databases
    #[arg(required = true, value_name = "FOLDER|BASE")]
    paths: Vec<PathBuf>,
    /// Allow changes to these databases, which can all be undone, and new files in these folders
    #[arg(long)]
    allow_edits: bool,
    #[command(flatten)]
    read: ReadArgs,
}

/// How the tools are offered.
pub(crate) fn config(edits: bool) -> McpConfig {
    McpConfig {
        edits,
        sql: external_program::sql(),
    }
}

pub(crate) fn run(args: &McpArgs) -> Result<Exit> {
    let mut opener = args.read.opener();
    // A base that another program may truncate is read, not mapped.
    opener.options.mmap = false;
    if let Some(missing) = args.paths.iter().find(|path| !path.exists()) {
        bail!("{}: no such file or folder", missing.display());
    }
    let bases = McpFolders::open(opener, &args.paths);
    let server = McpServer::new(Arc::new(bases), config(args.allow_edits));
    let control = interrupt::control();
    let (tools, ending) = (server.clone(), control.clone());
    let answering = std::thread::spawn(move || {
        // The lock of standard input stays with this thread: nothing else reads it.
        serve_stdio(&tools, std::io::stdin().lock(), std::io::stdout(), &ending)
    });
    // A request to stop may arrive while waiting for the next message.
    while !answering.is_finished() && !control.is_stopped() {
        std::thread::sleep(LOOK);
    }
    if control.is_stopped() {
        server.stop();
        return Ok(Exit::Interrupted);
    }
    match answering.join() {
        Ok(ended) => ended?,
        Err(_) => bail!("internal error of the program"),
    }
    Ok(Exit::Success)
}
