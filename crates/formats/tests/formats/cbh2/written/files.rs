//! A second decoder of the files, written from the description alone: it shares no code with reader or writer, and panics
//! wherever a file breaks a rule.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::file;

pub(super) fn number<const N: usize>(bytes: &[u8], at: usize) -> i64 {
    let mut sum = 0_i64;
    for place in (0..N).rev() {
        sum = sum << 8 | i64::from(bytes[at + place]);
    }
    // The sign of shorter numbers.
    let bits = 64 - 8 * N as u32;
    sum << bits >> bits
}

fn big<const N: usize>(bytes: &[u8], at: usize) -> i64 {
    let mut turned = bytes[at..at + N].to_vec();
    turned.reverse();
    number::<N>(&turned, 0)
}

/// A record of moves, texts or annotations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Frame {
    pub(super) tag: i64,
    pub(super) content: Vec<u8>,
}

/// The files of a database, taken apart.
pub(super) struct Files {
    /// The records of headers, the first one for nobody.
    pub(super) headers: Vec<Vec<u8>>,
    /// By their offsets.
    pub(super) moves: BTreeMap<i64, Frame>,
    pub(super) notes: BTreeMap<i64, Frame>,
    /// Of the kinds 0 to 5.
    pub(super) names: Vec<Vec<Vec<u8>>>,
    /// The lists of the games of names, by role from 1 and name.
    pub(super) lists: BTreeMap<(usize, i64), Vec<i64>>,
    /// The names of each role in their order, with their keys.
    pub(super) orders: Vec<Vec<(i64, [u8; 8])>>,
}

fn frames(bytes: &[u8], is_new: bool) -> BTreeMap<i64, Frame> {
    assert_eq!(
        number::<8>(bytes, 0),
        bytes.len() as i64,
        "the size of the file"
    );
    assert_eq!(number::<2>(bytes, 8), 12);
    let mut found = BTreeMap::new();
    let mut at = 12;
    while at < bytes.len() {
        assert_eq!(
            bytes[at..at + 8],
            [0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11]
        );
        let (size, spare) = (
            number::<4>(bytes, at + 8) as usize,
            number::<4>(bytes, at + 12) as usize,
        );
        let content = &bytes[at + 26..at + 26 + size];
        let part = size / 8;
        for place in 0..8 {
            let wanted = match part {
                0 => content.get(place).copied().unwrap_or(0),
                _ => content[place * part..(place + 1) * part]
                    .iter()
                    .fold(0_u8, |sum, byte| sum.wrapping_add(*byte)),
            };
            assert_eq!(bytes[at + 23 - place], wanted, "the checksum at {at}");
        }
        let end = at + 34 + size + spare;
        assert!(
            bytes[at + 26 + size..end - 8].iter().all(|byte| *byte == 0),
            "the spare area at {at}"
        );
        assert_eq!(number::<8>(bytes, end - 8), (end - at) as i64);
        let tag = number::<2>(bytes, at + 24);
        if is_new {
            let room = if tag == 0x1000 { 192 } else { 96 };
            assert!(
                (room + 1..=room + 8).contains(&spare) && end % 8 == 0,
                "{spare} at {at}"
            );
        }
        let content = content.to_vec();
        found.insert(at as i64, Frame { tag, content });
        at = end;
    }
    assert_eq!(at, bytes.len());
    found
}

fn names(bytes: &[u8]) -> Vec<Vec<Vec<u8>>> {
    let (header, kinds) = (big::<4>(bytes, 0) as usize, big::<4>(bytes, 4) as usize);
    assert_eq!(kinds, 6);
    let sizes: Vec<usize> = (0..kinds)
        .map(|kind| big::<4>(bytes, 8 + 20 * kind) as usize)
        .collect();
    let block: usize = sizes.iter().sum();
    let mut start = header;
    let mut all = Vec::new();
    let mut end = header;
    for (kind, size) in sizes.iter().enumerate() {
        let count = big::<8>(bytes, 12 + 20 * kind) as usize;
        let mut list = Vec::new();
        for id in 0..count {
            let at = start + id * block;
            let length = number::<4>(bytes, at) as usize;
            assert!(length + 4 <= *size, "kind {kind}, {id}");
            list.push(bytes[at + 4..at + 4 + length].to_vec());
            end = end.max(at + 4 + length);
        }
        all.push(list);
        start += size;
    }
    assert_eq!(end, bytes.len(), "nothing follows the last record");
    all
}

/// The kinds of the names of the roles from 1.
const KINDS: [usize; 9] = [9, 0, 1, 2, 0, 4, 5, 5, 5];

fn lists(bytes: &[u8], names: &[Vec<Vec<u8>>]) -> BTreeMap<(usize, i64), Vec<i64>> {
    assert_eq!(number::<4>(bytes, 0), 256);
    assert_eq!((bytes.len() - 12) % 512, 0);
    let slot = |record: i64, slot: usize| number::<8>(bytes, 12 + record as usize * 512 + slot * 8);
    let mut found = BTreeMap::new();
    let mut blocks = BTreeSet::new();
    for (role, kind) in KINDS.iter().enumerate().skip(1) {
        for id in 0..names[*kind].len() as i64 {
            let (first, last, count) = (slot(id, role), slot(id, 10 + role), slot(id, 20 + role));
            let mut games = Vec::new();
            if first == -1 {
                assert_eq!((last, count), (-1, 0));
            } else if first >= 1 << 62 {
                games.push(first - (1 << 62));
                games.extend(Some(last).filter(|last| *last != -1));
            } else if first >= 1 << 61 {
                games.extend(first - (1 << 61)..=last - (1 << 61));
                assert!(games.len() > 2);
            } else {
                let mut block = first;
                loop {
                    assert!(blocks.insert(block), "block {block} is used twice");
                    let (next, own) = (slot(block, 32), slot(block, 33) as usize);
                    assert!(own == 30 || next == -1, "only the last block has room");
                    games.extend((0..own).map(|place| slot(block, 34 + place)));
                    assert!((own..30).all(|place| slot(block, 34 + place) == -1));
                    if next == -1 {
                        assert_eq!(block, last);
                        break;
                    }
                    block = next;
                }
                let is_run = games.windows(2).all(|pair| pair[0] + 1 == pair[1]);
                assert!(games.len() > 2 && !is_run, "the form of {role}, {id}");
            }
            assert_eq!(games.len() as i64, count);
            assert!(games.is_sorted());
            found.insert((role, id), games);
        }
    }
    assert_eq!(number::<4>(bytes, 4), blocks.len() as i64, "blocks in use");
    found
}

struct Tree<'a> {
    bytes: &'a [u8],
    depth: i64,
    page: usize,
    seen: Vec<(i64, [u8; 8])>,
}

impl Tree<'_> {
    fn node(&self, id: i64) -> usize {
        let number_of = |page: usize, place: i64| {
            number::<4>(self.bytes, page * 4096 + 4 * place as usize) as usize
        };
        let leaf = id / 102;
        let page = match self.depth {
            0 => self.page,
            1 => number_of(self.page, leaf),
            _ => number_of(number_of(self.page, leaf / 1024), leaf % 1024),
        };
        page * 4096 + 40 * (id % 102) as usize
    }

    /// The height of a part; its names in their order.
    fn walk(&mut self, id: i64, parent: i64) -> i64 {
        if id == -1 {
            return 0;
        }
        let at = self.node(id);
        let links = [0, 8, 16].map(|place| number::<8>(self.bytes, at + place));
        assert_eq!(links[2], parent, "the parent of {id}");
        let left = self.walk(links[0], id);
        let mut key: [u8; 8] = self.bytes[at + 24..at + 32]
            .try_into()
            .expect("eight bytes");
        key.reverse();
        self.seen.push((id, key));
        let right = self.walk(links[1], id);
        assert_eq!(
            number::<2>(self.bytes, at + 32),
            right - left,
            "the balance of {id}"
        );
        assert!((right - left).abs() <= 1);
        1 + left.max(right)
    }
}

fn orders(bytes: &[u8]) -> Vec<Vec<(i64, [u8; 8])>> {
    assert_eq!(big::<4>(bytes, 0), 1);
    assert_eq!(big::<4>(bytes, 4) as usize * 4096, bytes.len());
    assert_eq!(big::<4>(bytes, 8), 4096);
    let order = |place: usize| {
        let entry = 4096 + 128 * place;
        let mut tree = Tree {
            bytes,
            depth: big::<2>(bytes, entry),
            page: big::<4>(bytes, entry + 2) as usize,
            seen: Vec::new(),
        };
        tree.walk(big::<8>(bytes, entry + 6), -1);
        assert_eq!(big::<8>(bytes, entry + 14), tree.seen.len() as i64);
        let highest = tree.seen.iter().map(|(id, _)| *id).max().unwrap_or(0);
        let depth = match highest {
            0..=101 => 0,
            102..=104_447 => 1,
            _ => 2,
        };
        assert_eq!(tree.depth, depth, "order {place}");
        tree.seen
    };
    (0..8).map(order).collect()
}

impl Files {
    /// Takes the files apart; those that are newly written have the spare areas of new records.
    pub(super) fn of(path: &Path, is_new: bool) -> Files {
        let headers = file(path, "2cbh");
        assert_eq!(headers.len() % 192, 0);
        assert_eq!(number::<2>(&headers, 10), 192);
        assert_eq!(headers[13], 5);
        assert_eq!(number::<4>(&headers, 16) as usize, headers.len() / 192);
        let names = names(&file(path, "2lid"));
        Files {
            headers: headers.chunks(192).map(<[u8]>::to_vec).collect(),
            moves: frames(&file(path, "2cbg"), is_new),
            notes: frames(&file(path, "2cba"), is_new),
            lists: lists(&file(path, "2lgd"), &names),
            orders: orders(&file(path, "2lcd")),
            names,
        }
    }

    /// The names of a record: role, kind and number.
    fn references(&self, game: usize) -> Vec<(usize, i64)> {
        let record = &self.headers[game];
        let fields: &[(usize, usize)] = match (record[0] & 1, record[2], record[0] & 2) {
            (1, 1, 0) => &[
                (1, 0x18),
                (1, 0x20),
                (2, 0x28),
                (4, 0x30),
                (3, 0x38),
                (5, 0x40),
                (5, 0x48),
                (6, 0x50),
            ],
            (1, 1, _) => &[(2, 0x10), (3, 0x18), (4, 0x20), (7, 0x28)],
            (1, 2, _) => &[(8, 0x18), (3, 0x20), (4, 0x28)],
            _ => &[],
        };
        let found = fields
            .iter()
            .map(|(role, at)| (*role, number::<8>(record, *at)));
        found.filter(|(role, id)| *role != 5 || *id != -1).collect()
    }

    /// A name of a game by role and which of that role it is.
    pub(super) fn name(&self, game: usize, role: usize, which: usize) -> Option<&[u8]> {
        let mut all = self
            .references(game)
            .into_iter()
            .filter(|(own, _)| *own == role);
        let (_, id) = all.nth(which)?;
        self.names[KINDS[role]].get(id as usize).map(Vec::as_slice)
    }

    /// The record of the moves of a game, or of the body of a text.
    pub(super) fn moves_of(&self, game: usize) -> &Frame {
        &self.moves[&number::<8>(&self.headers[game], 8)]
    }

    /// The record of the annotations of a game.
    pub(super) fn notes_of(&self, game: usize) -> Option<&Frame> {
        let record = &self.headers[game];
        let is_text = record[2] == 1 && record[0] & 2 != 0;
        (!is_text).then(|| &self.notes[&number::<8>(record, 0x10)])
    }

    /// Whether lists and orders are those of the headers, every record belongs to somebody, and equal names are one.
    pub(super) fn hold_together(&self) {
        let mut wanted: BTreeMap<(usize, i64), Vec<i64>> = BTreeMap::new();
        let (mut moves, mut notes) = (Vec::new(), Vec::new());
        for game in 1..self.headers.len() {
            let record = &self.headers[game];
            assert_eq!(record[3], record[0] & 0x7f);
            for (role, id) in self.references(game) {
                assert!(
                    (0..self.names[KINDS[role]].len() as i64).contains(&id),
                    "{role} {id}"
                );
                wanted.entry((role, id)).or_default().push(game as i64);
            }
            if record[0] & 1 == 1 && matches!(record[2], 1 | 2) {
                moves.push(number::<8>(record, 8));
                notes.extend(self.notes_of(game).map(|_| number::<8>(record, 0x10)));
            }
        }
        // Records lie in the order of games.
        assert_eq!(moves, self.moves.keys().copied().collect::<Vec<_>>());
        assert_eq!(notes, self.notes.keys().copied().collect::<Vec<_>>());
        for (place, games) in &self.lists {
            let own = wanted.get(place).map_or(&[][..], Vec::as_slice);
            assert_eq!(games, own, "role {} of name {}", place.0, place.1);
        }
        for (role, order) in (1..).zip(&self.orders) {
            let named: BTreeSet<i64> = wanted
                .keys()
                .filter(|(own, _)| *own == role)
                .map(|(_, id)| *id)
                .collect();
            let seen: BTreeSet<i64> = order.iter().map(|(id, _)| *id).collect();
            assert_eq!(seen, named, "the order of role {role}");
            let keys: Vec<[u8; 8]> = order
                .iter()
                .map(|(_, key)| *key)
                .filter(|key| *key != [0; 8])
                .collect();
            assert!(keys.is_sorted(), "the keys of role {role}");
            for (id, key) in order {
                let data = &self.names[KINDS[role]][*id as usize];
                assert_eq!(*key, self::key(role, data), "role {role}, {id}");
            }
        }
        for list in &self.names {
            let different: BTreeSet<&Vec<u8>> = list.iter().collect();
            assert_eq!(different.len(), list.len(), "equal names are one");
        }
    }
}

/// Strings with their lengths in front, and what follows them.
fn strings<const N: usize>(data: &[u8]) -> ([&[u8]; N], &[u8]) {
    let mut rest = data;
    let found = [(); N].map(|()| {
        let length = number::<4>(rest, 0) as usize;
        let (text, after) = rest[4..].split_at(length);
        rest = after;
        text
    });
    (found, rest)
}

/// The key of a name, by the description.
fn key(role: usize, data: &[u8]) -> [u8; 8] {
    let one = 1_u64.to_be_bytes();
    let make = |front: &[u8], text: &[u8], allowed: &dyn Fn(u8) -> bool, looked: usize| {
        let text: Vec<u8> = text.iter().map(u8::to_ascii_lowercase).collect();
        if text.iter().take(looked).any(|byte| !allowed(*byte)) {
            return [0; 8];
        }
        let mut all = [front, &text[..]].concat();
        all.resize(8.max(all.len()), 0);
        all[..8].try_into().expect("eight")
    };
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    match role {
        1 | 4 => match strings::<2>(data) {
            ([b"", b""], _) => one,
            ([last, _], _) => make(&[], last, &|byte| plain(byte) || byte == b' ', 8),
        },
        2 => {
            let ([place, title], tail) = strings::<2>(data);
            let date = number::<4>(tail, 0);
            match place.is_empty() && title.is_empty() && date == 0 {
                true => one,
                false => make(
                    &((date >> 9 & 0xfff) as u16).to_be_bytes(),
                    title,
                    &plain,
                    6,
                ),
            }
        }
        3 | 5 => {
            let ([title], tail) = strings::<1>(data);
            let is_empty = title.is_empty() && (role == 3 || tail == [0; 5]);
            match is_empty {
                true => one,
                false => make(&[], title, &|byte| byte < 128, 8),
            }
        }
        _ => match number::<4>(data, 0) {
            0 => one,
            _ => {
                let ([title], _) = strings::<1>(&data[8..]);
                make(&data[4..5], title, &|byte| byte < 128, 8)
            }
        },
    }
}

/// An annotation: the number of its move, its type and its content.
pub(super) type Note = (i64, i64, Vec<u8>);

/// The annotations of a record, and the bytes from the first one on that is of no known type.
pub(super) fn notes(content: &[u8]) -> (Vec<Note>, Vec<u8>) {
    let mut found = Vec::new();
    let mut at = 0;
    loop {
        let place = number::<4>(content, at);
        if place == 0x7fff_ffff {
            return (found, content[at + 4..].to_vec());
        }
        let count = number::<4>(content, at + 4);
        at += 8;
        for _ in 0..count {
            let kind = number::<2>(content, at);
            let data = &content[at + 2..];
            let Some(size) = size(kind, data) else {
                return (found, content[at..].to_vec());
            };
            found.push((place, kind, data[..size].to_vec()));
            at += 2 + size;
        }
    }
}

/// The size of an annotation by its type.
fn size(kind: i64, data: &[u8]) -> Option<usize> {
    let string = |at: usize| at + 4 + number::<4>(data, at) as usize;
    Some(match kind {
        0x02 | 0x82 | 0x20 => string(4),
        0x03 => 3,
        0x04 | 0x05 | 0x15 => string(0),
        0x07 | 0x08 | 0x16 | 0x17 | 0x22 | 0x23 | 0x25 => 4,
        0x09 => training(data)?,
        0x13 => quotation(data),
        0x14 | 0x18 => 1,
        0x1c => string(string(1)),
        0x21 => 6,
        0x24 => 38,
        0x26 => string(1),
        0x27 => 2,
        _ => return None,
    })
}

fn training(data: &[u8]) -> Option<usize> {
    let list = |at: usize| {
        let count = number::<2>(data, at);
        (0..count).fold(at + 2, |at, _| at + 6 + number::<4>(data, at + 2) as usize)
    };
    let at = list(list(list(list(12))));
    let solutions = 0..data[at];
    match data[2] {
        1 => Some(solutions.fold(at + 1, |at, _| list(at + 4))),
        2 => Some(solutions.fold(at + 1, |at, _| list(list(at + 1)))),
        _ => None,
    }
}

fn quotation(data: &[u8]) -> usize {
    let mut at = 1 + 2 + 2 + 4 + 1;
    for _ in 0..6 {
        at += 1 + usize::from(data[at]);
    }
    at += 35 + 44;
    for _ in 0..2 {
        at += 5;
        at += 4 + number::<4>(data, at) as usize;
    }
    at += 26;
    at += if data[at] == 0 { 1 + 64 + 11 } else { 1 };
    at += 2;
    at + 4 + 5 * number::<4>(data, at) as usize + 4
}
