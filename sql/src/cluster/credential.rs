//! The credential of a machine in a cluster: its name and a digest of its secret, with everything that one machine asks of another.
//!
//! It identifies and hides nothing: whoever listens on the network can send the same.

use std::sync::Arc;

use ballista_core::extension::EndpointOverrideFn;
use ballista_core::serde::protobuf::scheduler_grpc_client::SchedulerGrpcClient;
use sha2::{Digest, Sha256};
use tonic::metadata::MetadataMap;
use tonic::transport::{Channel, Endpoint};
use tonic::{Request, Status};

use super::MESSAGE;
use crate::cluster_member::ClusterMember;

/// How the words of a pass begin, where programs say who they are.
const MARK: &str = "tabiya-cluster/1";
/// The field in which programs say who they are.
const FIELD: &str = "user-agent";

/// What is said to whoever has no pass, or another one.
pub(super) const REFUSED: &str =
    "refused: this is another cluster, or it has another secret (--cluster-name, --cluster-secret)";

/// Who asks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ClusterRole {
    /// The program that sends queries.
    Client,
    /// The program that computes them.
    Executor,
    /// The program that plans them.
    Scheduler,
}

impl ClusterRole {
    const ALL: [ClusterRole; 3] = [
        ClusterRole::Client,
        ClusterRole::Executor,
        ClusterRole::Scheduler,
    ];

    fn word(self) -> &'static str {
        match self {
            ClusterRole::Client => "client",
            ClusterRole::Executor => "executor",
            ClusterRole::Scheduler => "scheduler",
        }
    }
}

/// What the machines of a cluster have in common.
#[derive(Clone)]
pub(super) struct ClusterCredential {
    name: String,
    proof: String,
}

impl ClusterCredential {
    /// The pass of a member.
    pub(super) fn new(member: &ClusterMember) -> ClusterCredential {
        let secret = member.secret.as_deref().unwrap_or_default();
        let mut digest = Sha256::new();
        for part in ["tabiya cluster", &member.name, secret] {
            digest.update((part.len() as u64).to_le_bytes());
            digest.update(part);
        }
        let digest = digest.finalize();
        ClusterCredential {
            name: member.name.clone(),
            proof: digest.iter().map(|byte| format!("{byte:02x}")).collect(),
        }
    }

    fn words(&self, role: ClusterRole) -> String {
        format!("{MARK} {} {} {}", role.word(), self.name, self.proof)
    }

    /// Shows the pass on every connection that is opened.
    pub(super) fn shown(&self, role: ClusterRole) -> EndpointOverrideFn {
        let words = self.words(role);
        Arc::new(move |endpoint: Endpoint| Ok(endpoint.user_agent(words.as_str())?))
    }

    /// A connection to the scheduler at an address.
    pub(super) async fn connect(
        &self,
        role: ClusterRole,
        url: &str,
    ) -> Result<SchedulerGrpcClient<Channel>, tonic::transport::Error> {
        let endpoint = Endpoint::from_shared(url.to_owned())?.user_agent(self.words(role))?;
        let client = SchedulerGrpcClient::new(endpoint.connect().await?);
        Ok(client.max_decoding_message_size(MESSAGE as usize))
    }

    /// Who asks, where they belong here.
    pub(super) fn role(&self, metadata: &MetadataMap) -> Option<ClusterRole> {
        let said = metadata.get(FIELD)?.to_str().ok()?;
        let mut words = said.strip_prefix(MARK)?.split_ascii_whitespace();
        let (role, name, proof) = (words.next()?, words.next()?, words.next()?);
        let role = ClusterRole::ALL.into_iter().find(|it| it.word() == role)?;
        let is_ours = is_same(name, &self.name) & is_same(proof, &self.proof);
        is_ours.then_some(role)
    }

    /// Lets in whoever has the pass, and nobody else.
    pub(super) fn door(
        &self,
    ) -> impl Fn(Request<()>) -> Result<Request<()>, Status> + Clone + Send + Sync + 'static {
        let pass = self.clone();
        move |request: Request<()>| match pass.role(request.metadata()) {
            Some(_) => Ok(request),
            None => Err(Status::unauthenticated(REFUSED)),
        }
    }
}

/// Whether two words are the same, in a time that does not tell where they differ.
fn is_same(one: &str, other: &str) -> bool {
    let differing = one.bytes().zip(other.bytes()).map(|(a, b)| a ^ b);
    one.len() == other.len() && differing.fold(0, |all, bits| all | bits) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pass(name: &str, secret: Option<&str>) -> ClusterCredential {
        ClusterCredential::new(&ClusterMember {
            name: name.into(),
            secret: secret.map(str::to_owned),
        })
    }

    #[test]
    fn name_and_secret_have_to_be_the_same() {
        let secret = "a secret of sixteen letters";
        let ours = pass("lab", Some(secret));
        let shown = |pass: &ClusterCredential| {
            let mut metadata = MetadataMap::new();
            let words = format!("{} tonic/0.14", pass.words(ClusterRole::Executor));
            metadata.insert(FIELD, words.parse().expect("plain"));
            ours.role(&metadata)
        };
        assert_eq!(
            shown(&pass("lab", Some(secret))),
            Some(ClusterRole::Executor)
        );
        for other in [
            pass("other", Some(secret)),
            pass("lab", Some("another secret of it")),
            pass("lab", None),
            // Where one part ends and the next begins counts.
            pass("laba", Some(&secret[1..])),
        ] {
            assert_eq!(shown(&other), None);
        }
        assert_eq!(ours.role(&MetadataMap::new()), None);
    }
}
