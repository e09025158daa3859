//! What is undone in a text is there again byte for byte, whoever wrote it.

use super::*;

/// Texts in somebody's own style, with everything that writing them anew would change.
const STYLES: [(&str, &[u8]); 5] = [
    (
        "odd.pgn",
        b"; a line of somebody's\n[Event   \"One\"]\n[White \"A\"]\n\n1.e4   e5{ (closed) }2.Nf3 1-0\n\n\n\n\
          [White \"B\"]\n[Event \"Two\"]\n\n1. d4 d5\n2. c4 *\n[White \"C\"]\n\n1. c4 $1 1/2-1/2",
    ),
    (
        "returns.pgn",
        b"[White \"A\"]\r\n\r\n1. e4 e5 (1... c5\r\n2. Nf3) 1-0\r\n\r\n[White \"B\"]\r\n\r\n1.d4 *\r\n\r\n\
          [White \"C\"]\r\n\r\n1. Nf3 {so}   *\r\n",
    ),
    (
        "mark.pgn",
        b"\xef\xbb\xbf[White \"\xc3\x84\"]\n\n1. e4 *\n\n[White \"B\"]\n\n1. d4  *\n\n[White \"C\"]\n\n1. c4 *\n",
    ),
    (
        "latin.pgn",
        b"[White \"M\xfcller\"]\n[Black \"S\xe9v\xe9rin\"]\n\n1. e4 {sch\xf6n} *\n\n[White \"B\"]\n\n1.d4 *\n\n[White \"G\xf6tz\"]\n\n1. c4 *\n\n",
    ),
    (
        "own.ndjson",
b"{\"schema\":\"tabiya-game-1\", \"tags\":[[\"White\",\"A\"]], \"moves\":[{\"uci\":\"e2e4\"}]}\n\
          {\"schema\":\"tabiya-game-1\",  \"tags\":[[\"White\",\"B\"]],  \"moves\":[{\"uci\":\"d2d4\"}]}\n\
          {\"schema\":\"tabiya-game-1\",\"tags\":[[\"White\",\"C\"]],\"moves\":[{\"uci\":\"c2c4\"}]}",
    ),
];

#[test]
fn what_is_undone_is_there_again_byte_for_byte() {
    for (name, text) in STYLES {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("written");
        assert_eq!(games(&path).len(), 3, "{name}");
        let strip = |number| {
            let mut what = tabiya_model::editor::StripOptions::default();
            assert!(what.add("comments") && what.add("nags") && what.add("variations"));
            EditOperation::Strip {
                games: only(number).into(),
                what,
            }
        };
        let mut wishes = vec![
            EditOperation::Append(source(folder.path(), &["Tal", "Keres"])),
            sort("-white"),
            EditOperation::Delete((1..4).into()),
            flags(2, "KW", ""),
        ];
        for number in 1..=3 {
            wishes.push(set(number, "Somebody"));
            wishes.push(strip(number));
            wishes.push(EditOperation::Delete(only(number).into()));
        }
        wishes.push(EditOperation::Delete(vec![1..2, 3..4].into()));
        for wish in &wishes {
            let done = change(&path, wish);
            if done
                .unwrap_or_else(|error| panic!("{name}: {wish:?}: {error}"))
                .games
                == 0
            {
                continue;
            }
            change(&path, &EditOperation::Undo)
                .unwrap_or_else(|error| panic!("{name}: {wish:?}: {error}"));
            let found = std::fs::read(&path).expect("read");
            if name == "odd.pgn" && matches!(wish, EditOperation::Sort(_)) {
                // A line before the first game can stand before no other one: it has become a comment.
                assert!(found.ends_with(b"1. c4 $1 1/2-1/2\n\n"));
                std::fs::write(&path, text).expect("written");
                continue;
            }
            assert_eq!(
                String::from_utf8_lossy(&found),
                String::from_utf8_lossy(text),
                "{name}: {wish:?}"
            );
            assert!(found == text);
        }
        // One behind the other, and all taken back.
        let mut states = vec![text.to_vec()];
        for at in [0, 4, 5, 3, 6, 9, 2] {
            let wish = &wishes[at];
            if change(&path, wish).is_err() {
                // There are not so many games any more.
                continue;
            }
            states.push(std::fs::read(&path).expect("read"));
        }
        states.dedup();
        for state in states.iter().rev().skip(1) {
            change(&path, &EditOperation::Undo).expect("undone");
            assert_eq!(
                String::from_utf8_lossy(&std::fs::read(&path).expect("read")),
                String::from_utf8_lossy(state),
                "{name}"
            );
        }
    }
}

#[test]
fn a_game_comes_back_in_its_own_bytes() {
    let (name, text) = STYLES[0];
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(name);
    std::fs::write(&path, text).expect("written");
    change(&path, &set(2, "D")).expect("set");
    change(&path, &sort("-white")).expect("sorts");
    change(&path, &set(1, "E")).expect("set");
    let versions = history(&path).versions(1, 3).expect("found");
    assert_eq!(versions.len(), 2);
    let restore = EditOperation::Restore {
        number: Some(1),
        version: 1,
    };
    change(&path, &restore).expect("restored");
    let found = String::from_utf8(std::fs::read(&path).expect("read")).expect("text");
    assert!(found.contains("1. d4 d5\n2. c4 *"), "{found}");
    // Games that were taken out can be added again, and are followed from before they were.
    change(&path, &EditOperation::Delete(only(1).into())).expect("taken out");
    change(&path, &EditOperation::Undo).expect("put back");
    let ids = |number| -> Vec<u64> {
        let versions = history(&path).versions(number, 3).expect("found");
        versions.iter().map(|found| found.change.id).collect()
    };
    assert_eq!(ids(1), [4, 3, 1]);
    assert_eq!(ids(2), Vec::<u64>::new());
    change(&path, &EditOperation::Delete(only(1).into())).expect("taken out");
    let back = EditOperation::Restore {
        number: None,
        version: 7,
    };
    change(&path, &back).expect("added");
    let found = String::from_utf8(std::fs::read(&path).expect("read")).expect("text");
    assert!(found.trim_end().ends_with("1. d4 d5\n2. c4 *"), "{found}");
    assert_eq!(games(&path).len(), 3);
}
