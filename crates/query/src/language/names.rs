//! Names of players in their forms, and the file of aliases.
//!
//! A name in a query matches a name in a database if the words agree: `Kasparov` matches `Kasparov, Garry`; `Kasparov, G`
//! and `Garry Kasparov` do too. A surname must be complete; a given name may be abbreviated, and one letter matches every
//! name that begins with it, on either side; so do initials without points between them, as in `Fischer, RJ`. Titles before
//! a name are ignored, and particles belong to the surname, wherever they are: `Van der Sterren, Paul` is
//! `Sterren, Paul van der`.

use std::collections::{BTreeMap, BTreeSet};

use crate::language::fold::fold;
use crate::language::keywords::distance;
use crate::language::spelling::{LONG, is_one_letter_apart};

/// The most aliases that a file may hold.
const MAX_ALIASES: usize = 100_000;

/// A name to look for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameTest {
    /// The words before the comma; all words if there is none.
    surname: Vec<String>,
    /// The words after the comma.
    given: Vec<String>,
    comma: bool,
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '\''))
        .filter(|word| !word.is_empty())
}

/// Titles that stand before names.
const TITLES: [&str; 14] = [
    "gm", "im", "fm", "cm", "nm", "wgm", "wim", "wfm", "wcm", "dr", "prof", "mr", "mrs", "ms",
];

/// Words that belong to a surname before which they stand.
const PARTICLES: [&str; 16] = [
    "van", "von", "der", "den", "de", "del", "della", "di", "da", "dos", "du", "la", "le", "ter",
    "ten", "zu",
];

/// The most initials without anything between them.
const INITIALS: usize = 3;

/// A folded name without the titles before it.
pub fn without_titles(folded: &str) -> &str {
    let mut rest = folded.trim_start();
    while let Some((word, behind)) = rest.split_once([' ', '.']) {
        let behind = behind.trim_start_matches([' ', '.']);
        if !TITLES.contains(&word) || behind.is_empty() {
            break;
        }
        rest = behind;
    }
    rest
}

/// The words of a folded name, those of the surname and the given ones; all are of the surname where no comma parts them.
fn split<'n>(folded: &'n str) -> (Vec<&'n str>, Vec<&'n str>, bool) {
    let (before, behind, comma) = match folded.split_once(',') {
        Some((surname, given)) => (surname, given, true),
        None => (folded, "", false),
    };
    let mut surname: Vec<&'n str> = words(before).collect();
    let mut given: Vec<&'n str> = words(behind).collect();
    while surname.len() > 1 && surname.first().is_some_and(|word| TITLES.contains(word)) {
        surname.remove(0);
    }
    let own = given
        .iter()
        .rposition(|word| !PARTICLES.contains(word))
        .map_or(0, |at| at + 1);
    let particles = given.split_off(own);
    surname.splice(..0, particles);
    (surname, given, comma)
}

/// Whether two given names agree: they are the same, what is asked for is the beginning, or one letter stands for all
/// names that begin with it.
fn given_agree(asked: &str, found: &str) -> bool {
    let is_initial = |word: &str| word.chars().nth(1).is_none();
    found.starts_with(asked) || (is_initial(found) && asked.starts_with(found))
}

/// Whether one word is the initials of several.
fn are_initials(word: &str, names: &[&str]) -> bool {
    let count = word.chars().count();
    (2..=INITIALS).contains(&count)
        && count <= names.len()
        && word
            .chars()
            .zip(names)
            .all(|(letter, name)| name.starts_with(letter))
}

/// Whether given names agree with those that are asked for, from the first on.
fn all_given_agree(asked: &[String], found: &[&str]) -> bool {
    let pairs = || asked.iter().zip(found);
    if asked.len() <= found.len() && pairs().all(|(asked, found)| given_agree(asked, found)) {
        return true;
    }
    let words: Vec<&str> = asked.iter().map(String::as_str).collect();
    match (&*words, found) {
        ([initials], names) if are_initials(initials, names) => true,
        (names, [initials]) => are_initials(initials, names),
        _ => false,
    }
}

/// The words of a folded name under which all of its forms can be found: the first and the last word of the surname;
/// without a comma, the first and the last of all words. Single letters are ignored, unless there is nothing else.
pub fn key_words(folded: &str) -> [Option<&str>; 2] {
    let (surname, given, _) = split(folded);
    let is_long = |word: &&&str| word.chars().nth(1).is_some() && !PARTICLES.contains(*word);
    let mut long = surname.iter().filter(is_long);
    let first = long.next().copied();
    let last = long
        .next_back()
        .copied()
        .filter(|last| Some(*last) != first);
    let any = || surname.first().or(given.first()).copied();
    [first.or_else(any), last]
}

impl NameTest {
    /// A name, with or without a comma after the surname.
    pub fn new(name: &str) -> NameTest {
        let folded = fold(name);
        let (surname, given, comma) = split(&folded);
        let owned = |words: Vec<&str>| words.into_iter().map(str::to_owned).collect();
        NameTest {
            surname: owned(surname),
            given: owned(given),
            comma,
        }
    }

    /// Whether the name is empty.
    pub fn is_empty(&self) -> bool {
        self.surname.is_empty() && self.given.is_empty()
    }

    /// How much a folded name differs from a misspelt one: the number of different letters in the most significant word, 3
    /// if only the beginning is the same; nothing if it is another name.
    pub fn nearness(&self, folded: &str) -> Option<usize> {
        const ALIKE: usize = 4;
        let longest = |words: &[String]| words.iter().max_by_key(|word| word.len()).cloned();
        let asked = longest(&self.surname).or_else(|| longest(&self.given))?;
        let length = asked.chars().count();
        let misspelt = words(folded)
            .filter(|word| word.len().abs_diff(asked.len()) <= 2)
            .map(|word| distance(&asked, word))
            .filter(|distance| *distance <= 2 && 3 * distance < length)
            .min();
        let beginning: String = asked.chars().take(ALIKE).collect();
        let begins = || words(folded).any(|word| word.starts_with(&beginning));
        misspelt.or_else(|| (length >= ALIKE && begins()).then_some(ALIKE - 1))
    }

    /// Whether a folded name is this one with one letter of a long surname changed.
    pub fn is_misspelt(&self, folded: &str) -> bool {
        let (surname, given, comma) = split(folded);
        let (own, other) = (self.surname.join(" "), surname.join(" "));
        let owned: Vec<&str> = self.given.iter().map(String::as_str).collect();
        let others: Vec<String> = given.iter().map(|word| (*word).to_owned()).collect();
        comma == self.comma
            && own.chars().count().min(other.chars().count()) >= LONG
            && is_one_letter_apart(&own, &other)
            && (all_given_agree(&self.given, &given) || all_given_agree(&others, &owned))
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
        let (surname, given, comma) = split(folded);
        if comma || !self.comma {
            return self.fits(&surname, &given);
        }
        // `Garry Kasparov`: any split into given names and surname will do.
        let all = surname;
        let length = self.surname.len();
        let Some(split) = all.len().checked_sub(length) else {
            return false;
        };
        let (given, surname) = all.split_at(split);
        let (surname_first, given_last) = all.split_at(length);
        self.fits(surname, given) || self.fits(surname_first, given_last)
    }

    fn fits(&self, surname: &[&str], given: &[&str]) -> bool {
        if self.comma {
            return self.surname.len() == surname.len()
                && self
                    .surname
                    .iter()
                    .zip(surname)
                    .all(|(asked, found)| asked == found)
                && all_given_agree(&self.given, given);
        }
        if self.surname.is_empty() {
            return surname.is_empty() && given.is_empty();
        }
        // The words of the surname in a row. A given name alone is nobody's surname.
        let whole_words = |found: &[&str]| {
            found.windows(self.surname.len()).any(|window| {
                window
                    .iter()
                    .zip(&self.surname)
                    .all(|(found, asked)| found == asked)
            })
        };
        if whole_words(surname) {
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
        (equal(last, surname) && all_given_agree(first, given))
            || (equal(lead, surname) && all_given_agree(rest, given))
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

/// An invalid line of the file of aliases.
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
    /// Reads the text of a file of aliases, or of a spelling file with its `@PLAYER`.
    pub fn parse(text: &str) -> Result<Aliases, AliasError> {
        if text.lines().any(|line| line.starts_with('@')) {
            return Ok(Aliases::of_spelling_file(text));
        }
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
                    return Err(fail("a name is already on another line"));
                }
            }
            aliases.groups.push(names);
        }
        Ok(aliases)
    }

    /// The players of a spelling file with what is written in the place of their names. A spelling that two of them share is
    /// nobody's.
    fn of_spelling_file(text: &str) -> Aliases {
        let mut aliases = Aliases::default();
        let mut is_players = false;
        let mut shared: BTreeSet<String> = BTreeSet::new();
        let mut group: Vec<String> = Vec::new();
        for line in text.lines().chain(["@"]) {
            let content = line.split('#').next().unwrap_or_default().trim();
            let alias = content.strip_prefix('=').map(str::trim);
            if content.is_empty() || content.starts_with(['%', '>']) {
                continue;
            }
            if let Some(alias) = alias.filter(|alias| !group.is_empty() && !key(alias).is_empty()) {
                group.push(alias.to_owned());
                continue;
            }
            let names = std::mem::take(&mut group);
            if names.len() > 1 && aliases.by_name.len() + names.len() <= MAX_ALIASES {
                let number = aliases.groups.len();
                for name in &names {
                    let key = key(name);
                    if *aliases.by_name.entry(key.clone()).or_insert(number) != number {
                        shared.insert(key);
                    }
                }
                aliases.groups.push(names);
            }
            if let Some(section) = content.strip_prefix('@') {
                let front = section.get(..6).unwrap_or("");
                is_players = front.eq_ignore_ascii_case("PLAYER");
            } else if is_players && alias.is_none() && !key(content).is_empty() {
                group.push(content.to_owned());
            }
        }
        for key in shared {
            aliases.by_name.remove(&key);
        }
        aliases
    }

    /// Every name of the player with that name; nothing without aliases.
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
    fn titles_before_names_are_taken_away() {
        for (name, rest) in [
            ("gm tal, m", "tal, m"),
            ("dr. prof. euwe, max", "euwe, max"),
            ("tal, m", "tal, m"),
            ("gm", "gm"),
            ("fm ", "fm "),
            ("imre, k", "imre, k"),
        ] {
            assert_eq!(without_titles(name), rest);
        }
    }

    #[test]
    fn a_spelling_file_tells_aliases_too() {
        let text = "# who\n@SITE\nOslo\n= Kristiania\n@PLAYER \", .-\"\nKasparov, Garry #GM RUS\n= Weinstein, Garik\n%Elo 1990:2800\n\
            = Kasparow, G # spelling\nTal, Mihail\nKarpov, A\n= Karpow, A\n";
        let aliases = Aliases::parse(text).expect("a file");
        assert_eq!(aliases.of("weinstein, garik").len(), 3);
        assert_eq!(aliases.of("Karpow, A"), ["Karpov, A", "Karpow, A"]);
        assert!(aliases.of("Tal, Mihail").is_empty() && aliases.of("Oslo").is_empty());
        // What two players share is nobody's.
        let text =
            "@player\nPolgar, Judit\n= Polgar, J\n= Polgar, Jutka\nPolgar, Joe\n= Polgar, J\n";
        let aliases = Aliases::parse(text).expect("a file");
        assert!(aliases.of("Polgar, J").is_empty());
        assert_eq!(aliases.of("Polgar, Jutka").len(), 3);
    }

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
            ("Kasparov G", "Kasparov, Garry", true),
            ("Kasparov, Ga", "Kasparov, Garry", true),
            ("Kasparov, Ga", "Kasparov, Genrikh", false),
            ("Fischer, RJ", "Fischer, Robert James", true),
            ("RJ Fischer", "Fischer, Robert James", true),
            ("Fischer, RJ", "Fischer, Robert", false),
            ("Fischer, Robert James", "Fischer, RJ", true),
            ("Fischer, Robert James", "Fischer, R.J.", true),
            ("Fischer, JR", "Fischer, Robert James", false),
            ("Van der Sterren", "Van der Sterren, Paul", true),
            ("Van der Sterren", "Sterren, Paul van der", true),
            ("Van der Sterren, P", "Sterren, Paul van der", true),
            ("Sterren", "Van der Sterren, Paul", true),
            ("Kasparov, Garry", "GM Kasparov, Garry", true),
            ("Kasparov, Garry", "GM Garry Kasparov", true),
            ("GM Kasparov", "Kasparov, Garry", true),
            ("Michael", "Adams, Michael", false),
            ("Michael", "Michael, Anna", true),
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
