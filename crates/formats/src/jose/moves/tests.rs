use tabiya_model::game::{Start, Variant};
use tabiya_model::{Board, Game, Losses, Want};

use super::*;
use crate::jose::oracle::{plain, plain_games, shared, tsv, unhex};
use crate::jose::text::Coding;

fn start(fen: &str) -> Game {
    let mut game = Game::default();
    if fen != "-" {
        let (board, problems) = Board::from_fen(fen).expect("a position");
        game.start = Start::Setup(Box::new(board), problems);
    }
    game
}

fn decode(fen: &str, bin: &[u8], comments: &[u8]) -> Game {
    let mut game = start(fen);
    let input = Input {
        bin,
        comments: Some(comments),
        coding: Coding::default(),
    };
    Decoder::default().decode(input, Want::ALL, &mut game);
    game
}

/// Every pair of a `.tsv` file and its PGN: decoding gives the one, encoding the other.
fn pairs(name: &str) -> usize {
    let (Some(table), Some(pgn)) = (
        shared(&format!("oracles/jose/{name}.tsv")),
        shared(&format!("oracles/jose/{name}.pgn")),
    ) else {
        return 0;
    };
    let rows = tsv(&std::fs::read_to_string(table).expect("readable"));
    let games = plain_games(&std::fs::read_to_string(pgn).expect("readable"));
    assert_eq!(rows.len(), games.len());
    let mut encoder = Encoder::default();
    let mut encoded = Encoded::default();
    for (row, wanted) in rows.iter().zip(&games) {
        let (bin, comments) = (unhex(&row[5]), unhex(row.get(6).map_or("", |hex| hex)));
        let mut game = decode(&row[1], &bin, &comments);
        // Some generated set-ups begin with the capture of a king.
        let strange = game
            .diagnostics
            .iter()
            .find(|d| d.code.name != "jose-illegal-move");
        assert_eq!(strange, None, "{name} {}", row[0]);
        assert_eq!(plain(&game).words, wanted.words, "{name} {}", row[0]);
        assert_eq!(game.tape.plies().to_string(), row[3], "{name} {}", row[0]);
        if row[2].parse::<u16>().expect("a number") & 8 != 0 {
            game.variant = Variant::Chess960;
        }
        let mut losses = Losses::default();
        assert!(encoder.encode(&game, &mut encoded, &mut losses));
        assert!(losses.is_empty());
        assert_eq!(encoded.bin, bin, "{name} {}", row[0]);
        assert_eq!(encoded.comments, comments, "{name} {}", row[0]);
        assert_eq!(encoded.attributes.to_string(), row[2], "{name} {}", row[0]);
        assert_eq!(encoded.plies.to_string(), row[3], "{name} {}", row[0]);
    }
    rows.len()
}

#[test]
fn pairs_of_jose() {
    let counts = ["annotated", "fen", "promotions", "real"].map(pairs);
    assert!(
        counts == [0; 4] || counts.iter().all(|&count| count >= 40),
        "{counts:?}"
    );
}

#[test]
fn quirks_are_read_as_jose_reads_them() {
    let (Some(table), Some(wanted)) = (
        shared("oracles/jose/quirks.tsv"),
        shared("oracles/jose/quirks.decoded-by-jose.txt"),
    ) else {
        return;
    };
    let rows = tsv(&std::fs::read_to_string(table).expect("readable"));
    let wanted = std::fs::read_to_string(wanted).expect("readable");
    let mut compared = 0;
    for (row, wanted) in rows.iter().zip(wanted.lines()) {
        let game = decode(
            &row[1],
            &unhex(&row[5]),
            &unhex(row.get(6).map_or("", |hex| hex)),
        );
        let mut replay = tabiya_model::Replay::new(&game.start_board());
        let mut words = Vec::new();
        for op in game.tape.ops() {
            match op {
                tabiya_model::Op::Move(m) => {
                    let to = m.king_target();
                    let role = m
                        .promotion()
                        .map_or(String::new(), |r| r.char().to_string());
                    words.push(format!("{}{to}{role}", m.from()));
                }
                tabiya_model::Op::Nag(nag) => words.push(format!("${}", nag.0)),
                tabiya_model::Op::Comment(id) => {
                    let text = game.tape.text(id);
                    let jose = ERROR_WORDS.iter().fold(text.to_owned(), |text, words| {
                        text.replacen(words, words.trim_end(), 1)
                    });
                    words.push(format!("{{{jose}}}"));
                }
                tabiya_model::Op::Begin(_) => words.push("(".to_owned()),
                tabiya_model::Op::End => words.push(")".to_owned()),
                tabiya_model::Op::Outcome(outcome) => words.push(jose_result(outcome)),
                other => panic!("{other:?}"),
            }
            replay.follow(op);
        }
        // A variation that is never closed ends with the game.
        if row[0] == "6" {
            assert_eq!(words.pop().as_deref(), Some(")"));
        }
        words.extend(game.outcome.map(jose_result));
        let folded = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(folded(&words.join(" ")), folded(wanted), "game {}", row[0]);
        compared += 1;
    }
    assert_eq!(compared, 12);
}

fn jose_result(outcome: tabiya_model::outcome::Outcome) -> String {
    outcome.as_pgn().replace("1/2-1/2", "1/2")
}
