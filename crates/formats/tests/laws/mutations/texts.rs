//! PGN texts and their mutations.

use tabiya_model::Losses;

use super::games::{self, Wild};
use super::pgn;
use tabiya_testing::TestRandom;

/// Texts as written by people and programs, with some of everything.
const TEXTS: [&str; 7] = [
    "[Event \"Paris\"]\n[Site \"Paris FRA\"]\n[Date \"1858.??.??\"]\n[Round \"?\"]\n[White \"Morphy, Paul\"]\n\
     [Black \"Duke Karl / Count Isouard\"]\n[Result \"1-0\"]\n[ECO \"C41\"]\n\n1. e4 e5 2. Nf3 d6 3. d4 Bg4 $6 {This is a weak move\nalready.} \
     4. dxe5 Bxf3 (4... dxe5 5. Qxd8+ Kxd8 6. Nxe5) 5. Qxf3 dxe5 6. Bc4 Nf6 7. Qb3 Qe7 8. Nc3 c6 9. Bg5 b5?\n10. Nxb5 cxb5 11. Bxb5+ \
     Nbd7 12. O-O-O Rd8 13. Rxd7 Rxd7 14. Rd1 Qe6 15. Bxd7+ Nxd7 16. Qb8+! Nxb8 17. Rd8# 1-0\n",
    "[Event \"?\"]\n[White \"A\"]\n[Black \"B\"]\n[Result \"1/2-1/2\"]\n\n{Before} 1. d4 $1 d5 (1... Nf6 {why} 2. c4 (2. Nf3 g6) 2... e6) 2. c4 e6 \
     ; rest of line\n3. Nc3 Nf6!? {[%clk 0:01:00] [%eval 0.3]} 4. Bg5 Be7 1/2-1/2\n\n[Event \"second\"]\n[Result \"*\"]\n\n1. c4 *\n",
    "[Event \"set-up\"]\n[FEN \"4k3/P7/8/8/8/8/8/R3K2R w KQ - 0 1\"]\n[SetUp \"1\"]\n\n1. O-O (1. a8=Q+ Kd7) 1... Kd7 2. a8=N *\n\n\
     [Event \"960\"]\n[Variant \"Chess960\"]\n[FEN \"bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9\"]\n\n9. O-O Nd7 10. Bf3 *\n\n\
     [Variant \"Atomic\"]\n\n1. e4 e5 {boom} 2. Nf3 0-1\n",
    "1. e4 e5 2. Ke2 Ke7 3. Ke3 1-0\n\n1. d4 d5 2. e9 xyzzy Nf3 (2. c4 e6) {why} 0-1\n\n1. Nf3 Nf6 2. -- g6 3. Ng1 Ng8 *\n",
    "\u{feff}[Event \"M\u{fc}nchen \u{2654}\"]\r\n[White \"\u{41a}\u{430}\u{440}\u{43f}\u{43e}\u{432}\"]\r\n[Black \"O\\\"Brien\\\\\"]\r\n[Result \"0-1\"]\r\n\
     % an escaped line\r\n\r\n1.f3 e5 2.g4?? Qh4# 0-1\r\n\r\n[Event \"\"]\r\n[Date \"2001.01.01\"]\r\n\r\n1.b3 {\u{201e}Gut\u{201c}} b6 1-0\r\n",
    "[White \"a\"]\n[Result \"1-0 ff\"]\n\n1. 5254 5755 2. 7163 2836 *\n\n[White \"b\"]\n\n1. e2e4 e7e5 2. g1f3 0000 3. 0-0 0-0-0 0.5-0.5\n",
    "[A \"1\"][B \"2\"]\n1. e4 (1. d4) (1. c4 c5) e5 $13 $0 # 2. Nf3 1-0 {after} ; and\n\nSome text that\nbelongs nowhere.\n\n[White \"c\"]\n\n*\n",
];

/// Words that are inserted into a text.
const WORDS: [&str; 64] = [
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ";",
    "%",
    "\n%",
    "\n\n",
    "\n",
    "\r\n",
    "\r",
    "\"",
    "\\",
    "\t",
    "  ",
    "\u{1}",
    "\u{7f}",
    "\0",
    "\u{1a}",
    "\u{85}",
    "\u{feff}",
    "*",
    "1-0",
    "0-1",
    "1/2-1/2",
    "1/2",
    "\u{bd}-\u{bd}",
    "0-0",
    "+--",
    "$",
    "$0",
    "$7",
    "$300",
    "#",
    "+",
    "!?",
    "+-",
    "e9",
    "Qh9",
    "e4",
    "e4((",
    " e9 * {after}",
    "Nf3",
    "1.",
    "1...",
    "\n\n1. ",
    "\n\n1... e5 ",
    "O-O",
    "0-0-0",
    "o-o",
    "0000",
    "5254",
    "--",
    "[Event \"x\"]\n",
    "\n\n[White \"y\"]\n\n",
    "[l\n\"",
    "[x \"y\"] ",
    "[FEN \"8/8/8/8/8/8/8/K1k5 w - - 0 1\"]\n",
    "[Variant \"Crazyhouse\"]\n",
    "[Site \"\"]\n",
    "{[%clk 0:0",
    " {} ",
];

/// Bytes of old charsets.
const BYTES: [&[u8]; 6] = [b"\xfc", b"\xe4\xf6", b"\xff", b"\xc2", b"\xbd", b"\xe2\x80"];

/// The text of a seed.
pub(crate) fn mutated(seed: u64) -> Vec<u8> {
    let mut random = TestRandom::new(seed ^ 0x00c0_ffee);
    let mut text = match random.below(10) {
        0 => {
            let games = games::games(seed, 1 + random.below(3), Wild::ALL);
            let mut writer = pgn::PgnGameWriter::new(pgn::PgnStyle::default());
            let (mut text, mut losses) = (Vec::new(), Losses::default());
            for game in &games {
                writer.write(game, &mut text, &mut losses);
            }
            text.truncate(6000);
            text
        }
        n if n < 3 => {
            let mut two = TEXTS[random.below(TEXTS.len())].as_bytes().to_vec();
            two.extend_from_slice(b"\n");
            two.extend_from_slice(TEXTS[random.below(TEXTS.len())].as_bytes());
            two
        }
        _ => TEXTS[random.below(TEXTS.len())].as_bytes().to_vec(),
    };
    // Few changes get deep into the reader, many test its recovery.
    let most = 1 << random.below(5);
    for _ in 0..=random.below(most) {
        mutate(&mut random, &mut text);
    }
    text
}

fn mutate(random: &mut TestRandom, text: &mut Vec<u8>) {
    let at = random.below(text.len() + 1);
    let long = 1 << random.below(8);
    let end = (at + random.below(long)).min(text.len());
    match random.below(16) {
        0..7 => {
            let word = random.one_of(&WORDS);
            text.splice(at..at, word.bytes());
        }
        7 => {
            let bytes = BYTES[random.below(BYTES.len())];
            text.splice(at..at, bytes.iter().copied());
        }
        8 | 9 => {
            text.drain(at..end);
        }
        10 => {
            let copy = text[at..end].to_vec();
            let to = random.below(text.len() + 1);
            text.splice(to..to, copy);
        }
        11 => {
            if let Some(byte) = text.get_mut(at) {
                *byte ^= 1 << random.below(8);
            }
        }
        12 => {
            if let Some(byte) = text.get_mut(at) {
                *byte = random.number().to_le_bytes()[0];
            }
        }
        13 => text.truncate(at.max(10)),
        14 => {
            let word = random.one_of(&WORDS);
            text.splice(at..end, word.bytes());
        }
        _ => {
            // Everything before a place is removed.
            let keep = text.split_off(at.min(text.len() / 2));
            *text = keep;
        }
    }
}
