//! The options that single formats declare, as data: front ends make arguments, forms and help from them, and only the
//! format knows their meaning.
//!
//! Options of all formats (charset, limits, overwriting) are fields of [`crate::format::OpenOptions`] and
//! [`crate::format::WriteOptions`]; options of one format are in [`FormatSettings`].

use std::collections::BTreeMap;
use std::fmt;

use tabiya_model::error_codes;
use tabiya_model::{Error, Result};

/// The argument of an option.
#[derive(Copy, Clone, Debug)]
pub enum OptionArgument {
    /// No argument: the option is set or not.
    Nothing,
    /// A number.
    Number(&'static str),
    /// A text, with its name in help.
    Text(&'static str),
    /// Texts separated by commas.
    List(&'static str),
    /// One of a few words, each with its explanation.
    OneOf(&'static [(&'static str, &'static str)]),
}

/// An option that a format declares.
#[derive(Debug)]
pub struct FormatOption {
    /// Its name, as on a command line.
    pub name: &'static str,
    /// Its argument.
    pub takes: OptionArgument,
    /// Its effect, in a few words.
    pub help: &'static str,
    /// Whether it only changes the form of the games and loses nothing.
    pub keeps_games: bool,
}

impl FormatOption {
    /// Describes an option.
    pub const fn new(
        name: &'static str,
        takes: OptionArgument,
        help: &'static str,
    ) -> FormatOption {
        FormatOption {
            name,
            takes,
            help,
            keeps_games: false,
        }
    }

    /// The same for an option whose every value keeps the games and their order: the laws of all formats hold for every
    /// value.
    #[must_use]
    pub const fn keeping_games(mut self) -> FormatOption {
        self.keeps_games = true;
        self
    }
}

/// The user's settings of format options. A format uses only its own.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FormatSettings {
    values: BTreeMap<&'static str, Vec<String>>,
}

impl FormatSettings {
    /// The same with one more option, for callers that know the option.
    ///
    /// # Errors
    /// If the option does not accept the value.
    pub fn with(mut self, option: &FormatOption, value: &str) -> Result<FormatSettings> {
        self.set(option, value)?;
        Ok(self)
    }

    /// Sets an option; a list takes comma-separated values.
    ///
    /// # Errors
    /// If the option does not accept the value.
    pub fn set(&mut self, option: &FormatOption, value: &str) -> Result<()> {
        let FormatOption { name, takes, .. } = option;
        let values = match takes {
            OptionArgument::Nothing => Vec::new(),
            OptionArgument::List(_) => value.split(',').map(str::to_owned).collect(),
            _ => vec![value.to_owned()],
        };
        match takes {
            OptionArgument::Number(_) if value.parse::<u64>().is_err() => {
                return Err(Error::new(
                    &error_codes::BAD_OPTION,
                    format!("{name} takes a number, not {value:?}"),
                ));
            }
            OptionArgument::OneOf(words) if !words.iter().any(|(word, _)| *word == value) => {
                let words: Vec<_> = words.iter().map(|(word, _)| *word).collect();
                return Err(Error::new(
                    &error_codes::BAD_OPTION,
                    format!("{name} takes one of {}, not {value:?}", words.join(", ")),
                ));
            }
            _ => {}
        }
        self.values.insert(name, values);
        Ok(())
    }

    /// Whether an option is set.
    #[must_use]
    pub fn is_set(&self, option: &FormatOption) -> bool {
        self.values.contains_key(option.name)
    }

    /// The text or word of an option.
    #[must_use]
    pub fn text(&self, option: &FormatOption) -> Option<&str> {
        self.list(option)?.first().map(String::as_str)
    }

    /// The number of an option.
    #[must_use]
    pub fn number(&self, option: &FormatOption) -> Option<u64> {
        self.text(option)?.parse().ok()
    }

    /// The texts of an option.
    #[must_use]
    pub fn list(&self, option: &FormatOption) -> Option<&[String]> {
        self.values.get(option.name).map(Vec::as_slice)
    }
}

/// The same settings always give the same text, by which an index knows how its database was read.
impl fmt::Display for FormatSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, values) in &self.values {
            write!(f, "{name}={values:?};")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static SWITCH: FormatOption = FormatOption::new("switch", OptionArgument::Nothing, "");
    static NUMBER: FormatOption = FormatOption::new("number", OptionArgument::Number("N"), "");
    static WORD: FormatOption = FormatOption::new(
        "word",
        OptionArgument::OneOf(&[("one", ""), ("two", "")]),
        "",
    );
    static LIST: FormatOption = FormatOption::new("list", OptionArgument::List("A,…"), "");

    #[test]
    fn what_is_set_is_found_and_checked() {
        let mut settings = FormatSettings::default();
        assert!(!settings.is_set(&SWITCH));
        settings.set(&SWITCH, "").expect("a switch");
        settings.set(&NUMBER, "12").expect("a number");
        settings.set(&WORD, "two").expect("a word");
        settings.set(&LIST, "a,b").expect("a list");
        assert!(settings.set(&NUMBER, "many").is_err());
        assert!(settings.set(&WORD, "three").is_err());
        assert!(settings.is_set(&SWITCH));
        assert_eq!(settings.number(&NUMBER), Some(12));
        assert_eq!(settings.text(&WORD), Some("two"));
        assert_eq!(
            settings.list(&LIST),
            Some(&["a".to_owned(), "b".to_owned()][..])
        );
        assert_eq!(
            settings.to_string(),
            r#"list=["a", "b"];number=["12"];switch=[];word=["two"];"#
        );
    }
}
