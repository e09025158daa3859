//! Whether answers are what `docs/json.schema.json` and the server's `openapi.json` say: a judge of its own, which knows of JSON Schema what
//! stands there, and takes a field that is not described for a fault.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

/// A document with schemas.
pub struct AnswerSchemas {
    document: Value,
}

/// What a schema may say; a judge that passes over what it does not know judges nothing.
const KNOWN: [&str; 20] = [
    "$ref",
    "additionalProperties",
    "anyOf",
    "const",
    "default",
    "description",
    "enum",
    "format",
    "items",
    "maxItems",
    "maximum",
    "minItems",
    "minimum",
    "oneOf",
    "prefixItems",
    "properties",
    "required",
    "title",
    "type",
    "$comment",
];

impl AnswerSchemas {
    /// Those of the commands.
    pub fn of_commands() -> AnswerSchemas {
        AnswerSchemas::read("docs/json.schema.json")
    }

    /// Those of the server.
    pub fn of_server() -> AnswerSchemas {
        AnswerSchemas::read("crates/server/src/routes/openapi.json")
    }

    fn read(name: &str) -> AnswerSchemas {
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../..")
            .join(name);
        let text = std::fs::read(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
        let document = serde_json::from_slice(&text);
        AnswerSchemas {
            document: document.unwrap_or_else(|error| panic!("{name}: {error}")),
        }
    }

    /// The names of the answers in one of the lists of the document.
    pub fn names(&self, list: &str) -> Vec<String> {
        let all = self.document[list].as_array().into_iter().flatten();
        all.filter_map(|name| name.as_str().map(str::to_owned))
            .collect()
    }

    /// The content that each route of the server answers with, by its status and kind: `(method, path)` and that.
    pub fn routes(&self) -> BTreeMap<(String, String), Value> {
        let mut routes = BTreeMap::new();
        for (path, methods) in self.document["paths"].as_object().into_iter().flatten() {
            for (method, described) in methods.as_object().into_iter().flatten() {
                let key = (method.to_uppercase(), path.clone());
                routes.insert(key, described["responses"].clone());
            }
        }
        routes
    }

    /// What is wrong with an answer of this name.
    pub fn faults(&self, name: &str, answer: &Value) -> Vec<String> {
        let mut faults = Vec::new();
        let schema = &self.document["$defs"][name];
        match schema.is_null() {
            true => faults.push(format!("there is no answer {name}")),
            false => self.judge(schema, answer, name, &mut faults),
        }
        faults
    }

    /// What is wrong with an answer by a schema of this document.
    pub fn faults_by(&self, schema: &Value, answer: &Value) -> Vec<String> {
        let mut faults = Vec::new();
        self.judge(schema, answer, "the answer", &mut faults);
        faults
    }

    fn judge(&self, schema: &Value, value: &Value, at: &str, faults: &mut Vec<String>) {
        let Some(map) = schema.as_object() else {
            if schema != &Value::Bool(true) {
                faults.push(format!("{at}: the schema is {schema}"));
            }
            return;
        };
        for key in map.keys() {
            if !KNOWN.contains(&key.as_str()) {
                faults.push(format!("{at}: the judge does not know {key}"));
            }
        }
        if let Some(reference) = schema["$ref"].as_str() {
            let place = reference.trim_start_matches('#');
            match self.document.pointer(place) {
                Some(part) => self.judge(part, value, at, faults),
                None => faults.push(format!("{at}: there is no {reference}")),
            }
        }
        for (list, is_one) in [("anyOf", false), ("oneOf", true)] {
            if let Some(all) = schema[list].as_array() {
                let fitting = all.iter().filter(|choice| {
                    let mut inner = Vec::new();
                    self.judge(choice, value, at, &mut inner);
                    inner.is_empty()
                });
                let count = fitting.count();
                if count == 0 || is_one && count > 1 {
                    faults.push(format!("{at}: {count} of the choices hold for {value}"));
                }
            }
        }
        let is_word = |words: &Value| words.as_array().is_none_or(|all| all.contains(value));
        if schema.get("const").is_some_and(|word| word != value) || !is_word(&schema["enum"]) {
            faults.push(format!("{at}: {value} is none of the words"));
        }
        let kinds: Vec<&str> = match &schema["type"] {
            Value::String(kind) => vec![kind],
            Value::Array(all) => all.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        if !kinds.is_empty() && !kinds.iter().any(|kind| is_of(value, kind)) {
            faults.push(format!("{at}: {value} is not {}", kinds.join(" or ")));
        }
        if let Some(number) = value.as_f64() {
            let least = schema["minimum"].as_f64().unwrap_or(f64::MIN);
            let most = schema["maximum"].as_f64().unwrap_or(f64::MAX);
            if number < least || number > most {
                faults.push(format!("{at}: {value} is out of bounds"));
            }
        }
        match value {
            Value::Object(fields) => self.judge_fields(schema, fields, at, faults),
            Value::Array(items) => self.judge_items(schema, items, at, faults),
            _ => {}
        }
    }

    fn judge_fields(
        &self,
        schema: &Value,
        fields: &serde_json::Map<String, Value>,
        at: &str,
        faults: &mut Vec<String>,
    ) {
        for name in schema["required"].as_array().into_iter().flatten() {
            if !fields.contains_key(name.as_str().unwrap_or_default()) {
                faults.push(format!("{at}: {name} is missing"));
            }
        }
        let (known, others) = (&schema["properties"], &schema["additionalProperties"]);
        if known.is_null() && others.is_null() {
            return;
        }
        for (name, field) in fields {
            let inner = format!("{at}.{name}");
            if !known[name].is_null() {
                self.judge(&known[name], field, &inner, faults);
            } else if !others.is_null() {
                self.judge(others, field, &inner, faults);
            } else {
                faults.push(format!("{inner} is not described"));
            }
        }
    }

    fn judge_items(&self, schema: &Value, items: &[Value], at: &str, faults: &mut Vec<String>) {
        let count = items.len() as u64;
        let least = schema["minItems"].as_u64().unwrap_or(0);
        let most = schema["maxItems"].as_u64().unwrap_or(u64::MAX);
        if count < least || count > most {
            faults.push(format!("{at}: there are {count} items"));
        }
        let first = schema["prefixItems"].as_array();
        let first = first.map(Vec::as_slice).unwrap_or_default();
        for (index, item) in items.iter().enumerate() {
            let inner = format!("{at}[{index}]");
            match first.get(index) {
                Some(part) => self.judge(part, item, &inner, faults),
                None if schema["items"].is_null() => {}
                None => self.judge(&schema["items"], item, &inner, faults),
            }
        }
    }
}

fn is_of(value: &Value, kind: &str) -> bool {
    match kind {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_judge_sees_what_is_wrong() {
        let schemas = AnswerSchemas {
            document: json!({"$defs": {
                "Row": {
                    "type": "object",
                    "properties": {
                        "number": {"type": "integer", "minimum": 0},
                        "name": {"type": ["string", "null"]},
                        "kind": {"oneOf": [{"const": "a"}, {"const": "b"}]},
                        "years": {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2},
                    },
                    "required": ["number", "name"],
                },
                "Rows": {"type": "array", "items": {"$ref": "#/$defs/Row"}},
                "Odd": {"not": {}},
            }}),
        };
        let good = json!([{"number": 1, "name": null, "kind": "b", "years": [1, 2]}]);
        assert_eq!(schemas.faults("Rows", &good), Vec::<String>::new());
        for (bad, fault) in [
            (json!([{"number": 1}]), "\"name\" is missing"),
            (
                json!([{"number": -1, "name": ""}]),
                "Rows[0].number: -1 is out of bounds",
            ),
            (json!([{"number": 1.5, "name": ""}]), "1.5 is not integer"),
            (json!([{"number": 1, "name": 2}]), "2 is not string or null"),
            (
                json!([{"number": 1, "name": "", "more": 1}]),
                "Rows[0].more is not described",
            ),
            (
                json!([{"number": 1, "name": "", "kind": "c"}]),
                "0 of the choices",
            ),
            (
                json!([{"number": 1, "name": "", "years": [1]}]),
                "there are 1 items",
            ),
            (json!({}), "is not array"),
        ] {
            let faults = schemas.faults("Rows", &bad).join("; ");
            assert!(faults.contains(fault), "{bad}: {faults}");
        }
        assert_eq!(schemas.faults("Nothing", &json!(1)).len(), 1);
        assert!(schemas.faults("Odd", &json!(1))[0].contains("does not know not"));
    }
}
