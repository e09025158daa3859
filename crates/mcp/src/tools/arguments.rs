//! The arguments of a tool: fields that are declared once, which give its schema and the check of its arguments.

use serde_json::{Map, Value, json};
use tabiya::statistics::KINDS;

use crate::error::McpRefusal;

/// Letters of the longest text.
const TEXT: usize = 20_000;
/// Items of the longest list.
const ITEMS: usize = 500;

/// What a field takes.
#[derive(Copy, Clone, Debug)]
pub(crate) enum FieldKind {
    Text,
    /// A whole number within bounds.
    Whole(u64, u64),
    Flag,
    /// One of these words.
    Choice(&'static [&'static str]),
    Texts,
    /// Names of statistics.
    Statistics,
    /// Changes of several kinds, one after another.
    Variants(&'static [FieldVariant]),
}

/// A field of the arguments of a tool.
#[derive(Copy, Clone, Debug)]
pub(crate) struct ToolField {
    pub(crate) name: &'static str,
    kind: FieldKind,
    is_required: bool,
    about: &'static str,
}

/// A kind of change, with its own fields.
#[derive(Copy, Clone, Debug)]
pub(crate) struct FieldVariant {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) fields: &'static [ToolField],
}

/// A field that may be left out.
pub(crate) const fn field(name: &'static str, kind: FieldKind, about: &'static str) -> ToolField {
    ToolField {
        name,
        kind,
        is_required: false,
        about,
    }
}

/// A field that has to be there.
pub(crate) const fn needed(name: &'static str, kind: FieldKind, about: &'static str) -> ToolField {
    ToolField {
        is_required: true,
        ..field(name, kind, about)
    }
}

impl FieldKind {
    fn schema(self) -> Value {
        match self {
            FieldKind::Text => json!({ "type": "string", "maxLength": TEXT }),
            FieldKind::Whole(least, most) => {
                json!({ "type": "integer", "minimum": least, "maximum": most })
            }
            FieldKind::Flag => json!({ "type": "boolean" }),
            FieldKind::Choice(words) => json!({ "type": "string", "enum": words }),
            FieldKind::Texts => json!({
                "type": "array",
                "items": { "type": "string", "maxLength": TEXT },
                "maxItems": ITEMS,
            }),
            FieldKind::Statistics => {
                let names: Vec<&str> = KINDS.iter().map(|kind| kind.name).collect();
                json!({ "type": "array", "items": { "type": "string", "enum": names }, "maxItems": ITEMS })
            }
            FieldKind::Variants(variants) => {
                let all: Vec<Value> = variants.iter().map(FieldVariant::schema).collect();
                json!({ "type": "array", "items": { "oneOf": all }, "minItems": 1, "maxItems": ITEMS })
            }
        }
    }

    /// Says what is wrong with a value.
    fn fault(self, value: &Value) -> Option<String> {
        let is_text = |value: &Value| {
            value
                .as_str()
                .is_some_and(|text| text.chars().count() <= TEXT)
        };
        let items = |value: &Value, each: &dyn Fn(&Value) -> bool| {
            let items = value.as_array().filter(|items| items.len() <= ITEMS);
            items.is_some_and(|items| items.iter().all(each))
        };
        let (is_right, wanted) = match self {
            FieldKind::Text => (
                is_text(value),
                format!("a string of at most {TEXT} characters"),
            ),
            FieldKind::Whole(least, most) => (
                value
                    .as_u64()
                    .is_some_and(|number| (least..=most).contains(&number)),
                format!("a whole number from {least} to {most}"),
            ),
            FieldKind::Flag => (value.is_boolean(), "true or false".to_owned()),
            FieldKind::Choice(choices) => (
                value.as_str().is_some_and(|word| choices.contains(&word)),
                format!("one of {}", choices.join(", ")),
            ),
            FieldKind::Texts => (
                items(value, &is_text),
                format!("a list of at most {ITEMS} strings"),
            ),
            FieldKind::Statistics => {
                let names: Vec<&str> = KINDS.iter().map(|kind| kind.name).collect();
                let is_name =
                    |value: &Value| value.as_str().is_some_and(|name| names.contains(&name));
                (
                    items(value, &is_name),
                    format!("a list of {}", names.join(", ")),
                )
            }
            FieldKind::Variants(variants) => return variants_fault(variants, value),
        };
        (!is_right).then_some(wanted)
    }
}

/// Says what is wrong with a list of changes.
fn variants_fault(variants: &'static [FieldVariant], value: &Value) -> Option<String> {
    let names = || {
        let names: Vec<&str> = variants.iter().map(|variant| variant.name).collect();
        names.join(", ")
    };
    let list = value
        .as_array()
        .filter(|list| (1..=ITEMS).contains(&list.len()));
    let Some(list) = list else {
        return Some(format!(
            "a list of 1 to {ITEMS} objects, each with a `kind`: {}",
            names()
        ));
    };
    for (at, item) in list.iter().enumerate() {
        let Some(fields) = item.as_object() else {
            return Some(format!(
                "a list of objects, but number {at} is not an object"
            ));
        };
        let kind = fields.get("kind").and_then(Value::as_str);
        let Some(variant) = variants.iter().find(|variant| Some(variant.name) == kind) else {
            return Some(format!(
                "a list in which the `kind` of number {at} is one of {}",
                names()
            ));
        };
        let mut rest = fields.clone();
        rest.remove("kind");
        if let Err(fault) = check(variant.fields, &rest) {
            return Some(format!(
                "a list with a valid number {at} ({}): {fault}",
                variant.name
            ));
        }
    }
    None
}

impl FieldVariant {
    fn schema(&self) -> Value {
        let mut schema = object(self.fields);
        schema["description"] = self.about.into();
        schema["properties"]["kind"] = json!({ "const": self.name });
        if let Some(required) = schema["required"].as_array_mut() {
            required.insert(0, "kind".into());
        }
        schema
    }
}

/// The schema of an object with some fields and no others.
pub(crate) fn object(fields: &[ToolField]) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for field in fields {
        let mut schema = field.kind.schema();
        schema["description"] = field.about.into();
        properties.insert(field.name.to_owned(), schema);
        if field.is_required {
            required.push(Value::from(field.name));
        }
    }
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

/// Says what is wrong with some arguments.
fn check(fields: &[ToolField], arguments: &Map<String, Value>) -> Result<(), String> {
    for name in arguments.keys() {
        if !fields.iter().any(|field| field.name == name) {
            let known: Vec<&str> = fields.iter().map(|field| field.name).collect();
            let known = match known.is_empty() {
                true => "the tool has none".to_owned(),
                false => format!("the arguments are {}", known.join(", ")),
            };
            return Err(format!("there is no argument `{name:.40}`; {known}"));
        }
    }
    for field in fields {
        match arguments.get(field.name) {
            None | Some(Value::Null) if field.is_required => {
                return Err(format!("`{}` is missing: {}", field.name, field.about));
            }
            None | Some(Value::Null) => {}
            Some(value) => {
                if let Some(wanted) = field.kind.fault(value) {
                    return Err(format!("`{}` must be {wanted}", field.name));
                }
            }
        }
    }
    Ok(())
}

/// Arguments that fit the fields of a tool.
#[derive(Clone, Debug)]
pub(crate) struct ToolArguments(Map<String, Value>);

impl ToolArguments {
    pub(crate) fn read(
        fields: &[ToolField],
        arguments: Map<String, Value>,
    ) -> Result<ToolArguments, McpRefusal> {
        match check(fields, &arguments) {
            Ok(()) => Ok(ToolArguments(arguments)),
            Err(fault) => Err(McpRefusal::new("bad-arguments", fault)),
        }
    }

    /// Those of one of several changes, which were checked with the list.
    pub(crate) fn of(item: &Value) -> ToolArguments {
        ToolArguments(item.as_object().cloned().unwrap_or_default())
    }

    /// A text; one without letters is none.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.raw_text(name).filter(|text| !text.trim().is_empty())
    }

    /// A text as it is.
    pub(crate) fn raw_text(&self, name: &str) -> Option<&str> {
        self.0.get(name)?.as_str()
    }

    pub(crate) fn number(&self, name: &str) -> Option<u64> {
        self.0.get(name)?.as_u64()
    }

    /// A number of things in memory.
    pub(crate) fn count(&self, name: &str, otherwise: usize) -> usize {
        let number = self.number(name);
        number.map_or(otherwise, |number| {
            usize::try_from(number).unwrap_or(otherwise)
        })
    }

    pub(crate) fn flag(&self, name: &str) -> bool {
        self.0.get(name).and_then(Value::as_bool).unwrap_or(false)
    }

    pub(crate) fn texts(&self, name: &str) -> Vec<String> {
        let texts = self.list(name).iter().filter_map(Value::as_str);
        texts.map(str::to_owned).collect()
    }

    pub(crate) fn list(&self, name: &str) -> &[Value] {
        self.0
            .get(name)
            .and_then(Value::as_array)
            .map_or(&[], Vec::as_slice)
    }
}
