//! `SECURITY.md` names the contact of `packaging/identity.toml`.

use std::fs;

use anyhow::{Context as _, Result, bail};

use crate::steps::root;

const BEGIN: &str = "<!-- contact -->\n";
const END: &str = "<!-- /contact -->\n";

/// What stands in place of a contact that nobody has filled in.
const NOBODY: &str = "**There is no contact yet**: `security_contact` in `packaging/identity.toml` is empty. This is a copy in which nobody has filled it in, and \
no release.\n";

/// Compares them, or writes the contact down where that is wanted.
pub(crate) fn security(args: &[String]) -> Result<()> {
    let identity = fs::read_to_string(root().join("packaging/identity.toml"))
        .context("packaging/identity.toml")?;
    let path = root().join("SECURITY.md");
    let text = fs::read_to_string(&path).context("SECURITY.md")?;
    let new = with_contact(&text, &identity)?;
    if new == text {
        return Ok(());
    }
    if args.iter().any(|arg| arg == "--write") {
        return Ok(fs::write(&path, new)?);
    }
    bail!(
        "SECURITY.md does not name the contact of packaging/identity.toml: `cargo xtask security --write`"
    );
}

/// The text with the contact at its place.
fn with_contact(text: &str, identity: &str) -> Result<String> {
    let contact = field(identity, "security_contact")
        .context("packaging/identity.toml has no line `security_contact = \"…\"`")?;
    let (before, rest) = text
        .split_once(BEGIN)
        .context("SECURITY.md has no place for the contact")?;
    let (_, after) = rest
        .split_once(END)
        .context("SECURITY.md has no place for the contact")?;
    let told = match contact.trim() {
        "" => NOBODY.to_owned(),
        contact => format!("Write to <{contact}>.\n"),
    };
    Ok(format!("{before}{BEGIN}{told}{END}{after}"))
}

/// A text of the file, which has nothing but lines `name = "text"` and remarks.
fn field<'a>(identity: &'a str, name: &str) -> Option<&'a str> {
    identity.lines().find_map(|line| {
        let (key, value) = line.split_once('=')?;
        let value = value.trim().strip_prefix('"')?.strip_suffix('"')?;
        (key.trim() == name && !value.contains(['"', '\\', '<', '>'])).then_some(value)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "a\n<!-- contact -->\nold\n<!-- /contact -->\nb\n";

    #[test]
    fn the_contact_follows_the_identity() {
        let with = |identity: &str| with_contact(TEXT, identity).map_err(|error| error.to_string());
        let none = with("name = \"x\"\nsecurity_contact = \"\"\n").expect("written");
        assert!(none.contains("There is no contact yet") && !none.contains("old"));
        let some = with("security_contact = \"a@b.example\"").expect("written");
        assert_eq!(
            some,
            "a\n<!-- contact -->\nWrite to <a@b.example>.\n<!-- /contact -->\nb\n"
        );
        for wrong in [
            "",
            "# security_contact = \"x\"",
            "security_contact = x",
            "security_contact = \"a\\\"b\"",
        ] {
            assert!(with(wrong).is_err(), "{wrong}");
        }
        assert!(with_contact("no place", "security_contact = \"\"").is_err());
    }

    #[test]
    fn what_stands_there_agrees() {
        security(&[]).expect("they agree");
    }
}
