use tabiya_model::game::{StartingPosition, Variant};
use tabiya_model::{Board, Game, GameNeeds, Losses};

use super::*;
use crate::jose::oracle::{plain, plain_games, shared, tsv, unhex};
use crate::jose::text::JoseTextEncoding;

fn start(fen: &str) -> Game {
    let mut game = Game::default();
    if fen != "-" {
        let (board, problems) = Board::from_fen(fen).expect("a position");
        game.start = StartingPosition::Setup(Box::new(board), problems);
    }
    game
}

fn decode(fen: &str, bin: &[u8], comments: &[u8]) -> Game {
    let mut game = start(fen);
    let input = JoseMoveColumns {
        bin,
        comments: Some(comments),
        coding: JoseTextEncoding::default(),
    };
    JoseMoveDecoder::default().decode(input, GameNeeds::ALL, &mut game);
    game
}

/// Every pair of a `.tsv` file and its PGN: decoding gives one, encoding the other.
fn pairs(name: &str) -> usize {
    let (Some(table), Some(pgn)) = (
        shared(format!("oracles/jose/{name}.tsv")),
        shared(format!("oracles/jose/{name}.pgn")),
    ) else {
        return 0;
    };
    let rows = tsv(&std::fs::read_to_string(table).expect("readable"));
    let games = plain_games(&std::fs::read_to_string(pgn).expect("readable"));
    assert_eq!(rows.len(), games.len());
    let mut encoder = JoseMoveEncoder::default();
    let mut encoded = JoseEncodedMoves::default();
    for (row, wanted) in rows.iter().zip(&games) {
        let (bin, comments) = (unhex(&row[5]), unhex(row.get(6).map_or("", |hex| hex)));
        let mut game = decode(&row[1], &bin, &comments);
        // Some generated positions begin with the capture of a king.
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
fn a_pawn_becomes_a_piece_on_its_last_rank_and_nowhere_else() {
    let quiet = GameNeeds {
        verify: false,
        ..GameNeeds::ALL
    };
    for (fen, bin) in [
        // Codes of promotions: by a diagonal step to an empty square, by a step, by a capture.
        ("4k3/8/8/pP6/8/8/8/4K3 w - a6 0 1", &[0xa0, 0x2b, 0xff][..]),
        ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", &[0xa0, 0x23, 0xff]),
        ("4k3/8/8/8/8/3p4/4P3/4K3 w - - 0 1", &[0xa0, 0x2b, 0xff]),
        ("4k3/4p3/3P4/8/8/8/8/4K3 b - - 0 1", &[0xa0, 0x2b, 0xff]),
        // A step to the last rank without a promotion piece.
        ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", &[0x00, 0xff]),
    ] {
        for want in [GameNeeds::ALL, quiet] {
            let mut game = start(fen);
            let input = JoseMoveColumns {
                bin,
                comments: Some(b""),
                coding: JoseTextEncoding::default(),
            };
            JoseMoveDecoder::default().decode(input, want, &mut game);
            assert_eq!(game.diagnostics.count_of("jose-bad-move"), 1, "{fen}");
            assert_eq!(game.tape.plies(), 0, "{fen}");
            // Unreadable bytes are kept.
            let kept = &game.tape.extensions()[0].data;
            assert_eq!(&kept[..], &bin[..bin.len() - 1], "{fen}");
        }
    }
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
                tabiya_model::TapeOp::Move(m) => {
                    let to = m.king_target();
                    let role = m
                        .promotion()
                        .map_or(String::new(), |r| r.char().to_string());
                    words.push(format!("{}{to}{role}", m.from()));
                }
                tabiya_model::TapeOp::Nag(nag) => words.push(format!("${}", nag.0)),
                tabiya_model::TapeOp::Comment(id) => {
                    let text = game.tape.text(id);
                    let jose = ERROR_WORDS.iter().fold(text.to_owned(), |text, words| {
                        text.replacen(words, words.trim_end(), 1)
                    });
                    words.push(format!("{{{jose}}}"));
                }
                tabiya_model::TapeOp::Begin(_) => words.push("(".to_owned()),
                tabiya_model::TapeOp::End => words.push(")".to_owned()),
                tabiya_model::TapeOp::Outcome(outcome) => words.push(jose_result(outcome)),
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

/// Every finding of a game's moves, by code.
fn codes(game: &Game) -> Vec<&'static str> {
    game.diagnostics
        .counts()
        .iter()
        .map(|(code, _)| code.name)
        .collect()
}

#[test]
fn odd_bytes_are_reported_and_the_rest_is_read() {
    // 1. e4 e5 and something odd after it.
    type Case<'c> = (&'c [u8], &'c [u8], &'c [&'c str], &'c str);
    let cases: [Case<'_>; 14] = [
        (b"\x13\x13\xD3\xFF", b"", &[], "e4 e5 *"),
        (b"\x13\x13", b"", &["jose-cut-moves"], "e4 e5"),
        (b"\x13\x13\xFF\x00", b"", &["jose-trailing-bytes"], "e4 e5"),
        (
            b"\x13\x9B\x13\xD3\xFF",
            b"",
            &["jose-bad-move"],
            "e4 extension *",
        ),
        (b"\x13\xF4\x13\xFF", b"", &["jose-reserved-code"], "e4 e5"),
        (
            b"\x13\xD7\x13\xFF",
            b"hm\0",
            &["jose-reserved-code"],
            "e4 {hm} e5",
        ),
        (
            b"\xF0\x13\xF1\x13\x13\xFF",
            b"",
            &["jose-bad-variation"],
            "extension e4 e5",
        ),
        (
            b"\x13\xF0\x0F\x13\xFF",
            b"",
            &["jose-bad-variation"],
            "e4 ( d4 e5 )",
        ),
        (b"\x13\xF1\x13\xFF", b"", &["jose-bad-variation"], "e4 e5"),
        (
            b"\x13\xE0\x13\xFF",
            b"",
            &["jose-comment-count"],
            "e4 {} e5",
        ),
        (
            b"\x13\xE0\xFF",
            b"a\0b\0",
            &["jose-comment-count"],
            "e4 {a} {b}",
        ),
        // A rook after its pawn; the comment after it stays.
        (
            b"\x53\xE0\xD2\xFF",
            b"c\0",
            &["jose-bad-move"],
            "extension {c} 1-0",
        ),
        (b"\x13\xA8\x21\xFF", b"", &["jose-bad-move"], "e4 extension"),
        (b"\x13\x9A\x0F\xD1\xFF", b"", &[], "e4 -- d4 1/2-1/2"),
    ];
    for (bin, comments, wanted, words) in cases {
        let game = decode("-", bin, comments);
        assert_eq!(codes(&game), wanted, "{bin:02X?}");
        assert_eq!(plain(&game).words.join(" "), words, "{bin:02X?}");
        assert_eq!(game.tape.depth(), 0);
    }
}

#[test]
fn texts_among_the_moves_are_believed_where_they_fit() {
    let mut game = Game::default();
    let bin = b"\x13\xE0an old form\0\x13\xD3\xFF";
    let input = JoseMoveColumns {
        bin,
        comments: None,
        coding: JoseTextEncoding::default(),
    };
    JoseMoveDecoder::default().decode(input, GameNeeds::ALL, &mut game);
    assert_eq!(plain(&game).words.join(" "), "e4 {an old form} e5 *");
    assert_eq!(codes(&game), ["jose-inline-comments"]);
    let bin = b"\x13\xE0an old form\0\x13\x13\x13";
    let input = JoseMoveColumns {
        bin,
        comments: None,
        coding: JoseTextEncoding::default(),
    };
    let mut game = Game::default();
    JoseMoveDecoder::default().decode(input, GameNeeds::ALL, &mut game);
    assert!(codes(&game).contains(&"jose-cut-moves"));
}

#[test]
fn another_queen_is_tried_where_the_first_cannot_move() {
    // Two queens; the first, on a1, cannot go to h5 along its diagonals.
    let fen = "4k3/8/8/8/8/8/8/Q3K2Q w - - 0 1";
    // As a rook to the fourth file: the first queen goes to d1. As a bishop descending to rank 4: only h1 can, to e4.
    assert_eq!(plain(&decode(fen, b"\x8B\xFF", b"")).words, ["Qd1"]);
    let game = decode(fen, b"\x7B\xFF", b"");
    assert_eq!(plain(&game).words, ["Qe4+"]);
    assert_eq!(codes(&game), ["jose-ambiguous-setup"]);
}

#[test]
fn what_cannot_be_stored_is_refused_or_reported() {
    let mut encoder = JoseMoveEncoder::default();
    let mut encoded = JoseEncodedMoves::default();
    let mut losses = Losses::default();
    for fen in [
        "4k3/8/8/8/8/8/8/Q3K2Q w - - 0 1",
        "4k3/8/8/8/8/8/8/N1N1K1N1 w - - 0 1",
        "4k3/8/8/8/P7/P7/PPPPPPPP/4K3 w - - 0 1",
    ] {
        losses.clear();
        assert!(!encoder.encode(&start(fen), &mut encoded, &mut losses));
        assert_eq!(
            losses.iter().next().map(|loss| loss.kind.name),
            Some("jose-setup")
        );
    }
    losses.clear();
    let mut game = decode("-", b"\x13\xFF", b"");
    game.tape.push_nag(tabiya_model::nag::Nag(256));
    game.tape.push_raw("Kd8");
    game.tape.push_raw("xyz");
    game.tape.push_comment("a\0b");
    game.tape.push_extension("other", b"data");
    assert!(encoder.encode(&game, &mut encoded, &mut losses));
    assert_eq!(encoded.bin, b"\x13\xE2\xE4\xE0\xFF");
    assert_eq!(encoded.comments, b"Kd8\0xyz\0a b\0");
    let kinds: Vec<_> = losses.iter().map(|loss| loss.kind.name).collect();
    assert_eq!(
        kinds,
        [
            "jose-large-nag",
            "jose-raw-movetext",
            "jose-raw-movetext",
            "jose-zero-in-comment",
            "jose-extension"
        ]
    );
    let again = decode("-", &encoded.bin, &encoded.comments);
    let words = "e4 {illegal move: Kd8} {unrecognized input: xyz} {a b}";
    assert_eq!(plain(&again).words.join(" "), words);
    // The game read from such texts can be encoded again.
    let mut second = JoseEncodedMoves::default();
    assert!(encoder.encode(&again, &mut second, &mut losses));
    assert_eq!(second.bin, encoded.bin);
}

#[test]
fn any_bytes_give_a_game_that_comes_back() {
    // Truncated and changed real rows, including the annotated ones.
    let mut state = 1u32;
    let mut random = move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 16) as u8
    };
    let mut rows: Vec<(Vec<u8>, Vec<u8>)> = vec![(
        b"\x13\xE0\x13\xB0\x20\xF0\x0F\xE0\xF1\xA0\x23\x98\xD2\xFF".to_vec(),
        b"one\0two\0".to_vec(),
    )];
    if let Some(path) = shared("oracles/jose/annotated.tsv") {
        let table = tsv(&std::fs::read_to_string(path).expect("readable"));
        rows.extend(
            table
                .iter()
                .take(3)
                .map(|row| (unhex(&row[5]), unhex(&row[6]))),
        );
    }
    rows.extend((0..300).map(|_| ((0..60).map(|_| random()).collect(), b"x\0y\0".to_vec())));
    let mut decoder = JoseMoveDecoder::default();
    let mut check = |bin: &[u8], comments: &[u8]| {
        let mut game = Game::default();
        let input = JoseMoveColumns {
            bin,
            comments: Some(comments),
            coding: JoseTextEncoding::default(),
        };
        for want in [
            GameNeeds::TAGS,
            GameNeeds::MAIN_LINE,
            GameNeeds {
                verify: false,
                ..GameNeeds::ALL
            },
            GameNeeds::ALL,
        ] {
            game.clear();
            decoder.decode(input, want, &mut game);
            assert_eq!(game.tape.depth(), 0);
            let _ = tabiya_model::canon_game::canon(&game);
        }
        // Everything that was understood can be stored again and is read as the same, apart from kept bytes.
        let mut encoded = JoseEncodedMoves::default();
        let mut losses = Losses::default();
        assert!(JoseMoveEncoder::default().encode(&game, &mut encoded, &mut losses));
        if losses.is_empty() && !encoded.bin.is_empty() {
            let again = decode("-", &encoded.bin, &encoded.comments);
            let found = tabiya_model::diff::diff(&game, &again);
            assert_eq!(found, [], "{bin:02X?}");
        }
    };
    for (bin, comments) in &rows {
        for end in 0..=bin.len() {
            check(&bin[..end], comments);
        }
        for at in 0..bin.len() {
            let mut flipped = bin.clone();
            flipped[at] ^= 1 << (at % 8);
            check(&flipped, comments);
        }
    }
}

#[test]
fn deep_variations_end_at_the_limit() {
    let mut bin = Vec::new();
    for _ in 0..50 {
        bin.extend_from_slice(b"\x13\xF0");
    }
    bin.extend(std::iter::repeat_n(0xF1, 50));
    bin.push(0xFF);
    let mut game = Game::default();
    let input = JoseMoveColumns {
        bin: &bin,
        comments: None,
        coding: JoseTextEncoding::default(),
    };
    JoseMoveDecoder::with_depth(10).decode(input, GameNeeds::ALL, &mut game);
    assert!(codes(&game).contains(&"jose-limit"));
    assert_eq!(game.tape.plies(), 1);
    let mut game = Game::default();
    JoseMoveDecoder::default().decode(input, GameNeeds::ALL, &mut game);
    assert!(game.diagnostics.is_empty());
}
