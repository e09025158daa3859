//! Random queries on random games, beside a slow and plain evaluator over shakmaty's positions.

use shakmaty::{Chess, Color, EnPassantMode, Move as ChessMove, Position, Role, Square, fen::Fen};
use tabiya_model::board::Move;
use tabiya_model::{Board, Game};
use tabiya_query::{Query, QueryContext, QueryEvaluator};
use tabiya_testing::TestRandom;

/// A position of a game with the way to it.
#[derive(Clone)]
struct PositionNode {
    position: Chess,
    moves: Vec<(Color, ChessMove)>,
    main: bool,
}

fn push_move(game: &mut Game, m: &ChessMove) {
    game.tape
        .push_move(Move::from_shakmaty(*m).expect("a move"));
}

fn choose(random: &mut TestRandom, position: &Chess) -> Option<ChessMove> {
    let moves = position.legal_moves();
    // Captures, promotions and castling happen rarely by chance.
    let special: Vec<_> = moves
        .iter()
        .filter(|m| m.is_promotion() || m.is_castle() || m.is_en_passant())
        .collect();
    if !special.is_empty() && random.below(3) == 0 {
        return Some(*special[random.below(special.len())]);
    }
    (!moves.is_empty()).then(|| moves[random.below(moves.len())])
}

/// A random game with variations, and all of its positions.
fn random_game(random: &mut TestRandom) -> (Game, Vec<PositionNode>) {
    const STARTS: [&str; 5] = [
        "",
        "",
        "r3k2r/1P4P1/8/3pP3/3Pp3/8/1p4p1/R3K2R w KQkq d6 0 12",
        "8/5k2/8/8/8/2K5/2P3p1/8 b - - 3 40",
        "4k3/8/4K3/8/8/8/8/7R w - - 0 60",
    ];
    let mut game = Game::default();
    let fen = STARTS[random.below(STARTS.len())];
    let start: Chess = if fen.is_empty() {
        Chess::default()
    } else {
        let (board, problems) = Board::from_fen(fen).expect("fen");
        game.start = tabiya_model::game::StartingPosition::Setup(Box::new(board), problems);
        let fen: Fen = fen.parse().expect("fen");
        fen.into_position(shakmaty::CastlingMode::Standard)
            .expect("legal")
    };
    let mut nodes = vec![PositionNode {
        position: start,
        moves: Vec::new(),
        main: true,
    }];
    let mut here = nodes[0].clone();
    for _ in 0..random.below(70) {
        let Some(m) = choose(random, &here.position) else {
            break;
        };
        let before = here.clone();
        here.moves.push((here.position.turn(), m));
        here.position.play_unchecked(m);
        push_move(&mut game, &m);
        nodes.push(here.clone());
        while random.below(4) == 0 {
            variation(random, &mut game, &mut nodes, before.clone(), 0);
        }
    }
    (game, nodes)
}

fn variation(
    random: &mut TestRandom,
    game: &mut Game,
    nodes: &mut Vec<PositionNode>,
    mut here: PositionNode,
    depth: usize,
) {
    here.main = false;
    game.tape.begin_variation();
    for _ in 0..1 + random.below(6) {
        let Some(m) = choose(random, &here.position) else {
            break;
        };
        let before = here.clone();
        here.moves.push((here.position.turn(), m));
        here.position.play_unchecked(m);
        push_move(game, &m);
        nodes.push(here.clone());
        if depth < 3 && random.below(5) == 0 {
            variation(random, game, nodes, before, depth + 1);
        }
    }
    game.tape.end_variation();
}

type ViewTest = Box<dyn Fn(&PositionNode) -> bool>;
type SquareTest = Box<dyn Fn(Option<shakmaty::Piece>) -> bool>;

fn fen_of(position: &Chess) -> String {
    Fen::from_position(position, EnPassantMode::Legal).to_string()
}

fn pieces(position: &Chess, color: Color, role: Role) -> u64 {
    u64::from(position.board().by_color(color) & position.board().by_role(role))
}

fn count(position: &Chess, color: Color, role: Role) -> u32 {
    pieces(position, color, role).count_ones()
}

/// A question about one position: its text, and what it means.
fn atom(random: &mut TestRandom, nodes: &[PositionNode], depth: usize) -> (String, ViewTest) {
    let node = &nodes[random.below(nodes.len())];
    let position = node.position.clone();
    match random.below(if depth < 3 { 16 } else { 13 }) {
        0 => {
            let text = format!("position:\"{}\"", fen_of(&position));
            (
                text,
                Box::new(move |n| {
                    n.position.board() == position.board() && n.position.turn() == position.turn()
                }),
            )
        }
        1 => {
            let text = format!("position[castling,ep]:\"{}\"", fen_of(&position));
            (
                text,
                Box::new(move |n| {
                    n.position.board() == position.board()
                        && n.position.turn() == position.turn()
                        && n.position.castles().castling_rights()
                            == position.castles().castling_rights()
                        && n.position.legal_ep_square() == position.legal_ep_square()
                }),
            )
        }
        2 => {
            let text = format!("structure:\"{}\"", fen_of(&position));
            (
                text,
                Box::new(move |n| {
                    Color::ALL.iter().all(|c| {
                        pieces(&n.position, *c, Role::Pawn) == pieces(&position, *c, Role::Pawn)
                    })
                }),
            )
        }
        3 => {
            let text = format!("files:\"{}\"", fen_of(&position));
            (
                text,
                Box::new(move |n| {
                    Color::ALL.iter().all(|c| {
                        (0..8).all(|file| {
                            let mask = 0x0101_0101_0101_0101_u64 << file;
                            (pieces(&n.position, *c, Role::Pawn) & mask).count_ones()
                                == (pieces(&position, *c, Role::Pawn) & mask).count_ones()
                        })
                    })
                }),
            )
        }
        4 => {
            let side = |color| -> String {
                Role::ALL
                    .iter()
                    .rev()
                    .map(|role| {
                        role.upper_char()
                            .to_string()
                            .repeat(count(&position, color, *role) as usize)
                    })
                    .collect()
            };
            let either = random.below(2) == 0;
            let text = format!(
                "material{}:\"{} v {}\"",
                if either { "[either]" } else { "" },
                side(Color::White),
                side(Color::Black)
            );
            (
                text,
                Box::new(move |n| {
                    let same = |swap: bool| {
                        Color::ALL.iter().all(|color| {
                            let other = if swap { !*color } else { *color };
                            Role::ALL.iter().all(|role| {
                                count(&n.position, *color, *role) == count(&position, other, *role)
                            })
                        })
                    };
                    same(false) || (either && same(true))
                }),
            )
        }
        5 => {
            let low = random.below(8) as i32 - 3;
            let values = [1, 3, 3, 5, 9, 0];
            let text = format!(
                "material:\"any, wvalue-bvalue={low}..{}, minors<=3\"",
                low + 2
            );
            (
                text,
                Box::new(move |n| {
                    let value = |color| -> i32 {
                        Role::ALL
                            .iter()
                            .zip(values)
                            .map(|(role, value)| count(&n.position, color, *role) as i32 * value)
                            .sum()
                    };
                    let minors: u32 = Color::ALL
                        .iter()
                        .map(|c| {
                            count(&n.position, *c, Role::Knight)
                                + count(&n.position, *c, Role::Bishop)
                        })
                        .sum();
                    let difference = value(Color::White) - value(Color::Black);
                    (low..=low + 2).contains(&difference) && minors <= 3
                }),
            )
        }
        6 => pattern(random, &position),
        7 => ("check".to_owned(), Box::new(|n| n.position.is_check())),
        8 => ("mate".to_owned(), Box::new(|n| n.position.is_checkmate())),
        9 => (
            "stalemate".to_owned(),
            Box::new(|n| n.position.is_stalemate()),
        ),
        10 => (
            "under-promotion".to_owned(),
            Box::new(|n| {
                n.moves
                    .last()
                    .is_some_and(|(_, m)| m.promotion().is_some_and(|role| role != Role::Queen))
            }),
        ),
        11 => (
            "(castling or en-passant)".to_owned(),
            Box::new(|n| {
                n.moves
                    .last()
                    .is_some_and(|(_, m)| m.is_castle() || m.is_en_passant())
            }),
        ),
        12 => (
            "turn:black".to_owned(),
            Box::new(|n| n.position.turn() == Color::Black),
        ),
        13 => {
            let (a, test) = atom(random, nodes, depth + 1);
            (format!("not {a}"), Box::new(move |n| !test(n)))
        }
        14 => {
            let ((a, f), (b, g)) = (
                atom(random, nodes, depth + 1),
                atom(random, nodes, depth + 1),
            );
            (format!("({a} or {b})"), Box::new(move |n| f(n) || g(n)))
        }
        _ => {
            let ((a, f), (b, g)) = (
                atom(random, nodes, depth + 1),
                atom(random, nodes, depth + 1),
            );
            (format!("({a} {b})"), Box::new(move |n| f(n) && g(n)))
        }
    }
}

/// Some squares of a position, each as itself or as something wider, perhaps moved about.
fn pattern(random: &mut TestRandom, position: &Chess) -> (String, ViewTest) {
    type Square8 = (usize, usize, SquareTest);
    let mut grid = [["."; 8]; 8];
    let mut wanted: Vec<Square8> = Vec::new();
    let names = ["P", "N", "B", "R", "Q", "K", "p", "n", "b", "r", "q", "k"];
    let (mirror, flip) = (random.below(2) == 0, random.below(2) == 0);
    for _ in 0..1 + random.below(5) {
        let (rank, file) = (random.below(8), random.below(8));
        if grid[rank][file] != "." {
            continue;
        }
        let square = Square::new((rank * 8 + file) as u32);
        let piece = position.board().piece_at(square);
        let kind = random.below(4);
        let (name, test): (&str, SquareTest) = match (piece, kind) {
            (None, 0) => ("-", Box::new(|p| p.is_none())),
            (None, _) => ("!*", Box::new(|p| p.is_none())),
            (Some(piece), 0) => {
                let index = usize::from(piece.color == Color::Black) * 6 + piece.role as usize - 1;
                (names[index], Box::new(move |p| p == Some(piece)))
            }
            (Some(piece), 1) if piece.color == Color::White => (
                "A",
                Box::new(|p| p.is_some_and(|p| p.color == Color::White)),
            ),
            (Some(_), 1) => (
                "a",
                Box::new(|p| p.is_some_and(|p| p.color == Color::Black)),
            ),
            (Some(_), 2) => ("*", Box::new(|p| p.is_some())),
            (Some(_), _) => ("[!]", Box::new(|p| p.is_some())),
        };
        let name = if name == "[!]" { "!-" } else { name };
        grid[rank][file] = name;
        wanted.push((rank, file, test));
    }
    let rows: Vec<String> = grid.iter().rev().map(|row| row.concat()).collect();
    let mut options = Vec::new();
    if mirror {
        options.push("mirror");
    }
    if flip {
        options.push("flip");
    }
    let options = if options.is_empty() {
        String::new()
    } else {
        format!("[{}]", options.join(","))
    };
    let text = format!("pattern{options}:\"{}\"", rows.join("/"));
    (
        text,
        Box::new(move |n| {
            let fits = |mirrored: bool, flipped: bool| {
                wanted.iter().all(|(rank, file, test)| {
                    let rank = if flipped { 7 - rank } else { *rank };
                    let file = if mirrored { 7 - file } else { *file };
                    let piece = n
                        .position
                        .board()
                        .piece_at(Square::new((rank * 8 + file) as u32));
                    test(piece.map(|p| {
                        if flipped {
                            shakmaty::Piece {
                                color: !p.color,
                                role: p.role,
                            }
                        } else {
                            p
                        }
                    }))
                })
            };
            fits(false, false)
                || (mirror && fits(true, false))
                || (flip && fits(false, true))
                || (mirror && flip && fits(true, true))
        }),
    )
}

/// A term of a query, and its answer with the ply where it first holds.
fn term(random: &mut TestRandom, nodes: &[PositionNode]) -> (String, Option<u32>, bool) {
    let first = |test: &ViewTest, variations: bool| {
        nodes
            .iter()
            .find(|n| (n.main || variations) && test(n))
            .map(|n| n.moves.len() as u32)
    };
    let main: Vec<&PositionNode> = nodes.iter().filter(|n| n.main).collect();
    match random.below(8) {
        0..=2 => {
            let (text, test) = atom(random, nodes, 1);
            let ply = first(&test, false);
            (format!("same:({text})"), ply, ply.is_some())
        }
        3 => {
            let (text, test) = atom(random, nodes, 1);
            let ply = first(&test, true);
            (format!("same[variations]:({text})"), ply, ply.is_some())
        }
        4 => {
            let (text, test) = atom(random, nodes, 1);
            let n = 1 + random.below(4);
            let ply = main
                .windows(n)
                .find(|w| w.iter().all(|n| test(n)))
                .map(|w| w[0].moves.len() as u32);
            (format!("same[lasting {n}]:({text})"), ply, ply.is_some())
        }
        5 => {
            let (text, test) = atom(random, nodes, 1);
            let last = main.last().expect("a start");
            let ply = test(last).then_some(last.moves.len() as u32);
            (format!("ends:({text})"), ply, ply.is_some())
        }
        6 => {
            let (text, test) = atom(random, nodes, 1);
            let (low, high) = (random.below(20) as u32, 10 + random.below(30) as u32);
            let high = high.max(low);
            let ply = main
                .iter()
                .find(|n| (low..=high).contains(&(n.moves.len() as u32)) && test(n))
                .map(|n| n.moves.len() as u32);
            (
                format!("same[plies {low}..{high}]:({text})"),
                ply,
                ply.is_some(),
            )
        }
        _ => {
            let line = &nodes[random.below(nodes.len())];
            let variations = random.below(2) == 0;
            let picked: Vec<_> = line
                .moves
                .iter()
                .filter(|_| random.below(3) == 0)
                .take(4)
                .collect();
            if picked.is_empty() {
                return ("has:moves".to_owned(), None, nodes.len() > 1);
            }
            let words: Vec<String> = picked
                .iter()
                .map(|(color, m)| {
                    let side = color.fold_wb("w", "b");
                    let san = match m {
                        ChessMove::Castle { king, rook } => {
                            if rook > king { "O-O" } else { "O-O-O" }.to_owned()
                        }
                        m => {
                            let role = if m.role() == Role::Pawn {
                                String::new()
                            } else {
                                m.role().upper_char().to_string()
                            };
                            let promotion = m
                                .promotion()
                                .map_or(String::new(), |r| format!("={}", r.upper_char()));
                            format!("{role}{}{}{promotion}", m.from().expect("no drop"), m.to())
                        }
                    };
                    format!("{side}.{san}")
                })
                .collect();
            let found = |node: &PositionNode| {
                let mut at = 0;
                for (color, m) in &node.moves {
                    if at < picked.len() {
                        let (c, p) = picked[at];
                        let same = match (p, m) {
                            (
                                ChessMove::Castle { king: a, rook: b },
                                ChessMove::Castle { king: c, rook: d },
                            ) => (b > a) == (d > c),
                            (ChessMove::Castle { .. }, _) | (_, ChessMove::Castle { .. }) => false,
                            _ => {
                                p.role() == m.role()
                                    && p.from() == m.from()
                                    && p.to() == m.to()
                                    && (p.promotion().is_none() || p.promotion() == m.promotion())
                            }
                        };
                        if *c == *color && same {
                            at += 1;
                        }
                    }
                }
                at == picked.len()
            };
            let ply = nodes
                .iter()
                .find(|n| (n.main || variations) && found(n))
                .map(|n| n.moves.len() as u32);
            let option = if variations { "[variations]" } else { "" };
            (
                format!("sequence{option}:\"{}\"", words.join(" ")),
                ply,
                ply.is_some(),
            )
        }
    }
}

#[test]
fn random_queries_have_the_answers_of_a_plain_evaluator() {
    let mut random = TestRandom::new(0x9e37_79b9_7f4a_7c15);
    let mut hits = 0;
    for round in 0..600 {
        let (game, nodes) = random_game(&mut random);
        for _ in 0..10 {
            let (text, ply, answer) = term(&mut random, &nodes);
            let query = Query::parse(&text, QueryContext::default())
                .unwrap_or_else(|e| panic!("{}", e.render(&text)));
            let hit = QueryEvaluator::new(&query, true).hit(&game, 1);
            assert_eq!(
                hit.is_some(),
                answer,
                "round {round}: {text}\n{:?}",
                game.tape
            );
            if let Some(hit) = hit {
                assert_eq!(hit.ply, ply, "round {round}: {text}");
                hits += 1;
            }
            let (other, other_ply, other_answer) = term(&mut random, &nodes);
            for (joined, expected, expected_ply) in [
                (
                    format!("{text} and {other}"),
                    answer && other_answer,
                    ply.max(other_ply),
                ),
                (
                    format!("{text} or {other}"),
                    answer || other_answer,
                    [ply, other_ply].into_iter().flatten().min(),
                ),
                (
                    format!("{text} and not ({other})"),
                    answer && !other_answer,
                    ply,
                ),
            ] {
                let query = Query::parse(&joined, QueryContext::default()).expect("both parse");
                for plies in [false, true] {
                    let hit = QueryEvaluator::new(&query, plies).hit(&game, 1);
                    assert_eq!(hit.is_some(), expected, "round {round}: {joined}");
                    if plies && expected {
                        assert_eq!(
                            hit.and_then(|hit| hit.ply),
                            expected_ply,
                            "round {round}: {joined}"
                        );
                    }
                }
            }
        }
    }
    assert!(hits > 1000, "{hits} hits");
}
