//! The targets of the editor: any script of wishes over any game, and drafts that somebody else wrote.

use std::io::Cursor;

use tabiya_formats::{format::OpenOptions, pgn};
use tabiya_model::{
    Game, GameNeeds,
    database::for_each_game,
    editor::{GameEditor, laws},
};

use crate::FuzzTarget;

/// So many bytes at the end of an input are the script, the others the game.
const SCRIPT: usize = 96;
/// Games for the laws are shorter: each wish looks at all of their moves.
const LONGEST: usize = 4096;

/// The targets of the editor.
pub fn targets() -> Vec<FuzzTarget> {
    vec![
        FuzzTarget {
            words: &[
                "(",
                ")",
                "{",
                "}",
                "1. e4 ",
                "1... c5 ",
                "$1",
                "[%clk 0:01:02]",
                "Nf3",
                " *\n\n",
            ],
            ..FuzzTarget::new("editor", "pgn", ".pgn", Box::new(scripts))
        },
        FuzzTarget {
            words: &[
                "{\"draft\":1,",
                "\"tape\":[",
                "\"tags\":[",
                "\"start\":{\"fen\":",
                "\"outcome\":",
                "{\"wish\":\"\",\"from\":0,\"to\":0,\"do\":[{",
                "{\"undo\":1}\n",
                "{\"redo\":1}\n",
                "{\"go\":0}\n",
                "[0,1]",
                "\"(\"",
                "\")\"",
                "\"Pe2-e4\"",
                "\"--\"",
                "{\"comment\":\"",
                "\"charset\":\"cp1252\"",
                "\"bytes\":\"ff\"",
            ],
            ..FuzzTarget::new("draft", "editor", ".draft", Box::new(draft))
        },
    ]
}

fn scripts(parts: &[&[u8]]) {
    let mut bytes = parts.concat();
    bytes.truncate(LONGEST);
    let script = bytes.split_off(bytes.len().saturating_sub(SCRIPT));
    let Some(stream) = pgn::FORMAT.stream else {
        return;
    };
    let Ok(mut source) = stream(Box::new(Cursor::new(bytes)), &OpenOptions::default()) else {
        return;
    };
    let mut first: Option<Game> = None;
    let _ = for_each_game(&mut *source, GameNeeds::ALL, |game| {
        first.get_or_insert_with(|| game.clone());
        Ok(())
    });
    laws::check(&first.unwrap_or_default(), &script);
}

fn draft(parts: &[&[u8]]) {
    let bytes = parts.concat();
    let text = String::from_utf8_lossy(&bytes);
    let Ok(editor) = GameEditor::from_draft(&text) else {
        return;
    };
    let again = GameEditor::from_draft(&editor.to_draft()).expect("our own draft can be read");
    assert!(again.game() == editor.game(), "and is the same session");
    assert!(again.done() == editor.done() && again.undone() == editor.undone());
    // Its game is like any other.
    let script: Vec<u8> = bytes.iter().copied().rev().take(24).collect();
    laws::check(editor.game(), &script);
}
