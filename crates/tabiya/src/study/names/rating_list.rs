//! The FIDE rating list, in the two forms in which it is published: lines of fixed width under a heading, and XML.
//!
//! A current list has more than a million players, and is half a gigabyte of XML: it is read as a stream, and only what can
//! be filled in is kept of each player.

use crate::error_codes;
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use tabiya_io::compression::UnpackLimits;
use tabiya_io::container::InputFiles;
use tabiya_model::{Error, Result};
use tabiya_query::fold::fold;

/// Players of a list at most.
const MOST: usize = 10_000_000;
/// The longest line, and the longest text or mark of XML.
const LONGEST: usize = 64 << 10;

/// What a list has about a player.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RatingListEntry {
    /// The title, such as `GM`.
    pub title: Option<Box<str>>,
    /// The federation, in three letters.
    pub federation: Option<Box<str>>,
    /// The FIDE ID.
    pub fide_id: Option<u64>,
    /// The rating; 0 for none.
    pub rating: u16,
}

/// A rating list.
#[derive(Clone, Debug, Default)]
pub struct RatingList {
    players: Vec<RatingListEntry>,
    /// Indexes by names; `None` if several players have the name.
    by_name: HashMap<Box<str>, Option<u32>>,
    by_id: HashMap<u64, u32>,
    /// The year and month of the list, if it has them.
    pub month: Option<(u16, u8)>,
}

fn key(name: &str) -> Box<str> {
    let folded = fold(name);
    let kept = folded.chars().filter(|sign| sign.is_alphanumeric());
    kept.collect::<String>().into()
}

fn wrong<T>(what: impl Into<String>) -> Result<T> {
    Err(Error::new(&error_codes::BAD_RATING_LIST, what))
}

/// The text of bytes; lists of former years were in Latin-1.
fn text_of(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().map(|byte| char::from(*byte)).collect(),
    }
}

/// A short text, unless it is empty.
fn some(text: &str) -> Option<Box<str>> {
    let text = text.trim();
    (!text.is_empty()).then(|| text.into())
}

const MONTHS: [&str; 12] = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
];

/// The year and month that `JAN24` says.
fn month(text: &str) -> Option<(u16, u8)> {
    let (name, year) = text.split_at_checked(3)?;
    let is_month = |month: &&str| month.eq_ignore_ascii_case(name);
    let (_, month) = (MONTHS.iter().zip(1_u8..)).find(|(month, _)| is_month(month))?;
    let digits = year.len() == 2 && year.bytes().all(|byte| byte.is_ascii_digit());
    let year: u16 = year.parse().ok().filter(|_| digits)?;
    // The first list is of 1971.
    Some((if year < 71 { 2000 + year } else { 1900 + year }, month))
}

/// The same of a file whose name is that of the federation's archive: `standard_jan24frl.txt`.
fn month_of_file(name: &str) -> Option<(u16, u8)> {
    let at = name.to_ascii_lowercase().rfind("frl")?;
    month(name.get(at.checked_sub(5)?..at)?)
}

impl RatingList {
    /// Reads a file in either form, compressed or not.
    ///
    /// # Errors
    ///
    /// If it cannot be read, or is not a rating list.
    pub fn open(path: &Path) -> Result<RatingList> {
        let failed = |error| Error::from(std::io::Error::from(error));
        let mut members = InputFiles::open(path, &UnpackLimits::default()).map_err(failed)?;
        let Some(member) = members.next() else {
            return wrong("the archive is empty");
        };
        let member = member.map_err(failed)?;
        let of_file = month_of_file(member.name());
        let mut list = RatingList::read(BufReader::with_capacity(1 << 20, member))?;
        list.month = list.month.or(of_file);
        Ok(list)
    }

    /// Reads a list in either form.
    ///
    /// # Errors
    ///
    /// If it is neither, or XML that has no place in a rating list (entities of its own).
    pub fn read(mut from: impl BufRead) -> Result<RatingList> {
        let mut front = Vec::new();
        // A mark of the byte order, and empty lines.
        while let [first, ..] = from.fill_buf()? {
            if !matches!(first, 0xef | 0xbb | 0xbf | b' ' | b'\r' | b'\n' | b'\t') {
                front.push(*first);
                break;
            }
            from.consume(1);
        }
        let mut list = RatingList::default();
        match &*front {
            b"<" => list.read_xml(from)?,
            _ => list.read_lines(from)?,
        }
        Ok(list)
    }

    fn add(&mut self, name: &str, player: RatingListEntry) -> Result<()> {
        if name.is_empty() {
            return Ok(());
        }
        let at = match u32::try_from(self.players.len()) {
            Ok(at) if self.players.len() < MOST => at,
            _ => return wrong("the rating list has too many players"),
        };
        let known = self.by_name.entry(key(name)).or_insert(Some(at));
        if *known != Some(at) {
            *known = None;
        }
        if let Some(id) = player.fide_id {
            self.by_id.insert(id, at);
        }
        self.players.push(player);
        Ok(())
    }

    fn read_lines(&mut self, mut from: impl BufRead) -> Result<()> {
        let mut line = Vec::new();
        let mut number = 0_u64;
        let mut next = |line: &mut Vec<u8>| -> Result<Option<String>> {
            line.clear();
            number += 1;
            let read = piece(&mut from, b'\n', line)?;
            if line.len() > LONGEST {
                return wrong(format!("line {number} of the rating list is too long"));
            }
            Ok(read.then(|| text_of(line)))
        };
        let heading = next(&mut line)?.unwrap_or_default();
        let columns = RatingListColumns::of(&heading);
        let Some(name) = columns.find(&["Name"]) else {
            return wrong(
                "this is not a rating list: neither XML nor lines under a heading with `Name`",
            );
        };
        let number = columns.find(&["ID Number", "ID_Number", "ID", "Code"]);
        let title = columns.find(&["Tit", "Titl", "Title"]);
        let federation = columns.find(&["Fed", "Country"]);
        let dated = columns.dated();
        self.month = dated.map(|(_, month)| month);
        let rating = columns.find(RATINGS).or(dated.map(|(column, _)| column));
        while let Some(line) = next(&mut line)? {
            let signs: Vec<char> = line.trim_end().chars().collect();
            let cell = |column: Option<RatingListColumn>| -> String {
                let Some((from, to)) = column else {
                    return String::new();
                };
                let cell = signs.get(from..to.min(signs.len())).unwrap_or(&[]);
                cell.iter().collect::<String>().trim().to_owned()
            };
            let player = RatingListEntry {
                title: some(&cell(title).to_ascii_uppercase()),
                federation: some(&cell(federation)),
                fide_id: cell(number).parse().ok(),
                rating: cell(rating).parse().unwrap_or(0),
            };
            self.add(&cell(Some(name)), player)?;
        }
        Ok(())
    }

    fn read_xml(&mut self, mut from: impl BufRead) -> Result<()> {
        let mut bytes = Vec::new();
        let (mut is_list, mut is_open) = (false, false);
        // The player and the element of it that are open.
        let mut player: Option<(String, RatingListEntry)> = None;
        let mut open = String::new();
        let mut womans: Option<Box<str>> = None;
        loop {
            bytes.clear();
            let is_more = piece(&mut from, b'>', &mut bytes)?;
            if bytes.len() > LONGEST {
                return wrong("an element of the rating list is too long");
            }
            if !is_more {
                break;
            }
            let text = text_of(&bytes);
            // The end of a remark that holds such signs.
            let Some((text, mark)) = text.rsplit_once('<') else {
                continue;
            };
            if mark.starts_with('!') && !mark.starts_with("!--") {
                return wrong(
                    "the rating list declares XML entities, which no FIDE list does: it is not read",
                );
            }
            let mark = mark.trim_end_matches('>').trim();
            let name = mark.split_whitespace().next().unwrap_or("");
            is_list |= matches!(name, "player" | "playerslist");
            is_open = name != "/playerslist" && (is_open || name == "playerslist");
            match (name, &mut player) {
                ("player", _) => player = Some(Default::default()),
                ("/player", known) => {
                    if let Some((name, mut player)) = known.take() {
                        player.title = player.title.or(womans.take());
                        self.add(&name, player)?;
                    }
                }
                (name, Some((own, player))) if name.strip_prefix('/') == Some(&open) => {
                    let value = unescaped(text.trim());
                    match &*open {
                        "name" => *own = value,
                        "title" => player.title = some(&value.to_ascii_uppercase()),
                        "w_title" => womans = some(&value.to_ascii_uppercase()),
                        "country" => player.federation = some(&value),
                        "fideid" => player.fide_id = value.parse().ok(),
                        "rating" => player.rating = value.parse().unwrap_or(0),
                        _ => {}
                    }
                }
                (name, _) => name.clone_into(&mut open),
            }
        }
        if player.is_some() || is_open {
            return wrong(format!(
                "the rating list is cut off after player {}",
                self.players.len()
            ));
        }
        if !is_list {
            return wrong("this XML is not a rating list: it has no <player>");
        }
        Ok(())
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

    /// A player by FIDE ID, or by name if only one has it.
    #[must_use]
    pub fn find(&self, name: &str, id: Option<u64>) -> Option<&RatingListEntry> {
        let at = match id.and_then(|id| self.by_id.get(&id)) {
            Some(at) => *at,
            None => self.by_name.get(&key(name)).copied().flatten()?,
        };
        self.players.get(usize::try_from(at).ok()?)
    }
}

/// Reads up to the next such byte, and not much more than the longest piece; says whether there was anything.
fn piece(from: &mut impl BufRead, end: u8, bytes: &mut Vec<u8>) -> Result<bool> {
    let most = LONGEST as u64 + 1;
    Ok(from.take(most).read_until(end, bytes)? > 0)
}

/// The headings of columns with ratings where they name no month: the standard ones.
const RATINGS: &[&str] = &["SRtng", "Rtng", "Rating", "Elo"];

/// Where a column begins and ends, in signs.
type RatingListColumn = (usize, usize);

/// The headings with their columns. A heading is a word, or `ID Number`.
struct RatingListColumns(Vec<(String, RatingListColumn)>);

impl RatingListColumns {
    fn of(heading: &str) -> RatingListColumns {
        let signs: Vec<char> = heading.trim_end().chars().collect();
        let mut found: Vec<(String, RatingListColumn)> = Vec::new();
        let mut before = ' ';
        for (sign, at) in signs.into_iter().zip(0..) {
            match found.last_mut() {
                Some((word, _)) if before != ' ' && sign != ' ' => word.push(sign),
                _ if sign != ' ' => found.push((sign.to_string(), (at, usize::MAX))),
                _ => {}
            }
            before = sign;
        }
        let mut columns: Vec<(String, RatingListColumn)> = Vec::new();
        for (word, column) in found {
            match columns.last_mut() {
                Some((last, _)) if last == "ID" && word == "Number" => last.push_str(" Number"),
                _ => columns.push((word, column)),
            }
        }
        let starts: Vec<usize> = columns.iter().map(|(_, (start, _))| *start).collect();
        for ((_, (_, end)), next) in columns.iter_mut().zip(starts.into_iter().skip(1)) {
            *end = next;
        }
        RatingListColumns(columns)
    }

    /// The column of the first of these headings that is there.
    fn find(&self, names: &[&str]) -> Option<RatingListColumn> {
        let of = |name: &&str| {
            let mut columns = self.0.iter();
            columns.find(|(heading, _)| heading.eq_ignore_ascii_case(name))
        };
        names.iter().find_map(of).map(|(_, column)| *column)
    }

    /// The column whose heading is a month: the ratings of that month.
    fn dated(&self) -> Option<(RatingListColumn, (u16, u8))> {
        let mut columns = self.0.iter();
        columns.find_map(|(heading, column)| Some((*column, month(heading)?)))
    }
}

/// A text of XML, whose five named signs and numbered ones stand for themselves.
fn unescaped(text: &str) -> String {
    let mut parts = text.split('&');
    let mut out = parts.next().unwrap_or("").to_owned();
    for part in parts {
        let (name, rest) = part.split_once(';').unwrap_or((part, ""));
        let numbered = || {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(digits) => u32::from_str_radix(digits, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code).filter(|sign| !sign.is_control())
        };
        let sign = match name {
            "lt" => Some('<'),
            "gt" => Some('>'),
            "quot" => Some('"'),
            "apos" => Some('\''),
            "amp" => Some('&'),
            _ => numbered(),
        };
        match sign {
            Some(sign) => {
                out.push(sign);
                out.push_str(rest);
            }
            None => {
                out.push('&');
                out.push_str(part);
            }
        }
    }
    out
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
        let list = RatingList::read(LINES.as_bytes()).expect("lines");
        assert_eq!(list.len(), 5);
        for list in [&list, &RatingList::read(XML.as_bytes()).expect("XML")] {
            let person = list.find("carlsen Magnus", None).expect("known");
            assert_eq!(person.rating, 2853);
            assert_eq!(person.title.as_deref(), Some("GM"));
            assert_eq!(person.federation.as_deref(), Some("NOR"));
            assert_eq!(person.fide_id, Some(1_503_014));
        }
        // Of two with one name nobody is taken, but by number.
        assert!(list.find("Twin, A", None).is_none());
        assert_eq!(
            list.find("Twin, A", Some(98)).map(|listed| listed.rating),
            Some(2100)
        );
        assert_eq!(list.month, None);
        let xml = RatingList::read(XML.as_bytes()).expect("XML");
        assert!(xml.find("O'Kelly, A & B", None).is_some());
    }

    /// The heading of one month's list of classical chess, and that of a list of former years.
    const OF_MONTHS: [(&str, (u16, u8)); 2] = [
        (
            "\
ID Number      Name                                                         Fed Sex Tit  WTit OTit           FOA JAN24 Gms K  B-day Flag
1503014        Carlsen, Magnus                                              NOR M   GM                           2830  0   10 1990
",
            (2024, 1),
        ),
        (
            "\
ID_NUMBER NAME                            TITLE COUNTRY OCT99  GAMES BIRTHDAY   FLAG
  1503014 Carlsen, Magnus                 gm    NOR     2830   12    30.11.1990
",
            (1999, 10),
        ),
    ];

    #[test]
    fn a_list_of_one_month_says_which() {
        for (text, of) in OF_MONTHS {
            let list = RatingList::read(text.as_bytes()).expect("lines");
            assert_eq!(list.month, Some(of));
            let player = list.find("Carlsen, Magnus", None).expect("known");
            let expected = RatingListEntry {
                title: Some("GM".into()),
                federation: Some("NOR".into()),
                fide_id: Some(1_503_014),
                rating: 2830,
            };
            assert_eq!(*player, expected);
        }
        assert_eq!(
            month_of_file("a.zip/standard_jul14frl_xml.xml"),
            Some((2014, 7))
        );
        for name in ["players_list_xml_foa.xml", "frl", "xfrl.txt", "äjul14frl"] {
            assert_eq!(
                month_of_file(name).is_some(),
                name.contains("jul"),
                "{name}"
            );
        }
    }

    #[test]
    fn marks_of_xml_in_any_layout_are_read() {
        let text = "\u{feff}<?xml version=\"1.0\"?>\n<!-- a > b --><playerslist>\n <player id=\"1\">\n  <name>\n O&#39;Kelly, A &#x26; B &nobody; &amp;lt;\n</name>\n\
            <w_title>wgm</w_title><title/><rapid_rating>9</rapid_rating><rating>2100</rating>\n </player></playerslist>";
        let list = RatingList::read(text.as_bytes()).expect("XML");
        let player = list.find("O'Kelly, A & B &nobody; &lt;", None);
        let player = player.expect("known");
        assert_eq!(
            (player.rating, player.title.as_deref()),
            (2100, Some("WGM"))
        );
        // Nothing of the text is kept, however long it is.
        let long = format!(
            "<playerslist><player><name>{}</name></player>",
            "x".repeat(100_000)
        );
        assert!(RatingList::read(long.as_bytes()).is_err());
        let long = format!("Name Fed\n{}", "x".repeat(100_000));
        assert!(RatingList::read(long.as_bytes()).is_err());
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
            assert!(RatingList::read(text.as_bytes()).is_err(), "{text}");
        }
        for end in 0..XML.len() {
            if let Some(text) = XML.as_bytes().get(..end) {
                let _ = RatingList::read(text);
            }
        }
        for end in 0..LINES.len() {
            let _ = RatingList::read(LINES.as_bytes().get(..end).unwrap_or(&[]));
        }
    }
}
