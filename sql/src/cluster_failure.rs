//! The failures of a cluster, in sentences for people. A program without clusters has none.

use datafusion::common::DataFusionError;

/// How errors call themselves on their way through scheduler and executors.
const NAMES: [&str; 17] = [
    "Could not parse plan: ",
    "DataFusion error: ",
    "DataFusionError: ",
    "Error during planning: ",
    "Execution error: ",
    "External error: ",
    "External: ",
    "Internal error: ",
    "Internal Ballista error: ",
    "General error: ",
    "Object Store error: ",
    "ObjectStore error: ",
    "Arrow error: ",
    "Parquet error: ",
    "Resources exhausted: ",
    "Schema error: ",
    "Generic tabiya error: ",
];
/// What Ballista says where it cannot read a plan of ours.
const FOREIGN: [&str; 3] = [
    "PhysicalExtensionCodec is not provided",
    "Could not deserialize BallistaPhysicalPlanNode",
    "There is no UDF named",
];
/// What it says where it lost an executor; queries that it worked on are given up.
const LOST: [&str; 7] = [
    "failed: Cancelled",
    "has failed 1 times, most recent failure reason",
    "FetchFailed",
    "ExecutorLost",
    "executor lost",
    "GrpcConnectionError",
    "Failed to fetch",
];

/// What it says where nobody listens any more at the address of the scheduler.
const GONE: [&str; 2] = ["tcp connect error", "transport error"];

/// Whether a failure is one of an executor, and not of the query.
pub(crate) fn is_lost(error: &DataFusionError) -> bool {
    if cfg!(not(feature = "cluster")) {
        return false;
    }
    let words = error.find_root().to_string();
    !holds(&words, &FOREIGN) && holds(&words, &LOST)
}

fn holds(words: &str, parts: &[&str]) -> bool {
    parts.iter().any(|part| words.contains(part))
}

/// Of what a cluster says of a failure, the sentence that is for people.
pub(crate) fn sentence(words: &str) -> String {
    if cfg!(not(feature = "cluster")) {
        return words.to_owned();
    }
    if holds(words, &FOREIGN) {
        let function = words
            .split_once("scalar function ")
            .or_else(|| words.split_once("UDF named "))
            .and_then(|(_, rest)| rest.split([' ', '\n', ')', ',']).next())
            .map(|name| name.trim_matches(['"', '\\', '.']))
            .map(|name| format!(" and has no function {name}"));
        return format!(
            "an executor of the cluster is not Tabiya {}{}: all of them must be",
            env!("CARGO_PKG_VERSION"),
            function.unwrap_or_default()
        );
    }
    if holds(words, &LOST) {
        return "an executor of the cluster was lost with its results: run the query again".into();
    }
    if holds(words, &GONE) {
        return "the scheduler of the cluster is gone, and the query with it".into();
    }
    let mut text = match words.split_once("message: \"") {
        Some((_, rest)) => quoted(rest),
        None => words.to_owned(),
    };
    loop {
        let mut rest = text.as_str();
        // Everything before the last of these is the way that it came.
        for mark in [
            " failed: ",
            "DataFusionError(",
            "External(",
            "Execution(\"",
            "Plan(\"",
        ] {
            if rest.starts_with("Job ") || mark.ends_with(['(', '"']) {
                rest = rest.split_once(mark).map_or(rest, |(_, rest)| rest);
            }
        }
        for name in NAMES {
            rest = rest.strip_prefix(name).unwrap_or(rest);
        }
        if rest.len() == text.len() {
            break;
        }
        text = rest.to_owned();
    }
    let first = text.lines().next().unwrap_or_default();
    first.trim_end_matches([')', '"', ' ']).to_owned()
}

/// What stands before the closing quote.
fn quoted(text: &str) -> String {
    let (mut out, mut chars) = (String::new(), text.chars());
    while let Some(c) = chars.next() {
        match c {
            '"' => break,
            '\\' => match chars.next() {
                Some('n') => out.push('\n'),
                Some(other) => out.push(other),
                None => {}
            },
            c => out.push(c),
        }
    }
    out
}

#[cfg(all(test, feature = "cluster"))]
mod tests {
    use super::*;

    #[test]
    fn the_way_of_an_error_is_left_out() {
        for (words, expected) in [
            (
                "Status { code: InvalidArgument, message: \"Could not parse plan: DataFusion error: Error during planning: \
                 /x/\\\"y.pgn: queries read\\nmore\", metadata: MetadataMap { headers: {} } }",
                "/x/\"y.pgn: queries read",
            ),
            ("a sentence", "a sentence"),
            (
                "Status { code: Unavailable, message: \"tcp connect error\", source: Some(tonic::transport::Error(Transport, ..)) }",
                "the scheduler of the cluster is gone, and the query with it",
            ),
            (
                "Job 038G failed: Job failed due to stage 2 failed: Stage 2 has failed 1 times, most recent failure reason: \
                 \"Status { code: Unavailable, message: \\\"tcp connect error\\\" }\"",
                "an executor of the cluster was lost with its results: run the query again",
            ),
        ] {
            assert_eq!(sentence(words), expected);
        }
        let other = sentence("PhysicalExtensionCodec is not provided for scalar function san");
        assert!(
            other.contains("not Tabiya") && other.contains("function san"),
            "{other}"
        );
    }
}
