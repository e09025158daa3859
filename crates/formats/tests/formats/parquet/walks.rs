//! Facts and positions from columns are those of the games, whichever program wrote the file: every step is compared with
//! that of the tape, every fact with the game's.

use std::path::Path;

use shakmaty::{Color, Piece, Role, Square};
use tabiya_columns::{CellValue, ParquetWriter, RowGroupBuilder};
use tabiya_formats::format::{OpenOptions, WriteOptions};
use tabiya_formats::{parquet, pgn};
use tabiya_model::board::MoveList;
use tabiya_model::database::for_each_game;
use tabiya_model::facts::{
    FactFields, FactSource, GameFacts, MoveFacts, PROMOTION, UNDER_PROMOTION,
};
use tabiya_model::game::{StartingPosition, Variant};
use tabiya_model::positions::{PositionSource, TapePositions};
use tabiya_model::tags::TagSet;
use tabiya_model::{Board, Database, Game, GameNeeds, Losses, Severity};
use tabiya_testing::TestRandom;
use tabiya_testing::{number_of, shared};

use super::{GAMES, games_of, open, peers, read};

fn write(path: &Path, games: &[Game], compact: bool) {
    let mut options = WriteOptions::default();
    let word = if compact { "compact" } else { "fast" };
    let option = &parquet::FORMAT.write_options[0];
    options.settings.set(option, word).expect("set");
    let create = parquet::FORMAT.create.expect("it is written");
    let mut sink = create(path, &options).expect("a sink");
    let mut encoder = sink.encoder();
    let mut losses = Losses::default();
    for game in games {
        encoder.encode(game, &mut losses);
    }
    sink.append(encoder.take(), 1, &mut losses).expect("taken");
    sink.finish().expect("written");
}

/// Moves with their variations, and nothing else.
const MOVES: GameNeeds = GameNeeds {
    tags: TagSet::NONE,
    annotations: false,
    ..GameNeeds::ALL
};

/// Compares the steps; returns the number of moves.
fn steps_are_those_of_the_tapes(database: &dyn Database) -> usize {
    let slow = TapePositions(database);
    let fast = database.positions().expect("walked at speed");
    let (mut slow, mut fast) = (slow.walker(), fast.walker());
    let (mut wanted, mut got) = (Vec::new(), Vec::new());
    let (mut moves, mut game) = (0, Game::default());
    let count = database.len().expect("counted");
    // In order, and out of order.
    for number in (1..=count).chain((1..=count).rev().step_by(7)) {
        for variations in [false, true] {
            let from = slow.open(number).expect("opened");
            assert_eq!(fast.open(number).expect("opened"), from, "{number}");
            wanted.clear();
            got.clear();
            while slow.steps(variations, 64, &mut wanted).expect("walked") {}
            while fast.steps(variations, 7, &mut got).expect("walked") {}
            assert_eq!(got, wanted, "{number}");
            // Errors of tags alone do not affect a walk.
            database.read(number, MOVES, &mut game).expect("read");
            let is_damaged = game.diagnostics.at_least(Severity::Damage) > 0;
            assert!(fast.is_damaged() || !is_damaged, "{number}");
            assert!(!fast.is_damaged() || slow.is_damaged(), "{number}");
            moves += got.len();
        }
    }
    assert!(fast.open(0).is_err() && fast.open(count + 1).is_err());
    moves
}

const SINGLE: [FactFields; 15] = [
    FactFields::WHITE,
    FactFields::BLACK,
    FactFields::EVENT,
    FactFields::SITE,
    FactFields::ROUND,
    FactFields::RATINGS,
    FactFields::DATE,
    FactFields::EVENT_DATE,
    FactFields::OUTCOME,
    FactFields::ECO,
    FactFields::PLIES,
    FactFields::FLAGS,
    FactFields::ANNOTATIONS,
    FactFields::ELOS,
    FactFields::MOVES,
];

const PROMOTIONS: u32 = PROMOTION | UNDER_PROMOTION;

/// The facts that follow from the moves, by the boards alone: pawns that are on their home squares before a move and not
/// after it, the pieces at the end, and promotions, by which a kind of piece becomes more numerous. `None` if a pawn returns
/// home or the game has another start.
fn moves_by_boards(game: &Game) -> Option<(MoveFacts, u32)> {
    if game.start != StartingPosition::Standard || game.variant == Variant::Other {
        return None;
    }
    let at_home = |board: &Board| -> Vec<bool> {
        let squares = (0..8).rev().map(|file| (Color::White, 8 + file));
        let squares = squares.chain((0..8).rev().map(|file| (Color::Black, 48 + file)));
        let stands = |(color, square)| {
            let role = Role::Pawn;
            board.piece_at(Square::new(square)) == Some(Piece { color, role })
        };
        squares.map(stands).collect()
    };
    let count = |board: &Board, color, role| {
        let squares = Square::ALL.into_iter();
        let is_one = |square: &Square| board.piece_at(*square) == Some(Piece { color, role });
        u32::try_from(squares.filter(is_one).count()).expect("few")
    };
    let mut board = Board::standard();
    let (mut list, mut flags) = (Vec::new(), 0);
    for m in game.tape.main_line() {
        let mut after = board.clone();
        after.play(m);
        // h-pawns first: 8 to 15 for White, 0 to 7 for Black.
        let numbers = (8..16).chain(0..8);
        for ((before, now), number) in at_home(&board)
            .into_iter()
            .zip(at_home(&after))
            .zip(numbers)
        {
            match (before, now) {
                (true, false) => list.push(number),
                (false, true) => return None,
                _ => {}
            }
        }
        for (color, role) in [Color::White, Color::Black].into_iter().flat_map(|color| {
            let pieces = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight];
            pieces.map(move |role| (color, role))
        }) {
            if count(&after, color, role) > count(&board, color, role) {
                flags |= if role == Role::Queen {
                    PROMOTION
                } else {
                    PROMOTIONS
                };
            }
        }
        board = after;
    }
    let mut facts = MoveFacts::default();
    for (place, number) in list.iter().enumerate() {
        facts.home_pawns |= number << (60 - 4 * place);
    }
    facts.home_count = u8::try_from(list.len()).expect("sixteen");
    for color in [Color::White, Color::Black] {
        let kinds = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight];
        for role in kinds {
            facts.material = facts.material << 2 | count(&board, color, role).min(3);
        }
        facts.material = facts.material << 4 | count(&board, color, Role::Pawn).min(15);
    }
    Some((facts, flags))
}

/// The value of a field by the facts, in words.
fn said(fact: &GameFacts, facts: &dyn FactSource, field: FactFields) -> String {
    match field {
        FactFields::WHITE => facts.player(fact, Color::White).into_owned(),
        FactFields::BLACK => facts.player(fact, Color::Black).into_owned(),
        FactFields::EVENT => facts.event(fact).into_owned(),
        FactFields::SITE => facts.site(fact).into_owned(),
        FactFields::ROUND => facts.round(fact).into_owned(),
        _ => said_of(fact, field),
    }
}

fn said_of(fact: &GameFacts, field: FactFields) -> String {
    let odd = fact.odd.intersection(field);
    match field {
        FactFields::RATINGS => format!("{:?}", fact.ratings),
        FactFields::ELOS => format!("{:?} {odd:?}", fact.elos),
        FactFields::DATE => format!("{:?} {odd:?}", fact.date),
        FactFields::EVENT_DATE => format!("{:?}", fact.event_date),
        FactFields::OUTCOME => format!("{:?}", fact.outcome),
        FactFields::ECO => format!("{:?}", fact.eco),
        FactFields::PLIES => format!("{:?}", fact.plies),
        FactFields::FLAGS => format!("{:?}", fact.flags & !PROMOTIONS),
        FactFields::MOVES => format!("{:?} {}", fact.moves, fact.flags & PROMOTIONS),
        _ => format!("{:?}", (fact.comments, fact.variations, fact.nags)),
    }
}

/// The value of a field by reading the game, in the same words.
fn shown(game: &Game, field: FactFields) -> (String, bool) {
    let of_game = GameFacts::of_game(game, |_, _| Some(0));
    let of_tags = GameFacts::of_tags(game, FactFields::ALL, |_, _| Some(0));
    let of_moves = [
        FactFields::PLIES,
        FactFields::ANNOTATIONS,
        FactFields::MOVES,
    ];
    let is_of_moves = of_moves.contains(&field);
    let words = match field {
        FactFields::MOVES => match moves_by_boards(game) {
            Some((moves, flags)) => format!("{:?} {flags}", Some(moves)),
            None => String::new(),
        },
        FactFields::WHITE => game.tags.value("White").to_owned(),
        FactFields::BLACK => game.tags.value("Black").to_owned(),
        FactFields::EVENT => game.tags.value("Event").to_owned(),
        FactFields::SITE => game.tags.value("Site").to_owned(),
        FactFields::ROUND => game.tags.value("Round").to_owned(),
        _ => said_of(&of_game, field),
    };
    (words, !is_of_moves && of_tags.unsaid.meets(field))
}

/// Compares the fields; returns how many were compared, and how many were left unsaid.
fn facts_are_those_of_the_games(database: &dyn Database) -> (usize, usize) {
    let facts = database.facts().expect("facts");
    let (mut compared, mut unsaid) = (0, 0);
    for (number, game) in (1..).zip(read(database)) {
        let all = facts.fact(number, FactFields::ALL).expect("a game");
        for field in SINGLE {
            let one = facts.fact(number, field).expect("a game");
            let (words, is_unsaid) = shown(&game, field);
            assert_eq!(one.unsaid.meets(field), all.unsaid.meets(field), "{number}");
            if one.unsaid.meets(field) {
                unsaid += 1;
                continue;
            }
            assert!(!is_unsaid, "{number}: {field:?}");
            for fact in [&one, &all] {
                assert_eq!(said(fact, facts, field), words, "{number}: {field:?}");
            }
            compared += 1;
        }
    }
    let count = database.len().expect("counted");
    for number in [0, count + 1, u64::MAX] {
        assert!(facts.fact(number, FactFields::ALL).is_none());
    }
    (compared, unsaid)
}

/// How many games have the facts that follow from their moves.
fn games_with_moves(database: &dyn Database) -> u64 {
    let facts = database.facts().expect("facts");
    let numbers = 1..=database.len().expect("counted");
    let says = |number: &u64| {
        let fact = facts.fact(*number, FactFields::MOVES).expect("a game");
        assert_eq!(fact.moves.is_none(), fact.unsaid.meets(FactFields::MOVES));
        fact.moves.is_some()
    };
    let said = u64::try_from(numbers.filter(says).count()).expect("few");
    assert!(said == 0 || facts.never_says().is_empty());
    said
}

/// The games of a file that may not be PGN.
fn games_in(path: &Path) -> Vec<Game> {
    let mut games = Vec::new();
    let open = pgn::FORMAT.open.expect("it is read");
    if let Ok(database) = open(path, &OpenOptions::default())
        && let Ok(mut source) = database.source(None)
    {
        // Games before an error count as well.
        let _ = for_each_game(&mut *source, GameNeeds::ALL, |game| {
            games.push(game.clone());
            Ok(())
        });
    }
    games
}

/// The games of this folder's tests, the first ones of each corpus, and the strange ones.
fn many_games(folder: &Path) -> Vec<Game> {
    let source = folder.join("games.pgn");
    std::fs::write(&source, GAMES).expect("written");
    let mut games = games_of(&source, usize::MAX);
    let first = usize::try_from(number_of("TABIYA_GAMES", 60)).expect("few");
    for name in ["lichess-real", "annotated-human", "otb"] {
        if let Some(path) = shared(format!("corpora/{name}.pgn.zst")) {
            games.extend(games_of(&path, first));
        }
    }
    let nasty = shared("corpora/nasty").map(|folder| std::fs::read_dir(folder).expect("a folder"));
    for entry in nasty.into_iter().flatten().flatten() {
        let path = entry.path();
        if path.extension().is_some_and(|end| end == "pgn") {
            games.extend(games_in(&path).into_iter().take(3));
        }
    }
    games
}

#[test]
fn walks_and_facts_say_what_games_do() {
    let folder = tempfile::tempdir().expect("a folder");
    let games = many_games(folder.path());
    for compact in [false, true] {
        let path = folder.path().join(format!("games-{compact}.parquet"));
        write(&path, &games, compact);
        let database = open(&path).expect("opened");
        let moves = steps_are_those_of_the_tapes(&*database);
        assert!(moves > 20, "{moves}");
        let (compared, unsaid) = facts_are_those_of_the_games(&*database);
        assert!(compared > unsaid * 20, "{compared}, {unsaid} unsaid");
        let said = games_with_moves(&*database);
        assert!(said * 2 > games.len() as u64, "{said} of {}", games.len());
        eprintln!(
            "{moves} steps and {compared} fields of {} games",
            games.len()
        );
    }
}

#[test]
fn files_that_others_rewrote_say_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("games.parquet");
    let mut games = many_games(folder.path());
    games.truncate(80);
    write(&path, &games, false);
    let written = tempfile::tempdir().expect("a folder");
    if peers(&[&path, written.path()], "rewrite").is_none() {
        return;
    }
    let mut files = 0;
    for entry in std::fs::read_dir(written.path()).expect("a folder") {
        let database = open(&entry.expect("an entry").path()).expect("opened");
        assert!(steps_are_those_of_the_tapes(&*database) > 20);
        let (compared, _) = facts_are_those_of_the_games(&*database);
        assert!(compared > 30);
        let fact = database
            .facts()
            .and_then(|facts| facts.fact(1, FactFields::ALL));
        assert_eq!(fact.expect("a game").plies, None, "nobody counted them");
        assert_eq!(games_with_moves(&*database), 0, "nobody followed them");
        files += 1;
    }
    assert!(files >= 9, "{files} files");
}

/// Moves in the form of the column, some of them wrong.
fn moves(chance: &mut TestRandom) -> Vec<u8> {
    let mut board = Board::standard();
    let mut list = MoveList::new();
    let mut bytes = Vec::new();
    let wrong = chance.below(3) == 0;
    for _ in 0..chance.below(160) {
        board.legal_moves(&mut list);
        if list.is_empty() {
            break;
        }
        let rare = list.iter().find(|m| m.is_castle() || m.is_en_passant());
        let m = rare.copied().unwrap_or(list[chance.below(list.len())]);
        let to = match m.is_castle() && chance.below(2) == 0 {
            true => m.king_target(),
            false => m.to(),
        };
        let promotion = m.promotion().map_or(0, |role| role as u32);
        let mut code = u32::from(m.from()) | u32::from(to) << 6 | promotion << 12;
        match chance.below(if wrong { 60 } else { usize::MAX }) {
            0 => code ^= 1 << chance.below(16),
            1 => code = u32::try_from(chance.below(1 << 16)).expect("small"),
            2 => code = 0,
            // The same piece to a neighbouring square.
            3 => code ^= 1 << (6 + chance.below(6)),
            _ => {}
        }
        bytes.extend(u16::try_from(code).expect("two bytes").to_le_bytes());
        // The moves of the column are played as far as possible.
        match parquet::find_move(&board, u16::try_from(code).expect("two bytes")) {
            Some(m) => board.play(m),
            None => board.play(m),
        }
    }
    if wrong && chance.below(9) == 0 {
        bytes.push(7);
    }
    bytes
}

fn one_of<'c>(chance: &mut TestRandom, cells: &[&'c [u8]]) -> CellValue<'c> {
    match chance.below(cells.len() + 1).checked_sub(1) {
        Some(at) => CellValue::Bytes(cells[at]),
        None => CellValue::Null,
    }
}

/// A row that no proper program would write.
fn push_row(chance: &mut TestRandom, group: &mut RowGroupBuilder, number: i64) {
    let fields = parquet::ParquetRowBuffer::fields();
    let moves = moves(chance);
    let rare = |chance: &mut TestRandom| chance.below(8) == 0;
    for (column, field) in fields.iter().enumerate() {
        let cell = match field.name {
            "game" => CellValue::Int(number),
            "moves" => CellValue::Bytes(&moves),
            "plies" => CellValue::Int(i64::try_from(chance.below(300)).expect("small")),
            "white_elo" | "black_elo" => match chance.below(6) {
                0 => CellValue::Int(-5),
                1 => CellValue::Int(0),
                2 => CellValue::Int(70_000),
                3 => CellValue::Null,
                more => CellValue::Int(2000 + i64::try_from(more).expect("small")),
            },
            "white" | "black" => one_of(chance, &[b"Tal, M", b"Bird", b"\xff\xfe", b"", b"?"]),
            "event" | "site" | "round" => one_of(chance, &[b"Open", b"3", b"3.1", b"?", b" "]),
            "result" | "outcome" => {
                one_of(chance, &[b"1-0", b"0-1", b"1/2-1/2", b"*", b"1:0", b"won"])
            }
            "date" | "event_date" => one_of(
                chance,
                &[
                    b"2001.02.03",
                    b"2011.19.11",
                    b"????.??.??",
                    b"1999",
                    b"3.4.2005",
                    b"soon",
                ],
            ),
            "eco" => one_of(chance, &[b"B90", b"B90a", b"b90", b"no", b""]),
            "flags" if rare(chance) => one_of(chance, &[b"D", b"DW!", b"S", b"Z", b""]),
            "fen" if rare(chance) => one_of(
                chance,
                &[
                    b"4k2r/1P6/8/8/8/8/8/R3K3 w Qk - 0 1",
                    b"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
                    b"nonsense",
                    b"",
                ],
            ),
            "variant" if rare(chance) => one_of(chance, &[b"Standard", b"Chess960", b"\xff"]),
            "annotations" if rare(chance) => one_of(
                chance,
                &[
                    b"",
                    &[12],
                    &[10, 1],
                    &[12, 11, 0],
                    &[1, 6],
                    &[0, 2, 5, 8, 0, 0, 6],
                    &[0, 1, 5, 6],
                    &[2, 4, b'o', b'k'],
                    &[0, 200, 200, 9],
                    &[9, 1, 2, 3],
                    &[3, 4, b'o', b'k'],
                    &[6],
                ],
            ),
            "tag_names" if rare(chance) => one_of(
                chance,
                &[
                    b"White\nBlack",
                    b"Black\nWhite\nResult",
                    b"White=\nOwn=",
                    b"=",
                    b"FEN~",
                    b"FEN=",
                    b"WhiteRating=\nWhiteElo",
                    b"Date\nDate~",
                    b"\xff",
                    b"",
                ],
            ),
            "tag_values" if rare(chance) => one_of(
                chance,
                &[b"", &[4, b'a', b'b', 2, b'c'], &[8, b'2'], &[255]],
            ),
            "final_material" | "opening_name" => one_of(chance, &[b"KvK", b"lies"]),
            "home_pawns" | "promotions" => one_of(chance, &[b"EeQ", b"Qq", b"lies", b""]),
            "year" => CellValue::Int(1066),
            _ => CellValue::Null,
        };
        group.push(column, cell);
    }
    group.end_row();
}

#[test]
fn what_a_stranger_writes_is_judged_as_reading_judges_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("strange.parquet");
    let fields = parquet::ParquetRowBuffer::fields();
    let seeds = number_of("TABIYA_SEEDS", 6);
    let (mut moves, mut compared, mut unsaid, mut damaged) = (0, 0, 0, 0);
    for seed in 0..seeds {
        let mut chance = TestRandom::new(seed);
        let mut writer = ParquetWriter::new(&fields, &[], 1, 16).expect("a writer");
        let mut bytes = Vec::new();
        for group in 0..3 {
            let mut rows = RowGroupBuilder::new(&fields);
            for row in 0..70 {
                push_row(&mut chance, &mut rows, group * 70 + row + 1);
            }
            let packed = writer.packer().pack(rows).expect("packed");
            writer.add(packed, &mut bytes).expect("written");
        }
        writer.finish(&[], &mut bytes).expect("written");
        std::fs::write(&path, bytes).expect("written");
        let database = open(&path).expect("opened");
        moves += steps_are_those_of_the_tapes(&*database);
        assert_eq!(games_with_moves(&*database), 0, "a stranger's word");
        let (some, none) = facts_are_those_of_the_games(&*database);
        (compared, unsaid) = (compared + some, unsaid + none);
        damaged += read(&*database)
            .iter()
            .filter(|game| !game.diagnostics.is_empty())
            .count();
    }
    eprintln!("{moves} steps, {compared} fields, {unsaid} unsaid, {damaged} games with findings");
    assert!(moves > 10_000 && compared > 5_000 && damaged > 100);
}

/// Single games in any order are those of a walk, whichever rows are kept from earlier ones.
#[test]
fn single_games_in_any_order_are_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let source = folder.path().join("games.pgn");
    std::fs::write(&source, GAMES.repeat(40)).expect("written");
    let games = games_of(&source, usize::MAX);
    let path = folder.path().join("games.parquet");
    write(&path, &games, false);
    let database = open(&path).expect("opened");
    let all = read(&*database);
    let mut chance = TestRandom::new(5);
    let mut game = Game::default();
    for _ in 0..400 {
        let at = chance.below(all.len());
        for want in [GameNeeds::TAGS, GameNeeds::ALL] {
            let number = at as u64 + 1;
            database.read(number, want, &mut game).expect("read");
            if want == GameNeeds::ALL {
                assert_eq!(game, all[at], "{number}");
            }
        }
    }
}
