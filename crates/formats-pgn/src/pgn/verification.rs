//! The settings of a writer, for reading its output again and comparing it with the source.

use tabiya_model::{Game, Result, Tape, TapeOp};

use super::board_marks::translate;
use super::settings::PIECE_LETTERS;
use super::style::PgnStyle;
use tabiya_codec::options::FormatSettings;

/// The reader settings for a file that was written with some settings.
///
/// # Errors
/// If an option does not accept its value.
pub fn reread_settings(written_with: &FormatSettings) -> Result<FormatSettings> {
    match PgnStyle::of(written_with)?.pieces {
        Some(pieces) => FormatSettings::default().with(&PIECE_LETTERS, &pieces.letters()),
        None => Ok(FormatSettings::default()),
    }
}

/// Translates the marks in the comments of a game according to the settings of a writer.
///
/// # Errors
/// If an option does not accept its value.
pub fn translate_marks(settings: &FormatSettings, game: &mut Game) -> Result<()> {
    let Some(wanted) = PgnStyle::of(settings)?.marks else {
        return Ok(());
    };
    let old = std::mem::take(&mut game.tape);
    let mut tape = Tape::default();
    for op in old.ops() {
        match op {
            TapeOp::Comment(id) => match translate(old.text(id), wanted).0 {
                text if text == old.text(id) => tape.push_from(&old, op),
                text => {
                    tape.push_comment(&text);
                }
            },
            _ => tape.push_from(&old, op),
        }
    }
    game.tape = tape;
    Ok(())
}
