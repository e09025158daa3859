//! Measures nanoseconds per ply for parsing, resolving and playing SAN, beside shakmaty.
//!
//! Without an argument the games are random; with `-` a PGN of bare scores is read from the
//! standard input:
//!
//! ```text
//! cargo run --release -p tabiya-model --example board_speed
//! zstd -dc otb.pgn.zst | head -c 40000000 | cargo run --release -p tabiya-model --example board_speed -- -
//! ```

#![allow(clippy::print_stdout, reason = "this program's purpose is its output")]

use std::hint::black_box;
use std::io::Read;
use std::time::Instant;

use shakmaty::san::San as TheirSan;
use shakmaty::{Chess, Position};
use tabiya_model::board::{Board, MoveList, parse_san};
use tabiya_testing::TestRandom;

/// Games as SAN tokens in one text, with the range of each token and the start of each game.
#[derive(Default)]
struct SanGames {
    text: Vec<u8>,
    tokens: Vec<(u32, u32)>,
    games: Vec<usize>,
}

impl SanGames {
    fn push(&mut self, token: &[u8]) {
        let start = self.text.len() as u32;
        self.text.extend_from_slice(token);
        self.tokens.push((start, token.len() as u32));
        self.text.push(b' ');
    }

    /// Pads the text so that even the last token has eight bytes to read.
    fn pad(mut self) -> SanGames {
        self.text.extend_from_slice(&[b' '; 8]);
        self
    }

    fn random(plies: usize) -> SanGames {
        let mut games = SanGames::default();
        let mut list = MoveList::new();
        let mut random = TestRandom::new(1);
        while games.tokens.len() < plies {
            games.games.push(games.tokens.len());
            let mut board = Board::standard();
            for _ in 0..100 {
                board.legal_moves(&mut list);
                if list.is_empty() {
                    break;
                }
                let m = *random.pick(&list);
                let mut san = Vec::new();
                board.play_san(m, &mut san);
                games.push(&san);
            }
        }
        games.pad()
    }

    /// The main lines of a PGN without comments and variations, each up to its first illegal move.
    fn from_pgn(pgn: &[u8]) -> SanGames {
        let mut games = SanGames::default();
        let mut board = None;
        for line in pgn.split(|b| *b == b'\n') {
            if line.starts_with(b"[") {
                if line.starts_with(b"[Event ") {
                    board = Some(Board::standard());
                    games.games.push(games.tokens.len());
                }
                if line.starts_with(b"[FEN ") {
                    board = None;
                }
                continue;
            }
            for token in line.split(|b| matches!(b, b' ' | b'.' | b'\r')) {
                let Some(current) = &mut board else { break };
                if token.is_empty() || token.first().is_some_and(u8::is_ascii_digit) {
                    continue;
                }
                let parsed = parse_san(token).filter(|(_, length)| *length == token.len());
                match parsed.map(|(san, _)| current.resolve_san(&san)) {
                    Some(Ok(m)) => {
                        current.play(m);
                        games.push(token);
                    }
                    _ => board = None,
                }
            }
        }
        games.pad()
    }

    fn each(&self, mut play: impl FnMut(&[&[u8]])) {
        let mut tokens = Vec::new();
        for (i, start) in self.games.iter().enumerate() {
            let end = self.games.get(i + 1).copied().unwrap_or(self.tokens.len());
            tokens.clear();
            tokens.extend(
                self.tokens[*start..end]
                    .iter()
                    .map(|(at, _)| &self.text[*at as usize..]),
            );
            play(&tokens);
        }
    }

    /// The best time per ply of several rounds: other work of the machine only adds to it.
    fn time(&self, mut play: impl FnMut(&[&[u8]])) -> f64 {
        let mut times: Vec<f64> = (0..15)
            .map(|_| {
                let start = Instant::now();
                self.each(&mut play);
                start.elapsed().as_secs_f64() * 1e9 / self.tokens.len() as f64
            })
            .collect();
        times.sort_by(f64::total_cmp);
        times[0]
    }
}

fn main() -> std::io::Result<()> {
    let games = if std::env::args().nth(1).as_deref() == Some("-") {
        let mut pgn = Vec::new();
        std::io::stdin().read_to_end(&mut pgn)?;
        SanGames::from_pgn(&pgn)
    } else {
        SanGames::random(1_000_000)
    };
    println!("{} games, {} plies", games.games.len(), games.tokens.len());
    let iteration = games.time(|tokens| {
        black_box(tokens);
    });
    let parse = games.time(|tokens| {
        for token in tokens {
            black_box(parse_san(token));
        }
    });
    let ours = |trusting: bool| {
        games.time(|tokens| {
            let mut board = Board::standard();
            for token in tokens {
                let Some((Ok(m), _)) = board.read_san(token) else {
                    return;
                };
                if trusting {
                    board.play_legal(m);
                } else {
                    board.play(m);
                }
            }
            black_box(&board);
        })
    };
    let (quick, exact) = (ours(true), ours(false));
    let theirs = games.time(|tokens| {
        let mut chess = Chess::new();
        for token in tokens {
            let Ok(san) = TheirSan::from_ascii_prefix(token) else {
                return;
            };
            let Ok(m) = san.0.to_move(&chess) else {
                return;
            };
            chess.play_unchecked(m);
        }
        black_box(&chess);
    });
    println!("walking the tokens           {iteration:6.2} ns/ply");
    println!("parse_san                    {parse:6.2}");
    println!("parse, resolve, play_legal   {quick:6.2}");
    println!("parse, resolve, play         {exact:6.2}");
    println!("shakmaty parse, resolve, play{theirs:6.2}");
    println!("shakmaty / ours              {:6.2}", theirs / quick);
    Ok(())
}
