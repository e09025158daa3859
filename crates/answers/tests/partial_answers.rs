//! No answer of a job that can be stopped keeps to itself that it was stopped.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// What a job of the library reports, and the answer that says for programs whether it is whole. Nothing where each thing that is found is
/// told on a line of its own, or for people alone, and the exit code says it.
const REPORTS: &[(&str, &str)] = &[
    ("AnalyseReport", "AnalysisAnswer"),
    ("BookReport", "BookAnswer"),
    ("CheckReport", "FindingsAnswer"),
    ("Conversion", "ConversionAnswer"),
    ("CrosstableReport", "EventsAnswer"),
    ("DedupeReport", "DuplicatesAnswer"),
    ("DiffReport", "DiffAnswer"),
    ("Dossier", ""),
    ("EcoCounts", ""),
    ("EditReport", "ChangeAnswer"),
    ("ExploreAnswer", "ExplorerAnswer"),
    ("GameListSummary", "GameRowsAnswer"),
    ("InfoReport", ""),
    ("MistakesReport", "MistakesAnswer"),
    ("NamesReport", "NamesAnswer"),
    ("NoveltyReport", "NoveltiesAnswer"),
    ("PlayerReport", "PlayerAnswer"),
    ("RepertoireCoverageReport", "RepertoirePliesAnswer"),
    // Their rows are lines, of which none is printed where the job was stopped.
    ("RepertoireCheckReport", ""),
    ("RepertoireReference", ""),
    ("SearchReport", "SearchEndAnswer"),
    ("LakeCompactReport", ""),
    ("LakeVerifyReport", ""),
    ("ShowReport", ""),
    ("StatsReport", "StatisticsAnswer"),
    ("TacticsReport", "PuzzlesAnswer"),
];

fn sources(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

/// The public structures of a crate that have a field, by a line of their source.
fn structures_with(krate: &str, field: &str) -> BTreeSet<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(krate);
    let mut files = Vec::new();
    sources(&folder.join("src"), &mut files);
    let mut found = BTreeSet::new();
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a source");
        let mut name = "";
        for line in text.lines().map(str::trim) {
            if let Some(rest) = line.strip_prefix("pub struct ") {
                name = rest.split([' ', '<', '(']).next().unwrap_or_default();
            }
            if line == field {
                found.insert(name.to_owned());
            }
        }
    }
    found
}

#[test]
fn every_report_of_a_job_has_an_answer_that_says_whether_it_is_whole() {
    let reports = structures_with("tabiya", "pub ended: JobCompletion,");
    let known: BTreeMap<&str, &str> = REPORTS.iter().copied().collect();
    for report in &reports {
        assert!(
            known.contains_key(report.as_str()),
            "{report}: which answer says that it was stopped?"
        );
    }
    assert_eq!(reports.len(), known.len(), "{reports:?}");
    let whole = structures_with("answers", "pub whole: bool,");
    for (report, answer) in known {
        assert!(
            answer.is_empty() || whole.contains(answer),
            "{report}: {answer} does not say `whole`"
        );
    }
}

#[test]
fn every_answer_that_says_whole_is_a_partial_answer() {
    let whole = structures_with("answers", "pub whole: bool,");
    let list = include_str!("../src/completion.rs");
    let (_, list) = list.split_once("partial!(").expect("the list");
    let listed: BTreeSet<String> = list
        .split([',', ')', '\n'])
        .map(str::trim)
        .filter(|name| name.ends_with("Answer"))
        .map(str::to_owned)
        .collect();
    assert_eq!(whole, listed);
}
