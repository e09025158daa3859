//! The answers for programs: `docs/json.md`, `docs/json.schema.json`, the app's types, the schemas of `openapi.json` and those of the tools for
//! language models are made from the types of `crates/answers`.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;

use anyhow::{Context, Result, bail};
use serde_json::{Map, Value};

use crate::steps::{cargo, root};

const PAGE: &str = "docs/json.md";
const SCHEMA: &str = "docs/json.schema.json";
const TYPES: &str = "web/src/answers.ts";
const OPENAPI: &str = "crates/server/src/routes/openapi.json";
const TOOLS: &str = "crates/mcp/src/tools/answers.json";
/// What tools answer as commands and the server do, beside answers of their own.
const TOOL_ANSWERS: [&str; 8] = [
    "ChangeAnswer",
    "DuplicatesAnswer",
    "EventsAnswer",
    "ExplorerAnswer",
    "HistoryAnswer",
    "NoveltiesAnswer",
    "PlayerAnswer",
    "StatisticsAnswer",
];
/// What stands before the schemas in the description of the server.
const COMPONENTS: &str = ",\n  \"components\": ";

/// Compares what is made of the types; with `--write`, brings it up to date.
pub(crate) fn answers(args: &[String]) -> Result<()> {
    let mut program = cargo(&["run", "--quiet", "--locked", "-p", "tabiya-answers"]);
    program.args(["--features", "schema", "--example", "schema"]);
    let output = program.output().context("cannot start cargo")?;
    if !output.status.success() {
        bail!("{}", String::from_utf8_lossy(&output.stderr));
    }
    let schemas: Value = serde_json::from_slice(&output.stdout)?;
    let openapi = fs::read_to_string(root().join(OPENAPI)).context(OPENAPI)?;
    let made = [
        (PAGE, page(&schemas)?),
        (SCHEMA, format!("{schemas:#}\n")),
        (TYPES, types(&schemas)?),
        (OPENAPI, with_components(&openapi, &schemas)?),
        (TOOLS, of_tools(&schemas)?),
    ];
    for (name, text) in made {
        let path = root().join(name);
        if fs::read_to_string(&path).is_ok_and(|old| old == text) {
            continue;
        }
        if !args.iter().any(|arg| arg == "--write") {
            bail!(
                "{name} does not match the types of crates/answers; renew it with `cargo xtask answers --write`"
            );
        }
        fs::write(&path, text).context(name)?;
    }
    Ok(())
}

fn definitions(schemas: &Value) -> Result<&Map<String, Value>> {
    schemas["$defs"].as_object().context("definitions")
}

fn comment(schema: &Value) -> &str {
    schema["description"].as_str().unwrap_or_default()
}

/// The name in a reference to a definition.
fn referred(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str()?.rsplit('/').next()
}

/// The choices of a schema, where it is one of several.
fn choices(schema: &Value) -> Option<&Vec<Value>> {
    schema["oneOf"].as_array().or(schema["anyOf"].as_array())
}

/// The fields of a schema with whether each is always there, in the order of their names.
fn fields(schema: &Value) -> Vec<(&String, &Value, bool)> {
    let required: BTreeSet<&str> = schema["required"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let all = schema["properties"].as_object().into_iter().flatten();
    all.map(|(name, field)| (name, field, required.contains(name.as_str())))
        .collect()
}

/// A schema as a type of TypeScript.
fn typescript(schema: &Value) -> Result<String> {
    if let Some(name) = referred(schema) {
        return Ok(name.to_owned());
    }
    if let Some(all) = choices(schema) {
        let all: Result<Vec<String>> = all.iter().map(typescript).collect();
        return Ok(all?.join(" | "));
    }
    if let Some(value) = schema.get("const") {
        return Ok(format!("'{}'", value.as_str().context("a word")?));
    }
    if let Some(words) = schema["enum"].as_array() {
        let words = words.iter().filter_map(Value::as_str);
        let words: Vec<String> = words.map(|word| format!("'{word}'")).collect();
        return Ok(words.join(" | "));
    }
    let kinds: Vec<&str> = match &schema["type"] {
        Value::String(kind) => vec![kind],
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => return Ok("unknown".to_owned()),
    };
    let all: Result<Vec<String>> = kinds
        .iter()
        .map(|kind| typescript_kind(kind, schema))
        .collect();
    Ok(all?.join(" | "))
}

fn typescript_kind(kind: &str, schema: &Value) -> Result<String> {
    Ok(match kind {
        "integer" | "number" => "number".to_owned(),
        "string" | "boolean" | "null" => kind.to_owned(),
        "array" => match schema["prefixItems"].as_array() {
            Some(items) => {
                let items: Result<Vec<String>> = items.iter().map(typescript).collect();
                format!("[{}]", items?.join(", "))
            }
            None => {
                let item = typescript(&schema["items"])?;
                let most = schema["maxItems"].as_u64();
                match (most, item.contains(' ')) {
                    // So many, and no fewer.
                    (Some(most), _) if schema["minItems"].as_u64() == Some(most) => {
                        format!("[{}]", vec![item; usize::try_from(most)?].join(", "))
                    }
                    (_, true) => format!("({item})[]"),
                    (_, false) => format!("{item}[]"),
                }
            }
        },
        "object" if schema.get("properties").is_none() => {
            format!(
                "Record<string, {}>",
                typescript(&schema["additionalProperties"])?
            )
        }
        "object" => {
            let mut inner = Vec::new();
            for (name, field, is_required) in fields(schema) {
                let mark = if is_required { "" } else { "?" };
                inner.push(format!("{name}{mark}: {}", typescript(field)?));
            }
            format!("{{ {} }}", inner.join("; "))
        }
        other => bail!("a type of TypeScript for {other}"),
    })
}

/// The app's types.
fn types(schemas: &Value) -> Result<String> {
    let mut text = "/** The answers of the server. Made from the types of `crates/answers` by `cargo xtask answers --write`. */\n".to_owned();
    for (name, schema) in definitions(schemas)? {
        write!(text, "\n/** {} */\n", comment(schema))?;
        if schema["properties"].is_object() && schema["additionalProperties"].is_null() {
            writeln!(text, "export interface {name} {{")?;
            for (field, inner, is_required) in fields(schema) {
                let mark = if is_required { "" } else { "?" };
                writeln!(text, "  /** {} */", comment(inner))?;
                writeln!(text, "  {field}{mark}: {};", typescript(inner)?)?;
            }
            text.push_str("}\n");
        } else {
            writeln!(text, "export type {name} = {};", typescript(schema)?)?;
        }
    }
    Ok(text)
}

/// A schema as a type in a page.
fn shown(schema: &Value) -> String {
    if let Some(name) = referred(schema) {
        return format!("[{name}](#{})", name.to_lowercase());
    }
    if let Some(all) = choices(schema) {
        return all.iter().map(shown).collect::<Vec<_>>().join(" or ");
    }
    if let Some(word) = schema["const"].as_str() {
        return format!("`{word}`");
    }
    let kinds: Vec<&str> = match &schema["type"] {
        Value::String(kind) => vec![kind],
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => return "any".to_owned(),
    };
    let all = kinds.iter().map(|kind| match *kind {
        "array" => match schema["prefixItems"].as_array() {
            Some(items) => {
                let items: Vec<String> = items.iter().map(shown).collect();
                format!("list of {}", items.join(" and "))
            }
            None => format!("list of {}", shown(&schema["items"])),
        },
        "object" if schema["additionalProperties"].is_object() => {
            format!(
                "object of {} by name",
                shown(&schema["additionalProperties"])
            )
        }
        kind => kind.to_owned(),
    });
    all.collect::<Vec<_>>().join(" or ")
}

/// The rows of a table of fields.
fn rows(text: &mut String, schema: &Value) -> Result<()> {
    text.push_str("\n| field | type | meaning |\n|---|---|---|\n");
    for (name, field, is_required) in fields(schema) {
        let often = if is_required {
            ""
        } else {
            "not always there: "
        };
        writeln!(
            text,
            "| `{name}` | {often}{} | {} |",
            shown(field),
            comment(field)
        )?;
    }
    if schema["additionalProperties"].is_object() {
        let inner = &schema["additionalProperties"];
        writeln!(
            text,
            "| other names | {} | Fields that only this format has. |",
            shown(inner)
        )?;
    }
    Ok(())
}

/// The page about JSON.
fn page(schemas: &Value) -> Result<String> {
    let all = definitions(schemas)?;
    let mut text = "# Answers for programs\n\n\
            The JSON that commands print with `--json` and that the server sends, made from the types of `crates/answers` by `cargo xtask answers --write`.\n\
            [json.schema.json](json.schema.json) has the same as JSON Schema, and the server's `/api/v1/openapi.json` lists the answer of each route.\n\
            The JSON of a whole game (`tabiya cat --json`, `tabiya convert … .ndjson`) is described in [formats/ndjson.md](formats/ndjson.md).\n\n\
            Fields are in alphabetical order. New ones may be added: programs should ignore fields that they do not know. A job that can be stopped\n\
            or run out of time has a field `whole`, which is true if everything was processed; a command that prints one line for each result\n\
            has the exit code 130 instead.\n".to_owned();
    for (list, heading) in [
        ("commands", "Commands"),
        ("server", "The server"),
        ("mcp", "Tools for language models"),
    ] {
        write!(text, "\n## {heading}\n\n| answer | meaning |\n|---|---|\n")?;
        for name in schemas[list].as_array().context("a list")? {
            let name = name.as_str().context("a name")?;
            let schema = all.get(name).with_context(|| name.to_owned())?;
            writeln!(
                text,
                "| [{name}](#{}) | {} |",
                name.to_lowercase(),
                comment(schema)
            )?;
        }
    }
    text.push_str("\n## The types\n");
    for (name, schema) in all {
        write!(text, "\n### {name}\n\n{}\n", comment(schema))?;
        if let Some(all) = choices(schema) {
            let mut is_list = false;
            for choice in all {
                if choice["properties"].is_object() {
                    write!(text, "\n{}\n", comment(choice))?;
                    rows(&mut text, choice)?;
                } else {
                    let before = if is_list { "" } else { "\n" };
                    writeln!(text, "{before}* {}: {}", shown(choice), comment(choice))?;
                }
                is_list = !choice["properties"].is_object();
            }
        } else if schema["properties"].is_object() {
            rows(&mut text, schema)?;
        }
    }
    Ok(text)
}

/// The names of the definitions that a schema needs.
fn needed(schema: &Value, all: &Map<String, Value>, names: &mut BTreeSet<String>) {
    match schema {
        Value::Object(map) => {
            if let Some(name) = referred(schema)
                && names.insert(name.to_owned())
                && let Some(part) = all.get(name)
            {
                needed(part, all, names);
            }
            map.values().for_each(|inner| needed(inner, all, names));
        }
        Value::Array(list) => list.iter().for_each(|inner| needed(inner, all, names)),
        _ => {}
    }
}

/// The schemas of what tools answer, without their comments: a language model reads them all.
fn of_tools(schemas: &Value) -> Result<String> {
    let all = definitions(schemas)?;
    let mut names = BTreeSet::new();
    let own = schemas["mcp"].as_array().context("a list")?.iter();
    let own = own.filter_map(Value::as_str);
    for name in own.chain(TOOL_ANSWERS) {
        names.insert(name.to_owned());
        needed(all.get(name).context("an answer")?, all, &mut names);
    }
    let mut parts = Map::new();
    for name in names {
        let mut part = all.get(&name).with_context(|| name.clone())?.clone();
        without_comments(&mut part);
        parts.insert(name, part);
    }
    Ok(format!("{}\n", serde_json::to_string(&Value::from(parts))?))
}

/// Takes what is for people out of a schema. A field may be called `description` itself.
fn without_comments(schema: &mut Value) {
    match schema {
        Value::Object(map) => {
            if map.get("description").is_some_and(Value::is_string) {
                map.remove("description");
            }
            // Validators do not agree about formats of numbers.
            if map.get("format").is_some_and(Value::is_string) {
                map.remove("format");
                map.remove("minimum");
            }
            map.values_mut().for_each(without_comments);
        }
        Value::Array(list) => list.iter_mut().for_each(without_comments),
        _ => {}
    }
}

/// The description of the server with the schemas to which it refers.
fn with_components(openapi: &str, schemas: &Value) -> Result<String> {
    let paths = match openapi.find(COMPONENTS) {
        Some(end) => &openapi[..end],
        None => openapi
            .trim_end()
            .strip_suffix('}')
            .context("an object")?
            .trim_end(),
    };
    let all = definitions(schemas)?;
    let described: Value = serde_json::from_str(&format!("{paths}\n}}")).context(OPENAPI)?;
    let mut names = BTreeSet::new();
    needed(&described["paths"], all, &mut names);
    let mut parts = Map::new();
    for name in names {
        let part = all
            .get(&name)
            .with_context(|| format!("{OPENAPI}: no {name} found"))?;
        parts.insert(name, part.clone());
    }
    let parts = serde_json::to_string(&Value::from(parts))?;
    let parts = parts.replace("#/$defs/", "#/components/schemas/");
    Ok(format!(
        "{paths}{COMPONENTS}{{ \"schemas\": {parts} }}\n}}\n"
    ))
}
