//! Saved queries: a file of names with their queries.

use std::collections::BTreeMap;

/// Queries by name.
///
/// A line begins with a name and `=`; lines that begin with white space continue the query before. A line that begins with
/// `#` is a comment.
///
/// ```text
/// # what I play
/// najdorf = line:"1.e4 c5 2.Nf3 d6 3.d4 cxd4 4.Nxd4 Nf6 5.Nc3 a6"
/// strong-najdorf = @najdorf
///     and elo>=2600
/// ```
#[derive(Clone, Debug, Default)]
pub struct SavedQueries(BTreeMap<String, String>);

/// An invalid line of the file of saved queries.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of the saved queries: {what}")]
pub struct SavedQueryError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong.
    pub what: &'static str,
}

impl SavedQueries {
    /// Reads the text of a file.
    pub fn parse(text: &str) -> Result<SavedQueries, SavedQueryError> {
        let mut queries = BTreeMap::new();
        let mut current: Option<(String, String)> = None;
        for (index, line) in text.lines().enumerate() {
            let fail = |what| SavedQueryError {
                line: index + 1,
                what,
            };
            if line.trim().is_empty() || line.starts_with('#') {
                continue;
            }
            if line.starts_with([' ', '\t']) {
                let Some((_, query)) = &mut current else {
                    return Err(fail("there is no query to continue"));
                };
                query.push('\n');
                query.push_str(line.trim());
                continue;
            }
            let Some((name, query)) = line.split_once('=') else {
                return Err(fail("there is no `=` after a name"));
            };
            let name = name.trim();
            if !is_name(name) {
                return Err(fail("a name consists of letters, digits, `-` and `_`"));
            }
            if queries.contains_key(name)
                || current.as_ref().is_some_and(|(other, _)| other == name)
            {
                return Err(fail("this name occurs twice"));
            }
            queries.extend(current.replace((name.to_owned(), query.trim().to_owned())));
        }
        queries.extend(current);
        Ok(SavedQueries(queries))
    }

    /// The query of a name.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// All names with their queries.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0
            .iter()
            .map(|(name, query)| (name.as_str(), query.as_str()))
    }
}

fn is_name(name: &str) -> bool {
    !name.is_empty()
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_are_read_with_their_continuations() {
        let saved =
            SavedQueries::parse("# mine\na = white:x\n  and black:y\n\nb=@a\n").expect("fine");
        assert_eq!(saved.get("a"), Some("white:x\nand black:y"));
        assert_eq!(saved.get("b"), Some("@a"));
        assert_eq!(saved.iter().count(), 2);
        for (text, line) in [("a = x\na = y", 2), ("x", 1), ("  x", 1), ("a b = x", 1)] {
            assert_eq!(
                SavedQueries::parse(text).map_err(|e| e.line).err(),
                Some(line),
                "{text}"
            );
        }
    }
}
