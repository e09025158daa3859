//! Tests of reading on small texts.

use tabiya_model::board::Board;
use tabiya_model::database::{Want, for_each_game};
use tabiya_model::game::Game;
use tabiya_model::tape::{Op, Replay};

use super::blocks::PgnSource;
use crate::format::OpenOptions;

/// All games of a text, read in blocks of a size.
fn games_with(text: &[u8], options: &OpenOptions, want: Want, block: usize) -> Vec<Game> {
    let input = Box::new(std::io::Cursor::new(text.to_vec()));
    let mut source = PgnSource::new(input, "test".to_owned(), options, None).with_block_size(block);
    let mut games = Vec::new();
    for_each_game(&mut source, want, |game| {
        games.push(game.clone());
        Ok(())
    })
    .unwrap_or_else(|error| panic!("{error}"));
    games
}

fn games(text: &str) -> Vec<Game> {
    games_with(text.as_bytes(), &OpenOptions::default(), Want::ALL, 1 << 20)
}

/// The movetext of a game in a short form.
fn show(game: &Game) -> String {
    let mut replay = Replay::new(&game.start_board());
    let mut words = Vec::new();
    for op in game.tape.ops() {
        let word = match op {
            Op::Move(m) => {
                let mut san = Vec::new();
                let mut board: Board = replay.now().clone();
                board.play_san(m, &mut san);
                String::from_utf8_lossy(&san).into_owned()
            }
            Op::Nag(nag) => format!("${}", nag.0),
            Op::Comment(id) => format!("{{{}}}", game.tape.text(id)),
            Op::Raw(id) => format!("<{}>", game.tape.text(id)),
            Op::Ext(index) => format!("ext{index}"),
            Op::Begin(_) => "(".to_owned(),
            Op::End => ")".to_owned(),
            Op::Outcome(outcome) => outcome.as_pgn().to_owned(),
        };
        words.push(word);
        replay.follow(op);
    }
    words.push(game.outcome.map_or("-", |o| o.as_pgn()).to_owned());
    words.join(" ")
}

fn codes(game: &Game) -> Vec<&'static str> {
    game.diagnostics.iter().map(|d| d.code.name).collect()
}

#[test]
fn an_ordinary_game() {
    let games = games(
        "[Event \"A\"]\n[White \"O\\\"N\\\\eill\"]\n[Result \"1-0\"]\n\n\
         1. e4 $1 e5!? {two\nlines} 2. Nf3 (2. Nc3 Nc6 (2... Nf6) 3. f4) (2. d4) 2... Nc6 ; rest\n3. Bb5 a6 1-0\n",
    );
    assert_eq!(games.len(), 1);
    let game = &games[0];
    assert_eq!(game.tags.get("White"), Some("O\"N\\eill"));
    assert_eq!(
        show(game),
        "e4 $1 e5 $5 {two\nlines} Nf3 ( Nc3 Nc6 ( Nf6 ) f4 ) ( d4 ) Nc6 { rest} Bb5 a6 1-0"
    );
    assert_eq!(codes(game), [""; 0]);
}

#[test]
fn the_next_game_is_read_after_a_bad_move() {
    let games = games(
        "[White \"A\"]\n\n1. e4 e5 2. Qh9 Nc6 (2... d6 3. d4) 1-0\n\n[White \"B\"]\n\n1. d4 *\n",
    );
    assert_eq!(games.len(), 2);
    assert_eq!(show(&games[0]), "e4 e5 <Qh9 Nc6 (2... d6 3. d4)> 1-0");
    assert_eq!(games[1].origin.line, 5);
    assert_eq!(show(&games[1]), "d4 *");
}

#[test]
fn the_place_of_an_unreadable_move_is_told() {
    let games = games("[White \"A\"]\n\n1. e4 e5\n2. Ke3 Nc6 1-0\n");
    assert_eq!(show(&games[0]), "e4 e5 <Ke3 Nc6> 1-0");
    let finding = games[0].diagnostics.iter().next().map(ToString::to_string);
    assert_eq!(
        finding.as_deref(),
        Some(
            "damage: game 1, line 4, column 4, byte 25, ply 2 (move 2.): the move \"Ke3\" cannot be played in \
             rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2 (no such move); the rest of the line is kept \
             as text [pgn-unreadable-move]"
        )
    );
}
