//! Random games, written: the files obey their own laws, moves have the words that an encoder of the tests gives them, and what
//! is read is what was written, or it was told.

use tabiya_model::diff::diff;
use tabiya_model::game::{StartingPosition, Variant};
use tabiya_model::tape::TapeOp;
use tabiya_model::{Game, Losses, Severity};

use super::files::{Files, notes, number};
use super::{read, write};
use crate::cbh::encode::tree;
use crate::cbh2::encode;
use crate::cbh2::games::{self, Wild};

const GAMES: usize = 60;

fn seeds() -> u64 {
    match tabiya_testing::is_full() {
        true => 200,
        false => 6,
    }
}

/// Whether something was told about a game.
fn is_told(losses: &Losses, game: &Game) -> bool {
    losses.iter().any(|loss| loss.game == game.origin.number)
}

/// The words of a game, by the tests' own encoder; nothing for starts that are told as changed.
fn words(game: &Game, start: Option<u16>) -> Vec<u8> {
    let board = game.start_board();
    let mut words = match (&game.start, start) {
        (StartingPosition::Standard, _) => Vec::new(),
        (_, Some(number)) => vec![0xfffb, number],
        _ => encode::setup(&board, game.variant == Variant::Chess960),
    };
    words.push(0xfffc);
    words.extend(encode::lines(&tree(game), &board, start));
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

#[test]
fn random_games_are_written_by_the_laws_of_the_format() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("law.2cbh");
    let (mut compared, mut whole, mut annotations) = (0, 0, 0);
    for seed in 0..seeds() {
        for wild in [
            Wild::TAME,
            Wild {
                starts: true,
                ..Wild::TAME
            },
            Wild::ALL,
        ] {
            let games = games::games(seed, GAMES, wild);
            let losses = write(&path, &games);
            let files = Files::of(&path, true);
            files.hold_together();
            assert_eq!(files.headers.len(), games.len() + 1);
            let copies = read(&path, true);
            for (game, copy) in games.iter().zip(&copies) {
                let place = format!("seed {seed}, {wild:?}, game {}", game.origin.number);
                let damage = copy.diagnostics.at_least(Severity::Warning);
                let is_sound = matches!(&game.start, StartingPosition::Standard);
                assert!(
                    !is_sound || damage == 0 || wild.oddities,
                    "{place}: {:?}",
                    copy.diagnostics
                );
                let wrong = copy.diagnostics.count_of("2cbh-wrong-field");
                assert_eq!(wrong, 0, "{place}: {:?}", copy.diagnostics);
                let differences = diff(game, copy);
                assert!(
                    differences.is_empty() || is_told(&losses, game),
                    "{place}: {differences:?}"
                );
                whole += usize::from(differences.is_empty());
                let at = game.origin.number as usize;
                let frame = files.moves_of(at);
                let number_of_start = number::<2>(&files.headers[at], 0x80) as u16;
                annotations += notes(&files.notes_of(at).expect("annotations").content)
                    .0
                    .len();
                // What is not legal has no words in the tests' encoder.
                let is_plain = !game.tape.ops().any(|op| {
                    matches!(op, TapeOp::Raw(_) | TapeOp::Ext(_))
                        || matches!(op, TapeOp::Move(m) if m.is_null())
                });
                let tells_moves = losses.iter().any(|loss| {
                    loss.game == game.origin.number
                        && !["2cbh-tag", "2cbh-layout", "2cbh-comment-moved"]
                            .contains(&loss.kind.name)
                });
                if is_plain && !tells_moves && game.variant == Variant::Standard {
                    assert_eq!(frame.tag, 1, "{place}");
                    assert_eq!(frame.content, words(game, None), "{place}");
                    compared += 1;
                } else if is_plain && !tells_moves {
                    assert_eq!(frame.tag, 2, "{place}");
                    assert!(number_of_start >= 64_576, "{place}");
                    compared += 1;
                }
            }
        }
    }
    eprintln!(
        "{compared} games compared word by word, {whole} without a difference, {annotations} annotations"
    );
    assert!(compared > 300 && whole > 100 && annotations > 3_000);
}

#[test]
fn every_start_of_chess960_is_written_by_its_number() {
    let mut games = Vec::new();
    for start in (0..960_u16).filter(|start| *start != 518) {
        let (board, problems) = tabiya_formats::cbh2::start::chess960_board(start);
        let mut game = Game {
            variant: Variant::Chess960,
            start: StartingPosition::Setup(Box::new(board), problems),
            ..Game::default()
        };
        game.origin.number = games.len() as u64 + 1;
        game.tags.push("CbhStartNumber", &start.to_string());
        games.push((start, game));
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("starts.2cbh");
    let plain: Vec<Game> = games.iter().map(|(_, game)| game.clone()).collect();
    write(&path, &plain);
    let files = Files::of(&path, true);
    for ((start, game), copy) in games.iter().zip(read(&path, true)) {
        let frame = files.moves_of(game.origin.number as usize);
        assert_eq!((frame.tag, &frame.content), (2, &words(game, Some(*start))));
        assert_eq!(copy.start_board().to_fen(), game.start_board().to_fen());
        assert_eq!(copy.tags.value("CbhStartNumber"), start.to_string());
    }
}

#[test]
fn an_empty_database_is_the_one_of_the_description() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("empty.2cbh");
    write(&path, &[]);
    let sizes = ["2cbh", "2cbg", "2cba", "2lid", "2lgd", "2lcd"]
        .map(|extension| super::file(&path, extension).len());
    assert_eq!(sizes, [192, 12, 12, 184, 12, 10 * 4096]);
    assert_eq!(super::file(&path, "2cbg")[10..], [1, 0]);
    Files::of(&path, true).hold_together();
    assert!(read(&path, true).is_empty());
}

#[test]
fn long_lists_and_many_names_have_blocks_and_pages() {
    let mut games = Vec::new();
    let count = if tabiya_testing::is_full() {
        120_000
    } else {
        12_000
    };
    for number in 1..=count {
        let mut game = Game::default();
        game.origin.number = number;
        game.tags
            .push("Event", if number % 3 == 0 { "Third" } else { "" });
        game.tags
            .push("White", &format!("Player {}, A", number / 2));
        game.tags
            .push("Black", if number % 2 == 0 { "Müller, B" } else { "Tal" });
        games.push(game);
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("many.2cbh");
    let losses = write(&path, &games);
    let files = Files::of(&path, true);
    files.hold_together();
    assert!(files.names[0].len() as u64 > count / 2);
    let copies = read(&path, true);
    for (game, copy) in games.iter().zip(&copies) {
        assert!(diff(game, copy).is_empty() || is_told(&losses, game));
        assert_eq!(copy.tags.value("White"), game.tags.value("White"));
    }
}
