//! Databases of our own, for samples and laws: files according to the description, written by code that shares none with the
//! reader.

use std::path::Path;

use tabiya_model::game::{StartingPosition, Variant};
use tabiya_model::tape::TapeOp;
use tabiya_model::{Game, GameNeeds};

use crate::cbh::encode::{Node, tree};
use crate::cbh2::encode;

/// An annotation: the number of its move, its type, its content.
pub(crate) type Item = (i32, u16, Vec<u8>);

/// Data of a game besides its tags and moves.
#[derive(Clone, Debug, Default)]
pub(crate) struct More {
    pub(crate) items: Vec<Item>,
    /// The number of the Chess960 start.
    pub(crate) start: Option<u16>,
    pub(crate) is_deleted: bool,
    pub(crate) is_analysis: bool,
    pub(crate) result: Option<u8>,
    pub(crate) titles: Vec<(i32, &'static str)>,
}

/// The sizes of containers: players, tournaments, sources, nothing, teams, titles. They are small, so that samples are
/// small.
const CONTAINERS: [usize; 6] = [128, 256, 128, 0, 96, 128];

/// A database in the making.
#[derive(Default)]
pub(crate) struct Base {
    headers: Vec<u8>,
    moves: Vec<u8>,
    annotations: Vec<u8>,
    entities: [Vec<Vec<u8>>; 6],
    pub(crate) title: &'static str,
    /// Whether the header of the names has its current size.
    pub(crate) has_long_header: bool,
}

pub(crate) fn string(text: &[u8]) -> Vec<u8> {
    [&(text.len() as i32).to_le_bytes()[..], text].concat()
}

fn checksum(content: &[u8]) -> u64 {
    let size = content.len() / 8;
    let mut value = 0;
    for place in 0..8 {
        let byte = match size {
            0 => content.get(place).copied().unwrap_or(0),
            _ => {
                let part = &content[place * size..(place + 1) * size];
                (part.iter().map(|byte| u32::from(*byte)).sum::<u32>() % 256) as u8
            }
        };
        value |= u64::from(byte) << (8 * place);
    }
    value
}

/// Adds a record to a file; returns its offset. Its spare area is as small as the place allows.
fn frame(file: &mut Vec<u8>, content: &[u8], tag: u16) -> i64 {
    if file.is_empty() {
        file.resize(12, 0);
    }
    let at = file.len();
    let spare = 8 - (at + content.len() + 34) % 8;
    file.extend_from_slice(&[0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11]);
    file.extend_from_slice(&(content.len() as i32).to_le_bytes());
    file.extend_from_slice(&(spare as i32).to_le_bytes());
    file.extend_from_slice(&checksum(content).to_be_bytes());
    file.extend_from_slice(&tag.to_le_bytes());
    file.extend_from_slice(content);
    file.resize(file.len() + spare, 0);
    file.extend_from_slice(&((content.len() + spare + 34) as i64).to_le_bytes());
    at as i64
}

/// A date in its bits.
fn date(text: &str) -> i32 {
    let mut parts = text.split('.').map(|part| part.parse::<i32>().unwrap_or(0));
    let mut part = || parts.next().unwrap_or(0);
    (part() << 9) | (part() << 5) | part()
}

fn put(record: &mut [u8], at: usize, bytes: &[u8]) {
    record[at..at + bytes.len()].copy_from_slice(bytes);
}

impl Base {
    fn entity(&mut self, table: usize, data: Vec<u8>) -> i64 {
        assert!(data.len() + 4 <= CONTAINERS[table], "{data:?}");
        let list = &mut self.entities[table];
        let found = list.iter().position(|own| *own == data);
        let at = found.unwrap_or_else(|| {
            list.push(data);
            list.len() - 1
        });
        at as i64
    }

    fn player(&mut self, name: &[u8]) -> i64 {
        let name = match name {
            b"?" => b"",
            name => name,
        };
        let (last, first) = match name.windows(2).position(|pair| pair == b", ") {
            Some(at) => (&name[..at], &name[at + 2..]),
            None => (name, &b""[..]),
        };
        let fide = match last {
            b"Tal" => 4_100_018_i64,
            _ => -1,
        };
        let data = [
            string(last),
            string(first),
            vec![0; 8],
            (-1_i32).to_le_bytes().to_vec(),
            8_i32.to_le_bytes().to_vec(),
            fide.to_le_bytes().to_vec(),
        ];
        self.entity(0, data.concat())
    }

    fn tournament(&mut self, game: &Game) -> i64 {
        let name = |tag: &str| match game.tags.value(tag) {
            "?" => String::new(),
            name => name.to_owned(),
        };
        let number = |tag: &str| game.tags.value(tag).parse::<u8>().unwrap_or(0);
        let mut tail = vec![0; 108];
        put(
            &mut tail,
            0,
            &date(game.tags.value("EventDate")).to_le_bytes(),
        );
        tail[4] = number("TestKind");
        tail[6] = number("TestNation");
        tail[8] = number("EventCategory");
        tail[9] = number("TestFlags");
        tail[10] = number("EventRounds");
        put(&mut tail, 12, &59.25_f32.to_le_bytes());
        put(&mut tail, 16, &(-10.5_f32).to_le_bytes());
        tail[20] = number("TestNation");
        tail[57] = 1;
        put(
            &mut tail,
            60,
            &date(game.tags.value("EventEndDate")).to_le_bytes(),
        );
        if name("Event").is_empty() && name("Site").is_empty() {
            tail = vec![0; 108];
        }
        let data = [
            string(name("Site").as_bytes()),
            string(name("Event").as_bytes()),
            tail,
        ];
        self.entity(1, data.concat())
    }

    fn source(&mut self, game: &Game) -> i64 {
        let data = [
            string(game.tags.value("SourceTitle").as_bytes()),
            string(game.tags.value("Source").as_bytes()),
            date(game.tags.value("SourceDate")).to_le_bytes().to_vec(),
            vec![0; 8],
        ];
        self.entity(2, data.concat())
    }

    fn team(&mut self, name: &str) -> i64 {
        if name.is_empty() {
            return -1;
        }
        let data = [string(name.as_bytes()), vec![2, 1, 0xe8, 0x07, 53]];
        self.entity(4, data.concat())
    }

    fn titles(&mut self, titles: &[(i32, &str)]) -> i64 {
        let mut data = (titles.len() as i32).to_le_bytes().to_vec();
        for (nation, title) in titles {
            data.extend_from_slice(&nation.to_le_bytes());
            data.extend(string(title.as_bytes()));
        }
        self.entity(5, data)
    }

    /// Adds a game or an analysis.
    pub(crate) fn game(&mut self, game: &Game, more: &More) {
        let nodes = tree(game);
        let board = game.start_board();
        let (is_setup, is_chess960) = (
            matches!(game.start, StartingPosition::Setup(..)),
            game.variant == Variant::Chess960,
        );
        let mut words = match (is_chess960, more.start, is_setup) {
            (true, Some(number), _) => vec![0xfffb, number],
            (_, _, true) => encode::setup(&board, is_chess960),
            _ => Vec::new(),
        };
        words.push(0xfffc);
        // Castling in a custom starting position refers to some start, and no reader checks which.
        let start = is_chess960.then(|| more.start.unwrap_or(7));
        words.extend(encode::lines(&nodes, &board, start));
        let content: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let moves = frame(&mut self.moves, &content, if is_chess960 { 2 } else { 1 });
        let (notes, kinds) = notes(&nodes, &more.items);
        let notes = frame(&mut self.annotations, &notes, 0x2000);
        let mut record = [0; 192];
        record[3] = 1;
        record[0] = 1 | if more.is_deleted { 0x80 } else { 0 };
        record[2] = if more.is_analysis { 2 } else { 1 };
        put(&mut record, 0x08, &moves.to_le_bytes());
        put(&mut record, 0x10, &notes.to_le_bytes());
        let text = |tag: &str| game.tags.value(tag).to_owned();
        let bytes = |tag: &str| {
            let at = game.tags.position(tag);
            at.map_or(Vec::new(), |at| game.tags.original(at).into_owned())
        };
        let (annotator, source) = (self.player(&bytes("Annotator")), self.source(game));
        let title = self.titles(&more.titles);
        if more.is_analysis {
            put(&mut record, 0x18, &title.to_le_bytes());
            put(&mut record, 0x20, &source.to_le_bytes());
            put(&mut record, 0x28, &annotator.to_le_bytes());
            put(&mut record, 0x38, &776_i64.to_le_bytes());
            self.headers.extend_from_slice(&record);
            return;
        }
        for (at, id) in [
            (0x18, self.player(&bytes("White"))),
            (0x20, self.player(&bytes("Black"))),
            (0x28, self.tournament(game)),
            (0x30, annotator),
            (0x38, source),
            (0x40, self.team(&text("WhiteTeam"))),
            (0x48, self.team(&text("BlackTeam"))),
            (0x50, title),
        ] {
            put(&mut record, at, &id.to_le_bytes());
        }
        record[0x58] = more.result.unwrap_or(match text("Result").as_str() {
            "0-1" => 0,
            "1/2-1/2" => 1,
            "1-0" => 2,
            _ => 3,
        });
        let mut round = game.tags.value("Round").split('.');
        let mut part = || {
            round
                .next()
                .and_then(|part| part.parse::<i16>().ok())
                .unwrap_or(0)
        };
        put(&mut record, 0x5a, &part().to_le_bytes());
        put(&mut record, 0x5c, &part().to_le_bytes());
        let board_number = text("Board").parse::<i16>().unwrap_or(0);
        put(&mut record, 0x5e, &board_number.to_le_bytes());
        for (at, tag) in [(0x60, "WhiteElo"), (0x70, "BlackElo")] {
            if let Ok(rating) = text(tag).parse::<i16>() {
                put(&mut record, at, &rating.to_le_bytes());
                put(&mut record, at + 2, &[1, 0, 1, 0, 0, 0]);
                put(&mut record, at + 8, b"FIDE");
            }
        }
        let eco = match more.start.filter(|_| is_chess960) {
            Some(number) => 64_576 + number,
            None => eco(&text("ECO")),
        };
        put(&mut record, 0x80, &eco.to_le_bytes());
        let mut flags = kinds;
        flags |= u32::from(is_setup && (!is_chess960 || more.start.is_none()));
        flags |= u32::from(nodes.iter().any(|node| node.children.len() > 1)) << 1;
        flags |= u32::from(is_chess960 && more.start.is_some()) << 27;
        put(&mut record, 0x84, &flags.to_le_bytes());
        let plies = game.tape.main_line().count();
        let black = usize::from(board.turn().is_black());
        let count = if plies == 0 {
            0
        } else {
            (plies + 1 + black) / 2
        };
        put(&mut record, 0x8a, &(count as i16).to_le_bytes());
        let created = (500_000_000_i64 + self.headers.len() as i64) << 22;
        put(&mut record, 0x98, &created.to_le_bytes());
        put(&mut record, 0xb8, &1_i32.to_le_bytes());
        put(&mut record, 0xbc, &date(&text("Date")).to_le_bytes());
        self.headers.extend_from_slice(&record);
    }

    /// Adds a guiding text.
    pub(crate) fn text(&mut self, texts: &[(i32, &str)], more: &More, game: &Game) {
        let mut inner = (texts.len() as i32).to_le_bytes().to_vec();
        for (nation, text) in texts {
            inner.extend_from_slice(&nation.to_le_bytes());
            inner.extend(string(text.as_bytes()));
        }
        let mut body = 5_i16.to_le_bytes().to_vec();
        body.extend(string(&inner));
        let at = frame(&mut self.moves, &body, 0x1000);
        let mut record = [0; 192];
        record[0] = 3 | if more.is_deleted { 0x80 } else { 0 };
        (record[2], record[3]) = (1, 3);
        let author = self.player(game.tags.value("Annotator").as_bytes());
        for (place, value) in [
            (0x08, at),
            (0x10, self.tournament(game)),
            (0x18, self.source(game)),
            (0x20, author),
            (0x28, self.titles(&more.titles)),
            (0x30, 3_000_000_i64 << 32),
            (0x40, 2),
        ] {
            put(&mut record, place, &value.to_le_bytes());
        }
        self.headers.extend_from_slice(&record);
    }

    /// The files by their extensions.
    pub(crate) fn files(&self) -> Vec<(&'static str, Vec<u8>)> {
        let mut header = vec![0; 192];
        put(&mut header, 0x08, &38_i16.to_le_bytes());
        put(&mut header, 0x0a, &192_i16.to_le_bytes());
        header[0x0d] = 5;
        let next = self.headers.len() / 192 + 1;
        put(&mut header, 0x10, &(next as i32).to_le_bytes());
        let data = |bytes: &[u8], last: u8| {
            let mut bytes = bytes.to_vec();
            bytes.resize(bytes.len().max(12), 0);
            let size = bytes.len() as i64;
            put(&mut bytes, 0, &size.to_le_bytes());
            put(&mut bytes, 8, &[12, 0, 0, last]);
            bytes
        };
        let settings = format!("[Descr2CBG]\r\nType=0\r\nTitle={}\r\n", self.title);
        vec![
            ("2cbh", [header, self.headers.clone()].concat()),
            ("2cbg", data(&self.moves, 5)),
            ("2cba", data(&self.annotations, 0)),
            ("2lid", self.names()),
            ("ini", settings.into_bytes()),
        ]
    }

    fn names(&self) -> Vec<u8> {
        let size = if self.has_long_header { 216 } else { 184 };
        let mut file = Vec::new();
        for word in [size, 6] {
            file.extend_from_slice(&i32::to_be_bytes(word));
        }
        for (list, container) in self.entities.iter().zip(CONTAINERS) {
            file.extend_from_slice(&(container as i32).to_be_bytes());
            file.extend_from_slice(&(list.len() as i64).to_be_bytes());
            file.extend_from_slice(&(-1_i64).to_be_bytes());
        }
        file.resize(size as usize, 0);
        let blocks = self.entities.iter().map(Vec::len).max().unwrap_or(0);
        let mut end = file.len();
        for id in 0..blocks {
            for (list, container) in self.entities.iter().zip(CONTAINERS) {
                let at = file.len();
                if let Some(data) = list.get(id) {
                    file.extend(string(data));
                    end = file.len();
                }
                file.resize(at + container, 0);
            }
        }
        // The file ends after its last record.
        file.truncate(end);
        file
    }

    /// Writes the files beside a path.
    pub(crate) fn write(&self, path: &Path) {
        for (extension, bytes) in self.files() {
            std::fs::write(path.with_extension(extension), bytes).expect("written");
        }
    }
}

/// An ECO code as its number.
fn eco(text: &str) -> u16 {
    let (code, sub) = text.split_once('/').unwrap_or((text, "0"));
    let Some(letter) = code.bytes().next() else {
        return 0;
    };
    let number: u16 = code[1..].parse().expect("a code");
    let code = u16::from(letter - b'A') * 100 + number;
    (code + 1) * 128 + sub.parse::<u16>().expect("a sub-code")
}

/// The annotations of a tree with further ones, and the flags of their kinds.
fn notes(nodes: &[Node], items: &[Item]) -> (Vec<u8>, u32) {
    let mut all: Vec<Item> = Vec::new();
    let text = |bytes: &[u8]| {
        let language = 7_u16.to_le_bytes();
        [&[0, 0], &language[..], &string(bytes)].concat()
    };
    let order = encode::printed(nodes);
    let places = std::iter::once((-1, 0)).chain((0..).zip(order));
    for (place, node) in places {
        let node = &nodes[node];
        for nags in node.nags.chunks(3) {
            let mut three = [0; 3];
            for (slot, nag) in three.iter_mut().zip(nags) {
                *slot = u8::try_from(*nag).expect("a small number");
            }
            all.push((place, 3, three.to_vec()));
        }
        all.extend(node.before.iter().map(|bytes| (place, 0x82, text(bytes))));
        all.extend(node.after.iter().map(|bytes| (place, 2, text(bytes))));
    }
    all.extend(items.iter().cloned());
    all.sort_by_key(|(place, ..)| *place);
    let mut bytes = Vec::new();
    for block in all.chunk_by(|a, b| a.0 == b.0) {
        bytes.extend_from_slice(&block[0].0.to_le_bytes());
        bytes.extend_from_slice(&(block.len() as i32).to_le_bytes());
        for (_, kind, data) in block {
            bytes.extend_from_slice(&kind.to_le_bytes());
            bytes.extend_from_slice(data);
        }
    }
    bytes.extend_from_slice(&i32::MAX.to_le_bytes());
    let mut flags = 0;
    for (_, kind, _) in &all {
        flags |= match kind {
            2 | 0x82 => 1 << 2,
            3 => 1 << 3,
            4 => 1 << 4,
            5 => 1 << 5,
            7 => 1 << 7,
            8 => 1 << 8,
            9 => 1 << 9,
            0x13 => 1 << 19,
            0x14 => 1 << 20,
            0x15 => 1 << 21,
            0x16 => 1 << 22,
            0x17 => 1 << 23,
            0x18 => 1 << 24,
            0x1c => 1 << 28,
            _ => 0,
        };
    }
    (bytes, flags)
}

/// The games of a PGN text.
pub(crate) fn games(text: &str) -> Vec<Game> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("games.pgn");
    std::fs::write(&path, text).expect("written");
    let open = tabiya_formats::pgn::FORMAT.open.expect("it is read");
    let base = open(&path, &Default::default()).expect("opened");
    let mut games = Vec::new();
    let mut source = base.source(None).expect("a source");
    tabiya_model::database::for_each_game(&mut *source, GameNeeds::ALL, |game| {
        assert!(!game.tape.ops().any(|op| matches!(op, TapeOp::Raw(_))));
        games.push(game.clone());
        Ok(())
    })
    .expect("read");
    games
}
