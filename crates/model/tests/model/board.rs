//! The board beside shakmaty: over random games both must agree about everything.

use shakmaty::fen::Fen;
use shakmaty::san::SanPlus;
use shakmaty::zobrist::Zobrist64;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position};
use tabiya_model::board::{
    Board, CastlingStyle, Move, MoveList, PositionProblems, San, SanError, parse_san,
};
use tabiya_testing::TestRandom;

const STANDARD: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

const STARTS: [&str; 12] = [
    STANDARD,
    KIWIPETE,
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
    // Chess960.
    "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
    "2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w HEhe - 1 9",
    "rk2r3/8/8/8/8/8/8/RK2R3 w EAea - 0 1",
    "1r1k2r1/8/8/8/8/8/8/R1R1KR1R b FCgb - 0 1",
    // Queens everywhere, and a pawn ending full of promotions.
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "3Q3Q/8/8/8/3Q2Q1/7Q/1n5K/kb6 w - - 0 1",
];

fn both(fen: &str) -> (Board, Chess) {
    let board = Board::from_fen(fen).expect("a good FEN").0;
    let chess: Chess = fen
        .parse::<Fen>()
        .expect("a good FEN")
        .into_position(CastlingMode::Chess960)
        .or_else(shakmaty::PositionError::ignore_too_much_material)
        .or_else(shakmaty::PositionError::ignore_impossible_check)
        .expect("a legal position");
    (board, chess)
}

fn compare(board: &Board, chess: &Chess, list: &mut MoveList) {
    let always = Fen::from_position(chess, EnPassantMode::Always).to_string();
    assert_eq!(board.to_fen_always_ep(), always);
    assert_eq!(
        board.to_fen(),
        Fen::from_position(chess, EnPassantMode::PseudoLegal).to_string()
    );
    assert_eq!(board.checkers(), chess.checkers(), "{always}");
    assert_eq!(board.legal_ep_square(), chess.legal_ep_square(), "{always}");
    let hash: Zobrist64 = chess.zobrist_hash(EnPassantMode::PseudoLegal);
    assert_eq!(board.zobrist(), hash.0, "{always}");
    board.legal_moves(list);
    let mut ours: Vec<u32> = list.iter().map(|m| m.bits()).collect();
    let mut theirs: Vec<u32> = chess
        .legal_moves()
        .iter()
        .map(|m| Move::from_shakmaty(*m).expect("no drop").bits())
        .collect();
    ours.sort_unstable();
    theirs.sort_unstable();
    assert_eq!(ours, theirs, "{always}");
    assert_eq!(board.has_legal_move(), !ours.is_empty());
    assert_eq!(board.is_checkmate(), chess.is_checkmate());
    assert_eq!(board.is_stalemate(), chess.is_stalemate());
}

fn compare_move(board: &Board, chess: &Chess, m: Move) {
    let theirs = m.to_shakmaty(board).expect("not null");
    let san = SanPlus::from_move(chess.clone(), theirs).to_string();
    let mut text = Vec::new();
    board.clone().play_san(m, &mut text);
    assert_eq!(String::from_utf8_lossy(&text), san, "{}", board.to_fen());
    let (parts, length) = parse_san(&text).expect("our own SAN");
    assert_eq!(length, text.len());
    assert_eq!(
        board.resolve_san(&parts),
        Ok(m),
        "{san} in {}",
        board.to_fen()
    );
    assert_eq!(board.read_san(&text), Some((Ok(m), text.len())));
    text.extend_from_slice(b" Nf3 e5");
    assert_eq!(board.read_san(&text), Some((Ok(m), length)));
    assert!(board.is_legal(m));
    assert_eq!(Move::from_bits(m.bits()), Some(m));
    for style in [CastlingStyle::KingMoves, CastlingStyle::KingTakesRook] {
        let mut uci = Vec::new();
        board.write_uci(m, style, &mut uci);
        assert_eq!(board.parse_uci(&uci), Some(m), "{}", board.to_fen());
    }
    assert_eq!(board.find_move(m.from(), m.to(), m.promotion()), Some(m));
}

#[test]
fn random_games_agree_with_shakmaty() {
    let mut random = TestRandom::new(0x1234_5678_9abc_def1);
    let mut list = MoveList::new();
    let mut plies = 0;
    for round in 0..20 {
        for start in STARTS {
            let (mut board, mut chess) = both(start);
            for ply in 0..150 {
                compare(&board, &chess, &mut list);
                if list.is_empty() {
                    break;
                }
                if (round + ply) % 8 == 0 {
                    for m in &list {
                        compare_move(&board, &chess, *m);
                    }
                }
                let m = list[random.below(list.len())];
                compare_move(&board, &chess, m);
                let theirs = m.to_shakmaty(&board).expect("not null");
                let mut quick = board.clone();
                quick.play_legal(m);
                board.play(m);
                assert_eq!(quick, board);
                chess.play_unchecked(theirs);
                plies += 1;
            }
        }
    }
    assert!(plies > 10_000, "{plies}");
}

#[test]
fn chess960_starts_agree_with_shakmaty() {
    let mut random = TestRandom::new(0xfeed_beef_0bad_cafe);
    let mut list = MoveList::new();
    for _ in 0..60 {
        // A shuffled back rank with the king between the rooks.
        let mut rank = [b' '; 8];
        rank[random.below(4) * 2] = b'b';
        rank[random.below(4) * 2 + 1] = b'b';
        for piece in *b"qnn" {
            let free: Vec<usize> = (0..8).filter(|i| rank[*i] == b' ').collect();
            rank[free[random.below(free.len())]] = piece;
        }
        for piece in *b"rkr" {
            let free = rank.iter().position(|b| *b == b' ').expect("a free square");
            rank[free] = piece;
        }
        let black = String::from_utf8(rank.to_vec()).expect("letters");
        let white = black.to_uppercase();
        let (mut board, mut chess) = both(&format!(
            "{black}/pppppppp/8/8/8/8/PPPPPPPP/{white} w KQkq - 0 1"
        ));
        for _ in 0..120 {
            compare(&board, &chess, &mut list);
            if list.is_empty() {
                break;
            }
            // Castle whenever possible, otherwise make any move.
            let m = list
                .iter()
                .copied()
                .find(|m| m.is_castle())
                .unwrap_or(list[random.below(list.len())]);
            compare_move(&board, &chess, m);
            let theirs = m.to_shakmaty(&board).expect("not null");
            board.play(m);
            chess.play_unchecked(theirs);
        }
    }
}

fn perft(board: &Board, depth: u32) -> u64 {
    let mut list = MoveList::new();
    board.legal_moves(&mut list);
    if depth == 1 {
        return list.len() as u64;
    }
    list.into_iter()
        .map(|m| {
            let mut after = board.clone();
            after.play(m);
            perft(&after, depth - 1)
        })
        .sum()
}

#[test]
fn perft_counts_are_the_published_ones() {
    for (fen, depth, nodes) in [
        (STANDARD, 4, 197_281),
        (KIWIPETE, 3, 97_862),
        (STARTS[2], 5, 674_624),
        (STARTS[3], 4, 422_333),
        (STARTS[4], 3, 62_379),
        (STARTS[5], 3, 89_890),
        (STARTS[6], 3, 12_189),
        (STARTS[7], 3, 18_002),
    ] {
        let board = Board::from_fen(fen).expect("a good FEN").0;
        assert_eq!(perft(&board, depth), nodes, "{fen}");
    }
}

/// After any sequence of moves, even illegal ones, the state that the board updates must equal the state that is computed
/// from scratch.
#[test]
fn illegal_moves_keep_the_board_consistent() {
    let mut random = TestRandom::new(77);
    for start in STARTS {
        for _ in 0..40 {
            let mut board = Board::from_fen(start).expect("a good FEN").0;
            for _ in 0..100 {
                let us: Vec<_> = board.us().into_iter().collect();
                let Some(from) = us.get(random.below(us.len().max(1))) else {
                    board.play(Move::NULL);
                    continue;
                };
                let m = match random.below(12) {
                    0 => Move::NULL,
                    1..=3 => {
                        let to = shakmaty::Square::new(random.below(64) as u32);
                        let Some(role) = board.role_at(*from).filter(|_| to != *from) else {
                            continue;
                        };
                        Move::normal(role, *from, to, board.occupied().contains(to), None)
                    }
                    _ => {
                        let to = shakmaty::Square::new(random.below(64) as u32);
                        let promotion = [None, Some(shakmaty::Role::Queen)][random.below(2)];
                        let Some(m) = board.find_move(*from, to, promotion) else {
                            continue;
                        };
                        m
                    }
                };
                board.play(m);
                let fen = board.to_fen_always_ep();
                let (again, _) = Board::from_fen(&fen).expect("our own FEN");
                assert_eq!(again, board, "{fen} after {m:?}");
            }
        }
    }
}

#[test]
fn illegal_and_ambiguous_san_is_told_apart() {
    let resolve = |fen: &str, san: &str| {
        let board = Board::from_fen(fen).expect("a good FEN").0;
        let (parts, length) = parse_san(san.as_bytes()).expect("SAN");
        assert_eq!(length, san.len());
        board.resolve_san(&parts)
    };
    // The knight on e2 is pinned.
    let pinned = "4r2k/8/8/8/8/8/4N3/4K1N1 w - - 0 1";
    assert!(matches!(resolve(pinned, "Nf3"), Ok(m) if m.from() == shakmaty::Square::G1));
    assert!(
        matches!(resolve(pinned, "Nc3"), Err(SanError::Illegal(m)) if m.from() == shakmaty::Square::E2)
    );
    let free = "7k/8/8/8/8/8/8/R3K2R w - - 0 1";
    assert_eq!(resolve(free, "O-O"), Err(SanError::NoSuchMove));
    let rooks = "7k/8/8/8/8/4K3/8/R6R w - - 0 1";
    assert!(matches!(resolve(rooks, "Rd1"), Err(SanError::Ambiguous(_))));
    assert!(resolve(rooks, "Rad1").is_ok());
    assert_eq!(resolve(rooks, "Nd1"), Err(SanError::NoSuchMove));
    // Castling through an attacked square.
    let through = "5r1k/8/8/8/8/8/8/4K2R w K - 0 1";
    assert!(matches!(resolve(through, "O-O"), Err(SanError::Illegal(m)) if m.is_castle()));
    // A king cannot be taken, but the move can be written.
    assert!(matches!(
        resolve("4k3/8/8/8/8/8/8/4RK2 w - - 0 1", "Rxe8"),
        Err(SanError::Illegal(_))
    ));
    assert_eq!(
        resolve("8/P7/8/8/8/8/8/k1K5 w - - 0 1", "a8"),
        Err(SanError::NoSuchMove)
    );
    assert!(resolve("8/P7/8/8/8/8/8/k1K5 w - - 0 1", "a8=N").is_ok());
}

#[test]
fn knights_are_told_apart_by_legal_moves_only() {
    for (fen, m, san) in [
        ("4k3/8/8/8/8/2N5/8/4K1N1 w - - 0 1", "g1e2", "Nge2"),
        ("4k3/8/8/8/1b6/2N5/8/4K1N1 w - - 0 1", "g1e2", "Ne2"),
        ("4k3/8/8/8/1b6/2N5/8/4K1N1 w - - 0 1", "c3e2", "Nce2"),
        ("8/k7/8/8/4Q2Q/8/8/K6Q w - - 0 1", "h4e1", "Qh4e1"),
    ] {
        let board = Board::from_fen(fen).expect("a good FEN").0;
        let m = board.parse_uci(m.as_bytes()).expect("a move");
        let mut out = Vec::new();
        board.write_san(m, &mut out);
        assert_eq!(String::from_utf8_lossy(&out), san);
    }
}

#[test]
fn odd_fens_are_stored_and_told() {
    let odd = |fen: &str| Board::from_fen(fen).expect("storable").1;
    assert_eq!(odd(STANDARD), PositionProblems::NONE);
    assert_eq!(odd("8/8/8/8/8/8/8/8 w - - 0 1"), PositionProblems::NO_KING);
    assert!(odd("kk6/8/8/8/8/8/8/K7 w - - 0 1").contains(PositionProblems::SEVERAL_KINGS));
    assert!(odd("k7/8/8/8/8/8/8/R6K w - - 0 1").contains(PositionProblems::EXPOSED_KING));
    assert!(odd("k7/8/8/8/8/8/8/P6K w - - 0 1").contains(PositionProblems::PAWN_ON_BACK_RANK));
    assert!(odd("k7/8/8/8/8/8/8/7K w KQ - 0 1").contains(PositionProblems::BAD_CASTLING));
    assert!(odd("k7/8/8/8/8/8/8/7K w - e6 0 1").contains(PositionProblems::BAD_EN_PASSANT));
    assert!(odd("k7/8/8/8/8/8/8/7K").contains(PositionProblems::MISSING_FIELDS));
    assert_eq!(
        odd("k7/8/8/8/8/8/8/7K w - -"),
        PositionProblems::MISSING_COUNTERS
    );
    assert!(
        odd("k7/8/8/8/8/8/8/7K w - - x 99999999999").contains(PositionProblems::MISSING_COUNTERS)
    );
    assert!(odd("k7/8/8/8/8/8/8/7K w - - 1 99999999999").contains(PositionProblems::BAD_COUNTER));
    assert!(odd("k7/8/8/8/8/8/8/6K w - - 0 1").contains(PositionProblems::SHORT_RANK));
    assert!(odd("k7/8/8/8/8/8/8/7K w - - 0 1 more").contains(PositionProblems::EXTRA_TEXT));
    assert!(
        odd("k7/8/8/8/8/8/8/QQQQQQQQQQ w - - 0 1"
            .replace("QQQQQQQQQQ", "K7")
            .as_str())
        .is_empty()
    );
    for (fen, offset) in [
        ("", 0),
        ("k7/8/8/8/8/8/8", 14),
        ("k8/8/8/8/8/8/8/7K w - - 0 1", 1),
        (" k7/x/8/8/8/8/8/7K w - - 0 1", 4),
        ("k7/8/8/8/8/8/8/7K q - - 0 1", 18),
    ] {
        let error = Board::from_fen(fen).expect_err(fen);
        assert_eq!(error.offset, offset, "{fen}: {error}");
    }
}

#[test]
fn castling_letters_follow_x_fen() {
    for (fen, written) in [
        ("r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1", "KQkq"),
        ("4k3/8/8/8/8/8/8/1RR1KRR1 w FC - 0 1", "FC"),
        ("4k3/8/8/8/8/8/8/1RR1KRR1 w KQ - 0 1", "KQ"),
        ("4k3/8/8/8/8/8/8/1RR1KRR1 w GB - 0 1", "KQ"),
    ] {
        let (board, problems) = Board::from_fen(fen).expect("a good FEN");
        assert_eq!(
            problems.without(PositionProblems::TOO_MANY_PIECES),
            PositionProblems::NONE
        );
        assert_eq!(board.to_fen().split(' ').nth(2), Some(written));
        assert_eq!(board.is_chess960(), !fen.starts_with("r3k2r"));
    }
}

#[test]
fn damaged_text_never_panics() {
    let mut texts: Vec<String> = STARTS.iter().map(|fen| (*fen).to_string()).collect();
    texts.push("e8=Q+".into());
    let mut read = 0;
    for text in texts {
        for i in 0..=text.len() {
            read += usize::from(Board::from_fen(&text[..i]).is_ok());
            for byte in 0..=255_u8 {
                let mut bytes = text.clone().into_bytes();
                if let Some(at) = bytes.get_mut(i) {
                    *at = byte;
                }
                let damaged = String::from_utf8_lossy(&bytes);
                if let Ok((board, _)) = Board::from_fen(&damaged) {
                    read += 1;
                    let fen = board.to_fen_always_ep();
                    assert_eq!(
                        Board::from_fen(&fen).expect("our own FEN").0,
                        board,
                        "{damaged}"
                    );
                }
            }
        }
    }
    assert!(read > 1000);
    let board = Board::from_fen(KIWIPETE).expect("a good FEN").0;
    read = 0;
    for a in 0..=255_u8 {
        for b in 0..=255_u8 {
            for text in [
                [a, b, b'3', b'+', b'='],
                [b'N', a, b, b'f', b'3'],
                [b'e', b'x', a, b, b'='],
                [b'e', b'8', b'=', a, b],
                [b'O', b'-', b'O', a, b],
            ] {
                for length in 0..=5 {
                    let apart = parse_san(&text[..length])
                        .map(|(san, used)| (board.resolve_san(&san), used));
                    assert_eq!(board.read_san(&text[..length]), apart, "{text:?}");
                    if let Some((result, used)) = apart {
                        assert!(used <= length && used > 1);
                        read += usize::from(result.is_ok());
                    }
                }
            }
        }
    }
    assert!(read > 100, "{read}");
}

#[test]
fn positions_pass_to_shakmaty_and_back() {
    for start in STARTS {
        let (board, chess) = both(start);
        assert_eq!(Board::from(&chess), board, "{start}");
        let (again, problems) = Board::from_setup(&board.to_setup());
        assert_eq!(again, board);
        assert_eq!(problems, Board::from_fen(start).expect("a good FEN").1);
        if problems.is_empty() && start != STARTS[11] {
            assert_eq!(Chess::try_from(&board).expect("a legal position"), chess);
        }
    }
    let (board, problems) = Board::from_fen("8/8/8/8/8/8/8/RK5k b KQ - 3 7").expect("storable");
    assert!(Chess::try_from(&board).is_ok());
    assert_eq!(
        problems.to_string(),
        "a castling right without king or rook"
    );
    assert_eq!(board.castling_rooks().count(), 1);
    assert_eq!(board.ply_number(), 13);
}

#[test]
fn castling_is_found_by_either_notation() {
    let board = Board::from_fen(KIWIPETE).expect("a good FEN").0;
    let write = |m, style| {
        let mut out = Vec::new();
        board.write_uci(m, style, &mut out);
        String::from_utf8(out).expect("ASCII")
    };
    for (ours, theirs, san) in [("e1g1", "e1h1", "O-O"), ("e1c1", "e1a1", "O-O-O")] {
        let m = board.parse_uci(ours.as_bytes()).expect("a move");
        assert_eq!(board.parse_uci(theirs.as_bytes()), Some(m));
        assert!(m.is_castle() && board.is_legal(m));
        assert_eq!(write(m, CastlingStyle::KingMoves), ours);
        assert_eq!(write(m, CastlingStyle::KingTakesRook), theirs);
        let mut out = Vec::new();
        board.write_lan(m, &mut out);
        assert_eq!(out, san.as_bytes());
    }
    let mut out = Vec::new();
    let m = board.parse_uci(b"e5g6").expect("a move");
    board.write_lan(m, &mut out);
    assert_eq!(out, b"Ne5xg6");
    assert_eq!(board.parse_uci(b"0000"), Some(Move::NULL));
    assert_eq!(board.parse_uci(b"e1e3"), None);
    assert_eq!(board.parse_uci("é1e3".as_bytes()), None);
}

#[test]
fn moves_survive_their_bits() {
    let board = Board::from_fen(KIWIPETE).expect("a good FEN").0;
    let mut valid = 0_u32;
    for bits in 0..1 << 22 {
        if let Some(m) = Move::from_bits(bits) {
            assert_eq!(m.bits(), bits);
            assert!(!board.is_legal(m) || board.is_pseudo_legal(m));
            valid += 1;
        }
    }
    assert_eq!(Move::from_bits(Move::NULL.bits()), Some(Move::NULL));
    assert!(valid > 40_000, "{valid}");
    assert_eq!(
        San::new(shakmaty::Role::Knight, shakmaty::Square::F3).from_file,
        None
    );
}

#[test]
fn exactly_the_listed_moves_are_legal() {
    use shakmaty::{Role, Square};
    let mut list = MoveList::new();
    for fen in STARTS {
        let (board, _) = Board::from_fen(fen).expect("a position");
        list.clear();
        board.legal_moves(&mut list);
        let castles = list.iter().filter(|m| m.is_castle()).count();
        let mut legal = castles;
        for from in Square::ALL {
            for to in Square::ALL {
                for role in Role::ALL {
                    for capture in [false, true] {
                        let promotions = [None, Some(Role::Queen), Some(Role::Knight)];
                        for promotion in promotions {
                            let m = Move::normal(role, from, to, capture, promotion);
                            assert_eq!(board.is_legal(m), list.contains(&m), "{m:?} in {fen}");
                            legal += usize::from(board.is_legal(m));
                        }
                    }
                }
                let m = Move::en_passant(from, to);
                assert_eq!(board.is_legal(m), list.contains(&m), "{m:?} in {fen}");
                legal += usize::from(board.is_legal(m));
            }
        }
        let others = list
            .iter()
            .filter(|m| matches!(m.promotion(), Some(Role::Rook | Role::Bishop)))
            .count();
        assert_eq!(legal + others, list.len(), "{fen}");
    }
}
