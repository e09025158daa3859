//! Terms about games as a whole: tags, counts, properties.

use shakmaty::Color;
use tabiya_model::nag::Nag;
use tabiya_model::time_class::TimeClass;

use super::{ParserResult, QueryParser, TermHead};
use crate::language::error::QueryError;
use crate::language::names::NameTest;
use crate::language::values::{
    REVERSED, TermOperator, TermValue, ValueKind, clock, date_range, halves, is_reversed,
    number_range, range_ends, score, with_sign,
};
use crate::terms::fields::{FieldTerm, GameFeature, NumberField, TextField, results};
use crate::terms::text::{GlobPattern, TextTest, has_wildcards};

/// What comes behind the last code of openings.
const AFTER_ECO: &str = "F";

impl QueryParser<'_> {
    /// Reads a term about the game as a whole, if the key is one.
    pub(super) fn field(
        &self,
        head: &TermHead,
        operator: TermOperator,
        value: &TermValue,
    ) -> ParserResult<Option<FieldTerm>> {
        use TermOperator::{AtLeast, AtMost, Equals, Is};
        let key = head.key.as_str();
        if key != "tag" {
            self.no_options(head)?;
        }
        let bad = |what: &str| QueryError::new(value.span.clone(), what);
        let only_is = |what: &str| match operator {
            Is | Equals => Ok(()),
            _ => Err(QueryError::new(
                head.span.clone(),
                format!("`{key}` takes `:` and {what}"),
            )),
        };
        let text_field = match key {
            "white" => Some(TextField::White),
            "black" => Some(TextField::Black),
            "player" => Some(TextField::Player),
            "event" => Some(TextField::Event),
            "site" => Some(TextField::Site),
            "round" => Some(TextField::Round),
            "annotator" => Some(TextField::Annotator),
            "opening" => Some(TextField::Opening),
            "time-control" => Some(TextField::TimeControl),
            "title" => Some(TextField::Title(None)),
            "white-title" => Some(TextField::Title(Some(Color::White))),
            "black-title" => Some(TextField::Title(Some(Color::Black))),
            "country" => Some(TextField::Country(None)),
            "white-country" => Some(TextField::Country(Some(Color::White))),
            "black-country" => Some(TextField::Country(Some(Color::Black))),
            "comment" => Some(TextField::Comment),
            "tag" => match head.options.as_slice() {
                [option] if !option.raw.is_empty() => Some(TextField::Tag(option.raw.clone())),
                _ => {
                    return Err(
                        QueryError::new(head.span.clone(), "the name of a tag is missing")
                            .help("write `tag[Name]:value`, or `has:tag[Name]`"),
                    );
                }
            },
            _ => None,
        };
        if let Some(field) = text_field {
            return self
                .text_test(&field, operator, value)
                .map(|test| Some(FieldTerm::Text(field, test)));
        }
        let number_field = match key {
            "elo" => Some(NumberField::Elo),
            "white-elo" => Some(NumberField::WhiteElo),
            "black-elo" => Some(NumberField::BlackElo),
            "any-elo" => Some(NumberField::AnyElo),
            "average-elo" => Some(NumberField::AverageElo),
            "elo-diff" => Some(NumberField::EloDifference),
            "year" => Some(NumberField::Year),
            "month" => Some(NumberField::Month),
            "plies" => Some(NumberField::Plies),
            "moves" => Some(NumberField::Moves),
            "number" => Some(NumberField::Number),
            _ => None,
        };
        let range = |read: fn(&str) -> Option<i64>, what: &str| {
            number_range(operator, &value.text, read).ok_or_else(|| {
                if is_reversed(&value.text, |low, high| read(low) > read(high)) {
                    return bad(REVERSED);
                }
                match key {
                    "moves" | "plies" if value.text.starts_with(|c: char| c.is_alphabetic()) => bad(
                        what,
                    )
                    .help(format!(
                        "`{key}` is a number; for the moves themselves write `line:\"1.e4 c5\"` or `move:\"Bxh7+\"`"
                    )),
                    _ => bad(what).help(format!(
                        "write `{key}:A..B`, `{key}>=A`, `{key}<B` or `{key}:A`"
                    )),
                }
            })
        };
        let whole = |text: &str| text.parse::<i64>().ok().filter(|n| n.abs() < 1 << 50);
        if let Some(field) = number_field {
            let read = match field {
                NumberField::AverageElo => halves,
                _ => whole,
            };
            let (low, high) = range(read, "this is not a number or a range")?;
            return Ok(Some(FieldTerm::Number(field, low, high)));
        }
        Ok(Some(match key {
            "date" | "event-date" => {
                let (low, high) = date_range(operator, &value.text).ok_or_else(|| {
                    bad("this is not a date or a range").help(
                        "dates are like 1972, 1972.07 or 1972.07.11; ranges like 1972..1975.06",
                    )
                })?;
                if let (Some(low), Some(high)) = (low, high)
                    && low.is_after(high)
                {
                    return Err(bad(REVERSED));
                }
                FieldTerm::Date {
                    event: key == "event-date",
                    low,
                    high,
                }
            }
            "eco" => {
                let (operator, text) = with_sign(operator, &value.text);
                let valid = |code: &str| {
                    let code = code
                        .trim()
                        .trim_end_matches(['*', '?'])
                        .to_ascii_uppercase();
                    let mut bytes = code.bytes();
                    (bytes.next().is_some_and(|b| (b'A'..=b'E').contains(&b))
                        && bytes.take(2).all(|b| b.is_ascii_digit())
                        && code.len() <= 6
                        && code.is_ascii())
                    .then_some(code)
                };
                let open = |code: &str, end: &str| match code.trim() {
                    "" => Some(end.to_owned()),
                    code => valid(code),
                };
                let (low, high) = match range_ends(text) {
                    Some((low, high)) => (open(low, ""), open(high, AFTER_ECO)),
                    None => (valid(text), valid(text)),
                };
                let (Some(low), Some(high)) = (low, high) else {
                    return Err(bad("this is not an ECO code")
                        .help("codes are like B90, or their beginnings; ranges like B20..B99"));
                };
                if low > high && !low.starts_with(&high) {
                    return Err(bad(REVERSED));
                }
                match operator {
                    Is | Equals => FieldTerm::Eco(low, high),
                    AtLeast => FieldTerm::Eco(low, AFTER_ECO.to_owned()),
                    AtMost => FieldTerm::Eco(String::new(), high),
                    _ => {
                        return Err(QueryError::new(
                            head.span.clone(),
                            "`eco` takes `:`, `<=` or `>=`",
                        ));
                    }
                }
            }
            "result" => {
                only_is("a result")?;
                FieldTerm::Result(results(&value.text).ok_or_else(|| {
                    bad("this is not a result").help(
                        "results are 1-0, 0-1, 1/2-1/2, *, white, black, draw, decisive, finished",
                    )
                })?)
            }
            "has" => {
                only_is("a property of games")?;
                if let Some(name) = value
                    .text
                    .strip_prefix("tag[")
                    .and_then(|rest| rest.strip_suffix(']'))
                {
                    return Ok(Some(FieldTerm::HasTag(name.to_owned())));
                }
                FieldTerm::Has(match value.text.to_ascii_lowercase().as_str() {
                    "comments" | "comment" => GameFeature::Comments,
                    "variations" | "variation" => GameFeature::Variations,
                    "nags" | "nag" => GameFeature::Nags,
                    "setup" | "fen" => GameFeature::Setup,
                    "clock" | "clocks" => GameFeature::Clock,
                    "eval" | "evals" => GameFeature::Eval,
                    "moves" | "move" => GameFeature::Moves,
                    "damage" => GameFeature::Damage,
                    _ => return Err(bad("unknown property").help("it can have comments, variations, nags, setup, clock, eval, moves, damage, tag[Name]")),
                })
            }
            "nag" => {
                only_is("a NAG")?;
                let text = value.text.trim();
                let nag = text
                    .strip_prefix('$')
                    .unwrap_or(text)
                    .parse::<u32>()
                    .ok()
                    .map(Nag)
                    .or_else(|| Nag::from_glyph(text));
                FieldTerm::Nag(
                    nag.ok_or_else(|| bad("this is not a NAG").help("NAGs are like $1, 1, or !?"))?,
                )
            }
            "flag" => {
                only_is("a flag")?;
                let mut letters = value.text.chars();
                let letter = match (
                    value.text.to_ascii_lowercase().as_str(),
                    letters.next(),
                    letters.next(),
                ) {
                    ("deleted", ..) => 'D',
                    ("user", ..) => 'U',
                    (_, Some(letter), None) => letter.to_ascii_uppercase(),
                    _ => {
                        return Err(bad("a flag is one letter")
                            .help("flags are WBMENPTKQ!?U123456, and D for deleted"));
                    }
                };
                FieldTerm::Flag(letter)
            }
            "speed" => {
                only_is("a speed")?;
                FieldTerm::Speed(match value.text.to_ascii_lowercase().as_str() {
                    "unknown" => None,
                    name => Some(TimeClass::by_name(name).ok_or_else(|| {
                        bad(
                            "speeds are bullet, blitz, rapid, classical, correspondence and unknown",
                        )
                    })?),
                })
            }
            "clock" => {
                let (low, high) =
                    range(clock, "this is not a clock time, like 45, 5:00 or 1:30:00")?;
                FieldTerm::Clock(low, high)
            }
            "eval" => {
                let (low, high) = range(score, "this is not an evaluation, like 0.35, -2 or #5")?;
                FieldTerm::Eval(low, high)
            }
            _ => return Ok(None),
        }))
    }

    fn text_test(
        &self,
        field: &TextField,
        operator: TermOperator,
        value: &TermValue,
    ) -> ParserResult<TextTest> {
        if value.kind == ValueKind::Regex {
            return TextTest::regex(&value.text).map_err(|what| {
                QueryError::new(value.inner..value.inner + value.text.len().max(1), what)
            });
        }
        let text = value.plain();
        match operator {
            TermOperator::Contains => Ok(TextTest::contains(&text)),
            TermOperator::Equals => Ok(TextTest::whole(&text)),
            TermOperator::Is if text.trim().is_empty() => Ok(TextTest::whole("")),
            TermOperator::Is if has_wildcards(&value.text) => {
                Ok(TextTest::Glob(GlobPattern::new(&value.text)))
            }
            TermOperator::Is => Ok(match field {
                TextField::White | TextField::Black | TextField::Player => self.name_test(&text),
                // Several people or a program may stand there, with other words.
                TextField::Annotator => {
                    TextTest::Any(vec![self.name_test(&text), TextTest::contains(&text)])
                }
                TextField::Round => {
                    TextTest::Leading(crate::language::fold::fold(text.trim()).into_owned())
                }
                TextField::Title(_) | TextField::Country(_) => TextTest::whole(&text),
                _ => TextTest::contains(&text),
            }),
            _ => Err(
                QueryError::new(value.span.clone(), "texts cannot be compared by size")
                    .help("texts take `:`, `=`, `!=` and `~`"),
            ),
        }
    }

    fn name_test(&self, name: &str) -> TextTest {
        let one = |name: &str| {
            let test = NameTest::new(name);
            // Names without any letter or digit, such as `?`, are compared as they stand.
            if test.is_empty() {
                TextTest::whole(name)
            } else {
                TextTest::Name(test)
            }
        };
        match self.context.aliases.map(|aliases| aliases.of(name)) {
            None | Some([]) => one(name),
            Some(names) => TextTest::Any(
                names
                    .iter()
                    .map(|name| one(name))
                    .chain([one(name)])
                    .collect(),
            ),
        }
    }
}
