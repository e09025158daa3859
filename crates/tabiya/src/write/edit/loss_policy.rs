//! What to do with what a database cannot hold.

use crate::error_codes;
use tabiya_model::editor::{CommentSide, GameEditor};
use tabiya_model::{Error, Game, GameAspect, Loss, Losses, Result, UserHint};

use super::EditPreparation;

/// What to do with what a database cannot hold.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum LossPolicy {
    /// Nothing is changed, and the loss is reported.
    #[default]
    Refuse,
    /// It is kept in a comment before the first move.
    Comment,
    /// It is dropped.
    Drop,
}

/// Whether something is lost that somebody could miss.
fn counts(loss: &&Loss) -> bool {
    !loss.kind.is_layout() && !loss.kind.asked_for && loss.kind.aspect != GameAspect::Database
}

impl EditPreparation<'_> {
    /// Gives a game to the base by a function of it, and decides about what cannot be held; says whether it was taken.
    pub(super) fn put(
        &mut self,
        game: &Game,
        take: impl Fn(&mut Self, &Game, &mut Losses) -> Result<bool>,
        again: impl Fn(&mut Self, &Game, &mut Losses) -> Result<bool>,
    ) -> Result<bool> {
        let mut losses = Losses::default();
        let mut is_taken = take(self, game, &mut losses)?;
        let lost: Vec<Loss> = losses.iter().filter(counts).cloned().collect();
        if !lost.is_empty() {
            let mut new = None;
            match self.options.lossy {
                LossPolicy::Refuse => return Err(self.refusal(game, &lost)),
                LossPolicy::Comment if is_taken => {
                    // Where a place has room for one comment, what is told goes into the one that stands there.
                    for told in self.told(game, &lost)? {
                        let mut more = Losses::default();
                        is_taken = again(self, &told, &mut more)?;
                        new = more
                            .iter()
                            .filter(counts)
                            .find(|loss| !lost.contains(loss))
                            .cloned();
                        if new.is_none() {
                            break;
                        }
                    }
                    if let Some(new) = new {
                        return Err(self.refusal(game, &[new]));
                    }
                }
                LossPolicy::Comment | LossPolicy::Drop => {}
            }
        }
        for loss in losses.iter() {
            self.done.losses.add(loss);
        }
        Ok(is_taken)
    }

    fn refusal(&self, game: &Game, lost: &[Loss]) -> Error {
        let number = game.origin.number;
        let which = match number {
            0 => "the game".to_owned(),
            number => format!("game {number}"),
        };
        let what: Vec<String> = lost.iter().take(3).map(of_loss).collect();
        let more = lost.len().saturating_sub(3);
        let more = match more {
            0 => String::new(),
            more => format!(", and {more} more"),
        };
        let hint = match self.format.capabilities.comments {
            true => UserHint::KeepOrDrop,
            false => UserHint::Drop,
        };
        Error::new(
            &error_codes::WOULD_LOSE,
            format!(
                "{} cannot hold all of {which}: {}{more}; nothing was changed",
                self.format.title,
                what.join("; ")
            ),
        )
        .with_hint(hint)
    }

    /// The game with a comment at its start that tells what cannot be held: one of its own, or else at the end of the one that
    /// stands there.
    fn told(&self, game: &Game, lost: &[Loss]) -> Result<Vec<Game>> {
        if !self.format.capabilities.comments {
            return Err(Error::new(
                &error_codes::WOULD_LOSE,
                format!(
                    "{} has no comments to keep it in; nothing was changed",
                    self.format.title
                ),
            )
            .with_hint(UserHint::Drop));
        }
        let what: Vec<String> = lost.iter().map(of_loss).collect();
        // A brace would end the comment in some formats.
        let text = what.join("; ").replace('{', "(").replace('}', ")");
        let mut editor = GameEditor::new(game.clone())?;
        let last = editor.comments(CommentSide::After)?.pop();
        let last = last.map(|(at, comment)| (at, format!("{comment} {text}")));
        editor.add_comment(CommentSide::After, &text)?;
        let mut told = vec![editor.into_game()];
        if let Some((at, joined)) = last {
            let mut editor = GameEditor::new(game.clone())?;
            editor.set_comment_at(at, &joined)?;
            told.push(editor.into_game());
        }
        Ok(told)
    }
}

fn of_loss(loss: &Loss) -> String {
    if loss.detail.is_empty() {
        return loss.kind.summary.to_owned();
    }
    format!("{} ({})", loss.kind.summary, loss.detail)
}
