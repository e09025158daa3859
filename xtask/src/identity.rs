//! The publisher of the program: the texts of `packaging/identity.toml`.

use std::fs;

use anyhow::{Context as _, Result, bail};

use crate::steps::root;

/// Every field, in the order of the file.
pub(crate) const FIELDS: [&str; 9] = [
    "name",
    "publisher",
    "maintainer",
    "homepage",
    "source",
    "issues",
    "app_id",
    "winget_id",
    "security_contact",
];

/// The file: lines `name = "text"` and remarks.
pub(crate) struct ProjectIdentity(String);

impl ProjectIdentity {
    pub(crate) fn read() -> Result<ProjectIdentity> {
        let text = fs::read_to_string(root().join("packaging/identity.toml"))
            .context("packaging/identity.toml")?;
        Ok(ProjectIdentity(text))
    }

    #[cfg(test)]
    pub(crate) fn of(text: &str) -> ProjectIdentity {
        ProjectIdentity(text.to_owned())
    }

    /// The text of a field, which may be empty.
    pub(crate) fn field(&self, name: &str) -> Result<&str> {
        let text = self.0.lines().find_map(|line| {
            let (key, value) = line.split_once('=')?;
            let value = value.trim().strip_prefix('"')?.strip_suffix('"')?;
            (key.trim() == name && !value.contains(['"', '\\'])).then_some(value.trim())
        });
        text.with_context(|| format!("packaging/identity.toml has no line `{name} = \"…\"`"))
    }

    /// The text of a field, or what stands there in a test build while it is empty.
    pub(crate) fn field_or<'a>(&'a self, name: &str, stand_in: &'a str) -> Result<&'a str> {
        let text = self.field(name)?;
        Ok(if text.is_empty() { stand_in } else { text })
    }

    /// Refuses a release while somebody is not named.
    pub(crate) fn complete(&self) -> Result<()> {
        let mut empty = Vec::new();
        for name in FIELDS {
            if self.field(name)?.is_empty() {
                empty.push(name);
            }
        }
        if !empty.is_empty() {
            bail!(
                "a release needs every field of packaging/identity.toml, but these are empty: {}",
                empty.join(", ")
            );
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found_and_missing_ones_are_told() {
        let identity =
            ProjectIdentity::of("# name = \"x\"\nname = \"Tabiya\"\npublisher = \"\"\nbad = x\n");
        assert_eq!(identity.field("name").expect("there"), "Tabiya");
        assert_eq!(identity.field("publisher").expect("there"), "");
        assert_eq!(
            identity.field_or("publisher", "nobody").expect("there"),
            "nobody"
        );
        assert!(identity.field("bad").is_err());
        assert!(identity.complete().is_err());
        let all: String = FIELDS.map(|name| format!("{name} = \"x\"\n")).concat();
        ProjectIdentity::of(&all).complete().expect("complete");
        let without = all.replace("issues = \"x\"", "issues = \"\"");
        let told = ProjectIdentity::of(&without)
            .complete()
            .expect_err("incomplete")
            .to_string();
        assert!(told.ends_with("empty: issues"), "{told}");
    }

    #[test]
    fn the_file_has_every_field() {
        let identity = ProjectIdentity::read().expect("read");
        for name in FIELDS {
            identity.field(name).expect(name);
        }
    }
}
