//! The tags of a game as both formats read them for their fields.

use std::str::FromStr;

use tabiya_model::game::FLAGS_TAG;
use tabiya_model::outcome::Outcome;
use tabiya_model::{Game, Tags};

use crate::cbh::layout::{CbhDate, LINE, outcome};
use crate::cbh::tables;
use crate::cbh::tags::{self, EVENT_FLAGS_TAG, RESULT_TAG, TEAM_KIND};

/// The tags of a game by name.
#[derive(Copy, Clone)]
pub(crate) struct CbhTagValues<'g> {
    pub(crate) tags: &'g Tags,
}

/// The tags of a tournament's kind.
pub(crate) struct CbhEventKind {
    pub(crate) kind: u8,
    pub(crate) is_team: bool,
    /// How points are counted.
    pub(crate) flags: u8,
}

/// The tags of a team.
pub(crate) struct CbhTeamTags<'g, N> {
    pub(crate) title: &'g str,
    pub(crate) number: N,
    pub(crate) nation: u8,
    pub(crate) year: &'g str,
    /// Whether the year is the first of a season.
    pub(crate) is_season: bool,
}

impl<'g> CbhTagValues<'g> {
    pub(crate) fn of(game: &'g Game) -> CbhTagValues<'g> {
        CbhTagValues { tags: &game.tags }
    }

    /// The value of a tag; empty where there is none.
    pub(crate) fn get(self, name: &str) -> &'g str {
        self.tags.value(name)
    }

    /// Whether there is a tag whose name begins so.
    pub(crate) fn has_any(self, beginning: &str) -> bool {
        self.tags.iter().any(|tag| tag.name.starts_with(beginning))
    }

    /// The value of a tag that says something.
    pub(crate) fn known(self, name: &str) -> &'g str {
        match self.get(name) {
            "?" => "",
            value => value,
        }
    }

    /// A number as it is read again; 0 for none.
    pub(crate) fn number<N: FromStr + Default>(self, name: &str) -> N {
        let value = self.get(name);
        let digits = value.strip_prefix('-').unwrap_or(value);
        let is_plain = !digits.starts_with('0') && digits.bytes().all(|byte| byte.is_ascii_digit());
        value.parse().ok().filter(|_| is_plain).unwrap_or_default()
    }

    pub(crate) fn date(self, name: &str) -> CbhDate {
        read_date(self.get(name)).unwrap_or_default()
    }

    pub(crate) fn nation(self, name: &str) -> u8 {
        match self.get(name) {
            "" => 0,
            value => nation_of(value).unwrap_or_else(|| self.number(name)),
        }
    }

    /// The round and what stands after its point.
    pub(crate) fn round<N: FromStr + Default + PartialOrd>(self) -> [N; 2] {
        read_round(self.get("Round")).unwrap_or_default()
    }

    /// The first byte of a record of a kind, with the mark of a deleted one.
    pub(crate) fn record_kind(self, kind: u8) -> u8 {
        match self.get(FLAGS_TAG).contains('D') {
            true => kind | 0x80,
            false => kind,
        }
    }

    /// The number of a result, of which a tag may say more.
    pub(crate) fn result(self, result: Outcome) -> u8 {
        let plain = match result {
            Outcome::BlackWins => 0,
            Outcome::Draw => 1,
            Outcome::WhiteWins => 2,
            Outcome::Unknown => LINE,
        };
        let own = match self.get(RESULT_TAG) {
            "-:+" => 4,
            "=:=" => 5,
            "+:-" => 6,
            "0-0" => 7,
            _ => self.number(RESULT_TAG),
        };
        let is_own = own > LINE && outcome(own).0 == result;
        if is_own { own } else { plain }
    }

    pub(crate) fn event_kind(self) -> CbhEventKind {
        let (mut kind, mut is_team) = read_event_type(self.get("EventType")).unwrap_or_default();
        let (flags, team_kind) = read_event_flags(self.get(EVENT_FLAGS_TAG)).unwrap_or_default();
        if let Some(marked) = team_kind.filter(|_| kind & 31 == 0 && is_team) {
            kind |= TEAM_KIND;
            is_team = marked;
        }
        CbhEventKind {
            kind,
            is_team,
            flags,
        }
    }

    /// The rules that break ties; none where there are more than `most`.
    pub(crate) fn tie_breaks<N: FromStr>(self, most: usize) -> Vec<N> {
        let rules = self.get("CbhEventTieBreaks").split(',');
        let rules: Option<Vec<N>> = rules.map(|rule| rule.parse().ok()).collect();
        rules
            .filter(|rules| rules.len() <= most)
            .unwrap_or_default()
    }

    /// The team of a side, where anything is said of it.
    pub(crate) fn team<N: FromStr + Default + PartialEq>(
        self,
        color: &str,
    ) -> Option<CbhTeamTags<'g, N>> {
        let name = |end: &str| format!("{color}Team{end}");
        if !self.has_any(&name("")) {
            return None;
        }
        let title = self.get(&name(""));
        let number: N = self.number(&name("Number"));
        let nation = self.nation(&name("Country"));
        let season = self.get(&name("Season"));
        if title.is_empty() && number == N::default() && nation == 0 && season.is_empty() {
            return None;
        }
        let (year, is_season) = match season.split_once('/') {
            Some((year, _)) => (year, true),
            None => (season, false),
        };
        Some(CbhTeamTags {
            title,
            number,
            nation,
            year,
            is_season,
        })
    }
}

/// A date as PGN writes it; nothing where it is none that fits the bits.
fn read_date(text: &str) -> Option<CbhDate> {
    let mut parts = text.split('.');
    let mut part = |unknown: &str, most: u32| match parts.next()? {
        part if part == unknown => Some(0),
        part if part.len() == unknown.len() && part.bytes().all(|byte| byte.is_ascii_digit()) => {
            part.parse().ok().filter(|number| *number <= most)
        }
        _ => None,
    };
    let (year, month, day) = (part("????", 4095)?, part("??", 15)?, part("??", 31)?);
    parts
        .next()
        .is_none()
        .then_some(CbhDate(year << 9 | month << 5 | day))
}

/// A round and what stands after its point.
fn read_round<N: FromStr + Default + PartialOrd>(text: &str) -> Option<[N; 2]> {
    let (major, minor) = text.split_once('.').unwrap_or((text, "0"));
    let number = |text: &str| match text {
        "?" | "" => Some(N::default()),
        text => text.parse().ok().filter(|number| *number >= N::default()),
    };
    Some([number(major)?, number(minor)?])
}

/// The number of a nation by its letters.
pub(crate) fn nation_of(letters: &str) -> Option<u8> {
    (1..=u8::MAX).find(|number| tables::nation(*number) == Some(letters))
}

/// The kind of a tournament out of the program's words.
fn read_event_type(text: &str) -> Option<(u8, bool)> {
    if text.is_empty() {
        return None;
    }
    let mut words = String::new();
    (0..=u8::MAX)
        .flat_map(|kind| [(kind, false), (kind, true)])
        .find(|(kind, is_team)| {
            tags::event_type(*kind, *is_team, &mut words);
            words == text
        })
}

/// How points are counted out of words, and whether there is a mark besides the kind of a tournament between teams.
fn read_event_flags(text: &str) -> Option<(u8, Option<bool>)> {
    if text.is_empty() {
        return None;
    }
    let mut words = String::new();
    (0..=u8::MAX)
        .flat_map(|flags| [None, Some(false), Some(true)].map(|team| (flags, team)))
        .find(|(flags, team)| {
            let kind = team.map_or(0, |_| TEAM_KIND);
            tags::event_flags(*flags, kind, *team == Some(true), &mut words);
            words == text
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_rounds() {
        assert_eq!(read_date("1996.03.??"), Some(CbhDate(1996 << 9 | 3 << 5)));
        assert_eq!(read_date("????.??.??"), Some(CbhDate(0)));
        assert_eq!(read_date("1996.03"), None);
        assert_eq!(read_date("1996.3.01"), None);
        assert_eq!(read_date("9999.01.01"), None);
        assert_eq!(read_round("5.2"), Some([5_u8, 2]));
        assert_eq!(read_round("?.2"), Some([0_i16, 2]));
        assert_eq!(read_round::<u8>("300"), None);
        assert_eq!(read_round::<i16>("-3"), None);
        assert_eq!(read_round::<i16>("x"), None);
    }

    #[test]
    fn words_of_events_are_read_as_they_are_written() {
        assert_eq!(read_event_type("team-swiss (rapid)"), Some((4 | 64, true)));
        assert_eq!(read_event_flags("complete, three points"), Some((10, None)));
        assert_eq!(
            read_event_flags("complete, kind team"),
            Some((2, Some(false)))
        );
        assert_eq!(read_event_flags("marked kind team"), Some((0, Some(true))));
        assert_eq!(read_event_flags("team"), None);
    }
}
