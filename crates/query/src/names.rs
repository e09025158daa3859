//! Names of players in their forms, and the file that says who is who.
//!
//! A name that is asked for fits a name in a database where the words agree: `Kasparov` fits
//! `Kasparov, Garry`; `Kasparov, G` and `Garry Kasparov` do too. A word of one letter stands for every word that
//! begins with it, in either of the two, but a surname has to be there in full.

use std::collections::BTreeMap;

use crate::fold::fold;

/// The most aliases that a file may hold.
const MAX_ALIASES: usize = 100_000;

/// A name to look for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameTest {
    /// The words before the comma; all words where there is none.
    surname: Vec<String>,
    /// The words after the comma.
    given: Vec<String>,
    comma: bool,
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '\''))
        .filter(|word| !word.is_empty())
}

/// Whether two given names agree, where one letter stands for all that begin with it.
fn given_agree(asked: &str, found: &str) -> bool {
    let is_initial = |word: &str| word.chars().nth(1).is_none();
    asked == found
        || (is_initial(asked) && found.starts_with(asked))
        || (is_initial(found) && asked.starts_with(found))
}

impl NameTest {
    /// A name, with or without a comma after the surname.
    pub fn new(name: &str) -> NameTest {
        let folded = fold(name);
        let (surname, given, comma) = match folded.split_once(',') {
            Some((surname, given)) => (surname, given, true),
            None => (&*folded, "", false),
        };
        NameTest {
            surname: words(surname).map(str::to_owned).collect(),
            given: words(given).map(str::to_owned).collect(),
            comma,
        }
    }

    /// Whether nothing is asked for.
    pub fn is_empty(&self) -> bool {
        self.surname.is_empty() && self.given.is_empty()
    }

    /// Whether a folded name is a form of this one.
    pub fn matches(&self, folded: &str) -> bool {
        if self
            .surname
            .iter()
            .any(|word| !folded.contains(word.as_str()) && word.chars().nth(1).is_some())
        {
            // Most names end here: no word of more than a letter may be missing, unless initials stand for it.
            if self.comma || self.surname.len() < 2 {
                return false;
            }
        }
        match folded.split_once(',') {
            Some((surname, given)) => {
                let surname: Vec<&str> = words(surname).collect();
                let given: Vec<&str> = words(given).collect();
                self.fits(&surname, &given)
            }
            None => {
                // `Garry Kasparov`: any split into given names and surname will do.
                let all: Vec<&str> = words(folded).collect();
                if !self.comma {
                    return self.fits(&all, &[]);
                }
                let length = self.surname.len();
                let Some(split) = all.len().checked_sub(length) else {
                    return false;
                };
                let (given, surname) = all.split_at(split);
                let (surname_first, given_last) = all.split_at(length);
                self.fits(surname, given) || self.fits(surname_first, given_last)
            }
        }
    }

    fn fits(&self, surname: &[&str], given: &[&str]) -> bool {
        let prefix = |asked: &[String], found: &[&str]| {
            asked.len() <= found.len()
                && asked
                    .iter()
                    .zip(found)
                    .all(|(asked, found)| given_agree(asked, found))
        };
        if self.comma {
            return self.surname.len() == surname.len()
                && self
                    .surname
                    .iter()
                    .zip(surname)
                    .all(|(asked, found)| asked == found)
                && prefix(&self.given, given);
        }
        if self.surname.is_empty() {
            return surname.is_empty() && given.is_empty();
        }
        // The words of the surname in a row, anywhere among the words.
        let whole_words = |found: &[&str]| {
            found.windows(self.surname.len()).any(|window| {
                window
                    .iter()
                    .zip(&self.surname)
                    .all(|(found, asked)| found == asked)
            })
        };
        if whole_words(surname) || whole_words(given) {
            return true;
        }
        // `Garry Kasparov` or `Kasparov Garry` for `Kasparov, Garry`.
        let length = surname.len();
        if given.is_empty() || self.surname.len() <= length || length == 0 {
            return false;
        }
        let equal = |asked: &[String], found: &[&str]| {
            asked.len() == found.len()
                && asked.iter().zip(found).all(|(asked, found)| asked == found)
        };
        let (first, last) = self.surname.split_at(self.surname.len() - length);
        let (lead, rest) = self.surname.split_at(length);
        (equal(last, surname) && prefix(first, given))
            || (equal(lead, surname) && prefix(rest, given))
    }
}

/// Names that mean the same player.
///
/// A line of the file names one player: the forms of the name with `=` between them. `#` starts a comment.
///
/// ```text
/// Kasparov, Garry = Weinstein, Garik = Garry13
/// ```
#[derive(Clone, Debug, Default)]
pub struct Aliases {
    groups: Vec<Vec<String>>,
    by_name: BTreeMap<String, usize>,
}

/// A line of the file of aliases that makes no sense.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of the aliases: {what}")]
pub struct AliasError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong.
    pub what: &'static str,
}

fn key(name: &str) -> String {
    let folded = fold(name);
    let mut key = String::new();
    for word in words(&folded) {
        key.push_str(word);
        key.push(' ');
    }
    key
}

impl Aliases {
    /// Reads the text of a file of aliases.
    pub fn parse(text: &str) -> Result<Aliases, AliasError> {
        let mut aliases = Aliases::default();
        for (line, content) in text.lines().enumerate() {
            let fail = |what| AliasError {
                line: line + 1,
                what,
            };
            let content = content.split('#').next().unwrap_or_default().trim();
            if content.is_empty() {
                continue;
            }
            let names: Vec<String> = content
                .split('=')
                .map(|name| name.trim().to_owned())
                .collect();
            if names.len() < 2 {
                return Err(fail("there is no `=` between two names"));
            }
            if names.iter().any(|name| key(name).is_empty()) {
                return Err(fail("a name is empty"));
            }
            if aliases.by_name.len() + names.len() > MAX_ALIASES {
                return Err(fail("there are too many aliases"));
            }
            let group = aliases.groups.len();
            for name in &names {
                if *aliases.by_name.entry(key(name)).or_insert(group) != group {
                    return Err(fail("a name stands on another line already"));
                }
            }
            aliases.groups.push(names);
        }
        Ok(aliases)
    }

    /// Every name of the player of that name; nothing where it has no aliases.
    pub fn of(&self, name: &str) -> &[String] {
        self.by_name
            .get(&key(name))
            .and_then(|group| self.groups.get(*group))
            .map_or(&[], Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fit_in_their_forms() {
        for (asked, found, fits) in [
            ("Kasparov, G", "Kasparov, Garry", true),
            ("Kasparov, G", "Kasparov, Gary", true),
            ("Kasparov, G", "Kasparov,G", true),
            ("Kasparov, G", "Kasparov, Sergey", false),
            ("Kasparov, G", "Kasparova, G", false),
            ("Kasparov, Garry", "Kasparov, G.", true),
            ("Kasparov, Garry", "Kasparov, Gari", false),
            ("Kasparov, Garry", "Garry Kasparov", true),
            ("Kasparov, Garry", "Kasparov Garry", true),
            ("Kasparov, Garry", "Kasparov", false),
            ("Kasparov", "Kasparov, Garry", true),
            ("Kasparov", "Garry Kasparov", true),
            ("Kasparov", "Kasparova, Anna", false),
            ("Garry Kasparov", "Kasparov, Garry", true),
            ("G. Kasparov", "Kasparov, Garry Kimovich", true),
            ("Garry Kasparov", "Karpov, Anatoly", false),
            ("De la Riva, O", "De la Riva Aguado, Oscar", false),
            ("De la Riva Aguado, O", "De la Riva Aguado, Oscar", true),
            ("muller", "Müller, Karsten", true),
            ("O'Kelly", "O’Kelly de Galway, Alberic", true),
            ("Carlsen, M", "Carlsen, Magnus", true),
            ("", "", true),
            ("", "x", false),
        ] {
            let test = NameTest::new(asked);
            assert_eq!(test.matches(&fold(found)), fits, "{asked} / {found}");
        }
    }

    #[test]
    fn aliases_are_read() {
        let aliases =
            Aliases::parse("# players\n\nKasparov, Garry = Weinstein, G. = Garry13 # one\n")
                .expect("fine");
        assert_eq!(aliases.of("GARRY13").len(), 3);
        assert!(aliases.of("Karpov").is_empty());
        assert_eq!(
            Aliases::parse("a = b\nb = c").map_err(|e| e.line).err(),
            Some(2)
        );
        assert_eq!(Aliases::parse("a").map_err(|e| e.line).err(), Some(1));
        assert!(Aliases::parse("a = ").is_err());
    }
}
