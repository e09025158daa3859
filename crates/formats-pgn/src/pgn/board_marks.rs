//! Converts marks on boards between the commands of Lichess and those of Scid.

use tabiya_model::command::{BoardMark, CommentPart, marks_to_lichess, marks_to_scid, pieces};

use super::style::BoardMarkStyle;

/// A comment with its marks in the wanted form, and how many of them lost their shape. The marks are put where the first of
/// them was; everything else is unchanged.
pub(super) fn translate(comment: &str, wanted: BoardMarkStyle) -> (String, usize) {
    let marks_of = |piece: &CommentPart<'_>| piece.command().map(|command| command.marks());
    let marks: Vec<BoardMark> = pieces(comment)
        .filter_map(|piece| marks_of(&piece))
        .flatten()
        .collect();
    if marks.is_empty() {
        return (comment.to_owned(), 0);
    }
    let (commands, reshaped) = match wanted {
        BoardMarkStyle::Lichess => marks_to_lichess(&marks),
        BoardMarkStyle::Scid => (marks_to_scid(&marks), 0),
    };
    let mut translated = String::with_capacity(comment.len());
    let mut pending = Some(commands);
    for piece in pieces(comment) {
        if marks_of(&piece).is_none_or(|marks| marks.is_empty()) {
            translated.push_str(piece.text());
        } else if let Some(commands) = pending.take() {
            for command in commands {
                translated.push_str(&command.to_string());
            }
        }
    }
    (translated, reshaped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_go_both_ways() {
        let (scid, lost) = translate("see [%csl Gd4][%cal Re2e4] here", BoardMarkStyle::Scid);
        assert_eq!(lost, 0);
        assert!(
            scid.starts_with("see [%draw ") && scid.ends_with("] here"),
            "{scid}"
        );
        assert_eq!(
            translate(&scid, BoardMarkStyle::Lichess).0,
            "see [%csl Gd4][%cal Re2e4] here"
        );
        assert_eq!(
            translate("[%clk 0:01:00]", BoardMarkStyle::Scid).0,
            "[%clk 0:01:00]"
        );
    }
}
