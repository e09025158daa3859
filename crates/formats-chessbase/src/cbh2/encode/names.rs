//! The records of names as their file holds them.

use tabiya_model::charset::Charset;

use super::texts::push_string;
use crate::cbh::encode::names::name_bytes;
use crate::cbh::layout::CbhDate;
use crate::cbh2::entities::Cbh2EntityTable;

/// The content of a record of names.
pub(in crate::cbh2) type Cbh2NameBytes = Vec<u8>;

/// The names that a game refers to; nothing where its record has no place for one, or none is meant.
#[derive(Clone, Debug, Default)]
pub(in crate::cbh2) struct Cbh2GameNames {
    /// White and Black.
    pub(in crate::cbh2) players: [Option<Cbh2NameBytes>; 2],
    pub(in crate::cbh2) annotator: Option<Cbh2NameBytes>,
    pub(in crate::cbh2) tournament: Option<Cbh2NameBytes>,
    pub(in crate::cbh2) source: Option<Cbh2NameBytes>,
    pub(in crate::cbh2) teams: [Option<Cbh2NameBytes>; 2],
    pub(in crate::cbh2) title: Option<Cbh2NameBytes>,
}

/// The size of the container of a kind of names, with the length in front of its record.
pub(in crate::cbh2) fn container(table: Cbh2EntityTable) -> usize {
    match table {
        Cbh2EntityTable::Players => 1024,
        Cbh2EntityTable::Tournaments => 1120,
        Cbh2EntityTable::Sources => 220,
        Cbh2EntityTable::Teams => 314,
        Cbh2EntityTable::Titles => 532,
    }
}

/// The bytes of a text, no more than there is room for; no character is cut into halves.
fn cut(text: &str, room: usize, charset: Option<Charset>) -> Vec<u8> {
    let mut bytes = name_bytes(text, charset);
    if bytes.len() > room {
        let is_utf8 = std::str::from_utf8(&bytes).is_ok();
        let mut end = room;
        while is_utf8 && bytes.get(end).is_some_and(|byte| byte & 0xc0 == 0x80) {
            end = end.saturating_sub(1);
        }
        bytes.truncate(end);
    }
    bytes
}

/// The room for texts in a container beside the other bytes of its record.
fn room(table: Cbh2EntityTable, others: usize) -> usize {
    container(table).saturating_sub(4 + others)
}

/// A player, with the numbers that ChessBase and FIDE give.
pub(super) fn player(
    name: &str,
    numbers: (Option<i32>, Option<i64>),
    charset: Option<Charset>,
) -> Cbh2NameBytes {
    // At the first comma behind which there is a first name.
    let mut commas = name.match_indices(", ");
    let halves = commas.find_map(|(at, _)| {
        let (last, rest) = name.split_at(at);
        rest.get(2..)
            .filter(|first| !first.is_empty())
            .map(|first| (last, first))
    });
    let (last, first) = halves.unwrap_or((name, ""));
    let most = room(Cbh2EntityTable::Players, 8 + 24);
    let last = cut(last, most, charset);
    let first = cut(first, most.saturating_sub(last.len()), charset);
    let mut data = Vec::with_capacity(32 + last.len() + first.len());
    push_string(&mut data, &last);
    push_string(&mut data, &first);
    data.extend([0; 8]);
    // Those that nobody looked up are -1.
    data.extend(numbers.0.unwrap_or(-1).to_le_bytes());
    data.extend(8_u32.to_le_bytes());
    data.extend(numbers.1.unwrap_or(-1).to_le_bytes());
    data
}

/// What is known of a tournament.
#[derive(Clone, Debug, Default)]
pub(super) struct Cbh2TournamentFields<'t> {
    pub(super) place: &'t str,
    pub(super) title: &'t str,
    pub(super) date: CbhDate,
    /// Kind, team, nation, category, flags, rounds.
    pub(super) numbers: [u8; 6],
    pub(super) globe: [f32; 2],
    pub(super) place_nation: u8,
    pub(super) tie_breaks: Vec<u16>,
    pub(super) end: CbhDate,
}

impl Cbh2TournamentFields<'_> {
    pub(super) fn encode(&self, charset: Option<Charset>) -> Cbh2NameBytes {
        let most = room(
            Cbh2EntityTable::Tournaments,
            8 + 108 + 2 * self.tie_breaks.len(),
        );
        let place = cut(self.place, most, charset);
        let title = cut(self.title, most.saturating_sub(place.len()), charset);
        let mut data = Vec::new();
        push_string(&mut data, &place);
        push_string(&mut data, &title);
        let [kind, team, nation, category, flags, rounds] = self.numbers;
        data.extend(self.date.0.to_le_bytes());
        data.extend([kind, team, nation, 0, category, flags, rounds, 0]);
        for part in self.globe {
            data.extend(part.to_le_bytes());
        }
        data.push(self.place_nation);
        // Nobody knows what these are, but they are in every tournament that the program makes.
        let mut unknown = [0; 37];
        for at in [13, 24, 35] {
            if let Some(byte) = unknown.get_mut(at) {
                *byte = 7;
            }
        }
        data.extend(unknown);
        data.extend(
            u16::try_from(self.tie_breaks.len())
                .unwrap_or(0)
                .to_le_bytes(),
        );
        for rule in &self.tie_breaks {
            data.extend(rule.to_le_bytes());
        }
        data.extend(self.end.0.to_le_bytes());
        data.extend([0; 44]);
        data
    }
}

/// A source: title, publisher, dates of publication and its own, version and quality.
pub(super) fn source(
    [title, publisher]: [&str; 2],
    dates: [CbhDate; 2],
    numbers: [i16; 2],
    charset: Option<Charset>,
) -> Cbh2NameBytes {
    let most = room(Cbh2EntityTable::Sources, 8 + 12);
    let title = cut(title, most, charset);
    let publisher = cut(publisher, most.saturating_sub(title.len()), charset);
    let mut data = Vec::new();
    push_string(&mut data, &title);
    push_string(&mut data, &publisher);
    for date in dates {
        data.extend(date.0.to_le_bytes());
    }
    for number in numbers {
        data.extend(number.to_le_bytes());
    }
    data
}

/// A team: title, number, whether its year is the first of a season, the year and the nation.
pub(super) fn team(
    title: &str,
    number: u8,
    (is_season, year): (bool, u16),
    nation: u8,
    charset: Option<Charset>,
) -> Cbh2NameBytes {
    let mut data = Vec::new();
    push_string(
        &mut data,
        &cut(title, room(Cbh2EntityTable::Teams, 4 + 5), charset),
    );
    data.extend([number, u8::from(is_season)]);
    data.extend(year.to_le_bytes());
    data.push(nation);
    data
}

/// A title in more languages has no room.
pub(super) const MOST_TITLES: usize = 50;

/// The nations that stand for the languages of titles and texts, in their order.
pub(super) const LANGUAGES: [i32; 7] = [42, 43, 49, 53, 70, 103, 117];

/// A title in its languages, all seven where there is any.
pub(super) fn title(mut titles: Vec<(i32, &str)>, charset: Option<Charset>) -> Cbh2NameBytes {
    titles.retain(|(_, title)| !title.is_empty());
    if !titles.is_empty() {
        for language in LANGUAGES {
            if !titles.iter().any(|(nation, _)| *nation == language) {
                titles.push((language, ""));
            }
        }
    }
    titles.sort_by_key(|(nation, _)| *nation);
    let mut left = room(Cbh2EntityTable::Titles, 4 + 8 * titles.len());
    let mut data = u32::try_from(titles.len())
        .unwrap_or(0)
        .to_le_bytes()
        .to_vec();
    for (nation, title) in titles {
        let title = cut(title, left, charset);
        left = left.saturating_sub(title.len());
        data.extend(nation.to_le_bytes());
        push_string(&mut data, &title);
    }
    data
}
