//! The schemas of all answers, made from the types and their comments.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value, json};

/// A function that adds some answers to the schemas, with what they are made of, and says their names.
macro_rules! whole_answers {
    ($add:ident: $($kind:ty),* $(,)?) => {
        fn $add(generator: &mut SchemaGenerator) -> Vec<String> {
            $(generator.subschema_for::<$kind>();)*
            vec![$(<$kind>::schema_name().into_owned()),*]
        }
    };
}

whole_answers!(
    add_commands:
    crate::AnalysisAnswer,
    crate::BookAnswer,
    crate::ConversionAnswer,
    crate::DiffAnswer,
    crate::DifferenceAnswer,
    crate::DuplicatePairAnswer,
    crate::EcoRowAnswer,
    crate::EventsAnswer,
    crate::ExplorerAnswer,
    crate::ExplorerTreeAnswer,
    crate::FetchAnswer,
    crate::FormatAnswer,
    crate::GameRowAnswer<'static>,
    crate::IdentityAnswer,
    crate::InfoAnswer,
    crate::MatchRowAnswer<'static>,
    crate::MistakesAnswer,
    crate::NameCorrectionAnswer,
    crate::NamesAnswer,
    crate::NoveltyAnswer,
    crate::PlayerAnswer,
    crate::PuzzleAnswer,
    crate::RepertoireCardAnswer,
    crate::RepertoireConflictAnswer,
    crate::RepertoireCoverageAnswer,
    crate::RepertoireGameAnswer,
    crate::RepertoireGapAnswer,
    crate::RepertoireLineAnswer,
    crate::RepertoirePositionAnswer,
    crate::SourceFindingAnswer,
    crate::StatisticsAnswer,
    crate::WindowDatabaseAnswer,
);

whole_answers!(
    add_server:
    crate::server::BasesAnswer,
    crate::server::ChangeAnswer,
    crate::server::ClosedAnswer,
    crate::server::CompletionsAnswer,
    crate::server::CopyAnswer,
    crate::server::DiscardedAnswer,
    crate::server::DraftAnswer,
    crate::server::DraftDetailsAnswer,
    crate::server::DraftsAnswer,
    crate::server::DuplicatesAnswer,
    crate::server::EngineAnswer,
    crate::server::EngineUpdateAnswer,
    crate::server::FindingsAnswer,
    crate::server::FolderAnswer,
    crate::server::GameRowsAnswer,
    crate::server::HistoryAnswer,
    crate::server::InvitationAnswer,
    crate::server::JobReportAnswer,
    crate::server::LiveLineAnswer,
    crate::server::NameCorrectionsAnswer,
    crate::server::NoveltiesAnswer,
    crate::server::NumbersAnswer,
    crate::server::PlacesAnswer,
    crate::server::RecentBaseAnswer,
    crate::server::RefusalAnswer,
    crate::server::RepertoireAdditionAnswer,
    crate::server::RepertoireConflictsAnswer,
    crate::server::RepertoireGamesAnswer,
    crate::server::RepertoireGapsAnswer,
    crate::server::RepertoirePliesAnswer,
    crate::server::RepertoireTreeAnswer,
    crate::server::SaveLossesAnswer,
    crate::server::SearchLineAnswer,
    crate::server::SiteLoginAnswer,
    crate::server::SourcesAnswer,
    crate::server::SpellingsAnswer,
    crate::server::TrainingAnswer,
    crate::server::TrainingCountsAnswer,
    crate::server::TrainingVerdictAnswer,
    crate::server::VersionsAnswer,
    crate::server::WorkProgressAnswer,
    crate::server::WritableFormatAnswer,
    crate::server::YearsAnswer,
);

whole_answers!(
    add_mcp:
    crate::McpBasesAnswer,
    crate::McpConversionAnswer,
    crate::McpCutAnswer,
    crate::McpAnalysisAnswer,
    crate::McpEditAnswer,
    crate::McpGameAnalysisAnswer,
    crate::McpGameAnswer,
    crate::McpItemsAnswer,
    crate::McpJobAnswer,
    crate::McpJobsAnswer,
    crate::McpPositionAnswer,
    crate::McpRefusalAnswer,
    crate::McpRepertoireCheckAnswer,
    crate::McpRowsAnswer,
    crate::McpSearchAnswer,
);

/// A schema in JSON with all answers as its definitions. `commands`, `server` and `mcp` list the whole answers.
pub fn schemas() -> Value {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let mut generator = settings.into_generator();
    let commands = add_commands(&mut generator);
    let server = add_server(&mut generator);
    let mcp = add_mcp(&mut generator);
    let mut definitions = generator.take_definitions(true);
    let parts = definitions.clone();
    for definition in definitions.values_mut() {
        refine(definition, &parts);
    }
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Answers of Tabiya for programs",
        "commands": commands,
        "server": server,
        "mcp": mcp,
        "$defs": definitions,
    })
}

/// Says what a type says and its schema does not: fields that may be left out are not null as well unless their comment says so, and a
/// variant with a tag has its fields beside the tag.
fn refine(schema: &mut Value, parts: &Map<String, Value>) {
    if let Some(map) = schema.as_object_mut() {
        join_tag(map, parts);
        let required: Vec<Value> = match map.get("required") {
            Some(Value::Array(names)) => names.clone(),
            _ => Vec::new(),
        };
        if let Some(Value::Object(fields)) = map.get_mut("properties") {
            for (name, field) in fields.iter_mut() {
                if !required.iter().any(|known| known == name) {
                    without_null(field);
                }
            }
        }
    }
    match schema {
        Value::Object(map) => map.values_mut().for_each(|inner| refine(inner, parts)),
        Value::Array(list) => list.iter_mut().for_each(|inner| refine(inner, parts)),
        _ => {}
    }
}

/// Puts the fields of a definition beside those of the schema that refers to it.
fn join_tag(map: &mut Map<String, Value>, parts: &Map<String, Value>) {
    if !map.contains_key("properties") {
        return;
    }
    let Some(Value::String(reference)) = map.remove("$ref") else {
        return;
    };
    let name = reference.rsplit('/').next().unwrap_or_default();
    let Some(part) = parts.get(name) else { return };
    if let (Some(Value::Object(fields)), Some(Value::Object(more))) =
        (map.get_mut("properties"), part.get("properties"))
    {
        fields.extend(more.clone());
    }
    if let (Some(Value::Array(names)), Some(Value::Array(more))) =
        (map.get_mut("required"), part.get("required"))
    {
        names.extend(more.clone());
    }
}

/// The schema of a value that is never null.
fn without_null(field: &mut Value) {
    let Some(map) = field.as_object_mut() else {
        return;
    };
    let comment = map.get("description").and_then(Value::as_str);
    if comment.is_some_and(|comment| comment.contains("null")) {
        return;
    }
    let is_null = |kind: &Value| kind == "null";
    if let Some(Value::Array(kinds)) = map.get_mut("type") {
        kinds.retain(|kind| !is_null(kind));
        if let [one] = &kinds[..] {
            let one = one.clone();
            map.insert("type".to_owned(), one);
        }
    }
    if let Some(Value::Array(choices)) = map.get_mut("anyOf") {
        choices.retain(|choice| !choice.get("type").is_some_and(is_null));
        if let [one] = &choices[..]
            && let Some(one) = one.as_object().cloned()
        {
            map.remove("anyOf");
            map.extend(one);
        }
    }
}
