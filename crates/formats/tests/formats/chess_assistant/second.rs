//! A second decoder. Its table of moves is parsed from the text of the description, its rules are shakmaty's, and it shares
//! no line with the reader. It reads only sound databases.

// shakmaty's own errors are large, and its colours have no order.
#![allow(clippy::result_large_err, clippy::iter_over_hash_type)]

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use shakmaty::fen::Fen;
use shakmaty::{
    CastlingMode, CastlingSide, Chess, Color, EnPassantMode, File, FromSetup, Move, Piece,
    Position, Rank, Role, Setup, Square,
};
use tabiya_formats::chess_assistant::CaReader;
use tabiya_model::nag::Nag;
use tabiya_model::{Board, Database, Game, GameNeeds, TapeOp};

use crate::chess_assistant::law::options;
use crate::chess_assistant::shared;

/// For each code: the piece, and the displacement up and right for White and for Black.
type Table = BTreeMap<u8, (u8, [(u8, u8); 2])>;

fn yx(text: &str) -> (u8, u8) {
    let digits: Vec<u8> = text.bytes().take(2).map(|b| b - b'0').collect();
    (digits[0], digits[1])
}

/// Finds lines such as `• 14 - пешка 3, 11 для белой пешки или 71 для чёрной` and `• 32 - конь 8, 67`.
fn parse_table(text: &str) -> Table {
    let mut table = Table::new();
    for line in text.lines() {
        let Some(line) = line.trim().strip_prefix('•') else {
            continue;
        };
        let Some((code, rest)) = line.trim().split_once(" - ") else {
            continue;
        };
        let Ok(code) = code.trim().parse::<u8>() else {
            continue;
        };
        let words: Vec<&str> = rest.split_whitespace().collect();
        let is_piece = [
            "пешка",
            "конь",
            "слон",
            "ладья",
            "ферзь",
            "король",
            "фигура",
        ]
        .contains(&words.first().copied().unwrap_or(""));
        if let (true, Some(number)) = (is_piece, words.get(1).and_then(|w| w.strip_suffix(','))) {
            let number: u8 = number.parse().expect("a number");
            let white = yx(words[2]);
            let black = words.get(7).map_or(white, |word| yx(word));
            table.insert(code, (number, [white, black]));
        }
        // `172 - 206 - ходы фигуры 17. Последовательность ходов такая же, как и для фигуры 16.`
        if rest.starts_with("206") {
            let first: Vec<_> = table.values().filter(|(n, _)| *n == 16).copied().collect();
            for (at, (_, steps)) in (code..).zip(first) {
                table.insert(at, (17, steps));
            }
        }
    }
    assert_eq!(table.len(), 207, "the description has 207 plain codes");
    table
}

/// A position with the numbers of the pieces.
#[derive(Clone)]
struct State {
    chess: Chess,
    at: HashMap<(Color, u8), Square>,
    made: HashMap<(Color, u8), Square>,
}

/// A line: its content, in the order of the tape.
struct Line {
    words: Vec<String>,
    /// Words of variations that precede their move.
    waiting: Vec<String>,
    /// Words of variations that follow the last move.
    hanging: Vec<String>,
    nags: Vec<String>,
    state: State,
}

fn cp1251(bytes: &[u8]) -> String {
    bytes
        .iter()
        .map(|byte| match byte {
            0xc0..=0xff => char::from_u32(0x410 + u32::from(byte - 0xc0)).expect("Cyrillic"),
            0xa8 => 'Ё',
            0xb8 => 'ё',
            0..=0x7f => char::from(*byte),
            // Others are rare; the name shows which charset it is.
            other => tabiya_model::charset::Charset::Cp1251
                .decode_byte(*other)
                .unwrap_or('?'),
        })
        .collect()
}

fn symbol(data: &[u8]) -> String {
    let text = cp1251(data);
    match text.as_str() {
        "Inf" => "$13".to_owned(),
        "=/Inf" => "$44".to_owned(),
        "->" => "$40".to_owned(),
        "^" => "$36".to_owned(),
        "->/<-" => "$132".to_owned(),
        text if text.starts_with('$') => text.to_owned(),
        text => format!("${}", Nag::from_glyph(text).expect("a sign").0),
    }
}

fn standard() -> State {
    let mut at = HashMap::new();
    for (color, back, pawns) in [
        (Color::White, Rank::First, Rank::Second),
        (Color::Black, Rank::Eighth, Rank::Seventh),
    ] {
        for (file, piece) in File::ALL.into_iter().zip([12, 8, 10, 14, 15, 11, 9, 13]) {
            at.insert((color, piece), Square::from_coords(file, back));
            at.insert((color, file as u8), Square::from_coords(file, pawns));
        }
    }
    State {
        chess: Chess::default(),
        at,
        made: HashMap::new(),
    }
}

/// A custom starting position; `None` for one that shakmaty refuses.
fn setup(bytes: &[u8]) -> Option<(State, String)> {
    let mut setup = Setup::empty();
    let mut at = HashMap::new();
    let mut made = HashMap::new();
    for (index, pair) in bytes[..72].chunks(2).enumerate() {
        if pair == [8, 0] {
            continue;
        }
        let color = if index < 18 {
            Color::White
        } else {
            Color::Black
        };
        let number = (index % 18) as u8;
        let square = Square::from_coords(
            File::new(u32::from(pair[0] & 15)),
            Rank::new(u32::from(pair[0] >> 4)),
        );
        let role = Role::try_from(u32::from(pair[1])).expect("a kind");
        setup.board.set_piece_at(square, Piece { color, role });
        at.insert((color, number), square);
        if number < 8 && role != Role::Pawn {
            made.insert((color, number), square);
        }
    }
    let played = u32::from(bytes[72]) + 256 * u32::from(bytes[73]);
    setup.turn = if played % 2 == 0 {
        Color::White
    } else {
        Color::Black
    };
    setup.fullmoves = std::num::NonZeroU32::new(played / 2 + 1).expect("not zero");
    for (bit, rook) in [
        (8, Square::A8),
        (4, Square::H8),
        (2, Square::A1),
        (1, Square::H1),
    ] {
        if bytes[74] & bit != 0 {
            setup.castling_rights.add(rook);
        }
    }
    if bytes[75] != 0 {
        setup.ep_square = Some(Square::from_coords(
            File::new(u32::from(bytes[75] & 15)),
            Rank::new(u32::from(bytes[75] >> 4)),
        ));
    }
    let fen = Fen::try_from(setup.clone())
        .expect("counters fit")
        .to_string();
    let chess = Chess::from_setup(setup, CastlingMode::Standard)
        .or_else(|error| error.ignore_too_much_material())
        .or_else(|error| error.ignore_impossible_check())
        .or_else(|error| error.ignore_invalid_ep_square())
        .or_else(|error| error.ignore_invalid_castling_rights())
        .ok()?;
    Some((State { chess, at, made }, fen))
}

impl State {
    fn play(&mut self, from: Square, to: Square, promotion: Option<(Role, u8, u8)>) -> String {
        let us = self.chess.turn();
        let role = promotion.map(|(role, ..)| role);
        let found = self.chess.legal_moves().into_iter().find(|m| {
            !m.is_castle() && m.from() == Some(from) && m.to() == to && m.promotion() == role
        });
        let m = found.unwrap_or_else(|| panic!("{from}{to} in {:?}", self.chess.board()));
        let gone = match m {
            Move::EnPassant { from, to } => Square::from_coords(to.file(), from.rank()),
            _ => to,
        };
        self.at
            .retain(|(color, _), square| *color == us || *square != gone);
        self.made
            .retain(|(color, _), square| *color == us || *square != gone);
        for square in self.at.values_mut().chain(self.made.values_mut()) {
            if *square == from {
                *square = to;
            }
        }
        if let Some((_, pawn, number)) = promotion {
            self.at.remove(&(us, pawn));
            self.at.entry((us, number)).or_insert(to);
            self.made.insert((us, pawn), to);
        }
        let letter = role.map_or(String::new(), |role| role.char().to_string());
        self.chess.play_unchecked(m);
        format!("{from}{to}{letter}")
    }

    fn castle(&mut self, side: CastlingSide) -> String {
        let us = self.chess.turn();
        let m = self
            .chess
            .legal_moves()
            .into_iter()
            .find(|m| m.castling_side() == Some(side))
            .expect("castling is legal");
        let Move::Castle { king, rook } = m else {
            unreachable!("it castles")
        };
        let rook_number = *self
            .at
            .iter()
            .find(|((color, _), square)| *color == us && **square == rook)
            .expect("the rook has a number")
            .0;
        let king_number = *self
            .at
            .iter()
            .find(|((color, _), square)| *color == us && **square == king)
            .expect("the king has a number")
            .0;
        self.at.insert(
            king_number,
            Square::from_coords(side.king_to_file(), king.rank()),
        );
        let rook_to = Square::from_coords(side.rook_to_file(), rook.rank());
        self.at.insert(rook_number, rook_to);
        for square in self.made.values_mut() {
            if *square == rook {
                *square = rook_to;
            }
        }
        self.chess.play_unchecked(m);
        format!("{king}{rook}")
    }

    fn pass(&mut self) -> String {
        let mut setup = self.chess.to_setup(EnPassantMode::Always);
        if setup.turn == Color::Black {
            setup.fullmoves = setup.fullmoves.saturating_add(1);
        }
        setup.turn = !setup.turn;
        setup.ep_square = None;
        self.chess = Chess::from_setup(setup, CastlingMode::Standard)
            .or_else(|error| error.ignore_too_much_material())
            .or_else(|error| error.ignore_impossible_check())
            .expect("not in check");
        "0000".to_owned()
    }

    fn displaced(&self, from: Square, (up, right): (u8, u8)) -> Square {
        Square::from_coords(
            File::new((u32::from(from.file()) + u32::from(right)) % 8),
            Rank::new((u32::from(from.rank()) + u32::from(up)) % 8),
        )
    }

    fn table_move(&mut self, table: &Table, code: u8, promotion: Option<(Role, u8)>) -> String {
        let us = self.chess.turn();
        let (number, steps) = table[&code];
        let step = steps[usize::from(us == Color::Black)];
        let from = self.at[&(us, number)];
        let to = self.displaced(from, step);
        self.play(from, to, promotion.map(|(role, new)| (role, number, new)))
    }
}

/// Decodes a record into words in the order of the tape.
fn decode(table: &Table, record: &[u8]) -> Option<(Vec<String>, Option<String>)> {
    let mut at = 0;
    let mut fen = None;
    let new = |state| Line {
        words: Vec::new(),
        waiting: Vec::new(),
        hanging: Vec::new(),
        nags: Vec::new(),
        state,
    };
    let mut lines = vec![new(standard())];
    while at < record.len() {
        let code = record[at];
        at += 1;
        let line = lines.last_mut().expect("a line");
        let mut moved = None;
        match code {
            0..=206 => moved = Some(line.state.table_move(table, code, None)),
            207 => moved = Some(line.state.castle(CastlingSide::QueenSide)),
            208 => moved = Some(line.state.castle(CastlingSide::KingSide)),
            209 => {
                let (how, what) = (record[at], record[at + 1]);
                at += 2;
                let role = Role::try_from(u32::from(what >> 5)).expect("a kind");
                moved = Some(line.state.table_move(table, how, Some((role, what & 31))));
            }
            210 => {
                moved = Some(line.state.table_move(table, record[at], None));
                at += 1;
            }
            211 => moved = Some(line.state.pass()),
            212..=219 => {
                let us = line.state.chess.turn();
                let from = line.state.made[&(us, code - 212)];
                let to = line
                    .state
                    .displaced(from, (record[at] >> 4, record[at] & 15));
                at += 1;
                moved = Some(line.state.play(from, to, None));
            }
            230 => {
                let (state, text) = setup(&record[at..at + 76])?;
                line.state = state;
                fen = Some(text);
                at += 76;
            }
            231 => {
                let state = line.state.clone();
                lines.push(new(state));
            }
            232 => {
                let mut inner = lines.pop().expect("a variation");
                inner.words.append(&mut inner.hanging);
                assert!(inner.waiting.is_empty());
                let outer = lines.last_mut().expect("a line around it");
                outer.waiting.push("(".to_owned());
                outer.waiting.append(&mut inner.words);
                outer.waiting.push(")".to_owned());
            }
            233 => at += 1,
            234..=236 => {
                let length = match code {
                    234 => 2,
                    235 => {
                        at += 1;
                        usize::from(record[at - 1])
                    }
                    _ => {
                        at += 4;
                        record[at - 4..at]
                            .iter()
                            .rev()
                            .fold(0, |sum, byte| sum * 256 + usize::from(*byte))
                    }
                };
                let (kind, data) = (record[at], &record[at + 1..at + length]);
                at += length;
                match kind {
                    2 => line.words.push(symbol(data)),
                    3 => line.nags.push(symbol(data)),
                    4 | 6 => line.words.push(format!("{{{}}}", cp1251(data))),
                    5 => {
                        line.words.append(&mut line.hanging);
                        line.words.push(format!("{{{}}}", cp1251(data)));
                    }
                    8 => line.words.push("$220".to_owned()),
                    9 => {
                        line.words.append(&mut line.hanging);
                        line.words.push("$220".to_owned());
                    }
                    29 => {
                        let score = f64::from(i16::from_le_bytes([data[0], data[1]])) / 100.0;
                        let mark = match &data[2..] {
                            b"\xff\0CAP" => " CAP",
                            _ => "",
                        };
                        line.words.push(format!("{{[%eval {score:.2}]{mark}}}"));
                    }
                    _ => {}
                }
            }
            other => panic!("code {other}"),
        }
        if let Some(text) = moved {
            let line = lines.last_mut().expect("a line");
            line.words.append(&mut line.hanging);
            line.words.push(text);
            line.words.append(&mut line.nags);
            line.hanging.append(&mut line.waiting);
        }
    }
    assert_eq!(lines.len(), 1);
    let mut line = lines.remove(0);
    line.words.append(&mut line.hanging);
    Some((line.words, fen))
}

/// Describes a game of the reader in the same words.
fn words_of(game: &Game) -> Vec<String> {
    let mut words = Vec::new();
    let mut replay = tabiya_model::Replay::new(&game.start_board());
    for op in game.tape.ops() {
        match op {
            TapeOp::Move(m) => {
                let mut uci = Vec::new();
                let style = tabiya_model::board::CastlingStyle::KingTakesRook;
                replay.now().write_uci(m, style, &mut uci);
                words.push(String::from_utf8(uci).expect("ASCII"));
            }
            TapeOp::Nag(nag) => words.push(format!("${}", nag.0)),
            TapeOp::Comment(id) => words.push(format!("{{{}}}", game.tape.text(id))),
            TapeOp::Begin(_) => words.push("(".to_owned()),
            TapeOp::End => words.push(")".to_owned()),
            TapeOp::Ext(_) => {}
            other => panic!("{other:?}"),
        }
        replay.follow(op);
    }
    words
}

fn number(bytes: &[u8]) -> usize {
    bytes
        .iter()
        .rev()
        .fold(0, |sum, byte| sum * 256 + usize::from(*byte))
}

/// Joins the fragments of a file of the EMB.
fn inner_file(emb: &[u8], length: usize, mut at: usize) -> Vec<u8> {
    let mut content = Vec::new();
    while content.len() < length {
        let (size, start) = (number(&emb[at..at + 4]), number(&emb[at + 4..at + 8]));
        content.extend_from_slice(&emb[start..start + size]);
        at += 8;
    }
    content
}

fn names(emb: &[u8], directory: &[u8], stem: &str, has_title: bool) -> Vec<String> {
    let file = |extension: &str| {
        let wanted = format!("{stem}.{extension}");
        let entry = directory
            .chunks(256)
            .find(|entry| entry[28..].starts_with(wanted.as_bytes()))
            .expect("in the directory");
        inner_file(emb, number(&entry[8..12]), number(&entry[12..16]))
    };
    let (addresses, data) = (file("a01"), file("d01"));
    let entry =
        |id: usize| i32::from_le_bytes(addresses[id * 4..id * 4 + 4].try_into().expect("4"));
    (0..addresses.len() / 4)
        .map(|mut id| {
            while entry(id) < 0 {
                id = entry(id).unsigned_abs() as usize;
            }
            let at = entry(id) as usize;
            let start = at + 1 + usize::from(has_title);
            cp1251(&data[start..start + usize::from(data[at])])
        })
        .collect()
}

/// Adds the NAG of an evaluation in place of the result, after the last move of the main line and its NAGs.
fn judge(words: &mut Vec<String>, outcome: u8) {
    const NAGS: [u32; 12] = [16, 17, 14, 15, 18, 19, 10, 13, 44, 40, 36, 132];
    let Some(nag) = usize::from(outcome)
        .checked_sub(5)
        .and_then(|at| NAGS.get(at))
    else {
        return;
    };
    let (mut depth, mut last) = (0, 0);
    for (at, word) in words.iter().enumerate() {
        match word.as_bytes()[0] {
            b'(' => depth += 1,
            b')' => depth -= 1,
            b'$' | b'{' => {}
            _ if depth == 0 => last = at + 1,
            _ => {}
        }
    }
    while words.get(last).is_some_and(|word| word.starts_with('$')) {
        last += 1;
    }
    words.insert(last, format!("${nag}"));
}

/// Compares a sound database with the output of the reader.
pub(crate) fn compare(cdp: &Path) {
    let Some(description) = shared("formats/sources/000_154975c0ec353321.txt") else {
        return;
    };
    let table = parse_table(&std::fs::read_to_string(description).expect("readable"));
    let read = |extension: &str| std::fs::read(cdp.with_extension(extension)).expect("readable");
    let (emb, d00, a02, d02) = (read("emb"), read("d00"), read("a02"), read("d02"));
    let directory = inner_file(&emb, number(&emb[136..140]), number(&emb[140..144]));
    let players = names(&emb, &directory, "Players", true);
    let lists = ["Events", "Places", "Sources"].map(|stem| names(&emb, &directory, stem, false));
    let reader = CaReader::open(cdp, &options()).expect("opened");
    let mut game = Game::default();
    let games = number(&read("cdp")[104..108]);
    assert_eq!(reader.len().expect("counted"), games as u64);
    assert_eq!(d00.len(), games * 38);
    for (header, index) in d00.chunks(38).zip(1..) {
        reader.read(index, GameNeeds::ALL, &mut game).expect("read");
        let mut id = number(&header[24..28]);
        let entry = |id: usize| i32::from_le_bytes(a02[id * 4..id * 4 + 4].try_into().expect("4"));
        while entry(id) < 0 {
            id = entry(id).unsigned_abs() as usize;
        }
        let at = entry(id) as usize;
        let (head, length) = match d02[at] {
            first @ 0..=127 => (1, usize::from(first)),
            first => (2, usize::from(first & 127) + 128 * usize::from(d02[at + 1])),
        };
        let decoded = decode(&table, &d02[at + head..at + head + length]);
        let Some((mut words, fen)) = decoded else {
            // A king in check with the other side to move: the rules of shakmaty end there.
            assert!(game.start_board().is_exposed());
            continue;
        };
        judge(&mut words, header[10]);
        assert_eq!(words, words_of(&game), "{} {index}", cdp.display());
        if let Some(fen) = fen {
            let (board, _) = Board::from_fen(&fen).expect("a position");
            assert_eq!(game.start_board(), board, "{fen}");
        }
        let [events, places, sources] = &lists;
        for (tag, list, field) in [
            ("White", &players, 0),
            ("Black", &players, 3),
            ("Event", events, 14),
            ("Site", places, 17),
            ("Annotator", &players, 32),
            ("Source", sources, 35),
        ] {
            let name = &list[number(&header[field..field + 3])];
            let value = match game.tags.value(tag) {
                "?" => "",
                value => value,
            };
            assert_eq!(name, value, "{tag} of game {index}");
        }
        let date = number(&header[11..14]);
        let part = |n: usize, width: usize| match n {
            0 => "?".repeat(width),
            n => format!("{n:0width$}"),
        };
        let date = format!(
            "{}.{}.{}",
            part(date / 32 / 13, 4),
            part(date / 32 % 13, 2),
            part(date % 32, 2)
        );
        assert_eq!(game.tags.value("Date"), date);
        let elo = number(&header[6..8]);
        assert_eq!(game.tags.number("WhiteElo").unwrap_or(0), elo as u32);
    }
}

#[test]
fn the_oracles_are_read_alike() {
    let Some(folder) = shared("oracles/chess-assistant") else {
        return;
    };
    for name in crate::chess_assistant::oracles::NAMES {
        compare(&folder.join(format!("{name}.cdp")));
    }
}

#[test]
fn the_table_of_the_description_is_the_reader_s() {
    let Some(description) = shared("formats/sources/000_154975c0ec353321.txt") else {
        return;
    };
    let table = parse_table(&std::fs::read_to_string(description).expect("readable"));
    for (code, (number, [white, black])) in table {
        let step = tabiya_formats::chess_assistant::moves::TABLE[usize::from(code)];
        assert_eq!((step.number, (step.up, step.right)), (number, white));
        let sideways = tabiya_formats::chess_assistant::moves::CaFileDirection::Right;
        assert_eq!(sideways.read(step, Color::Black), black);
    }
}
