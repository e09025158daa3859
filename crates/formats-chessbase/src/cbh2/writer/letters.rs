//! The order of names, and the keys that stand for it in the trees of an order.

use crate::cbh2::entities::{
    Cbh2EntityTable, Cbh2Player, Cbh2Source, Cbh2Team, Cbh2Tournament, titles,
};

/// The plain letters of the characters from U+00C0 to U+017F.
const PLAIN: &str = "aaaaaaaceeeeiiiidnooooo.ouuuuytsaaaaaaaceeeeiiiidnooooo.ouuuuyty\
                     aaaaaaccccccccddddeeeeeeeeeegggggggghhhhiiiiiiiiiiiijjkkklllllll\
                     lllnnnnnnnnnoooooooorrrrrrssssssssttttttuuuuuuuuuuuuwwyyyzzzzzzs";

/// The letter under an accent.
fn plain_letter(c: char) -> Option<u8> {
    let at = usize::try_from(u32::from(c).checked_sub(0xc0)?).ok()?;
    PLAIN
        .as_bytes()
        .get(at)
        .copied()
        .filter(|byte| *byte != b'.')
}

/// How the texts of a kind of names are compared.
#[derive(Copy, Clone)]
struct Cbh2TextOrder {
    /// Characters that do not count.
    skipped: &'static [char],
    /// Whether all signs of ASCII come in its order, because keys do.
    is_ascii: bool,
}

impl Cbh2TextOrder {
    /// Appends bytes that are compared as a text is: signs, digits, letters, other letters, figurines. A text that another one
    /// begins with comes first.
    fn push(self, text: &str, out: &mut Vec<u8>) {
        for c in text.chars().filter(|c| !self.skipped.contains(c)) {
            let lower = c.to_ascii_lowercase();
            let byte = u8::try_from(lower)
                .ok()
                .filter(u8::is_ascii)
                .or(plain_letter(c));
            match byte {
                Some(byte) if self.is_ascii => out.extend([1, byte]),
                Some(byte) if byte.is_ascii_digit() => out.extend([2, byte]),
                Some(byte) if byte.is_ascii_lowercase() => out.extend([3, byte]),
                Some(byte) if b"+<=>".contains(&byte) => out.extend([1, byte | 0x80]),
                Some(byte) => out.extend([1, byte]),
                None => {
                    let class = match lower {
                        '\u{e000}'..='\u{f8ff}' => 5,
                        _ => 4,
                    };
                    out.push(class);
                    out.extend(u32::from(lower).to_be_bytes());
                }
            }
        }
        out.push(0);
    }
}

const PLAYERS: Cbh2TextOrder = Cbh2TextOrder {
    skipped: &['\''],
    is_ascii: false,
};
const TOURNAMENTS: Cbh2TextOrder = Cbh2TextOrder {
    skipped: &['\'', '-'],
    is_ascii: false,
};
const OTHERS: Cbh2TextOrder = Cbh2TextOrder {
    skipped: &[],
    is_ascii: true,
};

/// A key of eight bytes: some in front, then the beginning of a text. It is 0 if that has a character that no key has.
fn key(front: &[u8], text: &[u8], looked_at: usize, is_allowed: impl Fn(u8) -> bool) -> u64 {
    let mut bytes = [0; 8];
    for (slot, byte) in bytes.iter_mut().zip(front.iter().chain(text)) {
        *slot = byte.to_ascii_lowercase();
    }
    for (slot, byte) in bytes.iter_mut().zip(front) {
        *slot = *byte;
    }
    let mut seen = text.iter().take(looked_at);
    match seen.all(|byte| is_allowed(byte.to_ascii_lowercase())) {
        true => u64::from_be_bytes(bytes),
        false => 0,
    }
}

/// The key of a name that has nothing in the fields that are compared.
const EMPTY: u64 = 1;

fn text(bytes: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

/// The place of a name among all of its kind.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Cbh2NamePlace {
    /// Compared byte by byte.
    order: Vec<u8>,
    /// What stands in its node.
    pub(super) key: u64,
}

impl Cbh2NamePlace {
    /// Of the record of a name.
    pub(super) fn of(table: Cbh2EntityTable, data: &[u8]) -> Cbh2NamePlace {
        let mut order = Vec::new();
        let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        let key = match table {
            Cbh2EntityTable::Players => {
                let Cbh2Player { last, first, .. } = Cbh2Player::decode(data);
                for name in [last, first] {
                    PLAYERS.push(&text(name), &mut order);
                }
                // Accents decide where nothing else does.
                order.extend_from_slice(last);
                order.extend_from_slice(first);
                match last.is_empty() && first.is_empty() {
                    true => EMPTY,
                    false => key(&[], last, 8, |byte| is_plain(byte) || byte == b' '),
                }
            }
            Cbh2EntityTable::Tournaments => {
                let event = Cbh2Tournament::decode(data);
                let date = event.date;
                let year = date.year().to_be_bytes();
                order.extend(year);
                TOURNAMENTS.push(&text(event.title), &mut order);
                TOURNAMENTS.push(&text(event.place), &mut order);
                order.extend([date.month(), date.day()]);
                order.extend_from_slice(event.title);
                order.extend_from_slice(event.place);
                let is_empty = event.title.is_empty() && event.place.is_empty();
                match is_empty && date.0 & 0x1f_ffff == 0 {
                    true => EMPTY,
                    false => key(&year, event.title, 6, is_plain),
                }
            }
            Cbh2EntityTable::Sources => {
                let title = Cbh2Source::decode(data).title;
                OTHERS.push(&text(title), &mut order);
                match title.is_empty() {
                    true => EMPTY,
                    false => key(&[], title, 8, |byte| byte.is_ascii()),
                }
            }
            Cbh2EntityTable::Teams => {
                let team = Cbh2Team::decode(data);
                OTHERS.push(&text(team.title), &mut order);
                order.extend([team.number, team.nation]);
                order.extend(team.year.to_be_bytes());
                order.push(u8::from(team.is_season));
                let numbers = [team.number, team.nation, u8::from(team.is_season)];
                let is_empty = team.title.is_empty() && numbers == [0; 3] && team.year == 0;
                match is_empty {
                    true => EMPTY,
                    false => key(&[], team.title, 8, |byte| byte.is_ascii()),
                }
            }
            Cbh2EntityTable::Titles => match titles(data).first() {
                None => EMPTY,
                Some((nation, title)) => {
                    let [nation, ..] = nation.to_le_bytes();
                    order.push(nation);
                    OTHERS.push(&text(title), &mut order);
                    key(&[nation], title, 8, |byte| byte.is_ascii())
                }
            },
        };
        Cbh2NamePlace { order, key }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn player(last: &str, first: &str) -> Cbh2NamePlace {
        let mut data = Vec::new();
        for name in [last, first] {
            data.extend(u32::try_from(name.len()).expect("short").to_le_bytes());
            data.extend_from_slice(name.as_bytes());
        }
        Cbh2NamePlace::of(Cbh2EntityTable::Players, &data)
    }

    #[test]
    fn names_are_sorted_by_letters() {
        let names = [
            ("", ""),
            ("-", ""),
            ("+", ""),
            ("1", ""),
            ("Anderssen", "Adolf"),
            ("Andersson", "Ulf"),
            ("Dangelo", ""),
            ("D'Angelo", "A"),
            ("Muller", "A"),
            ("Müller", "A"),
            ("Muller", "B"),
            ("Muller x", ""),
            ("Здесь", ""),
        ];
        let places = names.map(|(last, first)| player(last, first));
        for (pair, names) in places.windows(2).zip(names.windows(2)) {
            assert!(pair[0] < pair[1], "{names:?}");
        }
        let keys = |last: &str| player(last, "x").key.to_be_bytes();
        assert_eq!(&keys("Kieseritzky"), b"kieserit");
        assert_eq!(&keys("Tal"), b"tal\0\0\0\0\0");
        assert_eq!(keys("O'Kelly"), [0; 8]);
        assert_eq!(player("", "").key, 1);
    }
}
