//! Random games with everything that the format supports.

use tabiya_model::board::MoveList;
use tabiya_model::charset::Charset;
use tabiya_model::game::StartingPosition;
use tabiya_model::nag::Nag;
use tabiya_model::outcome::Outcome;
use tabiya_model::{Board, Game, Move};
use tabiya_testing::TestRandom;

const NAMES: [&str; 6] = [
    "Ёлкин, Пётр",
    "Smith, John",
    "Карпов, Анатолий",
    "Петросян, Тигран",
    "",
    "О'Нил, Анна-Мария",
];

const COMMENTS: [&str; 5] = [
    "с идеей 12.Лe1",
    "plain",
    "[%eval -3.07]",
    "",
    "Очень длинный комментарий, который не помещается в короткую запись, потому что его длина больше двухсот пятидесяти \
     пяти байтов: он всё продолжается, и продолжается, и продолжается, пока не станет достаточно длинным, чтобы для него \
     понадобилась запись с длиной из четырёх байтов, и вот теперь он кончается.",
];

const NAGS: [u32; 12] = [1, 2, 3, 4, 5, 6, 10, 14, 146, 220, 132, 201];

/// Positions with many pawns about to be promoted, pieces of all numbers, castling rights and en passant captures.
const STARTS: [&str; 6] = [
    "8/PPPP1k2/8/8/8/8/1K2pppp/8 w - - 0 9",
    "1n1n1n2/P1P1P1P1/4k3/8/8/4K3/p1p1p1p1/1N1N1N2 b - - 0 30",
    "r3k2r/pppp1ppp/8/8/4pP2/8/PPPPP1PP/R3K2R b KQkq f3 0 1",
    "qqq1k1qq/8/8/8/8/8/8/QQQ1K1NN w - - 0 50",
    "8/6PP/4k3/3pP3/8/4K3/pp6/8 w - d6 0 40",
    "nnbbk3/rrq5/8/8/8/8/RRQ5/NNBBK3 w - - 0 77",
];

fn choose(board: &Board, random: &mut TestRandom, list: &mut MoveList) -> Option<Move> {
    board.legal_moves(list);
    if list.is_empty() {
        return None;
    }
    if random.one_in(60) && !board.is_check() {
        return Some(Move::NULL);
    }
    // Pawn moves are preferred, so that there are many promotions.
    let pawns: Vec<Move> = list
        .iter()
        .copied()
        .filter(|m| m.role() == shakmaty::Role::Pawn)
        .collect();
    if !pawns.is_empty() && random.one_in(2) {
        return Some(random.one_of(&pawns));
    }
    Some(list[random.below(list.len())])
}

fn annotate(game: &mut Game, random: &mut TestRandom) {
    if random.one_in(12) {
        game.tape.push_nag(Nag(random.one_of(&NAGS)));
    }
    if random.one_in(14) {
        let text = random.one_of(&COMMENTS);
        let bytes = Charset::Cp1251.encode(text).expect("in the charset");
        game.tape.push_comment_bytes(&bytes, Charset::Cp1251);
    }
    if random.one_in(200) {
        game.tape.push_extension("ca.folder", &[7, 1, 2, 3]);
    }
}

/// A line of moves with variations, nested at most `depth` levels deep.
fn line(game: &mut Game, board: &Board, plies: usize, depth: usize, random: &mut TestRandom) {
    let mut board = board.clone();
    let mut list = MoveList::default();
    annotate(game, random);
    for _ in 0..plies {
        let Some(m) = choose(&board, random, &mut list) else {
            return;
        };
        game.tape.push_move(m);
        annotate(game, random);
        if depth > 0 && random.one_in(8) {
            for _ in 0..=random.below(2) {
                game.tape.begin_variation();
                let plies = random.below(7);
                line(game, &board, plies, depth - 1, random);
                game.tape.end_variation();
            }
            if random.one_in(4) {
                game.tape.push_comment("after the variations");
            }
        }
        board.play(m);
    }
}

/// A random game.
pub(crate) fn game(random: &mut TestRandom) -> Game {
    let mut game = Game::default();
    let tags = &mut game.tags;
    let mut name = |tag: &str, random: &mut TestRandom, needed: bool| {
        let text = random.one_of(&NAMES);
        if !text.is_empty() {
            let bytes = Charset::Cp1251.encode(text).expect("in the charset");
            tags.push_bytes(tag.as_bytes(), &bytes, Charset::Cp1251);
        } else if needed {
            tags.push(tag, "?");
        }
    };
    name("Event", random, true);
    name("Site", random, true);
    name("White", random, true);
    name("Black", random, true);
    name("Annotator", random, false);
    name("Source", random, false);
    name("WhiteTitle", random, false);
    let date = ["????.??.??", "1999.12.31", "1987.??.04", "2024.02.??"];
    tags.push("Date", random.one_of(&date));
    tags.push("Round", random.one_of(&["?", "1", "127"]));
    if random.one_in(2) {
        tags.push("WhiteElo", &(1 + random.below(65_535)).to_string());
        tags.push("BlackFideId", &(1 + random.below(1 << 31)).to_string());
        tags.push("BlackSex", random.one_of(&["male", "female"]));
        tags.push("BlackBirthDate", random.one_of(&date[1..]));
        tags.push("ECO", random.one_of(&["A01", "C42", "E99"]));
        tags.push(
            "CaGameType",
            random.one_of(&["2 historic game", "0x60 opening theory or plan, middlegame"]),
        );
    }
    let outcome = random.one_of(&Outcome::ALL);
    tags.push("Result", outcome.as_pgn());
    game.outcome = Some(outcome);
    let mut board = Board::standard();
    if random.one_in(4) {
        let fen = random.one_of(&STARTS);
        let (start, problems) = Board::from_fen(fen).expect("a position");
        tags.push("SetUp", "1");
        tags.push("FEN", fen);
        game.start = StartingPosition::Setup(Box::new(start.clone()), problems);
        board = start;
    }
    let plies = random.below(90);
    line(&mut game, &board, plies, 3, random);
    game
}

/// A number of random games, numbered.
pub(crate) fn games(count: u64, seed: u64) -> Vec<Game> {
    let mut random = TestRandom::new(seed);
    (1..=count)
        .map(|number| {
            let mut game = game(&mut random);
            game.origin.number = number;
            game
        })
        .collect()
}
