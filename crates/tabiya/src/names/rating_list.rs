//! The world federation's rating list, in the two forms in which it is published: lines of fixed width under a heading, and XML.

use std::collections::HashMap;

use tabiya_model::{Error, Result};
use tabiya_query::fold::fold;

use super::spelling_file::Person;

/// Players of a list at most.
const MOST: usize = 10_000_000;
/// The longest element of XML, and the longest line.
const LONGEST: usize = 64 << 10;

/// A rating list.
#[derive(Clone, Debug, Default)]
pub struct RatingList {
    players: Vec<(String, Person, u16)>,
    /// Places by names; `None` where several have one name.
    by_name: HashMap<String, Option<usize>>,
    by_id: HashMap<u64, usize>,
}

fn key(name: &str) -> String {
    let folded = fold(name);
    folded
        .chars()
        .filter(|sign| sign.is_alphanumeric())
        .collect()
}

impl RatingList {
    /// Reads a list in either form.
    ///
    /// # Errors
    ///
    /// Where it is neither, and where XML holds what no rating list holds (entities of its own).
    pub fn parse(text: &str) -> Result<RatingList> {
        let start = text.trim_start_matches(['\u{feff}', ' ', '\r', '\n', '\t']);
        match start.starts_with('<') {
            true => RatingList::parse_xml(start),
            false => RatingList::parse_lines(start),
        }
    }

    fn add(&mut self, name: &str, person: Person, rating: u16) -> Result<()> {
        if name.is_empty() {
            return Ok(());
        }
        if self.players.len() >= MOST {
            return Err(Error::usage("the rating list has too many players"));
        }
        let at = self.players.len();
        let known = self.by_name.entry(key(name)).or_insert(Some(at));
        if *known != Some(at) {
            *known = None;
        }
        if let Some(id) = person.fide_id {
            self.by_id.insert(id, at);
        }
        self.players.push((name.to_owned(), person, rating));
        Ok(())
    }

    fn parse_lines(text: &str) -> Result<RatingList> {
        let mut list = RatingList::default();
        let mut lines = text.lines();
        let heading = lines.next().unwrap_or("");
        let columns = columns(heading);
        if !columns.iter().any(|(heading, ..)| heading == "Name") {
            return Err(Error::usage(
                "this is no rating list: neither XML nor lines under a heading with `Name`",
            ));
        }
        let cell = |line: &str, names: &[&str]| -> String {
            let found = names
                .iter()
                .find_map(|name| columns.iter().find(|(heading, ..)| heading == name));
            let Some((_, from, to)) = found else {
                return String::new();
            };
            let signs = line.chars().skip(*from);
            let signs: String = signs.take(to.saturating_sub(*from)).collect();
            signs.trim().to_owned()
        };
        for line in lines.filter(|line| !line.trim().is_empty() && line.len() <= LONGEST) {
            let name = cell(line, &["Name"]);
            let rating = cell(line, RATINGS).parse().unwrap_or(0);
            let text = |names: &[&str]| Some(cell(line, names)).filter(|text| !text.is_empty());
            let person = Person {
                title: text(&["Tit", "Titl", "Title"]).map(|title| title.to_ascii_uppercase()),
                federation: text(&["Fed", "Country"]),
                fide_id: cell(line, &["ID Number", "ID_Number", "ID", "Code", "Id"])
                    .parse()
                    .ok(),
                ..Person::default()
            };
            list.add(&name, person, rating)?;
        }
        Ok(list)
    }

    fn parse_xml(text: &str) -> Result<RatingList> {
        if text.contains("<!DOCTYPE") || text.contains("<!ENTITY") {
            return Err(Error::usage(
                "the rating list declares entities of its own, which no list of the federation does: it is not read",
            ));
        }
        if !text.contains("<player>") && !text.contains("<playerslist") {
            return Err(Error::usage(
                "this XML is no rating list: it has no <player>",
            ));
        }
        let mut list = RatingList::default();
        for part in text.split("<player>").skip(1) {
            let Some((player, _)) = part.split_once("</player>") else {
                return Err(Error::usage(format!(
                    "the rating list is cut off behind player {}",
                    list.players.len()
                )));
            };
            if player.len() > LONGEST {
                return Err(Error::usage("a player of the rating list is too long"));
            }
            let element = |name: &str| -> Option<String> {
                let (_, rest) = player.split_once(&format!("<{name}>"))?;
                let (value, _) = rest.split_once(&format!("</{name}>"))?;
                let value = unescaped(value.trim());
                (!value.is_empty()).then_some(value)
            };
            let person = Person {
                title: element("title").or_else(|| element("w_title")),
                federation: element("country"),
                fide_id: element("fideid").and_then(|id| id.parse().ok()),
                ..Person::default()
            };
            let rating = element("rating").and_then(|rating| rating.parse().ok());
            list.add(
                &element("name").unwrap_or_default(),
                person,
                rating.unwrap_or(0),
            )?;
        }
        Ok(list)
    }

    /// How many players it has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.players.len()
    }

    /// Whether it has none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.players.is_empty()
    }

    /// A player by number, or by the name where only one bears it; with the rating, 0 for none.
    #[must_use]
    pub fn find(&self, name: &str, id: Option<u64>) -> Option<(&Person, u16)> {
        let at = match id.and_then(|id| self.by_id.get(&id)) {
            Some(at) => *at,
            None => self.by_name.get(&key(name)).copied().flatten()?,
        };
        self.players
            .get(at)
            .map(|(_, person, rating)| (person, *rating))
    }
}

/// The headings of columns with ratings: the standard ones.
const RATINGS: &[&str] = &["SRtng", "Rtng", "Rating", "ELO", "Elo"];

/// The headings with the places where their columns begin and end. A heading is a word, or words with single spaces between them.
fn columns(heading: &str) -> Vec<(String, usize, usize)> {
    let signs: Vec<char> = heading.chars().collect();
    let mut found: Vec<(String, usize, usize)> = Vec::new();
    let mut at = 0;
    while at < signs.len() {
        if signs.get(at) == Some(&' ') {
            at += 1;
            continue;
        }
        let start = at;
        while at < signs.len() && signs.get(at) != Some(&' ') {
            at += 1;
        }
        let word: String = signs.get(start..at).unwrap_or(&[]).iter().collect();
        match found.last_mut() {
            // `ID Number` is one heading.
            Some((last, ..)) if last == "ID" && word == "Number" => last.push_str(" Number"),
            _ => found.push((word, start, usize::MAX)),
        }
    }
    let starts: Vec<usize> = found.iter().map(|(_, start, _)| *start).collect();
    for ((_, _, end), next) in found.iter_mut().zip(starts.into_iter().skip(1)) {
        *end = next;
    }
    found
}

/// The five signs that XML writes in another way.
fn unescaped(text: &str) -> String {
    if !text.contains('&') {
        return text.to_owned();
    }
    let mut text = text.to_owned();
    for (entity, sign) in [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&apos;", "'"),
        ("&amp;", "&"),
    ] {
        text = text.replace(entity, sign);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINES: &str = "\
ID Number      Name                                                         Fed Sex Tit  WTit OTit           FOA SRtng SGm SK RRtng RGm Rk BRtng BGm BK B-day Flag
1503014        Carlsen, Magnus                                              NOR M   GM                           2853  0   10 2832  0   10 2886  0   10 1990
4100018        Kasparov, Garry                                              CRO M   GM                           2812  0   10 2783  0   10 2801  0   10 1963  i
700070         Polgar, Judit                                                HUN F   GM   WGM                     2675  0   10 2646  0   10 2736  0   10 1976  wi
99             Twin, A                                                      NOR M                                2000  0   10
98             Twin, A                                                      SWE M                                2100  0   10
";

    const XML: &str = "<?xml version=\"1.0\"?>\n<playerslist>\n<player><fideid>1503014</fideid><name>Carlsen, Magnus</name>\
        <country>NOR</country><sex>M</sex><title>GM</title><w_title></w_title><rating>2853</rating></player>\n\
        <player><fideid>5</fideid><name>O&apos;Kelly, A &amp; B</name><country>BEL</country><title></title><rating></rating></player>\n</playerslist>";

    #[test]
    fn both_forms_are_read() {
        let list = RatingList::parse(LINES).expect("lines");
        assert_eq!(list.len(), 5);
        for list in [&list, &RatingList::parse(XML).expect("XML")] {
            let (person, rating) = list.find("carlsen Magnus", None).expect("known");
            assert_eq!(rating, 2853);
            assert_eq!(person.title.as_deref(), Some("GM"));
            assert_eq!(person.federation.as_deref(), Some("NOR"));
            assert_eq!(person.fide_id, Some(1_503_014));
        }
        // Of two with one name nobody is taken, but by number.
        assert!(list.find("Twin, A", None).is_none());
        assert_eq!(
            list.find("Twin, A", Some(98)).map(|(_, elo)| elo),
            Some(2100)
        );
        let xml = RatingList::parse(XML).expect("XML");
        assert!(xml.find("O'Kelly, A & B", None).is_some());
    }

    #[test]
    fn what_is_none_is_refused() {
        for text in [
            "",
            "nothing",
            "<html></html>",
            "<!DOCTYPE x [<!ENTITY a \"b\">]><playerslist><player></player></playerslist>",
            "<playerslist><player><name>A</name>",
        ] {
            assert!(RatingList::parse(text).is_err(), "{text}");
        }
        for end in 0..XML.len() {
            if let Some(text) = XML.get(..end) {
                let _ = RatingList::parse(text);
            }
        }
        for end in 0..LINES.len() {
            let _ = RatingList::parse(LINES.get(..end).unwrap_or(""));
        }
    }
}
