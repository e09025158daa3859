//! The text of comments: commands put in, replaced and taken out, and everything around them left unchanged.

use std::borrow::Cow;

use crate::command::{CommentCommand, CommentPart, pieces};

/// The kind of a part of a comment.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum CommentPartKind {
    /// Words, and commands of no other kind.
    Text,
    Clock,
    Evaluation,
    Mark,
}

impl CommentPartKind {
    /// The number of kinds.
    pub(super) const COUNT: usize = 4;
}

/// The kind of a piece.
fn kind(piece: &CommentPart<'_>) -> CommentPartKind {
    match piece.command() {
        Some(CommentCommand::Clock(..)) => CommentPartKind::Clock,
        Some(CommentCommand::Eval(..)) => CommentPartKind::Evaluation,
        Some(CommentCommand::Squares(_) | CommentCommand::Arrows(_) | CommentCommand::Draw(_)) => {
            CommentPartKind::Mark
        }
        Some(
            CommentCommand::Medals(_) | CommentCommand::Training(_) | CommentCommand::Other { .. },
        )
        | None => CommentPartKind::Text,
    }
}

/// A comment without the parts that `goes` selects. One space at most is left in their place.
fn filter(comment: &str, goes: impl Fn(&CommentPart<'_>, CommentPartKind) -> bool) -> String {
    let mut out = String::with_capacity(comment.len());
    let mut gap = false;
    for piece in pieces(comment) {
        let kind = kind(&piece);
        if goes(&piece, kind) {
            gap = true;
            continue;
        }
        let mut text = piece.text();
        if std::mem::take(&mut gap) {
            if out.is_empty() || out.ends_with(char::is_whitespace) {
                text = text.trim_start();
            } else if !text.starts_with(char::is_whitespace) {
                out.push(' ');
            }
        }
        out.push_str(text);
    }
    if gap {
        out.truncate(out.trim_end().len());
    }
    out
}

/// A comment without commands of some kinds, or without its text; white space between commands is not text.
pub(super) fn without<'c>(comment: &'c str, kinds: &[CommentPartKind]) -> Cow<'c, str> {
    let goes = |piece: &CommentPart<'_>, kind| {
        let blank = matches!(piece, CommentPart::Text { text, .. } if text.trim().is_empty());
        kinds.contains(&kind) && !blank
    };
    if pieces(comment).all(|piece| !goes(&piece, kind(&piece))) {
        return Cow::Borrowed(comment);
    }
    Cow::Owned(filter(comment, goes).trim().to_owned())
}

/// Replaces the commands that `is` selects, at the place of the first of them, or else at the start.
pub(super) fn with_commands(
    comment: &str,
    new: &[CommentCommand],
    is: impl Fn(&CommentCommand) -> bool,
) -> String {
    let joined: Vec<String> = new.iter().map(ToString::to_string).collect();
    let joined = joined.join(" ");
    let goes = |piece: &CommentPart<'_>, _| piece.command().is_some_and(|command| is(&command));
    let first = pieces(comment).find(|piece| goes(piece, CommentPartKind::Text));
    match first.map(|piece| piece.span()) {
        _ if joined.is_empty() => filter(comment, goes),
        Some(span) => {
            let before = comment.get(..span.start).unwrap_or("");
            let behind = filter(comment.get(span.end..).unwrap_or(""), goes);
            format!("{before}{joined}{behind}")
        }
        None if comment.is_empty() => joined,
        None => format!("{joined} {comment}"),
    }
}

/// A comment with another text and the same commands, which come first.
pub(super) fn with_text(comment: &str, text: &str) -> String {
    let mut out = String::new();
    for piece in pieces(comment) {
        if matches!(piece, CommentPart::Command { .. }) {
            if !out.is_empty() {
                out.push(' ');
            }
            out.push_str(piece.text());
        }
    }
    if !out.is_empty() && !text.is_empty() {
        out.push(' ');
    }
    out.push_str(text);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::{ClockKind, ClockTime};

    const RICH: &str = "[%eval 0.17] [%clk 0:01:00] fine [%csl Gd4] [%foo 1] move";

    #[test]
    fn kinds_are_taken_out_alone() {
        assert_eq!(
            without(RICH, &[CommentPartKind::Clock]),
            "[%eval 0.17] fine [%csl Gd4] [%foo 1] move"
        );
        assert_eq!(
            without(RICH, &[CommentPartKind::Text]),
            "[%eval 0.17] [%clk 0:01:00] [%csl Gd4]"
        );
        assert_eq!(
            without(
                RICH,
                &[
                    CommentPartKind::Clock,
                    CommentPartKind::Evaluation,
                    CommentPartKind::Mark
                ]
            ),
            "fine [%foo 1] move"
        );
        assert_eq!(without("[%clk 0:01:00]", &[CommentPartKind::Clock]), "");
        assert_eq!(
            without("only words", &[CommentPartKind::Clock]),
            "only words"
        );
    }

    #[test]
    fn commands_take_the_place_of_their_like() {
        let is_clock = |command: &CommentCommand| matches!(command, CommentCommand::Clock(..));
        let clock = CommentCommand::Clock(
            ClockKind::Remaining,
            ClockTime::parse("0:00:59").expect("a time"),
        );
        assert_eq!(
            with_commands(RICH, std::slice::from_ref(&clock), is_clock),
            "[%eval 0.17] [%clk 0:00:59] fine [%csl Gd4] [%foo 1] move"
        );
        assert_eq!(
            with_commands("fine", std::slice::from_ref(&clock), is_clock),
            "[%clk 0:00:59] fine"
        );
        assert_eq!(with_commands("", &[clock], is_clock), "[%clk 0:00:59]");
        assert_eq!(
            with_commands("a [%clk 0:01:00] b [%clk 0:02:00]", &[], is_clock),
            "a b"
        );
        assert_eq!(
            with_text(RICH, "new"),
            "[%eval 0.17] [%clk 0:01:00] [%csl Gd4] [%foo 1] new"
        );
    }
}
