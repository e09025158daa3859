//! Stripping games by kind, with the same function for one game and for many.

use tabiya_model::TapeOp;
use tabiya_model::canon_game::canon;
use tabiya_model::command::{CommentCommand, commands};
use tabiya_model::editor::{StripOptions, strip};

use super::games::{self, Wild};

#[test]
fn what_is_stripped_is_gone_and_nothing_else() {
    let mut stripped = [0; StripOptions::KINDS.len()];
    for game in games::games(5, 200, Wild::ALL) {
        for (number, kind) in StripOptions::KINDS.iter().enumerate() {
            let mut what = StripOptions::default();
            assert!(what.add(kind));
            let mut left = game.clone();
            if !strip(&mut left, &what).is_anything() {
                assert!(left == game, "nothing of the kind, nothing changed");
                continue;
            }
            stripped[number] += 1;
            assert!(left != game);
            assert!(
                !strip(&mut left.clone(), &what).is_anything(),
                "nothing more to strip"
            );
            let texts = |op| match op {
                TapeOp::Comment(id) => left.tape.text(id),
                _ => "",
            };
            for op in left.tape.ops() {
                let all: Vec<CommentCommand> = commands(texts(op)).collect();
                let has = |is: fn(&CommentCommand) -> bool| all.iter().any(is);
                let found = match *kind {
                    "variations" => matches!(op, TapeOp::Begin(_)),
                    "nags" => matches!(op, TapeOp::Nag(_)),
                    "clocks" => has(|c| matches!(c, CommentCommand::Clock(..))),
                    "evaluations" => has(|c| matches!(c, CommentCommand::Eval(..))),
                    "marks" => has(|c| !c.marks().is_empty()),
                    _ => false,
                };
                assert!(!found, "{kind}: {op:?} is left");
            }
            let moves = |game: &tabiya_model::Game| game.tape.main_line().collect::<Vec<_>>();
            assert_eq!(moves(&left), moves(&game), "{kind}: the moves stay");
            assert_eq!(canon(&left).start, canon(&game).start);
        }
    }
    // Flags are a tag that these games do not have.
    assert!(
        stripped.iter().take(6).all(|&count| count > 10),
        "{stripped:?}"
    );
}

#[test]
fn tags_are_stripped_by_name_and_flags_with_them() {
    let mut game = games::game(1, Wild::TAME);
    game.tags.push("ScidFlags", "DB");
    game.tags.push("Annotator", "somebody");
    let mut what = StripOptions::default();
    assert!(what.add("flags") && what.add("tag:annotator"));
    assert!(!what.add("tag:") && !what.add("everything"));
    let what = StripOptions {
        tags: vec!["annotator".to_owned()],
        ..what
    };
    let count = game.tags.len();
    assert!(strip(&mut game, &what).is_anything());
    assert_eq!(game.tags.get("ScidFlags"), None);
    assert_eq!(game.tags.get("Annotator"), None);
    assert!(game.tags.len() < count);
}
