//! The starting position and the variant in the tags of a game. Readers and writers of all formats use this module, so
//! that all of them read the same tags alike.

use crate::board::Board;
use crate::game::{StartingPosition, Variant};

/// The beginning of a game by its tags.
#[derive(Debug, Default)]
pub struct SetupTags {
    /// The position.
    pub start: StartingPosition,
    /// The variant; another one if the position is not valid.
    pub variant: Variant,
    /// The position as the tag has it, unless that is empty.
    pub fen: Option<String>,
    /// Why it is not valid.
    pub fault: Option<String>,
    /// The variant as the tag has it.
    pub name: Option<String>,
}

/// Whether a tag with this name describes the start of a game.
pub fn decides(name: &str) -> bool {
    name.eq_ignore_ascii_case("FEN") || name.eq_ignore_ascii_case("Variant")
}

/// The start of a game in tags, as names and values. If a tag occurs twice, the first one counts.
pub fn beginning<'t>(tags: impl Iterator<Item = (&'t str, &'t str)>) -> SetupTags {
    let (mut fen, mut name) = (None, None);
    for (tag, value) in tags {
        if tag.eq_ignore_ascii_case("FEN") {
            fen = fen.or(Some(value));
        } else if tag.eq_ignore_ascii_case("Variant") {
            name = name.or(Some(value));
        }
    }
    let mut found = SetupTags {
        variant: name.map_or(Variant::Standard, Variant::from_name),
        fen: fen.filter(|fen| !fen.trim().is_empty()).map(str::to_owned),
        name: name.map(str::to_owned),
        ..SetupTags::default()
    };
    match found.fen.as_deref().map(Board::from_fen) {
        None => {}
        Some(Ok((board, problems))) => {
            if found.variant == Variant::Standard && board.is_chess960() {
                found.variant = Variant::Chess960;
            }
            found.start = StartingPosition::Setup(Box::new(board), problems);
        }
        Some(Err(error)) => {
            found.fault = Some(error.to_string());
            found.variant = Variant::Other;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_tags_count_and_empty_ones_say_nothing() {
        let variant = |tags: &[(&str, &str)]| beginning(tags.iter().copied()).variant;
        assert_eq!(variant(&[]), Variant::Standard);
        assert_eq!(variant(&[("FEN", " ")]), Variant::Standard);
        assert_eq!(variant(&[("FEN", ""), ("FEN", "?")]), Variant::Standard);
        assert_eq!(variant(&[("fen", "?")]), Variant::Other);
        assert_eq!(
            variant(&[("variant", "Atomic"), ("Variant", "")]),
            Variant::Other
        );
    }
}
