//! The spelling file: names as they should be, their other spellings, and facts about players. Its syntax is that of
//! Scid's, so that existing files are understood, and Scid understands the files that are written here.
//!
//! ```text
//! @PLAYER ", .-"
//! Kasparov, Garry        #GM  RUS [2851] 1963.04.13
//! = Kasparow, G
//! %Elo 1990:2800,2800 1991:2800,2770
//! @SITE
//! %Suffix " Netherlands" " NED"
//! Wijk aan Zee NED
//! = Wijk aan Zee
//! ```

use crate::error_codes;
use std::collections::HashMap;
use std::fmt::Write as _;

use tabiya_model::date::Date;
use tabiya_model::facts::NameTable;
use tabiya_model::{Error, Result};
use tabiya_query::fold::fold;

/// Names and their spellings at most: a file of more is none that anybody wrote.
const MOST: usize = 4_000_000;
/// The longest line.
const LONGEST: usize = 64 << 10;

/// The sections of a file, in the order in which they are written.
pub const SECTIONS: [(&str, NameTable); 4] = [
    ("PLAYER", NameTable::Players),
    ("SITE", NameTable::Sites),
    ("EVENT", NameTable::Events),
    ("ROUND", NameTable::Rounds),
];

/// What is known of a player.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SpellingFilePlayer {
    /// The title, such as `GM`.
    pub title: Option<String>,
    /// The federation, in three letters; the last one, if there were several.
    pub federation: Option<String>,
    /// The highest rating.
    pub peak: Option<u16>,
    /// The date of birth.
    pub born: Option<Date>,
    /// The date of death.
    pub died: Option<Date>,
    /// Ratings: the year, and those of its lists, in order; 0 if unknown.
    pub ratings: Vec<(u16, Vec<u16>)>,
    /// The FIDE ID.
    pub fide_id: Option<u64>,
}

impl SpellingFilePlayer {
    /// The rating at a date whose month is known.
    pub fn rating_at(&self, date: Date) -> Option<u16> {
        let (year, month) = (date.year?, usize::from(date.month?.clamp(1, 12)) - 1);
        let of_year = self.ratings.iter().filter(|(known, _)| *known == year);
        let lists: Vec<u16> = of_year.flat_map(|(_, lists)| lists).copied().collect();
        // The federation's lists divide a year evenly, but for the years in which they became more; from 2013 on there is one each
        // month, and those of a year that is not over are its first.
        let at = match (year, lists.len()) {
            (2009, 5) if month < 6 => month / 3,
            (2009, 5) => (month - 2) / 2,
            (2012, 9) if month < 6 => month / 2,
            (2012, 9) => month - 3,
            (2013.., _) => month,
            (_, count) => month * count / 12,
        };
        lists.get(at).copied().filter(|rating| *rating > 0)
    }

    fn read(text: &str) -> SpellingFilePlayer {
        let mut person = SpellingFilePlayer::default();
        let (front, behind) = match text.split_once('[') {
            Some((front, rest)) => {
                let (peak, behind) = rest.split_once(']').unwrap_or((rest, ""));
                person.peak = peak.trim().parse().ok().filter(|peak| *peak > 0);
                (front, behind)
            }
            None => (text, ""),
        };
        for word in front.split_whitespace() {
            let letters: String = word.chars().take_while(char::is_ascii_alphabetic).collect();
            let title = letters.to_ascii_uppercase();
            if person.title.is_none() && TITLES.contains(&title.as_str()) {
                person.title = Some(title);
            } else if person.federation.is_none() && word.len() >= 3 {
                let last = word.get(word.len().saturating_sub(3)..).unwrap_or("");
                let is_code = last.bytes().all(|byte| byte.is_ascii_uppercase());
                person.federation = is_code.then(|| last.to_owned());
            }
        }
        let (born, died) = behind.split_once("--").unwrap_or((behind, ""));
        let date = |text: &str| {
            let text = text.split_whitespace().next()?;
            Date::read(text)
                .map(|(date, _)| date)
                .filter(|date| date.year.is_some())
        };
        (person.born, person.died) = (date(born), date(died));
        person
    }
}

/// Titles that are told.
const TITLES: [&str; 13] = [
    "GM", "IM", "FM", "CM", "NM", "WGM", "WIM", "WFM", "WCM", "CGM", "CIM", "HGM", "HIM",
];

/// Parts of names that become others, the wrong and the right one each.
#[derive(Clone, Debug, Default)]
struct NamePartCorrections {
    prefixes: Vec<(String, String)>,
    infixes: Vec<(String, String)>,
    suffixes: Vec<(String, String)>,
}

impl NamePartCorrections {
    fn is_empty(&self) -> bool {
        self.prefixes.is_empty() && self.infixes.is_empty() && self.suffixes.is_empty()
    }

    /// The first beginning that fits is replaced, every part within, and the first end that fits.
    fn apply(&self, name: &str) -> String {
        let mut prefixes = self.prefixes.iter();
        let begun = prefixes.find_map(|(from, to)| Some((name.strip_prefix(&**from)?, to)));
        let mut name = begun.map_or_else(|| name.to_owned(), |(rest, to)| format!("{to}{rest}"));
        for (from, to) in &self.infixes {
            // A short file could make a name longer and longer.
            let more = name.matches(&**from).count().saturating_mul(to.len());
            if (1..=LONGEST).contains(&more) || to.is_empty() {
                name = name.replace(&**from, to);
            }
        }
        let mut suffixes = self.suffixes.iter();
        let ended = suffixes.find_map(|(from, to)| Some((name.strip_suffix(&**from)?, to)));
        match ended {
            Some((rest, to)) => format!("{rest}{to}"),
            None => name,
        }
    }
}

/// The names of one section.
#[derive(Clone, Debug, Default)]
struct SpellingFileSection {
    is_of_players: bool,
    /// What is not looked at where names are compared.
    ignored: String,
    names: Vec<String>,
    persons: Vec<SpellingFilePlayer>,
    /// Places of names by their own keys.
    by_name: HashMap<String, Option<usize>>,
    /// The same by the keys of what is written in their place; `None` where two names share a spelling.
    by_spelling: HashMap<String, Option<usize>>,
    parts: NamePartCorrections,
}

impl SpellingFileSection {
    fn key(&self, name: &str) -> String {
        let folded = fold(name.trim());
        let kept = folded.chars().filter(|sign| !self.ignored.contains(*sign));
        kept.collect()
    }

    fn find(&self, name: &str) -> Option<usize> {
        self.find_as_it_stands(name).or_else(|| {
            // The surname may stand last.
            let (given, surname) = match self.is_of_players {
                true => name.trim().rsplit_once(' ')?,
                false => return None,
            };
            self.find_as_it_stands(&format!("{surname} {given}"))
        })
    }

    fn find_as_it_stands(&self, name: &str) -> Option<usize> {
        let key = self.key(name);
        let known = self
            .by_name
            .get(&key)
            .or_else(|| self.by_spelling.get(&key));
        known.copied().flatten()
    }
}

/// Remembers where a spelling belongs; one of two names is nobody's.
fn learn(places: &mut HashMap<String, Option<usize>>, key: String, at: usize) {
    if !key.is_empty() {
        let known = places.entry(key).or_insert(Some(at));
        if *known != Some(at) {
            *known = None;
        }
    }
}

/// A spelling file.
///
/// ```
/// # fn main() -> tabiya::model::Result<()> {
/// use tabiya::model::facts::NameTable;
/// use tabiya::names::spelling_file::SpellingFile;
///
/// let file = SpellingFile::parse("@PLAYER\nKasparov, Garry  #GM RUS\n= Kasparow, G\n")?;
/// let right = file.correct(NameTable::Players, "Kasparow, G");
/// assert_eq!(right.as_deref(), Some("Kasparov, Garry"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct SpellingFile {
    sections: [SpellingFileSection; 4],
}

fn place_of(table: NameTable) -> usize {
    SECTIONS
        .iter()
        .position(|(_, known)| *known == table)
        .unwrap_or(0)
}

/// Two texts in quotes.
fn quoted(text: &str) -> Option<(String, String)> {
    let mut parts = text.split('"');
    let (_, from, _, to) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    (!from.is_empty()).then(|| (from.to_owned(), to.to_owned()))
}

impl SpellingFile {
    /// Reads the text of a file.
    ///
    /// # Errors
    ///
    /// If a line is invalid, with its number.
    pub fn parse(text: &str) -> Result<SpellingFile> {
        let mut file = SpellingFile::default();
        let mut section: Option<usize> = None;
        let mut count = 0;
        let text = text.trim_start_matches('\u{feff}');
        for (line, number) in text.lines().zip(1_u64..) {
            let wrong = |what: &str| {
                Err(Error::new(
                    &error_codes::BAD_SPELLING_FILE,
                    format!("line {number} of the spelling file: {what}"),
                ))
            };
            if line.len() > LONGEST {
                return wrong("it is too long");
            }
            let (content, remark) = match line.split_once('#') {
                Some((content, remark)) => (content.trim(), remark.trim()),
                None => (line.trim(), ""),
            };
            if content.is_empty() || content.starts_with('>') {
                continue;
            }
            if let Some(head) = content.strip_prefix('@') {
                let name = head.split_whitespace().next().unwrap_or("");
                let mut names = SECTIONS.iter();
                let known = names.position(|(section, _)| section.eq_ignore_ascii_case(name));
                let Some(at) = known else {
                    return wrong(
                        "there is no such section; there are @PLAYER, @SITE, @EVENT and @ROUND",
                    );
                };
                if let Some(section) = file.sections.get_mut(at) {
                    section.ignored = head.split('"').nth(1).unwrap_or("").to_owned();
                    section.is_of_players = at == place_of(NameTable::Players);
                }
                section = Some(at);
                continue;
            }
            let Some(own) = section.and_then(|at| file.sections.get_mut(at)) else {
                return wrong("a section, such as @PLAYER, is required before the first name");
            };
            count += 1;
            if count > MOST {
                return wrong("there are too many names");
            }
            if let Some(alias) = content.strip_prefix('=') {
                let Some(at) = own.names.len().checked_sub(1) else {
                    return wrong("a name is required before its other spellings");
                };
                let key = own.key(alias);
                learn(&mut own.by_spelling, key, at);
            } else if let Some(rest) = content.strip_prefix('%') {
                let (what, rest) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
                let person = own.persons.last_mut();
                match what {
                    "Prefix" | "Infix" | "Suffix" => {
                        let Some((from, to)) = quoted(rest) else {
                            return wrong("two texts in quotes are required");
                        };
                        let parts = match what {
                            "Prefix" => &mut own.parts.prefixes,
                            "Infix" => &mut own.parts.infixes,
                            _ => &mut own.parts.suffixes,
                        };
                        parts.push((from, to));
                    }
                    "Elo" => {
                        if let Some(person) = person {
                            person.ratings.extend(ratings(rest));
                        }
                    }
                    "FIDEID" => {
                        if let Some(person) = person {
                            person.fide_id = rest.trim().parse().ok();
                        }
                    }
                    // Biographies, and what newer files hold.
                    _ => {}
                }
            } else {
                own.names.push(content.to_owned());
                own.persons.push(SpellingFilePlayer::read(remark));
                let at = own.names.len() - 1;
                let key = own.key(content);
                learn(&mut own.by_name, key, at);
            }
        }
        Ok(file)
    }

    /// How many names it has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.sections
            .iter()
            .map(|section| section.names.len())
            .sum()
    }

    /// Whether it is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sections
            .iter()
            .all(|section| section.names.is_empty() && section.parts.is_empty())
    }

    /// The corrected spelling of a name; nothing if it is right, or unknown.
    #[must_use]
    pub fn correct(&self, table: NameTable, name: &str) -> Option<String> {
        let section = self.sections.get(place_of(table))?;
        if section.names.is_empty() && section.parts.is_empty() {
            return None;
        }
        let right = |name: &str| {
            let at = section.find(name)?;
            section.names.get(at).cloned()
        };
        let direct = right(name);
        let found = direct.or_else(|| {
            let changed = section.parts.apply(name);
            right(&changed).or_else(|| (changed != name).then_some(changed))
        });
        found.filter(|found| found != name)
    }

    /// What is known of a player.
    #[must_use]
    pub fn person(&self, name: &str) -> Option<&SpellingFilePlayer> {
        let section = self.sections.first()?;
        section.find(name).and_then(|at| section.persons.get(at))
    }
}

/// `1990:2800,? 1991:2770`.
fn ratings(text: &str) -> Vec<(u16, Vec<u16>)> {
    let year = |word: &str| {
        let (year, lists) = word.split_once(':')?;
        let lists = lists.split(',').filter(|rating| !rating.is_empty());
        let lists = lists.map(|rating| rating.parse().unwrap_or(0));
        Some((year.parse().ok()?, lists.collect()))
    };
    text.split_whitespace().filter_map(year).collect()
}

/// A name as it should be, with its other spellings.
pub struct SpellingFileEntry<'n> {
    /// The kind of name.
    pub table: NameTable,
    /// The name.
    pub keep: &'n str,
    /// The others.
    pub spellings: Vec<SpellingCorrection<'n>>,
}

/// Another spelling of a name.
pub struct SpellingCorrection<'n> {
    /// The name.
    pub name: &'n str,
    /// A comment about it.
    pub remark: String,
}

/// The text of a file that makes these corrections.
#[must_use]
pub fn text(corrected: &[SpellingFileEntry<'_>]) -> String {
    let mut text = String::new();
    let line = |name: &str| name.replace(['\n', '\r', '#'], " ");
    for (section, table) in SECTIONS {
        let mut own = corrected.iter().filter(|one| one.table == table).peekable();
        if own.peek().is_none() {
            continue;
        }
        // Writing to a string does not fail.
        let _ = writeln!(text, "@{section}");
        for one in own {
            let _ = writeln!(text, "{}", line(one.keep));
            for spelling in &one.spellings {
                let (name, remark) = (line(spelling.name), line(&spelling.remark));
                let _ = writeln!(text, "= {name:<40} # {remark}");
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "# a file\n@PLAYER \", .-\"\nKasparov, Garry  #gm   URS-RUS [2851] 1963.04.13\n= Kasparow, G\n= Weinstein, Garik # as a boy\n\
        %Bio He played.\n%Elo 1990:2800,2805 1991:?,2770\n%FIDEID 4100018\n\nPolgar, Judit #gm+w HUN [2735] 1976.07.23\n= Polgar, J\n\
        Polgar, Joe\n= Polgar, J\nTal, Mihail #GM LAT [2705] 1936.11.09--1992.06.28\n\
        @SITE\n%Suffix \" Netherlands\" \" NED\"\nWijk aan Zee NED\n= Wijk aan Zee\n@ROUND\n%Prefix \"Round \" \"\"\n";

    #[test]
    fn names_and_persons_are_found() {
        let file = SpellingFile::parse(FILE).expect("a file");
        let player = |name| file.correct(NameTable::Players, name);
        assert_eq!(player("Kasparow, G").as_deref(), Some("Kasparov, Garry"));
        // Signs that the section leaves out, and case, part nobody.
        assert_eq!(player("kasparow G.").as_deref(), Some("Kasparov, Garry"));
        assert_eq!(
            player("Weinstein, Garik").as_deref(),
            Some("Kasparov, Garry")
        );
        assert_eq!(player("Kasparov, Garry"), None);
        assert_eq!(player("Karpov, Anatoly"), None);
        // Two players share this spelling.
        assert_eq!(player("Polgar, J"), None);
        let site = |name| file.correct(NameTable::Sites, name);
        assert_eq!(site("Wijk aan Zee").as_deref(), Some("Wijk aan Zee NED"));
        assert_eq!(
            site("Wijk aan Zee Netherlands").as_deref(),
            Some("Wijk aan Zee NED")
        );
        assert_eq!(site("Leiden Netherlands").as_deref(), Some("Leiden NED"));
        assert_eq!(
            file.correct(NameTable::Rounds, "Round 5").as_deref(),
            Some("5")
        );
        let person = file.person("Kasparow, G").expect("known");
        assert_eq!(person.title.as_deref(), Some("GM"));
        assert_eq!(person.federation.as_deref(), Some("RUS"));
        assert_eq!((person.peak, person.fide_id), (Some(2851), Some(4_100_018)));
        let rating = |date| person.rating_at(Date::parse(date).expect("a date"));
        assert_eq!(rating("1990.06.30"), Some(2800));
        assert_eq!(rating("1990.07.01"), Some(2805));
        assert_eq!(
            (rating("1991.01.01"), rating("1991.12.01")),
            (None, Some(2770))
        );
        assert_eq!((rating("1990.??.??"), rating("1992.01.01")), (None, None));
        // The surname may stand last.
        assert_eq!(player("Garry Kasparov").as_deref(), Some("Kasparov, Garry"));
        let tal = file.person("Tal, Mihail").expect("known");
        assert_eq!(tal.died, Date::parse("1992.06.28"));
    }

    #[test]
    fn parts_of_names_become_others() {
        let text = "\u{feff}@event\n%Prefix \"II \" \"2. \"\n%Prefix \"2. \" \"no \"\n%Infix \"3rd \" \"3. \"\n%Infix \"gone\" \"\"\n\
            %Suffix \"(Italy)\" \"ITA\"\n%Suffix \"ITA\" \"no\"\n";
        let file = SpellingFile::parse(text).expect("a file");
        let event = |name| file.correct(NameTable::Events, name);
        assert_eq!(
            event("II champ 3rd II 3rd gone(Italy) (Italy)").as_deref(),
            Some("2. champ 3. II 3. (Italy) ITA")
        );
        assert_eq!(event("Open"), None);
        // No name grows without an end.
        let grown = (0..30).map(|_| "%Infix \"a\" \"aaaaaaaaaaaaaaaa\"\n");
        let text = format!("@SITE\n{}", grown.collect::<String>());
        let file = SpellingFile::parse(&text).expect("a file");
        let long = file.correct(NameTable::Sites, "banana").expect("another");
        assert!(long.len() <= 2 * LONGEST);
    }

    #[test]
    fn ratings_follow_the_lists_of_their_time() {
        let lists = |year: u16, count: u16| SpellingFilePlayer {
            ratings: vec![(year, (1..=count).collect())],
            ..SpellingFilePlayer::default()
        };
        for (year, count, expected) in [
            (1989, 1, [1; 12]),
            (1995, 2, [1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2]),
            (2005, 4, [1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4]),
            (2009, 5, [1, 1, 1, 2, 2, 2, 3, 3, 4, 4, 5, 5]),
            (2011, 6, [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6]),
            (2012, 9, [1, 1, 2, 2, 3, 3, 4, 5, 6, 7, 8, 9]),
            (2020, 12, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]),
            (2020, 5, [1, 2, 3, 4, 5, 0, 0, 0, 0, 0, 0, 0]),
        ] {
            let person = lists(year, count);
            for (month, expected) in (1..=12).zip(expected) {
                let rating = person.rating_at(Date::from_numbers(year, month, 1));
                assert_eq!(rating.unwrap_or(0), expected, "{year}, month {month}");
            }
        }
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        for (text, line) in [
            ("Kasparov, Garry\n", 1),
            ("@PLAYER\n= Kasparov, G\n", 2),
            ("@TEAM\n", 1),
            ("@SITE\nOslo\n%Suffix NED\n", 3),
        ] {
            let error = SpellingFile::parse(text).expect_err("wrong").to_string();
            assert!(error.contains(&format!("line {line} ")), "{text}: {error}");
        }
    }

    #[test]
    fn any_text_is_read_or_refused() {
        let signs: Vec<char> = "@PLAYERSITE=%EloPrefix\"#[]:,? \n09aé-".chars().collect();
        let mut state = 1_u64;
        for _ in 0..5_000 {
            let text: String = (0..60)
                .map(|_| {
                    state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
                    signs[(state >> 33) as usize % signs.len()]
                })
                .collect();
            for text in [text.clone(), format!("@PLAYER\nA\n{text}")] {
                if let Ok(file) = SpellingFile::parse(&text) {
                    let _ = file.correct(NameTable::Players, "A");
                    assert!(file.len() <= text.lines().count());
                }
            }
        }
    }
}
