//! The tools, in the order in which they are listed.

mod analyse;
mod arguments;
mod bases;
mod convert;
mod edit;
mod explore;
mod game;
mod history;
mod job;
mod position;
mod repertoire;
mod search;
mod sql;
mod statistics;
mod study;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use serde_json::{Map, Value, json};
use tabiya::numbers::GameNumbers;
use tabiya::repertoire::QueryRepertoires;
use tabiya::{Base, DeletedGames, Selection};
use tabiya_model::{Control, JobCompletion};
use tabiya_query::{Query, QueryContext};

use self::arguments::FieldKind::{Choice, Flag, Text, Texts};
use self::arguments::{ToolArguments, ToolField, field, object};
use crate::bases::{McpBase, McpRepertoireBases};
use crate::error::McpRefusal;
use crate::jobs::ToolResult;
use crate::offer::McpServerInner;

/// When a tool is answered.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum ToolPace {
    /// At once.
    Inline,
    /// Soon; if it takes longer, it becomes a job.
    Soon,
    /// Always a job for all games of a database, and soon for selected games.
    JobOfAll,
    /// Always a job.
    Job,
}

/// What chooses games, of all tools that take some.
const CHOICES: [&str; 3] = ["games", "query", "player"];

/// A tool.
pub(crate) struct McpTool {
    pub(crate) name: &'static str,
    title: &'static str,
    about: &'static str,
    fields: &'static [ToolField],
    /// The types of its answers, in `crates/answers`.
    answers: &'static [&'static str],
    pub(crate) pace: ToolPace,
    /// Whether it can change something.
    writes: bool,
    pub(crate) run: fn(&ToolCall<'_>) -> ToolResult,
}

impl McpTool {
    /// Whether a call is a job by its nature.
    pub(crate) fn is_job(&self, arguments: &ToolArguments) -> bool {
        match self.pace {
            ToolPace::Inline | ToolPace::Soon => false,
            ToolPace::JobOfAll => !CHOICES.iter().any(|name| arguments.text(name).is_some()),
            ToolPace::Job => true,
        }
    }
}

/// A call of a tool.
pub(crate) struct ToolCall<'c> {
    pub(crate) server: &'c Arc<McpServerInner>,
    pub(crate) arguments: ToolArguments,
    pub(crate) control: &'c Control,
    /// Notes on the repertoires that a query named.
    notes: Mutex<Vec<String>>,
}

/// All of them.
pub(crate) static TOOLS: [McpTool; 19] = [
    bases::BASES,
    search::SEARCH,
    game::GAME,
    position::POSITION,
    explore::EXPLORE,
    statistics::STATS,
    statistics::PLAYER,
    statistics::CROSSTABLE,
    study::NOVELTY,
    study::DUPLICATES,
    repertoire::REPERTOIRE_CHECK,
    sql::SQL,
    convert::CONVERT,
    edit::EDIT,
    history::UNDO,
    history::HISTORY,
    analyse::ANALYSE,
    job::JOB,
    job::MORE,
];

/// The tool of a name.
pub(crate) fn named(name: &str) -> Option<&'static McpTool> {
    TOOLS.iter().find(|tool| tool.name == name)
}

/// The schemas of all answers, by the names of their types.
static ANSWERS: LazyLock<Map<String, Value>> = LazyLock::new(|| {
    let text = include_str!("answers.json");
    serde_json::from_str(text).unwrap_or_default()
});

/// The fields by which games are chosen, after those of a tool.
macro_rules! with_games {
    ($($own:expr),* $(,)?) => {
        &[
            $($own,)*
            crate::tools::BASES,
            crate::tools::QUERY,
            crate::tools::GAMES,
            crate::tools::DELETED,
            crate::tools::UNFINISHED,
        ]
    };
}
pub(crate) use with_games;

/// Which databases.
pub(crate) const BASES: ToolField = field(
    "bases",
    Texts,
    "Databases, by their names in `bases` (default: all)",
);
/// Which games.
pub(crate) const QUERY: ToolField = field(
    "query",
    Text,
    "Only games that match this query, such as `player:Carlsen eco:B90` (resource tabiya://query)",
);
/// Games by their numbers.
pub(crate) const GAMES: ToolField = field(
    "games",
    Text,
    "Only games with these numbers, such as 17 or 20-25,40-",
);
/// What becomes of deleted games.
pub(crate) const DELETED: ToolField = field(
    "deleted",
    Choice(&["included", "left-out", "only"]),
    "Games marked as deleted (default: included)",
);
/// Games without a result.
pub(crate) const UNFINISHED: ToolField = field(
    "unfinished",
    Flag,
    "Only games whose result is `*` (default: false)",
);
/// One database.
pub(crate) const BASE: ToolField = field(
    "base",
    Text,
    "The database, by its name in `bases` (not needed if there is only one)",
);

impl McpTool {
    /// How it is listed.
    pub(crate) fn json(&self) -> Value {
        json!({
            "name": self.name,
            "title": self.title,
            "description": self.about,
            "inputSchema": object(self.fields),
            "outputSchema": self.output(),
            "annotations": self.annotations(),
        })
    }

    /// What it does to databases. Whether something is destroyed is asked only of what writes.
    fn annotations(&self) -> Value {
        match self.writes {
            true => {
                json!({ "readOnlyHint": false, "destructiveHint": false, "openWorldHint": false })
            }
            false => json!({ "readOnlyHint": true, "openWorldHint": false }),
        }
    }

    /// The schema of its answers: one of its types, or a job.
    fn output(&self) -> Value {
        let mut names = BTreeSet::new();
        let mut choices = Vec::new();
        for name in self.answers.iter().copied() {
            choices.push(json!({ "$ref": format!("#/$defs/{name}") }));
            collect(name, &mut names);
        }
        if self.pace != ToolPace::Inline || self.name == "job" {
            choices.push(json!({
                "type": "object",
                "properties": { "job": { "type": "object" } },
                "required": ["job"],
            }));
        }
        let mut definitions = Map::new();
        for name in names {
            let mut schema = ANSWERS.get(&name).cloned().unwrap_or_default();
            explore::say_moves_in_letters(&name, &mut schema);
            repertoire::say_moves_in_letters(&name, &mut schema);
            definitions.insert(name, schema);
        }
        shortened(choices, definitions)
    }

    pub(crate) fn check(&self, arguments: Map<String, Value>) -> Result<ToolArguments, McpRefusal> {
        ToolArguments::read(self.fields, arguments)
    }
}

/// The schema of some choices. What is referred to once stands where it is referred to, so that the list of tools is short.
fn shortened(choices: Vec<Value>, definitions: Map<String, Value>) -> Value {
    let mut counts = BTreeMap::new();
    for schema in choices.iter().chain(definitions.values()) {
        references(schema, &mut |name| {
            *counts.entry(name.to_owned()).or_insert(0_u32) += 1;
        });
    }
    let is_single = |name: &str| counts.get(name) == Some(&1);
    let mut choices = Value::from(choices);
    put_in_place(&mut choices, &definitions, &is_single);
    let mut schema = json!({ "type": "object", "anyOf": choices });
    let mut shared = Map::new();
    for (name, kept) in &definitions {
        if !is_single(name) {
            let mut kept = kept.clone();
            put_in_place(&mut kept, &definitions, &is_single);
            shared.insert(name.clone(), kept);
        }
    }
    if let (false, Some(fields)) = (shared.is_empty(), schema.as_object_mut()) {
        fields.insert("$defs".to_owned(), shared.into());
    }
    schema
}

/// The name of the definition that a schema refers to.
fn referred(schema: &Value) -> Option<&str> {
    schema.get("$ref")?.as_str()?.rsplit('/').next()
}

/// Sees the names of all definitions that a schema refers to, each as often as it does.
fn references(schema: &Value, see: &mut dyn FnMut(&str)) {
    if let Some(name) = referred(schema) {
        see(name);
    }
    match schema {
        Value::Object(map) => map.values().for_each(|inner| references(inner, see)),
        Value::Array(list) => list.iter().for_each(|inner| references(inner, see)),
        _ => {}
    }
}

/// Puts definitions where they are referred to. One that is referred to once is not a part of itself.
fn put_in_place(
    schema: &mut Value,
    definitions: &Map<String, Value>,
    is_single: &dyn Fn(&str) -> bool,
) {
    let single = referred(schema).filter(|name| is_single(name));
    if let Some(found) = single.and_then(|name| definitions.get(name)) {
        *schema = found.clone();
    }
    match schema {
        Value::Object(map) => map
            .values_mut()
            .for_each(|inner| put_in_place(inner, definitions, is_single)),
        Value::Array(list) => list
            .iter_mut()
            .for_each(|inner| put_in_place(inner, definitions, is_single)),
        _ => {}
    }
}

/// Adds the names of a type and of all that it is made of.
fn collect(name: &str, names: &mut BTreeSet<String>) {
    if names.insert(name.to_owned())
        && let Some(schema) = ANSWERS.get(name)
    {
        references(schema, &mut |inner| collect(inner, names));
    }
}

impl<'c> ToolCall<'c> {
    /// A call with arguments that fit its tool.
    pub(crate) fn new(
        server: &'c Arc<McpServerInner>,
        arguments: ToolArguments,
        control: &'c Control,
    ) -> ToolCall<'c> {
        ToolCall {
            server,
            arguments,
            control,
            notes: Mutex::default(),
        }
    }

    /// The database that is named; the only one where none is.
    pub(crate) fn base(&self) -> Result<McpBase, McpRefusal> {
        match self.arguments.text("base") {
            Some(name) => self.server.bases.get(name),
            None => {
                let (mut all, _) = self.server.bases.all(false);
                match (all.len(), all.pop()) {
                    (1, Some(base)) => Ok(base),
                    _ => self.server.bases.get(""),
                }
            }
        }
    }

    /// The databases that are named; all of them where none is.
    pub(crate) fn bases(&self) -> Result<Vec<McpBase>, McpRefusal> {
        let names = self.arguments.texts("bases");
        match names.is_empty() {
            true => Ok(self.server.bases.all(false).0),
            false => names
                .iter()
                .map(|name| self.server.bases.get(name))
                .collect(),
        }
    }

    /// The games that are chosen.
    pub(crate) fn selection(&self) -> Result<Selection, McpRefusal> {
        let bases = self.bases()?.into_iter().map(shown_by_name);
        self.selection_of(bases.collect())
    }

    /// The games of some bases that are chosen.
    pub(crate) fn selection_of(&self, bases: Vec<Base>) -> Result<Selection, McpRefusal> {
        let numbers = match self.arguments.text("games") {
            Some(text) => GameNumbers::parse(&[text])?,
            None => GameNumbers::ALL,
        };
        let games = Selection {
            numbers,
            deleted: match self.arguments.text("deleted") {
                Some("left-out") => DeletedGames::LeftOut,
                Some("only") => DeletedGames::Only,
                _ => DeletedGames::Included,
            },
            unfinished: self.arguments.flag("unfinished"),
            ..Selection::of(bases)
        };
        let Some(text) = self.arguments.text("query") else {
            return Ok(games);
        };
        let bases = McpRepertoireBases(&*self.server.bases);
        let named = QueryRepertoires::new(&bases, &self.server.repertoires, self.control);
        let context = QueryContext {
            repertoires: Some(&named),
            ..QueryContext::default()
        };
        let query = Query::parse(text, context)?;
        let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        notes.extend(named.notes());
        Ok(games.matching(query))
    }

    /// How the query was understood, where that is not plain.
    pub(crate) fn query_notes(&self, games: &Selection) -> Vec<String> {
        let notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        games.note().into_iter().chain(notes.clone()).collect()
    }

    /// An answer in which databases are called as tools call them, and files by their place in the folders that were named.
    pub(crate) fn with_names(&self, mut answer: Value) -> Value {
        let (all, _) = self.server.bases.all(false);
        let names: BTreeMap<String, String> = all
            .into_iter()
            .map(|base| (base.base.name().to_owned(), base.name))
            .collect();
        let folders = self.server.bases.folders();
        rename(&mut answer, &names, &folders);
        answer
    }

    /// Refuses what is not whole, and says why.
    pub(crate) fn whole(&self, ended: JobCompletion) -> Result<(), McpRefusal> {
        if ended.is_whole() {
            return Ok(());
        }
        let reason = self.control.reason();
        let reason = reason.unwrap_or_else(|| "this was stopped".to_owned());
        Err(McpRefusal::new("stopped", reason))
    }
}

/// Puts the names of databases, and the places of files, into the texts of an answer that are such.
fn rename(answer: &mut Value, names: &BTreeMap<String, String>, folders: &[PathBuf]) {
    match answer {
        Value::String(text) => {
            if let Some(name) = names.get(text.as_str()) {
                text.clone_from(name);
            } else if let Some(below) = (folders.iter())
                .find_map(|folder| Path::new(text.as_str()).strip_prefix(folder).ok())
            {
                *text = below.display().to_string();
            }
        }
        Value::Array(items) => items
            .iter_mut()
            .for_each(|item| rename(item, names, folders)),
        Value::Object(fields) => fields
            .values_mut()
            .for_each(|field| rename(field, names, folders)),
        _ => {}
    }
}

/// A base as jobs take it.
fn shown_by_name(base: McpBase) -> Base {
    base.base
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_has_a_schema_of_what_it_takes_and_of_what_it_answers() {
        assert!(TOOLS.len() <= 20);
        let mut names = BTreeSet::new();
        for tool in &TOOLS {
            assert!(names.insert(tool.name), "{}", tool.name);
            let told = tool.json();
            assert_eq!(told["inputSchema"]["additionalProperties"], false);
            for name in tool.answers {
                assert!(ANSWERS.contains_key(*name), "{}: {name}", tool.name);
            }
            // What is referred to is there.
            let output = &told["outputSchema"];
            assert_eq!(output["type"], "object");
            let mut count = 0;
            references(output, &mut |name| {
                assert!(output["$defs"][name].is_object(), "{}: {name}", tool.name);
                count += 1;
            });
            let shared = output["$defs"].as_object().map_or(0, Map::len);
            assert!(count >= 2 * shared, "{}: {count} of {shared}", tool.name);
            let properties = told["inputSchema"]["properties"]
                .as_object()
                .expect("fields");
            assert_eq!(
                properties.len(),
                tool.fields.len(),
                "{}: a field twice",
                tool.name
            );
        }
    }

    #[test]
    fn arguments_that_a_schema_does_not_have_are_refused() {
        let search = named("search").expect("a tool");
        for wrong in [
            json!({ "nonsense": 1 }),
            json!({ "query": 5 }),
            json!({ "limit": -1 }),
            json!({ "limit": 1.5 }),
            json!({ "limit": 100_000 }),
            json!({ "bases": "a.pgn" }),
            json!({ "bases": [1] }),
            json!({ "deleted": "maybe" }),
            json!({ "unfinished": "yes" }),
            json!({ "query": "x".repeat(30_000) }),
        ] {
            let fields = wrong.as_object().cloned().expect("an object");
            let refusal = search.check(fields).expect_err("refused");
            assert_eq!(refusal.code(), "bad-arguments", "{wrong:.80}");
        }
        let fine = json!({ "query": "player:Tal", "limit": 5, "bases": [], "games": null });
        assert!(
            search
                .check(fine.as_object().cloned().expect("an object"))
                .is_ok()
        );
    }
}
