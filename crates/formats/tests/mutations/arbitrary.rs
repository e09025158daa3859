//! Games that no file need ever have held: arbitrary texts in every place where a game has texts.

use tabiya_model::board::{Board, MoveList};
use tabiya_model::charset::Charset;
use tabiya_model::game::{Game, StartingPosition, Variant};
use tabiya_model::nag::Nag;
use tabiya_model::outcome::Outcome;
use tabiya_model::{Replay, setup_tags};

use super::games::Dice;

/// Pieces of texts: what formats give a meaning, what they escape, and what they may not know.
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

/// Names of tags with a meaning, and names that are none.
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

fn text(dice: &mut Dice) -> String {
    let most = 1 << dice.below(5);
    (0..dice.below(most))
        .map(|_| match dice.below(12) {
            0 => u32::try_from(dice.below(0x0011_0000))
                .ok()
                .and_then(char::from_u32)
                .unwrap_or('?')
                .to_string(),
            _ => dice.pick(&PIECES).to_owned(),
        })
        .collect()
}

fn tags(dice: &mut Dice, game: &mut Game) {
    for _ in 0..dice.below(12) {
        let name = match dice.below(8) {
            0 => text(dice),
            _ => dice.pick(&NAMES).to_owned(),
        };
        match dice.below(8) {
            0 => {
                let bytes: Vec<u8> = (0..dice.below(8))
                    .map(|_| dice.next().to_le_bytes()[0])
                    .collect();
                let charset = [Charset::Cp1252, Charset::Cp1251, Charset::Utf8][dice.below(3)];
                game.tags.push_bytes(name.as_bytes(), &bytes, charset);
            }
            1..4 => game.tags.push(&name, &text(dice)),
            _ => game.tags.push(&name, dice.pick(&VALUES)),
        }
    }
    // A start that the tags tell is the start of the game, as readers have it.
    let told = setup_tags::beginning(game.tags.iter().map(|tag| (tag.name, tag.value)));
    (game.start, game.variant) = (told.start, told.variant);
    let is_plain = game.start == StartingPosition::Standard && game.variant == Variant::Standard;
    if is_plain && dice.chance(20) {
        let (board, problems) = Board::from_fen(dice.pick(&STARTS)).expect("a position");
        if board.is_chess960() {
            game.variant = Variant::Chess960;
        }
        game.start = StartingPosition::Setup(Box::new(board), problems);
    }
}

/// What may stand between moves.
fn remark(dice: &mut Dice, game: &mut Game) {
    match dice.below(10) {
        0..3 => {
            let number = match dice.below(3) {
                0 => dice.below(256),
                1 => dice.below(24),
                _ => dice.below(1 << 24),
            };
            game.tape
                .push_nag(Nag(u32::try_from(number).expect("small")));
        }
        3..7 => {
            let text = text(dice);
            game.tape.push_comment(&text);
        }
        7 => {
            let text = text(dice);
            game.tape.push_raw(&text);
        }
        8 => {
            game.tape.push_outcome(Outcome::ALL[dice.below(4)]);
        }
        _ => {
            let text = text(dice);
            let name = ["pgn.escape", "scid.moves", "x"][dice.below(3)];
            game.tape.push_extension(name, text.as_bytes());
        }
    }
}

fn line(dice: &mut Dice, game: &mut Game, replay: &mut Replay, depth: usize) {
    let plies = dice.below(8);
    for ply in 0..plies {
        if dice.chance(15) {
            remark(dice, game);
        }
        let mut moves = MoveList::new();
        replay.now().legal_moves(&mut moves);
        let Some(m) = moves.get(dice.below(moves.len().max(1))).copied() else {
            break;
        };
        game.tape.push_move(m);
        replay.play(m);
        while dice.chance(30) {
            remark(dice, game);
        }
        while depth < 3 && ply > 0 && dice.chance(12) {
            game.tape.begin_variation();
            replay.begin();
            line(dice, game, replay, depth + 1);
            replay.end();
            game.tape.end_variation();
            if dice.chance(30) {
                remark(dice, game);
            }
        }
    }
}

/// The game of a seed.
pub(crate) fn game(seed: u64) -> Game {
    let mut dice = Dice::new(seed ^ 0x0a6b_17a2);
    let mut game = Game::default();
    game.origin.number = 1;
    tags(&mut dice, &mut game);
    if game.variant == Variant::Other {
        if dice.chance(50) {
            let text = text(&mut dice);
            game.tape.push_raw(&text);
        }
    } else {
        let mut replay = Replay::new(&game.start_board());
        replay.expect_variations(true);
        line(&mut dice, &mut game, &mut replay, 0);
    }
    game.outcome = match dice.below(5) {
        4 => None,
        n => Some(Outcome::ALL[n]),
    };
    game
}
