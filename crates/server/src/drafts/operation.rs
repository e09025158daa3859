//! The edits that a page can send: those of the library's editor.

use serde::Deserialize;
use tabiya_model::command::{BoardMark, MarkColour, MarkShape};
use tabiya_model::editor::{CommentSide, EditError, GameEditor, GamePatch, PlayMode, StripOptions};
use tabiya_model::nag::Nag;
use tabiya_model::outcome::Outcome;

/// Where a move goes that is not there yet.
#[derive(Copy, Clone, Deserialize, Default)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum MovePlacement {
    #[default]
    Variation,
    MainLine,
    Overwrite,
    Replace,
}

#[derive(Copy, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum CommentSideParameter {
    Before,
    After,
}

/// A wish.
#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) enum DraftOperation {
    Play {
        #[serde(rename = "move")]
        text: String,
        #[serde(default)]
        how: MovePlacement,
        #[serde(default)]
        cut: bool,
    },
    /// Moves one after another, in UCI notation.
    Line {
        moves: Vec<String>,
    },
    Promote,
    PromoteToMain,
    PromoteFully,
    Demote,
    DeleteLine,
    Remove,
    DeleteAfter,
    DeleteBefore,
    Comment {
        side: CommentSideParameter,
        text: String,
        /// It continues what was typed last, and is one step with it.
        #[serde(default)]
        again: bool,
    },
    Nag {
        nag: u32,
    },
    Mark {
        colour: String,
        from: String,
        /// Without it, the square itself is coloured.
        to: Option<String>,
    },
    /// An empty value removes the tag.
    Tag {
        name: String,
        value: String,
    },
    Result {
        result: String,
    },
    /// Without a FEN, the normal starting position.
    Start {
        fen: Option<String>,
        #[serde(default)]
        cut: bool,
    },
    Strip {
        what: Vec<String>,
    },
    Undo,
    Redo,
}

/// A wish as a page sends it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DraftRequest {
    /// The tab that wishes, and its number among the wishes of that tab, which rises: a wish that comes twice is granted once.
    #[serde(default)]
    pub(super) tab: String,
    #[serde(default)]
    pub(super) seq: u64,
    /// The move where it is wished, by its number in reading order after the wishes before it; 0 is the start.
    pub(super) at: usize,
    /// The squares of that move, and how many moves there are: where they are others, the page takes another game for this one.
    #[serde(rename = "move")]
    pub(super) named: Option<String>,
    pub(super) moves: Option<usize>,
    pub(super) wish: DraftOperation,
}

impl DraftRequest {
    /// Whether the tab has a name that can be remembered.
    pub(crate) fn is_sound(&self) -> bool {
        self.tab.len() <= 40 && self.tab.bytes().all(|byte| byte.is_ascii_alphanumeric())
    }
}

fn not_here(what: &str) -> EditError {
    EditError::NotHere {
        what: what.chars().take(80).collect(),
    }
}

fn square(text: &str) -> Result<shakmaty::Square, EditError> {
    text.parse().map_err(|_| not_here(text))
}

/// What granting a wish has done.
#[derive(Default)]
pub(super) struct DraftOperationResult {
    /// The lines by which a draft tells of it; none where nothing has changed.
    pub(super) lines: String,
    /// What became of the game, one after the other.
    pub(super) patches: Vec<GamePatch>,
}

impl DraftOperationResult {
    /// The steps since there were so many.
    fn since(editor: &GameEditor, before: usize) -> DraftOperationResult {
        let mut done = DraftOperationResult::default();
        for change in editor.done().iter().skip(before) {
            done.lines.push_str(&change.to_json(false));
            done.lines.push('\n');
            done.patches.extend_from_slice(&change.does);
        }
        done
    }

    /// A step back.
    fn undone(editor: &mut GameEditor) -> Result<DraftOperationResult, EditError> {
        editor.undo()?;
        let undone = editor.undone().last();
        Ok(DraftOperationResult {
            lines: "{\"undo\":1}\n".to_owned(),
            patches: undone
                .map(|change| change.undoes.clone())
                .unwrap_or_default(),
        })
    }

    fn then(mut self, next: DraftOperationResult) -> DraftOperationResult {
        self.lines.push_str(&next.lines);
        self.patches.extend(next.patches);
        self
    }
}

impl DraftOperation {
    /// Grants it at the cursor.
    pub(super) fn apply(&self, editor: &mut GameEditor) -> Result<DraftOperationResult, EditError> {
        match self {
            DraftOperation::Undo => return DraftOperationResult::undone(editor),
            DraftOperation::Redo => {
                let before = editor.done().len();
                editor.redo()?;
                return Ok(DraftOperationResult {
                    lines: "{\"redo\":1}\n".to_owned(),
                    ..DraftOperationResult::since(editor, before)
                });
            }
            DraftOperation::Comment { again: true, .. }
                if editor
                    .done()
                    .last()
                    .is_some_and(|last| last.wish == "comment" && last.after == editor.place()) =>
            {
                return self.grant_again(editor);
            }
            _ => {}
        }
        let before = editor.done().len();
        self.change(editor)?;
        Ok(DraftOperationResult::since(editor, before))
    }

    /// Takes the last step back first, so that what is typed in one go is one step.
    fn grant_again(&self, editor: &mut GameEditor) -> Result<DraftOperationResult, EditError> {
        let undone = DraftOperationResult::undone(editor)?;
        let before = editor.done().len();
        match self.change(editor) {
            Ok(()) => Ok(undone.then(DraftOperationResult::since(editor, before))),
            Err(error) => {
                editor.redo()?;
                Err(error)
            }
        }
    }

    fn change(&self, editor: &mut GameEditor) -> Result<(), EditError> {
        match self {
            DraftOperation::Play { text, how, cut } => editor.play(
                text,
                match how {
                    MovePlacement::Variation => PlayMode::Variation,
                    MovePlacement::MainLine => PlayMode::MainLine,
                    MovePlacement::Overwrite => PlayMode::Overwrite,
                    MovePlacement::Replace => PlayMode::Replace { cut: *cut },
                },
            ),
            DraftOperation::Line { moves } => editor.together("line", |editor| {
                let start = editor.place();
                for one in moves {
                    editor.play(one, PlayMode::Variation)?;
                }
                editor.go_to(start)
            }),
            DraftOperation::Promote => editor.promote(),
            DraftOperation::PromoteToMain => editor.promote_to_main(),
            DraftOperation::PromoteFully => editor.promote_fully(),
            DraftOperation::Demote => editor.demote(),
            DraftOperation::DeleteLine => editor.delete_line(),
            DraftOperation::Remove => editor.remove(),
            DraftOperation::DeleteAfter => editor.delete_after(),
            DraftOperation::DeleteBefore => editor.delete_before(),
            DraftOperation::Comment { side, text, .. } => editor.set_text(
                match side {
                    CommentSideParameter::Before => CommentSide::Before,
                    CommentSideParameter::After => CommentSide::After,
                },
                text,
            ),
            DraftOperation::Nag { nag } => editor.toggle_nag(Nag(*nag)),
            DraftOperation::Mark { colour, from, to } => {
                let colour = MarkColour::from_name(colour).ok_or_else(|| not_here(colour))?;
                let from = square(from)?;
                editor.toggle_mark(match to {
                    Some(to) => BoardMark::Arrow {
                        from,
                        to: square(to)?,
                        colour,
                    },
                    None => BoardMark::Square {
                        square: from,
                        shape: MarkShape::Full,
                        colour,
                    },
                })
            }
            DraftOperation::Tag { name, value } if value.is_empty() => editor.remove_tag(name),
            DraftOperation::Tag { name, value } => editor.set_tag(name, value),
            DraftOperation::Result { result } => {
                let outcome = Outcome::from_pgn(result).ok_or_else(|| not_here(result))?;
                editor.set_result(outcome)
            }
            DraftOperation::Start { fen, cut } => editor.set_start(fen.as_deref(), *cut),
            DraftOperation::Strip { what } => {
                let mut all = StripOptions::default();
                for word in what {
                    if !all.add(word) {
                        return Err(not_here(word));
                    }
                }
                editor.strip(&all)
            }
            DraftOperation::Undo | DraftOperation::Redo => Ok(()),
        }
    }
}
