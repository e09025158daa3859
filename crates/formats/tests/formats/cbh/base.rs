//! Whole databases of our own making, for tests: headers, names, moves and annotations of games that are given as PGN.

use std::collections::BTreeMap;
use std::path::Path;

use shakmaty::Color;
use tabiya_formats::cbh::entities::CbhEntityTable;
use tabiya_formats::format::OpenOptions;
use tabiya_formats::pgn;
use tabiya_model::database::for_each_game;
use tabiya_model::date::Date;
use tabiya_model::eco::EcoCode;
use tabiya_model::game::StartingPosition;
use tabiya_model::outcome::Outcome;
use tabiya_model::{Game, GameNeeds};

use crate::cbh::encode;

/// The sizes in the files of a generation.
#[derive(Copy, Clone)]
pub(crate) struct Generation {
    /// The word at 1 of `.cbh`.
    pub(crate) word: u16,
    /// The length of the header of `.cbg` and `.cba`.
    pub(crate) data_header: usize,
    /// The bytes of the header of names beyond 28.
    pub(crate) extra: u32,
    /// Version and size of the records of `.cbj`.
    pub(crate) second: Option<(u32, usize)>,
}

pub(crate) const OLDEST: Generation = Generation {
    word: 36,
    data_header: 10,
    extra: 0,
    second: None,
};
pub(crate) const NINTH: Generation = Generation {
    word: 44,
    data_header: 26,
    extra: 4,
    second: Some((8, 78)),
};
pub(crate) const NEWEST: Generation = Generation {
    second: Some((11, 120)),
    ..NINTH
};

/// An annotation: the place of its move in the stored order, its type, its content.
pub(crate) type Item = (i32, u8, Vec<u8>);

/// Data of a game that PGN does not have.
#[derive(Clone, Default)]
pub(crate) struct More {
    pub(crate) mode: u8,
    pub(crate) is_deleted: bool,
    /// Annotations in addition to those of the PGN, in any order.
    pub(crate) items: Vec<Item>,
    /// Result, NAG of a line and medals, if they are not those of the tags.
    pub(crate) result: Option<u8>,
    pub(crate) line_nag: u8,
    pub(crate) medals: u16,
    /// The number of a Chess960 start position, in place of the ECO code.
    pub(crate) chess960: Option<u16>,
    pub(crate) teams: [Option<u32>; 2],
    /// Records of `.cbm` and `.cbl`.
    pub(crate) media: Option<u32>,
    pub(crate) title: Option<u32>,
    /// The bytes from 38 to 70 of the second header, and those from 78 on.
    pub(crate) ratings: [[u8; 16]; 2],
    pub(crate) version: u16,
    pub(crate) created: u64,
    pub(crate) saved: u64,
    /// The record of moves to store, in place of the encoded one.
    pub(crate) moves: Option<Vec<u8>>,
}

/// A database in the making.
pub(crate) struct Base {
    generation: Generation,
    names: BTreeMap<&'static str, Vec<Vec<u8>>>,
    headers: Vec<[u8; 46]>,
    seconds: Vec<Vec<u8>>,
    moves: Vec<u8>,
    annotations: Vec<u8>,
    /// Other files with their content.
    pub(crate) others: Vec<(&'static str, Vec<u8>)>,
    /// Encodes texts in a charset.
    pub(crate) encode: fn(&str) -> Vec<u8>,
}

/// A date in the bits of the headers.
pub(crate) fn date(text: &str) -> u32 {
    Date::parse(text).map_or(0, |date| {
        u32::from(date.year.unwrap_or(0)) << 9
            | u32::from(date.month.unwrap_or(0)) << 5
            | u32::from(date.day.unwrap_or(0))
    })
}

impl Base {
    pub(crate) fn new(generation: Generation) -> Base {
        let mut names = BTreeMap::new();
        for table in CbhEntityTable::ALL {
            names.insert(table.extension(), Vec::new());
        }
        Base {
            generation,
            names,
            headers: Vec::new(),
            seconds: Vec::new(),
            moves: vec![0; generation.data_header],
            annotations: vec![0; generation.data_header],
            others: Vec::new(),
            encode: |text| text.as_bytes().to_vec(),
        }
    }

    /// The number of a name, which is added if it is new. Fields are their offset and their bytes.
    pub(crate) fn name(&mut self, table: CbhEntityTable, fields: &[(usize, &[u8])]) -> u32 {
        let mut data = vec![0; table.data_size()];
        for (field, (at, bytes)) in fields.iter().enumerate() {
            // Texts that are too long for their field are truncated.
            let end = fields
                .get(field + 1)
                .map_or(table.count_at(), |(next, _)| *next);
            let length = bytes.len().min(end - at);
            data[*at..at + length].copy_from_slice(&bytes[..length]);
        }
        let list = self.names.get_mut(table.extension()).expect("a table");
        let at = list
            .iter()
            .position(|own| own[..table.count_at()] == data[..table.count_at()]);
        let at = at.unwrap_or_else(|| {
            list.push(data);
            list.len() - 1
        });
        u32::try_from(at).expect("few names")
    }

    fn use_name(&mut self, table: CbhEntityTable, number: u32) {
        let game = u32::try_from(self.headers.len() + 1).expect("few games");
        let list = self.names.get_mut(table.extension()).expect("a table");
        let Some(data) = list.get_mut(number as usize) else {
            return;
        };
        let at = table.count_at();
        let count = u32::from_le_bytes(data[at..at + 4].try_into().expect("four bytes"));
        data[at..at + 4].copy_from_slice(&(count + 1).to_le_bytes());
        if count == 0 {
            data[at + 4..at + 8].copy_from_slice(&game.to_le_bytes());
        }
    }

    fn player(&mut self, name: &str) -> u32 {
        let name = if name == "?" { "" } else { name };
        let (last, first) = name.split_once(", ").unwrap_or((name, ""));
        let (last, first) = ((self.encode)(last), (self.encode)(first));
        self.name(CbhEntityTable::Players, &[(0, &last), (30, &first)])
    }

    /// The number of the tournament in the tags of a game.
    fn tournament(&mut self, game: &Game) -> u32 {
        let text = |tag| match game.tags.value(tag) {
            "?" => "",
            value => value,
        };
        let (title, place) = ((self.encode)(text("Event")), (self.encode)(text("Site")));
        let date = date(game.tags.value("EventDate")).to_le_bytes();
        let number = |tag| game.tags.value(tag).parse::<u8>().unwrap_or(0);
        self.name(
            CbhEntityTable::Tournaments,
            &[
                (0, &title),
                (40, &place),
                (70, &date),
                (74, &[number("TestKind"), number("TestTeam")]),
                (76, &[number("TestNation")]),
                (78, &[number("EventCategory"), number("TestFlags")]),
                (80, &[number("EventRounds")]),
            ],
        )
    }

    /// Adds a game: tags, moves, NAGs and comments of the PGN.
    pub(crate) fn game(&mut self, game: &Game, more: &More) {
        let (encoded, order, nodes) = encode::game(game, more.mode);
        let record = more.moves.clone().unwrap_or(encoded);
        let mut items = Vec::new();
        for (place, node) in std::iter::once(&0).chain(&order).zip(-1..) {
            let (place, node): (&usize, i32) = (place, node);
            let (at, node) = (node, &nodes[*place]);
            for nag in &node.nags {
                items.push((at, 3, vec![*nag as u8]));
            }
            for (kind, texts) in [(0x82, &node.before), (2, &node.after)] {
                for text in texts {
                    items.push((at, kind, [&[0, 0], &text[..]].concat()));
                }
            }
        }
        items.extend(more.items.clone());
        items.sort_by_key(|item| item.0);
        let mut header = [0; 46];
        header[0] = 1 | u8::from(more.is_deleted) << 7;
        let annotations = self.push_items(&items);
        let moves = self.push_moves(&record);
        let [white, black] = ["White", "Black"].map(|tag| self.player(game.tags.value(tag)));
        let tournament = self.tournament(game);
        let annotator = (self.encode)(game.tags.value("Annotator"));
        let annotator = self.name(CbhEntityTable::Annotators, &[(0, &annotator)]);
        let (title, publisher) = (
            (self.encode)(game.tags.value("SourceTitle")),
            (self.encode)(game.tags.value("Source")),
        );
        let published = date(game.tags.value("SourceDate")).to_le_bytes();
        let source = self.name(
            CbhEntityTable::Sources,
            &[(0, &title), (25, &publisher), (41, &published)],
        );
        let put = |header: &mut [u8; 46], at: usize, bytes: &[u8]| {
            header[at..at + bytes.len()].copy_from_slice(bytes);
        };
        put(&mut header, 1, &moves.to_be_bytes());
        put(&mut header, 5, &annotations.to_be_bytes());
        for (at, table, number) in [
            (9, CbhEntityTable::Players, white),
            (12, CbhEntityTable::Players, black),
            (15, CbhEntityTable::Tournaments, tournament),
            (18, CbhEntityTable::Annotators, annotator),
            (21, CbhEntityTable::Sources, source),
        ] {
            put(&mut header, at, &number.to_be_bytes()[1..]);
            self.use_name(table, number);
        }
        let played = date(game.tags.value("Date"));
        put(&mut header, 24, &played.to_be_bytes()[1..]);
        header[27] = more.result.unwrap_or(match game.result() {
            Outcome::BlackWins => 0,
            Outcome::Draw => 1,
            Outcome::WhiteWins => 2,
            _ => 3,
        });
        header[28] = more.line_nag;
        let round = game.tags.value("Round");
        let (round, below) = round.split_once('.').unwrap_or((round, ""));
        for (at, part) in [(29, round), (30, below)] {
            header[at] = part.parse().unwrap_or(0);
        }
        for (at, color) in [(31, Color::White), (33, Color::Black)] {
            let rating = game.tags.value(match color {
                Color::White => "WhiteElo",
                Color::Black => "BlackElo",
            });
            let rating: u16 = rating.parse().unwrap_or(0);
            put(&mut header, at, &rating.to_be_bytes());
        }
        let eco = match more.chess960 {
            Some(number) => 64_576 + number,
            None => eco(game.tags.value("ECO")),
        };
        put(&mut header, 35, &eco.to_be_bytes());
        put(&mut header, 37, &more.medals.to_be_bytes());
        let starts_black = game.start_board().turn() == Color::Black;
        let mut flags = u32::from(game.start != StartingPosition::Standard);
        flags |= u32::from(nodes.iter().any(|node| node.children.len() > 1)) << 1;
        for (_, kind, _) in &items {
            flags |= match kind {
                0x02 | 0x82 => 1 << 2,
                3..=5 | 7 | 9 => 1 << kind,
                0x13..=0x18 => 1 << (kind - 0x13 + 19),
                0x1c => 1 << 28,
                _ => 0,
            };
        }
        flags |= u32::from(more.mode == 10) << 27;
        put(&mut header, 39, &flags.to_be_bytes());
        let mut plies = 0;
        let mut node = 0;
        while let Some(next) = nodes[node].children.first() {
            (node, plies) = (*next, plies + 1);
        }
        let count = (plies + 1 + u32::from(starts_black)) / 2;
        // The number of moves in a record given as bytes is not known here, except that it is not zero.
        let count = count.max(u32::from(more.moves.is_some()));
        header[45] = u8::try_from(count).unwrap_or(255);
        for team in more.teams.into_iter().flatten() {
            self.use_name(CbhEntityTable::Teams, team);
        }
        if let Some(title) = more.title {
            self.use_name(CbhEntityTable::Titles, title);
        }
        self.push_second(more, moves, annotations);
        self.headers.push(header);
    }

    /// Adds a guiding text: its body after the header, and the number of its author.
    pub(crate) fn text(&mut self, body: &[u8], more: &More) {
        let record = encode::record(128, body);
        let at = self.push_moves(&record);
        let mut header = [0; 46];
        header[0] = 3;
        header[1..5].copy_from_slice(&at.to_be_bytes());
        let numbers = [
            (
                7,
                CbhEntityTable::Tournaments,
                self.tournament(&Game::default()),
            ),
            (
                10,
                CbhEntityTable::Sources,
                self.name(CbhEntityTable::Sources, &[]),
            ),
            (
                13,
                CbhEntityTable::Annotators,
                self.name(CbhEntityTable::Annotators, &[(0, b"Teacher")]),
            ),
        ];
        for (at, table, number) in numbers {
            header[at..at + 3].copy_from_slice(&number.to_be_bytes()[1..]);
            self.use_name(table, number);
        }
        if more.media.is_some() {
            header[19] |= 2;
        }
        if let Some(title) = more.title {
            self.use_name(CbhEntityTable::Titles, title);
        }
        self.push_second(more, at, 0);
        self.headers.push(header);
    }

    fn push_moves(&mut self, record: &[u8]) -> u32 {
        let at = u32::try_from(self.moves.len()).expect("small");
        self.moves.extend_from_slice(record);
        at
    }

    /// Adds a record of annotations; returns its offset, 0 if there are none.
    fn push_items(&mut self, items: &[Item]) -> u32 {
        if items.is_empty() {
            return 0;
        }
        let at = u32::try_from(self.annotations.len()).expect("small");
        let game = u32::try_from(self.headers.len() + 1).expect("few games");
        let mut bytes = Vec::new();
        for (place, kind, content) in items {
            let size = u16::try_from(content.len() + 6).expect("short");
            bytes.extend_from_slice(&place.to_be_bytes()[1..]);
            bytes.push(*kind);
            bytes.extend_from_slice(&size.to_be_bytes());
            bytes.extend_from_slice(content);
        }
        let out = &mut self.annotations;
        out.extend_from_slice(&game.to_be_bytes()[1..]);
        out.extend_from_slice(&[1, 0, 14, 14]);
        out.extend_from_slice(&(items.len() as u32 + 1).to_be_bytes()[1..]);
        out.extend_from_slice(&(bytes.len() as u32 + 14).to_be_bytes());
        out.extend_from_slice(&bytes);
        at
    }

    fn push_second(&mut self, more: &More, moves: u32, annotations: u32) {
        let mut second = vec![0; 120];
        let mut put = |at: usize, bytes: &[u8]| {
            second[at..at + bytes.len()].copy_from_slice(bytes);
        };
        let number = |number: Option<u32>| number.unwrap_or(u32::MAX).to_be_bytes();
        put(0, &number(more.teams[0]));
        put(4, &number(more.teams[1]));
        put(8, &number(more.media));
        put(12, &u64::from(annotations).to_be_bytes());
        put(30, &u64::from(moves).to_be_bytes());
        put(38, &more.ratings[0]);
        put(54, &more.ratings[1]);
        put(78, &more.version.to_be_bytes());
        put(80, &more.created.to_be_bytes());
        put(108, &more.saved.to_be_bytes());
        put(116, &number(more.title));
        self.seconds.push(second);
    }

    /// The files by their extensions.
    pub(crate) fn files(&self) -> Vec<(&'static str, Vec<u8>)> {
        let Generation {
            word,
            data_header,
            extra,
            second,
        } = self.generation;
        let next = u32::try_from(self.headers.len() + 1).expect("few games");
        let mut head = [0; 46];
        head[1..3].copy_from_slice(&word.to_be_bytes());
        head[3..6].copy_from_slice(&[0, 46, 1]);
        head[6..10].copy_from_slice(&next.to_be_bytes());
        if word != 36 {
            head[40..44].copy_from_slice(&next.to_be_bytes());
        }
        let mut files = vec![("cbh", [&head[..], &self.headers.concat()].concat())];
        for (extension, data) in [("cbg", &self.moves), ("cba", &self.annotations)] {
            let mut data = data.clone();
            let size = data.len() as u32;
            data[..2].copy_from_slice(&(data_header as u16).to_be_bytes());
            data[2..6].copy_from_slice(&size.to_be_bytes());
            if data_header == 26 {
                data[14..18].copy_from_slice(&size.to_be_bytes());
            }
            files.push((extension, data));
        }
        for table in CbhEntityTable::ALL {
            let extension = table.extension();
            let records = &self.names[extension];
            if second.is_none() && matches!(table, CbhEntityTable::Teams | CbhEntityTable::Titles) {
                continue;
            }
            let count = u32::try_from(records.len()).expect("few names");
            let size = table.data_size() as u32;
            let root = if count == 0 { u32::MAX } else { 0 };
            let mut bytes: Vec<u8> = [count, root, 1_234_567_890, size, u32::MAX, count, extra]
                .map(u32::to_le_bytes)
                .concat();
            bytes.resize(bytes.len() + extra as usize, 0);
            for (at, data) in (1..).zip(records) {
                // A tree with only one branch, in the order in which names were added.
                let right = if at == count { -1 } else { at as i32 };
                bytes.extend_from_slice(&(-1_i32).to_le_bytes());
                bytes.extend_from_slice(&right.to_le_bytes());
                bytes.push((count - at).min(127) as u8);
                bytes.extend_from_slice(data);
            }
            files.push((extension, bytes));
        }
        if let Some((version, size)) = second {
            let count = self.seconds.len() as u32;
            let mut bytes: Vec<u8> = [version, size as u32, count].map(u32::to_le_bytes).concat();
            bytes.resize(32, 0);
            for record in &self.seconds {
                bytes.extend_from_slice(&record[..size]);
            }
            files.push(("cbj", bytes));
        }
        files.extend(self.others.clone());
        files
    }

    /// Writes the files of a name.
    pub(crate) fn write(&self, path: &Path) {
        for (extension, bytes) in self.files() {
            std::fs::write(path.with_extension(extension), bytes).expect("written");
        }
    }
}

/// The number of an ECO code with its sub-code, as in `B33/10`.
fn eco(text: &str) -> u16 {
    let (code, sub) = text.split_once('/').unwrap_or((text, ""));
    let Some(code) = EcoCode::parse(code) else {
        return 0;
    };
    (code.index() + 1) << 7 | sub.parse::<u16>().unwrap_or(0)
}

/// The games of a PGN text.
pub(crate) fn games(text: &str) -> Vec<Game> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("games.pgn");
    std::fs::write(&path, text).expect("written");
    let open = pgn::FORMAT.open.expect("PGN is read");
    let database = open(&path, &OpenOptions::default()).expect("opened");
    let mut games = Vec::new();
    let mut source = database.source(None).expect("a source");
    for_each_game(&mut *source, GameNeeds::ALL, |game| {
        games.push(game.clone());
        Ok(())
    })
    .expect("read");
    games
}
