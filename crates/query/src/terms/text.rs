//! Tests of texts: contained, whole, with wildcards, by regular expression, as a name.

use std::borrow::Cow;

use memchr::memmem::Finder;
use regex::{Regex, RegexBuilder};

use crate::language::fold::{fold, without_accents};
use crate::language::names::NameTest;

/// The most memory that a compiled regular expression may take.
const REGEX_SIZE: usize = 1 << 20;
/// The longest text that a regular expression is run on, in bytes.
const REGEX_TEXT: usize = 1 << 20;
/// The most that a regular expression, in bytes of its compiled form, times the text may come to: in the worst case each byte of
/// the text is met by each state. A larger one looks at the beginning of a long text alone, so that the time is bounded.
const REGEX_WORK: u64 = 1 << 36;
/// The smallest compiled form that is told from larger ones.
const REGEX_SMALL: usize = 1 << 14;
/// The most that a pattern with wildcards times the text may come to; a text that is longer does not fit.
const GLOB_WORK: usize = 1 << 31;

/// A test of a text, without case and accents.
#[derive(Clone, Debug)]
pub enum TextTest {
    /// The text contains this.
    Contains(Box<Finder<'static>>),
    /// The whole text is this.
    Whole(String),
    /// The whole text matches a pattern with `*` and `?`.
    Glob(GlobPattern),
    /// A regular expression matches a part of the text.
    Regex(BoundedRegex),
    /// The text is a form of this name.
    Name(NameTest),
    /// The text begins with this, and no digit or letter follows.
    Leading(String),
    /// Any of these.
    Any(Vec<TextTest>),
}

impl TextTest {
    /// A test that the text contains `part`.
    pub fn contains(part: &str) -> TextTest {
        TextTest::Contains(Box::new(Finder::new(fold(part).as_bytes()).into_owned()))
    }

    /// A test that the text is `whole`.
    pub fn whole(whole: &str) -> TextTest {
        TextTest::Whole(fold(whole.trim()).into_owned())
    }

    /// A test by a regular expression.
    pub fn regex(pattern: &str) -> Result<TextTest, String> {
        BoundedRegex::new(&without_accents(pattern))
            .map(TextTest::Regex)
            .map_err(|error| match error {
                regex::Error::CompiledTooBig(_) => {
                    "this regular expression needs too much memory".to_owned()
                }
                error => {
                    let text = error.to_string();
                    let last = text.lines().last().unwrap_or_default();
                    let last = last.strip_prefix("error: ").unwrap_or(last);
                    format!("this is not a regular expression: {last}")
                }
            })
    }

    /// The names that are asked for, and texts that may be misspelt ones.
    pub(crate) fn names(&self, names: &mut Vec<NameTest>) {
        match self {
            TextTest::Name(name) => names.push(name.clone()),
            TextTest::Contains(finder) => {
                names.push(NameTest::new(&String::from_utf8_lossy(finder.needle())));
            }
            TextTest::Any(tests) => tests.iter().for_each(|test| test.names(names)),
            _ => {}
        }
    }

    /// Whether a text passes.
    pub fn matches(&self, text: &str) -> bool {
        match self {
            TextTest::Regex(_) | TextTest::Any(_) => self.matches_both(text, None),
            _ => self.matches_both(text, Some(&fold(text))),
        }
    }

    fn matches_both(&self, text: &str, folded: Option<&str>) -> bool {
        let folded = || folded.map_or_else(|| fold(text), Cow::Borrowed);
        match self {
            TextTest::Contains(finder) => finder.find(folded().as_bytes()).is_some(),
            TextTest::Whole(whole) => folded().trim() == whole,
            TextTest::Glob(glob) => glob.matches(folded().trim()),
            TextTest::Name(name) => name.matches(&folded()),
            TextTest::Leading(lead) => {
                let folded = folded();
                folded
                    .trim()
                    .strip_prefix(lead.as_str())
                    .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()))
            }
            TextTest::Regex(regex) => regex.is_match(&without_accents(text)),
            TextTest::Any(tests) => {
                let folded = fold(text);
                tests
                    .iter()
                    .any(|test| test.matches_both(text, Some(&folded)))
            }
        }
    }
}

/// A regular expression that sees a limited part of a text, so that its time is bounded.
#[derive(Clone, Debug)]
pub struct BoundedRegex {
    regex: Regex,
    /// How much of a text it sees.
    longest: usize,
}

impl BoundedRegex {
    fn new(pattern: &str) -> Result<BoundedRegex, regex::Error> {
        // How large it is when it is compiled is not told: it is tried.
        let mut size = REGEX_SMALL;
        loop {
            let built = RegexBuilder::new(pattern)
                .case_insensitive(true)
                .size_limit(size)
                .dfa_size_limit(REGEX_SIZE)
                .nest_limit(50)
                .build();
            match built {
                Err(regex::Error::CompiledTooBig(_)) if size < REGEX_SIZE => size *= 2,
                built => {
                    return built.map(|regex| BoundedRegex {
                        regex,
                        longest: usize::try_from(REGEX_WORK / size as u64)
                            .map_or(REGEX_TEXT, |most| most.min(REGEX_TEXT)),
                    });
                }
            }
        }
    }

    fn is_match(&self, text: &str) -> bool {
        let mut end = text.len().min(self.longest);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        self.regex.is_match(text.get(..end).unwrap_or_default())
    }
}

/// A pattern for a whole text: `*` is any text, `?` any letter, `\` takes the next letter literally.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GlobPattern(Vec<GlobPart>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum GlobPart {
    Letter(char),
    AnyLetter,
    AnyText,
}

impl GlobPattern {
    /// Parses a pattern.
    pub fn new(pattern: &str) -> GlobPattern {
        let mut parts = Vec::new();
        let mut literal = String::new();
        let flush = |literal: &mut String, parts: &mut Vec<GlobPart>| {
            parts.extend(fold(literal).chars().map(GlobPart::Letter));
            literal.clear();
        };
        let mut chars = pattern.trim().chars();
        while let Some(c) = chars.next() {
            match c {
                '*' => {
                    flush(&mut literal, &mut parts);
                    if parts.last() != Some(&GlobPart::AnyText) {
                        parts.push(GlobPart::AnyText);
                    }
                }
                '?' => {
                    flush(&mut literal, &mut parts);
                    parts.push(GlobPart::AnyLetter);
                }
                '\\' => literal.push(chars.next().unwrap_or('\\')),
                c => literal.push(c),
            }
        }
        flush(&mut literal, &mut parts);
        GlobPattern(parts)
    }

    /// Whether a folded text matches as a whole.
    ///
    /// Only the last `*` is ever tried again: the time is at most pattern times text.
    pub fn matches(&self, text: &str) -> bool {
        if self.0.len().saturating_mul(text.len()) > GLOB_WORK {
            return false;
        }
        let mut rest = text.chars();
        let mut at = 0;
        let mut again: Option<(usize, std::str::Chars<'_>)> = None;
        loop {
            let part = self.0.get(at).copied();
            if part == Some(GlobPart::AnyText) {
                at += 1;
                again = Some((at, rest.clone()));
                continue;
            }
            let before = rest.clone();
            match (part, rest.next()) {
                (None, None) => return true,
                (Some(GlobPart::Letter(letter)), Some(c)) if letter == c => at += 1,
                (Some(GlobPart::AnyLetter), Some(_)) => at += 1,
                _ => {
                    drop(before);
                    let Some((start, mut from)) = again.take() else {
                        return false;
                    };
                    if from.next().is_none() {
                        return false;
                    }
                    at = start;
                    rest = from.clone();
                    again = Some((start, from));
                }
            }
        }
    }
}

/// Whether a text has unescaped wildcards.
pub fn has_wildcards(text: &str) -> bool {
    let mut escaped = false;
    text.chars().any(|c| {
        let wild = !escaped && (c == '*' || c == '?');
        escaped = c == '\\' && !escaped;
        wild
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_expressions_look_at_less_and_small_ones_at_all() {
        let longest = |pattern: &str| match TextTest::regex(pattern).expect("an expression") {
            TextTest::Regex(bounded) => bounded.longest,
            other => panic!("{other:?}"),
        };
        assert_eq!(longest("najdorf|dragon"), REGEX_TEXT);
        let large = longest("(a?b?c?d?){400}e");
        assert!((64 << 10..REGEX_TEXT).contains(&large), "{large}");
        assert!(TextTest::regex(r"\w{5000}").is_err());
        // What is beyond is not looked at, and what is before is.
        let test = TextTest::regex("(a?b?c?d?){400}e").expect("an expression");
        let text = format!("{}e", "x".repeat(REGEX_TEXT));
        assert!(!test.matches(&text) && test.matches(&text[text.len() - large..]));
    }

    #[test]
    fn patterns_on_texts_without_end_fit_none() {
        let glob = GlobPattern::new(&"*a?".repeat(5_000));
        assert!(glob.matches(&"ab".repeat(6_000)));
        assert!(!glob.matches(&"ab".repeat(200_000)));
    }

    #[test]
    fn globs_fit_whole_texts() {
        for (pattern, text, fits) in [
            ("lin*", "linares", true),
            ("lin*", "berlin", false),
            ("*lin*", "berlin open", true),
            ("l?n*s", "linares", true),
            ("*a*b*c", "xxaxxbxxbxxc", true),
            ("*a*b*c", "xxaxxbxxbxxd", false),
            ("", "", true),
            ("*", "", true),
            ("?", "", false),
            (r"a\*", "a*", true),
            (r"a\*", "ab", false),
            ("Ü*", "ufa", true),
        ] {
            assert_eq!(
                GlobPattern::new(pattern).matches(text),
                fits,
                "{pattern} {text}"
            );
        }
    }

    #[test]
    fn a_hostile_glob_takes_no_exponential_time() {
        let glob = GlobPattern::new(&"*a".repeat(500));
        assert!(!glob.matches(&"ab".repeat(400)));
    }

    #[test]
    fn regular_expressions_know_no_case_and_no_accents() {
        let test = TextTest::regex("^mül+er$").expect("fine");
        assert!(test.matches("MULLER") && test.matches("müller") && !test.matches("Muler x"));
        assert!(TextTest::regex("(").is_err());
        assert!(TextTest::regex(r"(\w{1000}){1000}").is_err());
    }
}
