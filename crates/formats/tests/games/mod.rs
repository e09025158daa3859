//! Random games for tests: legal play from all kinds of starts, with everything that a game can hold.
//!
//! The same seed always gives the same game. Include it with `mod games;` or by path from another crate's tests.

use shakmaty::Role;
use tabiya_model::board::{Board, MoveList};
use tabiya_model::charset::Charset;
use tabiya_model::game::{Game, StartingPosition, Variant};
use tabiya_model::nag::Nag;
use tabiya_model::outcome::Outcome;
use tabiya_model::tags::ROSTER;
use tabiya_model::{Move, Tape};
use tabiya_testing::TestRandom;

/// What the games of a test may contain.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Wild {
    /// Texts with quotes, braces, control characters and other charsets; tags with odd names and duplicates.
    pub(crate) texts: bool,
    /// Unreadable movetext, results within the movetext, extensions, null moves.
    pub(crate) oddities: bool,
    /// Custom starting positions and Chess960.
    pub(crate) starts: bool,
    /// Variations, comments and NAGs.
    pub(crate) annotations: bool,
}

impl Wild {
    pub(crate) const ALL: Wild = Wild {
        texts: true,
        oddities: true,
        starts: true,
        annotations: true,
    };
    /// Games that every chess program can write.
    pub(crate) const TAME: Wild = Wild {
        texts: false,
        oddities: false,
        starts: false,
        annotations: true,
    };
}

const NAMES: [&str; 8] = [
    "Carlsen, Magnus",
    "Müller, Jörg",
    "Каспаров, Гарри",
    "O'Kelly de Galway, A",
    "?",
    "Đurić, Stefan",
    "Nguyễn Ngọc Trường Sơn",
    "X",
];
const WILD_VALUES: [&str; 14] = [
    "",
    " leading and trailing ",
    "a \"quoted\" word",
    "back\\slash\\",
    "brackets [x] and ]",
    "two  spaces",
    "tab\there",
    "line\nbreak",
    "{braces}",
    "; semicolon % per cent",
    "棋譜 ♔♕♖",
    "é\u{301}\u{200b}",
    "\u{1}\u{7f}control",
    "\\\"",
];
const TAG_NAMES: [&str; 10] = [
    "Annotator",
    "Opening",
    "TimeControl",
    "WhiteTeam",
    "Termination",
    "Source",
    "UTCTime",
    "WhiteFideId",
    "Mode",
    "Variation",
];
const WILD_TAG_NAMES: [&str; 6] = ["white", "Белые", "Two Words", "a-b.c", "x_1", "1st"];
const WORDS: [&str; 12] = [
    "a good move",
    "better is Nf3",
    "+/-",
    "zugzwang",
    "Weiß steht besser",
    "=",
    "[%clk 0:01:02]",
    "[%eval -1.25,20]",
    "[%csl Gd4,Ra1][%cal Ye2e4]",
    "[%emt 0:00:05.5]",
    "1-0",
    "$6",
];
const WILD_WORDS: [&str; 16] = [
    "{",
    "}",
    "{}",
    "\n",
    "\n\n%escape",
    "\t",
    "(",
    ")",
    ";",
    "[%",
    "[%unknown a,b]",
    "\"",
    "\\",
    "\u{a0}\u{3000}",
    "\u{1f600}",
    "\u{2}",
];
/// Words that are not moves in any position.
const RAW: [&str; 4] = ["xyzzy", "Nq1", "Qi9 Zz9", "e9 e0"];
/// Text that may follow a move that cannot be played, and is kept with it.
const RAW_TAILS: [&str; 4] = ["", " Nf3", " Nf3 {kept} e5 $4", " 23. Rd1 (e4 e5) Kb1"];
const STARTS: [&str; 8] = [
    "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1",
    "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R b KQkq - 3 17",
    "rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 3",
    "8/P6k/8/8/8/8/p6K/8 w - - 0 60",
    "7k/8/8/8/8/8/8/K6Q b - - 12 99",
    "r1bqkb1r/pp3ppp/2n1pn2/2pp4/3P4/2PBPN2/PP3PPP/RNBQ1RK1 b kq - 0 6",
    "8/8/8/8/8/8/8/8 w - - 0 1",
    "kqrbnQRBNK/8 w - - 0 1",
];

/// The game of a seed.
pub(crate) fn game(seed: u64, wild: Wild) -> Game {
    let mut random = TestRandom::new(seed);
    let mut game = Game::default();
    start(&mut random, wild, &mut game);
    tags(&mut random, wild, &mut game);
    let board = game.start_board();
    let plies = match random.below(10) {
        0 => 0,
        1 => 1,
        9 => 120,
        _ => 5 + random.below(60),
    };
    let mut line = Line {
        random,
        wild,
        tape: &mut game.tape,
        left: 400,
    };
    line.play(&board, plies, 0);
    let mut random = line.random;
    game.outcome = match random.below(6) {
        0 => None,
        1 => Some(Outcome::Unknown),
        _ => game
            .tags
            .result()
            .or_else(|| Some(Outcome::ALL[random.below(4)])),
    };
    game.origin.number = 1;
    game
}

/// Games with the numbers that a database would give them.
pub(crate) fn games(seed: u64, count: usize, wild: Wild) -> Vec<Game> {
    (0..count as u64)
        .map(|index| {
            let mut game = game(seed.wrapping_mul(10_007).wrapping_add(index), wild);
            game.origin.number = index + 1;
            game
        })
        .collect()
}

fn start(random: &mut TestRandom, wild: Wild, game: &mut Game) {
    if !wild.starts || random.chance(70) {
        return;
    }
    let fen = if random.chance(40) {
        game.variant = Variant::Chess960;
        chess960(random)
    } else {
        random.one_of(&STARTS).to_owned()
    };
    if let Ok((board, problems)) = Board::from_fen(&fen) {
        game.start = StartingPosition::Setup(Box::new(board), problems);
    } else {
        game.variant = Variant::Standard;
    }
}

fn chess960(random: &mut TestRandom) -> String {
    let mut rank = [' '; 8];
    let mut put = |piece: char, at: usize| {
        let free: Vec<usize> = (0..8).filter(|i| rank[*i] == ' ').collect();
        rank[free[at % free.len()]] = piece;
    };
    // Bishops first, on squares of both colours, then queen and knights; rook, king, rook fill the rest.
    let (light, dark) = (random.below(4) * 2 + 1, random.below(4) * 2);
    put('b', light);
    let dark = if dark > light { dark - 1 } else { dark };
    put('b', dark);
    for piece in ['q', 'n', 'n'] {
        put(piece, random.below(8));
    }
    for piece in ['r', 'k', 'r'] {
        put(piece, 0);
    }
    let black: String = rank.iter().collect();
    format!(
        "{black}/pppppppp/8/8/8/8/PPPPPPPP/{} w KQkq - 0 1",
        black.to_ascii_uppercase()
    )
}

fn tags(random: &mut TestRandom, wild: Wild, game: &mut Game) {
    let value = |random: &mut TestRandom| {
        if wild.texts && random.chance(30) {
            random.one_of(&WILD_VALUES)
        } else {
            random.one_of(&NAMES)
        }
    };
    for name in ROSTER {
        if wild.texts && random.chance(5) {
            continue;
        }
        let text = match name {
            "Date" => random.one_of(&[
                "2024.01.02",
                "1858.??.??",
                "????.??.??",
                "1999.12.??",
                "2001.02.28",
            ]),
            "Round" => random.one_of(&["?", "1", "12.3", "-"]),
            "Result" => Outcome::ALL[random.below(4)].as_pgn(),
            _ => value(random),
        };
        game.tags.push(name, text);
    }
    if random.chance(60) {
        game.tags
            .push("WhiteElo", &(100 + random.below(2900)).to_string());
        game.tags.push("BlackElo", "2500");
    }
    if random.chance(60) {
        game.tags
            .push("ECO", random.one_of(&["A00", "B99", "E99", "C42"]));
    }
    if random.chance(30) {
        game.tags
            .push("EventDate", random.one_of(&["2024.01.01", "1999.??.??"]));
    }
    for _ in 0..random.below(4) {
        let name = if wild.texts && random.chance(30) {
            random.one_of(&WILD_TAG_NAMES)
        } else {
            random.one_of(&TAG_NAMES)
        };
        // A name may occur twice.
        let text = value(random);
        game.tags.push(name, text);
    }
    if wild.texts && random.chance(20) {
        game.tags
            .push_bytes(b"Site2", b"K\xf8benhavn", Charset::Cp1252);
        game.tags
            .push_bytes(b"Note", b"broken \xff\xfe bytes", Charset::Utf8);
    }
    if wild.oddities && random.chance(10) {
        game.tags
            .push("ScidFlags", random.one_of(&["D", "DW", "B"]));
    }
    if let StartingPosition::Setup(board, _) = &game.start {
        if game.variant == Variant::Chess960 {
            game.tags.push("Variant", "Chess960");
        }
        let fen = board.to_fen();
        game.tags.push("SetUp", "1");
        game.tags.push("FEN", &fen);
    }
}

struct Line<'t> {
    random: TestRandom,
    wild: Wild,
    tape: &'t mut Tape,
    /// Operations that may still be added.
    left: usize,
}

impl Line<'_> {
    fn play(&mut self, start: &Board, plies: usize, depth: usize) {
        let mut board = start.clone();
        if self.wild.annotations && self.random.chance(15) {
            self.comment();
        }
        for ply in 0..plies {
            if self.left == 0 {
                break;
            }
            self.left -= 1;
            if self.wild.oddities && self.random.chance(1) {
                self.raw(&board, ply == 0);
                return;
            }
            let Some(m) = self.choose(&board) else { break };
            let before = board.clone();
            self.tape.push_move(m);
            board.play(m);
            if self.wild.annotations {
                self.annotate(&before, depth);
            }
        }
        if self.wild.oddities && depth > 0 && self.random.chance(10) {
            let outcome = Outcome::ALL[self.random.below(4)];
            self.tape.push_outcome(outcome);
        }
    }

    fn raw(&mut self, board: &Board, first: bool) {
        match board.king_of(board.turn()) {
            // Own pieces cannot be captured. A line of only raw words is not a line, so a move comes first.
            Some(king) if first || self.random.chance(60) => {
                let tail = self.random.one_of(&RAW_TAILS);
                self.tape.push_raw(&format!("N{king}{tail}"));
            }
            None if first => {}
            _ => {
                let raw = self.random.one_of(&RAW);
                self.tape.push_raw(raw);
            }
        }
    }

    fn choose(&mut self, board: &Board) -> Option<Move> {
        if self.wild.oddities && self.random.chance(2) && !board.is_check() {
            return Some(Move::NULL);
        }
        let mut list = MoveList::new();
        board.legal_moves(&mut list);
        // Castling, en passant captures and promotions are rare, so they are preferred.
        let rare: Vec<Move> = list
            .iter()
            .copied()
            .filter(|m| m.is_castle() || m.is_en_passant() || m.promotion().is_some())
            .collect();
        if !rare.is_empty() && self.random.chance(60) {
            return Some(rare[self.random.below(rare.len())]);
        }
        let pawns = self.random.chance(30);
        let some: Vec<Move> = list
            .iter()
            .copied()
            .filter(|m| !pawns || m.role() == Role::Pawn)
            .collect();
        match (some.len(), list.len()) {
            (_, 0) => None,
            (0, all) => Some(list[self.random.below(all)]),
            (pawns, _) => Some(some[self.random.below(pawns)]),
        }
    }

    fn annotate(&mut self, before: &Board, depth: usize) {
        if self.random.chance(12) {
            for _ in 0..=self.random.below(3) {
                let nag = [
                    1, 2, 3, 4, 5, 6, 10, 13, 14, 16, 18, 22, 32, 146, 201, 220, 255,
                ];
                let nag = nag[self.random.below(nag.len())];
                self.tape.push_nag(Nag(nag));
            }
        }
        if self.random.chance(12) {
            self.comment();
            if self.wild.oddities && self.random.chance(10) {
                self.comment();
            }
        }
        if depth < 4 && self.random.chance(6) {
            for _ in 0..=self.random.below(2) {
                self.variation(before, depth);
            }
            if self.wild.oddities && self.random.chance(20) {
                self.comment();
                self.variation(before, depth);
                self.tape.push_nag(Nag(7));
            }
        }
        if self.wild.oddities && self.random.chance(1) {
            self.tape.push_extension("test.ext", &[0, 1, 0xff, b'"']);
        }
    }

    fn variation(&mut self, before: &Board, depth: usize) {
        self.tape.begin_variation();
        let plies = 1 + self.random.below(6);
        self.play(before, plies, depth + 1);
        self.tape.end_variation();
    }

    fn comment(&mut self) {
        let mut text = String::new();
        for _ in 0..=self.random.below(4) {
            if !text.is_empty() {
                text.push(' ');
            }
            let wild = self.wild.texts && self.random.chance(25);
            text.push_str(if wild {
                self.random.one_of(&WILD_WORDS)
            } else {
                self.random.one_of(&WORDS)
            });
        }
        match self.random.below(20) {
            0 if self.wild.texts => self.tape.push_comment(""),
            1 if self.wild.texts => self
                .tape
                .push_comment_bytes(b"Wei\xdf zieht", Charset::Cp1252),
            2 if self.wild.texts => self
                .tape
                .push_comment_bytes(b"\xc1\xe5\xeb\xfb\xe5", Charset::Cp1251),
            3 if self.wild.texts => self
                .tape
                .push_comment_bytes(b"half \xe2\x82", Charset::Utf8),
            _ => self.tape.push_comment(&text),
        };
    }
}
