//! Which files a query may read: those under the allowed folders, wherever links lead.

use std::path::{Path, PathBuf};

use datafusion::common::{DataFusionError, Result};

/// What is open to queries.
#[derive(Clone, Debug)]
pub(crate) struct AllowedRoots {
    folders: Vec<PathBuf>,
    /// Places in object stores, as `s3://bucket/folder`.
    addresses: Vec<String>,
}

/// How an address in an object store begins.
const S3: &str = "s3://";

/// Whether a name is an address in an object store.
pub(crate) fn is_address(name: &str) -> bool {
    name.starts_with(S3)
}

impl AllowedRoots {
    /// The working folder and others.
    pub(crate) fn new(allowed: &[PathBuf]) -> anyhow::Result<AllowedRoots> {
        use anyhow::Context as _;
        let (mut folders, mut addresses) = (Vec::new(), Vec::new());
        for path in std::iter::once(Path::new(".")).chain(allowed.iter().map(PathBuf::as_path)) {
            if let Some(address) = path.to_str().filter(|name| is_address(name)) {
                addresses.push(address.trim_end_matches('/').to_owned());
                continue;
            }
            let root = path
                .canonicalize()
                .with_context(|| format!("{}: a folder for queries", path.display()))?;
            folders.push(root);
        }
        Ok(AllowedRoots { folders, addresses })
    }

    /// Whether queries may read what is at an address of an object store.
    pub(crate) fn allow_address(&self, address: &str) -> Result<()> {
        let address = address.trim_end_matches('/');
        let is_plain = !address
            .trim_start_matches(S3)
            .split('/')
            .any(|part| matches!(part, "" | "." | ".."))
            && !address.contains(['%', '?', '#', '*']);
        let is_under = self.addresses.iter().any(|root| {
            address
                .strip_prefix(root.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        });
        if is_plain && is_under {
            return Ok(());
        }
        Err(refuse(format!(
            "{address}: queries only read what --allow names in object stores, as in --allow s3://bucket/lake"
        )))
    }

    /// The place that a path leads to, where queries may go there. What may not be read is not told apart from what is not there.
    pub(crate) fn resolve(&self, path: &Path) -> Result<PathBuf> {
        if path.as_os_str().is_empty() {
            return Err(refuse("a file name is required"));
        }
        let found = path.canonicalize();
        match found {
            Ok(real) if self.folders.iter().any(|root| real.starts_with(root)) => Ok(real),
            // A path that leads out is refused whether or not something stands there.
            _ if self.leads_out(path) => Err(refuse(format!(
                "{}: queries only read files in the working folder and in folders named with --allow",
                path.display()
            ))),
            Ok(_) => Err(refuse(format!(
                "{}: it leads out of the folders that queries may read",
                path.display()
            ))),
            Err(error) => Err(refuse(format!("{}: {error}", path.display()))),
        }
    }

    /// Whether a path leaves all folders by its words alone.
    fn leads_out(&self, path: &Path) -> bool {
        let Ok(whole) = std::path::absolute(path) else {
            return true;
        };
        let mut plain = PathBuf::new();
        for part in whole.components() {
            match part {
                std::path::Component::ParentDir => {
                    plain.pop();
                }
                part => plain.push(part),
            }
        }
        let near = |path: &Path| self.folders.iter().any(|root| path.starts_with(root));
        // The folder that it stands in may be written with links of its own.
        let parent = plain.parent().and_then(|parent| parent.canonicalize().ok());
        !near(&plain) && !parent.is_some_and(|parent| near(&parent))
    }
}

/// A query that is not answered, in one sentence.
pub(crate) fn refuse(words: impl Into<String>) -> DataFusionError {
    DataFusionError::Plan(words.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_leads_out_of_the_roots() {
        let outside = tempfile::tempdir().expect("a folder");
        let inside = tempfile::tempdir().expect("a folder");
        let secret = outside.path().join("secret.pgn");
        std::fs::write(&secret, "x").expect("a file");
        let own = inside.path().join("own.pgn");
        std::fs::write(&own, "x").expect("a file");
        let roots = AllowedRoots {
            folders: vec![inside.path().canonicalize().expect("a folder")],
            addresses: Vec::new(),
        };
        assert!(roots.resolve(&own).is_ok());
        let climbing = inside.path().join("..").join(
            outside
                .path()
                .file_name()
                .map(PathBuf::from)
                .unwrap_or_default()
                .join("secret.pgn"),
        );
        for path in [&secret, &climbing, &inside.path().join("../x.pgn")] {
            let error = roots.resolve(path).expect_err("it is outside");
            assert!(error.to_string().contains("--allow"), "{error}");
        }
        #[cfg(unix)]
        {
            let link = inside.path().join("link.pgn");
            std::os::unix::fs::symlink(&secret, &link).expect("a link");
            let error = roots.resolve(&link).expect_err("it leads out");
            assert!(error.to_string().contains("leads out"), "{error}");
        }
        let error = roots
            .resolve(&inside.path().join("none.pgn"))
            .expect_err("it is not there");
        assert!(error.to_string().contains("No such file"), "{error}");
    }

    #[test]
    fn addresses_are_read_where_they_are_allowed() {
        let roots = AllowedRoots {
            folders: Vec::new(),
            addresses: vec!["s3://games/lake".into()],
        };
        for address in [
            "s3://games/lake",
            "s3://games/lake/",
            "s3://games/lake/games/1.parquet",
        ] {
            assert!(roots.allow_address(address).is_ok(), "{address}");
        }
        for address in [
            "s3://games",
            "s3://games/lakes",
            "s3://other/lake",
            "s3://games/lake/../secret",
            "s3://games/lake//x",
            "s3://games/lake/%2e%2e/secret",
            "s3://",
        ] {
            let error = roots.allow_address(address).expect_err(address);
            assert!(error.to_string().contains("--allow"), "{error}");
        }
    }
}
