//! The table of formats in `docs/formats/README.md`, as the program prints it.

use anyhow::{Context, Result, bail};

use crate::steps::{built, root};

const OPEN: &str = "<!-- formats -->\n";
const CLOSE: &str = "<!-- /formats -->";

/// Compares the matrix; with `--write`, brings it up to date.
pub(crate) fn readme(args: &[String]) -> Result<()> {
    let output = built("tabiya")?
        .args(["formats", "--markdown"])
        .output()
        .context("cannot start the program")?;
    if !output.status.success() {
        bail!("{}", String::from_utf8_lossy(&output.stderr));
    }
    let matrix = String::from_utf8(output.stdout)?;
    let path = root().join("docs/formats/README.md");
    let text = std::fs::read_to_string(&path)?;
    let (before, rest) = text
        .split_once(OPEN)
        .context("docs/formats/README.md has no place for the table")?;
    let (old, after) = rest
        .split_once(CLOSE)
        .context("docs/formats/README.md has no end of the table")?;
    if old == matrix {
        return Ok(());
    }
    if args.iter().any(|arg| arg == "--write") {
        std::fs::write(&path, format!("{before}{OPEN}{matrix}{CLOSE}{after}"))?;
        return Ok(());
    }
    bail!(
        "the table in docs/formats/README.md is not what `tabiya formats --markdown` prints; renew it with `cargo xtask readme --write`"
    );
}
