//! Membership in a cluster: clusters have a name and a secret, and refuse machines with others.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use clap::Args;

/// The variable that may hold the secret.
const SECRET: &str = "TABIYA_CLUSTER_SECRET";
/// The shortest secret.
const SHORTEST: usize = 16;

/// How a machine proves that it belongs to a cluster.
#[derive(Args, Debug)]
pub(crate) struct MemberArgs {
    /// The name of the cluster
    #[arg(long, value_name = "NAME", default_value = "tabiya", value_parser = name)]
    cluster_name: String,
    /// File with the secret of the cluster, instead of TABIYA_CLUSTER_SECRET
    #[arg(long, value_name = "FILE")]
    cluster_secret: Option<PathBuf>,
}

fn name(text: &str) -> Result<String, String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    if text.is_empty() || text.len() > 64 || !text.chars().all(is_plain) {
        return Err("a name has at most 64 letters, digits, - _ and .".into());
    }
    Ok(text.to_owned())
}

impl MemberArgs {
    /// The name and the secret.
    pub(crate) fn member(&self) -> Result<ClusterMember> {
        let secret = match &self.cluster_secret {
            Some(path) => Some(read(path)?),
            None => std::env::var(SECRET).ok(),
        };
        let secret = secret.map(|text| text.trim().to_owned());
        if secret.as_ref().is_some_and(|text| text.len() < SHORTEST) {
            bail!("the secret of a cluster must have at least {SHORTEST} characters");
        }
        Ok(ClusterMember {
            name: self.cluster_name.clone(),
            secret,
        })
    }
}

/// A secret that its owner alone can read.
fn read(path: &Path) -> Result<String> {
    let name = || path.display().to_string();
    let text = std::fs::read_to_string(path).with_context(name)?;
    if std::fs::metadata(path)
        .with_context(name)?
        .permissions()
        .mode()
        & 0o077
        != 0
    {
        bail!(
            "{}: other users of this machine can read or change the secret: run `chmod 600` on the file",
            path.display()
        );
    }
    Ok(text)
}

/// The name of a cluster, and its secret if it has one.
#[derive(Clone)]
#[cfg_attr(
    not(feature = "cluster"),
    expect(dead_code, reason = "clusters ask for it")
)]
pub(crate) struct ClusterMember {
    pub(crate) name: String,
    pub(crate) secret: Option<String>,
}

impl std::fmt::Debug for ClusterMember {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // A secret is shown to nobody.
        f.write_str(&self.name)
    }
}

/// The scheduler that answers.
#[derive(Clone, Debug)]
#[cfg_attr(
    not(feature = "cluster"),
    expect(dead_code, reason = "clusters ask for it")
)]
pub(crate) struct SchedulerAddress {
    /// Its host, and its port behind a colon where that is another one.
    pub(crate) address: String,
    pub(crate) member: ClusterMember,
}
