//! Tags of many games: fixed values, new names, another order, and values by rules.

use crate::error_codes;
use std::borrow::Cow;

use regex::Regex;
use tabiya_model::outcome::Outcome;
use tabiya_model::tags::Tags;
use tabiya_model::{Error, Game, Result};

/// Changes of tags.
#[derive(Clone, Default, Debug)]
pub struct TagChanges {
    /// Tags to rename.
    pub rename: Vec<(String, String)>,
    /// Rules for values.
    pub rules: Vec<TagRule>,
    /// Tags to set; an empty value removes the tag.
    pub set: Vec<(String, String)>,
    /// Tags that come first, in this order; the others follow in their own.
    pub order: Vec<String>,
    /// Correct the Result tag from the movetext or the final position.
    pub fix_results: bool,
}

impl TagChanges {
    /// Whether nothing becomes of them.
    pub(super) fn is_nothing(&self) -> bool {
        self.rename.is_empty()
            && self.rules.is_empty()
            && self.set.is_empty()
            && self.order.is_empty()
            && !self.fix_results
    }

    /// Refuses what is impossible: the start of a game follows from its position, its rules from its moves.
    pub fn check(&self) -> Result<()> {
        let renamed = self.rename.iter().flat_map(|(old, new)| [old, new]);
        let names = renamed.chain(self.set.iter().map(|(name, _)| name));
        for name in names {
            if name.trim().is_empty() {
                return Err(Error::new(&error_codes::BAD_TAG, "a tag needs a name"));
            }
            if ["FEN", "SetUp", "Variant"].contains(&name.as_str()) {
                return Err(Error::new(
                    &error_codes::BAD_TAG,
                    format!("{name}: this tag follows from the game and cannot be set"),
                ));
            }
        }
        Ok(())
    }

    /// Makes them true; says whether a value or a name is another one.
    pub(super) fn make(&self, game: &mut Game) -> bool {
        let mut changed = false;
        if self.fix_results {
            changed |= fix_result(game);
        }
        if self.touches_names_or_values(game) {
            let old = std::mem::take(&mut game.tags);
            for index in 0..old.len() {
                changed |= self.copy(&old, index, &mut game.tags);
            }
        }
        for (name, value) in &self.set {
            changed |= set(game, name, value);
        }
        if !self.order.is_empty() {
            reorder(&mut game.tags, &self.order);
        }
        changed
    }

    fn touches_names_or_values(&self, game: &Game) -> bool {
        let renames = |name: &str| self.rename.iter().any(|(old, _)| old == name);
        !self.rules.is_empty() || game.tags.iter().any(|tag| renames(tag.name))
    }

    /// Copies one tag under its new name and with its new value.
    fn copy(&self, old: &Tags, index: usize, new: &mut Tags) -> bool {
        let Some(tag) = old.at(index) else {
            return false;
        };
        let renamed = self.rename.iter().find(|(from, _)| from == tag.name);
        let name = renamed.map_or(tag.name, |(_, to)| to.as_str());
        let mut value = Cow::Borrowed(tag.value);
        for rule in self.rules.iter().filter(|rule| rule.is_about(name)) {
            if let Some(other) = rule.apply(&value) {
                value = Cow::Owned(other);
            }
        }
        if name == tag.name && value == tag.value {
            new.push_from(old, index);
            return false;
        }
        new.push(name, &value);
        true
    }
}

/// Gives a tag a value; the result of the movetext follows its tag.
fn set(game: &mut Game, name: &str, value: &str) -> bool {
    if value.is_empty() {
        return game.tags.remove(name) > 0;
    }
    if name == "Result"
        && let Some(outcome) = Outcome::from_pgn(value)
    {
        game.outcome = Some(outcome);
    }
    let is_new = game.tags.get(name) != Some(value);
    if is_new {
        game.tags.set(name, value);
    }
    is_new
}

/// The result is that of the last position, where it ends a game, else that of the movetext.
fn fix_result(game: &mut Game) -> bool {
    let mut board = game.start_board();
    for m in game.tape.main_line() {
        board.play(m);
    }
    let by_rules = if board.is_checkmate() {
        match board.turn() {
            shakmaty::Color::White => Some(Outcome::BlackWins),
            shakmaty::Color::Black => Some(Outcome::WhiteWins),
        }
    } else if board.is_stalemate() {
        Some(Outcome::Draw)
    } else {
        None
    };
    match by_rules.or(game.outcome) {
        Some(outcome) if game.tags.result() != Some(outcome) || game.outcome != Some(outcome) => {
            game.outcome = Some(outcome);
            set(game, "Result", outcome.as_pgn());
            true
        }
        _ => false,
    }
}

fn reorder(tags: &mut Tags, order: &[String]) {
    let old = std::mem::take(tags);
    let is_first = |index: &usize| {
        let name = old.at(*index).map(|tag| tag.name);
        name.is_some_and(|name| order.iter().any(|wanted| wanted == name))
    };
    for wanted in order {
        for index in 0..old.len() {
            if old.at(index).is_some_and(|tag| tag.name == wanted) {
                tags.push_from(&old, index);
            }
        }
    }
    for index in (0..old.len()).filter(|index| !is_first(index)) {
        tags.push_from(&old, index);
    }
}

/// A rule for the values of tags: a value that matches is replaced.
#[derive(Clone, Debug)]
pub struct TagRule {
    /// The names of the tags; empty for all of them.
    names: Vec<String>,
    test: TagTest,
    becomes: String,
}

#[derive(Clone, Debug)]
enum TagTest {
    /// The whole value.
    Whole(String),
    /// A regular expression that is searched in the value.
    Found(Regex),
}

impl TagRule {
    /// Reads rules, one per line: `White, Black: Kasparov G = Kasparov, Garry` for whole values, `Event: / \(rapid\)$/ = `
    /// for matches of a regular expression (`$1` is its first group), `*` for all tags. Empty lines and those that begin
    /// with `#` are ignored.
    ///
    /// # Errors
    ///
    /// If a line is not a rule, with its number.
    pub fn parse_all(text: &str) -> Result<Vec<TagRule>> {
        let is_rule = |line: &str| !line.is_empty() && !line.starts_with('#');
        (text.lines().map(str::trim).zip(1_u64..))
            .filter(|(line, _)| is_rule(line))
            .map(|(line, number)| {
                TagRule::parse(line).ok_or_else(|| {
                    Error::new(&error_codes::BAD_TAG_RULE, format!(
                        "line {number}: not a rule; write one such as `White: Kasparov G = Kasparov, Garry` or `Event: /expression/ = text`"
                    ))
                    .with("line", number)
                })
            })
            .collect()
    }

    fn parse(line: &str) -> Option<TagRule> {
        let (names, rest) = line.split_once(':')?;
        let names: Vec<String> = names
            .split(',')
            .map(|name| name.trim().to_owned())
            .collect();
        if names.iter().any(String::is_empty) {
            return None;
        }
        let rest = rest.trim();
        let (test, becomes) = if let Some(expression) = rest.strip_prefix('/') {
            let (expression, becomes) = expression
                .rsplit_once("/ =")
                .or_else(|| expression.rsplit_once("/="))?;
            (TagTest::Found(Regex::new(expression).ok()?), becomes)
        } else {
            let (value, becomes) = rest.split_once('=')?;
            (TagTest::Whole(value.trim().to_owned()), becomes)
        };
        Some(TagRule {
            names: if names.iter().any(|name| name == "*") {
                Vec::new()
            } else {
                names
            },
            test,
            becomes: becomes.trim().to_owned(),
        })
    }

    fn is_about(&self, name: &str) -> bool {
        let is_start = matches!(name, "FEN" | "SetUp" | "Variant" | "Result");
        !is_start && (self.names.is_empty() || self.names.iter().any(|known| known == name))
    }

    /// The new value, if it is another one.
    fn apply(&self, value: &str) -> Option<String> {
        match &self.test {
            TagTest::Whole(whole) => (whole == value).then(|| self.becomes.clone()),
            TagTest::Found(regex) => match regex.replace_all(value, self.becomes.as_str()) {
                Cow::Borrowed(_) => None,
                Cow::Owned(new) => Some(new),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(game: &Game) -> Vec<String> {
        let tags = game.tags.iter();
        tags.map(|tag| format!("{}={}", tag.name, tag.value))
            .collect()
    }

    #[test]
    fn names_values_and_order() {
        let mut game = Game::default();
        for (name, value) in [
            ("Event", "Open (rapid)"),
            ("White", "Kasparov G"),
            ("Black", "x"),
            ("Comp", "y"),
        ] {
            game.tags.push(name, value);
        }
        let rules = "# who\nWhite, Black: Kasparov G = Kasparov, Garry\n\nEvent: /^(\\w+) \\(rapid\\)$/ = $1, rapid\n*: x = z";
        let wishes = TagChanges {
            rename: vec![("Comp".to_owned(), "Source".to_owned())],
            rules: TagRule::parse_all(rules).expect("rules"),
            set: vec![
                ("Site".to_owned(), "Oslo".to_owned()),
                ("Round".to_owned(), String::new()),
            ],
            order: vec!["White".to_owned(), "Site".to_owned()],
            fix_results: false,
        };
        assert!(wishes.check().is_ok());
        assert!(wishes.make(&mut game));
        assert_eq!(
            names(&game),
            [
                "White=Kasparov, Garry",
                "Site=Oslo",
                "Event=Open, rapid",
                "Black=z",
                "Source=y"
            ]
        );
        assert!(!wishes.make(&mut game));
    }

    #[test]
    fn what_is_no_rule_is_told_with_its_line() {
        for wrong in ["White Kasparov", "White: a", "White: /(/ = x", ": a = b"] {
            let error = TagRule::parse_all(&format!("# one\n{wrong}")).expect_err("no rule");
            assert!(error.message.contains("line 2"), "{wrong}: {error}");
        }
    }
}
