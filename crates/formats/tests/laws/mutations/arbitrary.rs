//! Games that need never have been in a file: arbitrary texts in every place where a game has texts.

use tabiya_model::board::{Board, MoveList};
use tabiya_model::charset::Charset;
use tabiya_model::game::{Game, StartingPosition, Variant};
use tabiya_model::nag::Nag;
use tabiya_model::outcome::Outcome;
use tabiya_model::{Replay, setup_tags};

use tabiya_testing::TestRandom;

/// Pieces of texts: some have a meaning in formats, some are escaped by them, some may be unknown to them.
const PIECES: [&str; 56] = [
    "a",
    "Nf3",
    "e4",
    "Qxh7#",
    "word",
    "12.",
    "1...",
    "1-0",
    "*",
    "1/2-1/2",
    "0:1",
    " ",
    "  ",
    "\t",
    "\n",
    "\r\n",
    "\r",
    "\u{b}",
    "\u{0}",
    "\u{1}",
    "\u{1a}",
    "\u{7f}",
    "\u{85}",
    "\u{a0}",
    "\u{2028}",
    "\u{feff}",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "<",
    ";",
    "%",
    "\n%",
    "\"",
    "\\",
    "'",
    "=",
    "#",
    "$3",
    "!?",
    "[%raw x]",
    "[%clk 0:01:02]",
    "[%eval 0.1",
    "[%cal Ga1b2]",
    "%20",
    "é",
    "ß",
    "Ж",
    "棋",
    "\u{1f600}",
    "e\u{301}",
    "\u{bd}",
    "\u{fffd}",
];

/// Names of tags with a meaning, and other names.
const NAMES: [&str; 28] = [
    "Event",
    "Site",
    "Date",
    "Round",
    "White",
    "Black",
    "Result",
    "FEN",
    "fen",
    "SetUp",
    "Variant",
    "WhiteElo",
    "BlackElo",
    "ECO",
    "EventDate",
    "Annotator",
    "WhiteTitle",
    "Board",
    "Opening",
    "ScidFlags",
    "Zeta",
    "zeta",
    "a b",
    "a_b",
    "1",
    "",
    "Ä",
    "a=b;c",
];

/// Values with a meaning.
const VALUES: [&str; 22] = [
    "",
    "?",
    "-",
    "*",
    "1-0",
    "0-0",
    "1:0",
    "????.??.??",
    "2024.13.45",
    "2024.02.??",
    "0",
    "1",
    "2800",
    "99999999999",
    "A00",
    "C42x",
    "Chess960",
    "Atomic",
    "8/8/8/8/8/8/8/8 w - - 0 1",
    "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1",
    "no position",
    "DWBx1",
];

const STARTS: [&str; 4] = [
    "4k3/P7/8/8/8/8/p7/R3K2R w KQ - 3 20",
    "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
    "7k/8/8/8/8/8/8/K6Q b - - 12 99",
    "4k3/8/8/8/8/8/4r3/R3K2R w KQ - 0 1",
];

fn text(random: &mut TestRandom) -> String {
    let most = 1 << random.below(5);
    (0..random.below(most))
        .map(|_| match random.below(12) {
            0 => u32::try_from(random.below(0x0011_0000))
                .ok()
                .and_then(char::from_u32)
                .unwrap_or('?')
                .to_string(),
            _ => random.one_of(&PIECES).to_owned(),
        })
        .collect()
}

fn tags(random: &mut TestRandom, game: &mut Game) {
    for _ in 0..random.below(12) {
        let name = match random.below(8) {
            0 => text(random),
            _ => random.one_of(&NAMES).to_owned(),
        };
        match random.below(8) {
            0 => {
                let bytes: Vec<u8> = (0..random.below(8))
                    .map(|_| random.number().to_le_bytes()[0])
                    .collect();
                let charset = [Charset::Cp1252, Charset::Cp1251, Charset::Utf8][random.below(3)];
                game.tags.push_bytes(name.as_bytes(), &bytes, charset);
            }
            1..4 => game.tags.push(&name, &text(random)),
            _ => game.tags.push(&name, random.one_of(&VALUES)),
        }
    }
    // The start in the tags is that of the game, as readers set it.
    let told = setup_tags::beginning(game.tags.iter().map(|tag| (tag.name, tag.value)));
    (game.start, game.variant) = (told.start, told.variant);
    let is_plain = game.start == StartingPosition::Standard && game.variant == Variant::Standard;
    if is_plain && random.chance(20) {
        let (board, problems) = Board::from_fen(random.one_of(&STARTS)).expect("a position");
        if board.is_chess960() {
            game.variant = Variant::Chess960;
        }
        game.start = StartingPosition::Setup(Box::new(board), problems);
    }
}

/// An annotation that may occur between moves.
fn remark(random: &mut TestRandom, game: &mut Game) {
    match random.below(10) {
        0..3 => {
            let number = match random.below(3) {
                0 => random.below(256),
                1 => random.below(24),
                _ => random.below(1 << 24),
            };
            game.tape
                .push_nag(Nag(u32::try_from(number).expect("small")));
        }
        3..7 => {
            let text = text(random);
            game.tape.push_comment(&text);
        }
        7 => {
            let text = text(random);
            game.tape.push_raw(&text);
        }
        8 => {
            game.tape.push_outcome(Outcome::ALL[random.below(4)]);
        }
        _ => {
            let text = text(random);
            let name = ["pgn.escape", "scid.moves", "x"][random.below(3)];
            game.tape.push_extension(name, text.as_bytes());
        }
    }
}

fn line(random: &mut TestRandom, game: &mut Game, replay: &mut Replay, depth: usize) {
    let plies = random.below(8);
    for ply in 0..plies {
        if random.chance(15) {
            remark(random, game);
        }
        let mut moves = MoveList::new();
        replay.now().legal_moves(&mut moves);
        let Some(m) = moves.get(random.below(moves.len().max(1))).copied() else {
            break;
        };
        game.tape.push_move(m);
        replay.play(m);
        while random.chance(30) {
            remark(random, game);
        }
        while depth < 3 && ply > 0 && random.chance(12) {
            game.tape.begin_variation();
            replay.begin();
            line(random, game, replay, depth + 1);
            replay.end();
            game.tape.end_variation();
            if random.chance(30) {
                remark(random, game);
            }
        }
    }
}

/// The game of a seed.
pub(crate) fn game(seed: u64) -> Game {
    let mut random = TestRandom::new(seed ^ 0x0a6b_17a2);
    let mut game = Game::default();
    game.origin.number = 1;
    tags(&mut random, &mut game);
    if game.variant == Variant::Other {
        if random.chance(50) {
            let text = text(&mut random);
            game.tape.push_raw(&text);
        }
    } else {
        let mut replay = Replay::new(&game.start_board());
        replay.expect_variations(true);
        line(&mut random, &mut game, &mut replay, 0);
    }
    game.outcome = match random.below(5) {
        4 => None,
        n => Some(Outcome::ALL[n]),
    };
    game
}
