//! `edit`: changes a game, step by step like an annotator, and writes it back as one change that can be undone.

use shakmaty::Square;
use tabiya::edit::{self, EditOperation, EditOptions, EditReport, LossPolicy};
use tabiya::report::change_losses_answer;
use tabiya_answers::{Answer, McpEditAnswer};
use tabiya_model::command::{BoardMark, MarkColour, MarkShape};
use tabiya_model::editor::{CommentSide, EditError, GameEditor, PlayMode};
use tabiya_model::nag::Nag;
use tabiya_model::outcome::Outcome;
use tabiya_model::{Error, Game, GameNeeds};

use super::arguments::FieldKind::{Choice, Flag, Text, Variants, Whole};
use super::arguments::{FieldVariant, ToolArguments, ToolField, field, needed};
use super::game::HIGHEST;
use super::{BASE, McpTool, ToolCall, ToolPace};
use crate::bases::McpBase;
use crate::error::McpRefusal;
use crate::jobs::ToolResult;
use crate::tree::{TreeNodes, read_move, words_of_line};

/// Colours of arrows and squares.
const COLOURS: [&str; 11] = [
    "green", "red", "yellow", "blue", "orange", "purple", "pink", "cyan", "white", "black", "gray",
];

const AT: ToolField = needed(
    "at",
    Text,
    "The node, as in `game`; `start` is the start of the game",
);
const SQUARE: &str = "A square, such as e4";

/// The kinds of changes.
static CHANGES: [FieldVariant; 12] = [
    FieldVariant {
        name: "line",
        about: "Adds moves after a node. Existing moves are followed, not added twice",
        fields: &[
            AT,
            needed(
                "moves",
                Text,
                "Moves in standard notation, such as `Nf3 d5 g3`",
            ),
            field(
                "place",
                Choice(&["variation", "main"]),
                "Where a new move goes if the game continues differently (default: variation)",
            ),
        ],
    },
    FieldVariant {
        name: "comment",
        about: "Replaces the comment of a node; an empty text removes it. Clocks, evaluations and arrows are kept",
        fields: &[
            AT,
            needed("text", Text, "The comment"),
            field(
                "side",
                Choice(&["after", "before"]),
                "After the move, or before it (default: after)",
            ),
        ],
    },
    FieldVariant {
        name: "nag",
        about: "Adds or removes a NAG",
        fields: &[
            AT,
            needed(
                "nag",
                Text,
                "A symbol such as !, ?!, +- or a number such as $14",
            ),
            field("remove", Flag, "Remove it"),
        ],
    },
    FieldVariant {
        name: "arrow",
        about: "Draws or removes an arrow in the position of a node",
        fields: &[
            AT,
            needed("from", Text, SQUARE),
            needed("to", Text, SQUARE),
            field("color", Choice(&COLOURS), "The colour (default: green)"),
            field("remove", Flag, "Remove it"),
        ],
    },
    FieldVariant {
        name: "square",
        about: "Colours a square in the position of a node, or removes its colour",
        fields: &[
            AT,
            needed("square", Text, SQUARE),
            field("color", Choice(&COLOURS), "The colour (default: green)"),
            field("remove", Flag, "Remove it"),
        ],
    },
    FieldVariant {
        name: "tag",
        about: "Sets a tag; an empty value removes it",
        fields: &[
            needed("name", Text, "The name, such as White, Event, Date"),
            needed("value", Text, "The value"),
        ],
    },
    FieldVariant {
        name: "result",
        about: "Sets the result",
        fields: &[needed(
            "result",
            Choice(&["1-0", "0-1", "1/2-1/2", "*"]),
            "The result",
        )],
    },
    FieldVariant {
        name: "promote",
        about: "Moves the variation of a node up by one place",
        fields: &[AT],
    },
    FieldVariant {
        name: "demote",
        about: "Moves the variation of a node down by one place",
        fields: &[AT],
    },
    FieldVariant {
        name: "delete_variation",
        about: "Deletes the variation of a node",
        fields: &[AT],
    },
    FieldVariant {
        name: "delete_after",
        about: "Deletes all moves after a node in its line",
        fields: &[AT],
    },
    FieldVariant {
        name: "delete_game",
        about: "Deletes the game (marks or removes it, by the format of the database); must be the only change",
        fields: &[],
    },
];

pub(super) const EDIT: McpTool = McpTool {
    name: "edit",
    title: "Change a game",
    about: "Changes a game of a database: adds lines, comments, NAGs, arrows, tags; or adds a new game. All changes of a \
        call are made one after another, as one step that `undo` undoes; if one of them fails, none is made. Illegal moves \
        are refused with a list of the legal ones. What the database cannot hold is refused with a list of what would be \
        lost.",
    fields: &[
        BASE,
        field(
            "game",
            Whole(1, HIGHEST),
            "The number of the game (default: a new game, which is added at the end)",
        ),
        needed("changes", Variants(&CHANGES), "The changes, in their order"),
        field(
            "losses",
            Choice(&["refuse", "comment", "drop"]),
            "What to do with what the database cannot hold (default: refuse)",
        ),
        field("preview", Flag, "Only report what would be done"),
    ],
    answers: &["McpEditAnswer"],
    pace: ToolPace::Soon,
    writes: true,
    run,
};

/// A database that may be changed.
pub(super) fn editable_base(call: &ToolCall<'_>) -> Result<McpBase, McpRefusal> {
    if !call.server.config.edits {
        return Err(McpRefusal::read_only());
    }
    let base = call.base()?;
    if !base.is_editable {
        return Err(McpRefusal::new(
            "not-changeable",
            format!(
                "{}: databases of this format cannot be changed ({})",
                base.name,
                base.base.format().title
            ),
        )
        .with_help("convert it, and change the copy"));
    }
    Ok(base)
}

fn run(call: &ToolCall<'_>) -> ToolResult {
    let base = editable_base(call)?;
    let changes: Vec<(String, ToolArguments)> = call
        .arguments
        .list("changes")
        .iter()
        .map(|item| {
            let kind = item["kind"].as_str().unwrap_or_default();
            (kind.to_owned(), ToolArguments::of(item))
        })
        .collect();
    let number = call.arguments.number("game");
    if changes.iter().any(|(kind, _)| kind == "delete_game") {
        let (Some(number), [_]) = (number, &changes[..]) else {
            return Err(McpRefusal::new(
                "bad-arguments",
                "delete a game with a call of its own, with its number",
            ));
        };
        // Its number has to be one of the base.
        base.base.read(number, GameNeeds::TAGS)?;
        let operation =
            EditOperation::Delete([number].into_iter().collect::<tabiya::GameNumbers>().into());
        let done = make(call, &base, &operation)?;
        return told(call, &base, Some(number), vec![None], &done);
    }
    let game = match number {
        Some(number) => base.base.read(number, GameNeeds::ALL)?,
        None => Game::default(),
    };
    let mut editor = GameEditor::new(game.clone()).map_err(Error::from)?;
    let mut nodes = Vec::new();
    for (at, (kind, arguments)) in changes.iter().enumerate() {
        let node = change(&mut editor, kind, arguments).map_err(|refusal| refusal.of_change(at))?;
        nodes.push(node);
    }
    if editor.done().is_empty() {
        return told(call, &base, number, nodes, &EditReport::default());
    }
    let mut edited = editor.into_game();
    let operation = match number {
        Some(number) => {
            edited.origin.number = number;
            EditOperation::Replace {
                number,
                game: Box::new(edited),
                was: Some(Box::new(game)),
            }
        }
        None => EditOperation::Add(vec![edited]),
    };
    let done = make(call, &base, &operation)?;
    let number = number.or((!done.added.is_empty()).then_some(done.added.start));
    told(call, &base, number, nodes, &done)
}

fn told(
    call: &ToolCall<'_>,
    base: &McpBase,
    number: Option<u64>,
    nodes: Vec<Option<String>>,
    done: &EditReport,
) -> ToolResult {
    let answer = McpEditAnswer {
        base: base.name.clone(),
        number,
        changed: done.games > 0 && !call.arguments.flag("preview"),
        wish: done.wish.clone(),
        nodes,
        losses: change_losses_answer(&done.losses),
        notes: done.notes.clone(),
    };
    Ok(answer.json())
}

/// Makes a change of the base, unless it is only tried.
fn make(
    call: &ToolCall<'_>,
    base: &McpBase,
    operation: &EditOperation,
) -> Result<EditReport, McpRefusal> {
    let opener = call.server.bases.opener();
    let options = EditOptions {
        lossy: match call.arguments.text("losses") {
            Some("comment") => LossPolicy::Comment,
            Some("drop") => LossPolicy::Drop,
            _ => LossPolicy::Refuse,
        },
        dry_run: call.arguments.flag("preview"),
        ..EditOptions::of_user()?
    };
    let make = |options: &EditOptions| {
        edit::edit_with(
            &opener,
            base.base.path(),
            operation,
            options,
            call.control,
            &mut |_| {},
        )
    };
    match make(&options) {
        Ok(done) => {
            call.whole(done.ended)?;
            if !options.dry_run {
                call.server.bases.changed(&base.name);
            }
            Ok(done)
        }
        Err(error) if *error.code == tabiya::error_codes::WOULD_LOSE => {
            let tried = make(&EditOptions {
                lossy: LossPolicy::Drop,
                dry_run: true,
                ..EditOptions::default()
            });
            let refusal = McpRefusal::from(error);
            Err(match tried {
                Ok(tried) => refusal.with_losses(change_losses_answer(&tried.losses)),
                Err(_) => refusal,
            })
        }
        Err(error) => Err(error.into()),
    }
}

/// Makes one change of a game; gives the node at which it ended.
fn change(
    editor: &mut GameEditor,
    kind: &str,
    arguments: &ToolArguments,
) -> Result<Option<String>, McpRefusal> {
    let text = |name: &str| arguments.raw_text(name).unwrap_or_default();
    if let Some(at) = arguments.text("at") {
        let place = TreeNodes::of(editor.game()).place(at.trim())?;
        granted(editor.go_to(place))?;
    }
    match kind {
        "line" => add_line(
            editor,
            text("moves"),
            arguments.text("place") == Some("main"),
        )?,
        "comment" => {
            let side = match arguments.text("side") {
                Some("before") => CommentSide::Before,
                _ => CommentSide::After,
            };
            granted(editor.set_text(side, text("text")))?;
        }
        "nag" => {
            let told = text("nag").trim();
            let nag = Nag::from_glyph(told)
                .or_else(|| Nag::from_pgn(told))
                .or_else(|| told.trim_start_matches('$').parse().ok().map(Nag))
                .ok_or_else(|| {
                    McpRefusal::new(
                        "bad-nag",
                        format!("{told:.20} is not a NAG: give a symbol such as ! or a number such as $14"),
                    )
                })?;
            granted(match arguments.flag("remove") {
                true => editor.remove_nag(nag),
                false => editor.add_nag(nag),
            })?;
        }
        "arrow" => {
            let (from, to) = (square(text("from"))?, square(text("to"))?);
            let colour = colour(arguments);
            mark(
                editor,
                BoardMark::Arrow { from, to, colour },
                arguments.flag("remove"),
            )?;
        }
        "square" => {
            let mark_of = BoardMark::Square {
                square: square(text("square"))?,
                shape: MarkShape::Full,
                colour: colour(arguments),
            };
            mark(editor, mark_of, arguments.flag("remove"))?;
        }
        "tag" if text("value").is_empty() => granted(editor.remove_tag(text("name")))?,
        "tag" => granted(editor.set_tag(text("name"), text("value")))?,
        "result" => {
            let outcome = Outcome::from_pgn(text("result")).unwrap_or(Outcome::Unknown);
            granted(editor.set_result(outcome))?;
        }
        "promote" => granted(editor.promote())?,
        "demote" => granted(editor.demote())?,
        "delete_variation" => granted(editor.delete_line())?,
        "delete_after" => granted(editor.delete_after())?,
        other => {
            return Err(McpRefusal::new(
                "bad-arguments",
                format!("there is no change {other:.40}"),
            ));
        }
    }
    Ok(match arguments.text("at") {
        Some(_) => TreeNodes::of(editor.game()).id(editor.place()),
        None => None,
    })
}

/// What is so already is no fault: changes can be sent twice.
fn granted(done: Result<(), EditError>) -> Result<(), McpRefusal> {
    match done {
        Ok(()) | Err(EditError::NothingToDo) => Ok(()),
        Err(error) => Err(Error::from(error).into()),
    }
}

/// Plays moves behind the cursor; the ones that are there are gone along.
fn add_line(editor: &mut GameEditor, moves: &str, is_main: bool) -> Result<(), McpRefusal> {
    let words = words_of_line(moves)?;
    if words.is_empty() {
        return Err(
            McpRefusal::new("bad-line", "there is no move in this line").on_board(editor.board())
        );
    }
    for word in words {
        let m = read_move(editor.board(), word)?;
        let how = match is_main {
            true => PlayMode::MainLine,
            false => PlayMode::Variation,
        };
        granted(editor.play_move(m, how))?;
    }
    Ok(())
}

fn square(text: &str) -> Result<Square, McpRefusal> {
    text.trim()
        .parse()
        .map_err(|_| McpRefusal::new("bad-square", format!("{text:.20} is not a square")))
}

fn colour(arguments: &ToolArguments) -> MarkColour {
    let name = arguments.text("color");
    name.and_then(MarkColour::from_name)
        .unwrap_or(MarkColour::Green)
}

/// Draws a mark or takes it away; another colour takes the place of the one that is there.
fn mark(editor: &mut GameEditor, wanted: BoardMark, is_removed: bool) -> Result<(), McpRefusal> {
    let same_place = |other: &BoardMark| match (&wanted, other) {
        (BoardMark::Arrow { from, to, .. }, BoardMark::Arrow { from: a, to: b, .. }) => {
            (from, to) == (a, b)
        }
        (BoardMark::Square { square, .. }, BoardMark::Square { square: other, .. }) => {
            square == other
        }
        _ => false,
    };
    let mut marks = editor.marks();
    let there = marks.iter().position(same_place);
    match (there, is_removed) {
        (None, true) => {
            return Err(McpRefusal::new(
                "no-such-mark",
                "there is no such arrow or coloured square",
            ));
        }
        (Some(at), true) => {
            marks.remove(at);
        }
        (Some(at), false) => {
            if let Some(mark) = marks.get_mut(at) {
                *mark = wanted;
            }
        }
        (None, false) => marks.push(wanted),
    }
    granted(editor.set_marks(&marks))
}
