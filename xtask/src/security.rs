//! `SECURITY.md` names the contact of `packaging/identity.toml`.

use std::fs;

use anyhow::{Context as _, Result, bail};

use crate::identity::ProjectIdentity;
use crate::steps::root;

const BEGIN: &str = "<!-- contact -->\n";
const END: &str = "<!-- /contact -->\n";

/// The text without a contact.
const NOBODY: &str = "**There is no contact yet**: `security_contact` in `packaging/identity.toml` is empty, because this copy is not a release.\n";

/// Compares them, or writes the contact down where that is wanted.
pub(crate) fn security(args: &[String]) -> Result<()> {
    let identity = ProjectIdentity::read()?;
    let path = root().join("SECURITY.md");
    let text = fs::read_to_string(&path).context("SECURITY.md")?;
    let new = with_contact(&text, identity.field("security_contact")?)?;
    if new == text {
        return Ok(());
    }
    if args.iter().any(|arg| arg == "--write") {
        return Ok(fs::write(&path, new)?);
    }
    bail!(
        "SECURITY.md does not have the contact of packaging/identity.toml; renew it with `cargo xtask security --write`"
    );
}

/// The text with the contact at its place.
fn with_contact(text: &str, contact: &str) -> Result<String> {
    if contact.contains(['<', '>']) {
        bail!("security_contact must be an address without < and >");
    }
    let (before, rest) = text
        .split_once(BEGIN)
        .context("SECURITY.md has no place for the contact")?;
    let (_, after) = rest
        .split_once(END)
        .context("SECURITY.md has no place for the contact")?;
    let told = match contact {
        "" => NOBODY.to_owned(),
        contact => format!("Write to <{contact}>.\n"),
    };
    Ok(format!("{before}{BEGIN}{told}{END}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "a\n<!-- contact -->\nold\n<!-- /contact -->\nb\n";

    #[test]
    fn the_contact_follows_the_identity() {
        let with = |contact: &str| with_contact(TEXT, contact).expect("written");
        let none = with("");
        assert!(none.contains("There is no contact yet") && !none.contains("old"));
        assert_eq!(
            with("a@b.example"),
            "a\n<!-- contact -->\nWrite to <a@b.example>.\n<!-- /contact -->\nb\n"
        );
        assert!(with_contact(TEXT, "A <a@b.example>").is_err());
        assert!(with_contact("no place", "").is_err());
    }

    #[test]
    fn what_stands_there_agrees() {
        security(&[]).expect("they agree");
    }
}
