//! The options of an engine: which it offers, and their values.

use crate::error::EngineFault;

/// The most options that are taken from an engine.
pub(crate) const MOST: usize = 1_000;

/// The type of an option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EngineOptionKind {
    /// True or false.
    Check,
    /// A number between two bounds.
    Spin {
        /// The minimum.
        min: i64,
        /// The maximum.
        max: i64,
    },
    /// One of these words.
    Combo(Vec<String>),
    /// An action.
    Button,
    /// A text without control characters.
    Text,
}

/// An option that an engine offers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineOption {
    /// Its name.
    pub name: String,
    /// Its type.
    pub kind: EngineOptionKind,
    /// Its default.
    pub default: String,
}

impl EngineOption {
    /// Parses what follows `option ` in the output of an engine.
    #[must_use]
    pub fn parse(text: &str) -> Option<EngineOption> {
        let rest = text.trim().strip_prefix("name ")?;
        let at = rest.find(" type ")?;
        let (name, rest) = (rest.get(..at)?.trim(), rest.get(at + 6..)?);
        if name.is_empty() || name.chars().any(char::is_control) {
            return None;
        }
        let (word, rest) = rest.split_once(' ').unwrap_or((rest, ""));
        // A default may be empty or have spaces: it lasts to the next keyword.
        let (mut default, mut min, mut max, mut values) = (Vec::new(), None, None, Vec::new());
        let mut key = "";
        for token in rest.split_whitespace() {
            match token {
                "default" | "min" | "max" => key = token,
                "var" => {
                    key = token;
                    values.push(String::new());
                }
                _ => match key {
                    "default" => default.push(token),
                    "min" => min = token.parse().ok(),
                    "max" => max = token.parse().ok(),
                    "var" => {
                        if let Some(value) = values.last_mut() {
                            if !value.is_empty() {
                                value.push(' ');
                            }
                            value.push_str(token);
                        }
                    }
                    _ => {}
                },
            }
        }
        let kind = match word {
            "check" => EngineOptionKind::Check,
            "spin" => EngineOptionKind::Spin {
                min: min.unwrap_or(i64::MIN),
                max: max.unwrap_or(i64::MAX),
            },
            "combo" => EngineOptionKind::Combo(values),
            "button" => EngineOptionKind::Button,
            "string" => EngineOptionKind::Text,
            _ => return None,
        };
        Some(EngineOption {
            name: name.to_owned(),
            kind,
            default: default.join(" "),
        })
    }

    /// The value as the engine gets it; none for a button.
    pub fn check(&self, value: &str) -> Result<Option<String>, EngineFault> {
        let bad = |wanted: String| EngineFault::BadOption {
            name: self.name.clone(),
            value: value.to_owned(),
            wanted,
        };
        match &self.kind {
            EngineOptionKind::Check => match value.to_ascii_lowercase().as_str() {
                "true" | "yes" | "on" => Ok(Some("true".to_owned())),
                "false" | "no" | "off" => Ok(Some("false".to_owned())),
                _ => Err(bad("it must be true or false".to_owned())),
            },
            EngineOptionKind::Spin { min, max } => match value.trim().parse::<i64>() {
                Ok(number) if (*min..=*max).contains(&number) => Ok(Some(number.to_string())),
                _ => Err(bad(format!("it must be a number from {min} to {max}"))),
            },
            EngineOptionKind::Combo(values) => values
                .iter()
                .find(|known| known.eq_ignore_ascii_case(value.trim()))
                .map(|known| Some(known.clone()))
                .ok_or_else(|| bad(format!("it must be one of {}", values.join(", ")))),
            EngineOptionKind::Button => Ok(None),
            EngineOptionKind::Text if value.chars().any(char::is_control) => {
                Err(bad("it must not have control characters".to_owned()))
            }
            EngineOptionKind::Text => Ok(Some(value.to_owned())),
        }
    }
}

/// The option of a name, in any case.
#[must_use]
pub fn find<'o>(options: &'o [EngineOption], name: &str) -> Option<&'o EngineOption> {
    options
        .iter()
        .find(|option| option.name.eq_ignore_ascii_case(name.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_as_engines_tell_them() {
        let read = |text: &str| EngineOption::parse(text).expect("an option");
        let hash = read("name Hash type spin default 16 min 1 max 33554432");
        assert_eq!((hash.name.as_str(), hash.default.as_str()), ("Hash", "16"));
        assert_eq!(hash.check("64").ok().flatten().as_deref(), Some("64"));
        for value in ["0", "33554433", "x", "1\nquit", ""] {
            assert!(hash.check(value).is_err(), "{value:?}");
        }
        let log = read("name Debug Log File type string default ");
        assert_eq!(
            (log.name.as_str(), log.default.as_str()),
            ("Debug Log File", "")
        );
        assert!(log.check("a\nb").is_err());
        let style = read("name Style type combo default Very Solid var Very Solid var Risky");
        assert_eq!(
            style.check("risky").ok().flatten().as_deref(),
            Some("Risky")
        );
        assert!(style.check("Solid").is_err());
        assert_eq!(style.default, "Very Solid");
        let ponder = read("name Ponder type check default false");
        assert_eq!(ponder.check("ON").ok().flatten().as_deref(), Some("true"));
        assert_eq!(
            read("name Clear Hash type button").check("").ok(),
            Some(None)
        );
        for text in [
            "",
            "name",
            "name X",
            "name X type",
            "name X type gadget",
            "type spin",
        ] {
            assert_eq!(EngineOption::parse(text), None, "{text}");
        }
    }

    #[test]
    fn names_are_found_in_any_case() {
        let options: Vec<_> = EngineOption::parse("name Use NNUE type check default true")
            .into_iter()
            .collect();
        assert!(find(&options, "use nnue").is_some());
        assert!(find(&options, "use").is_none());
    }
}
