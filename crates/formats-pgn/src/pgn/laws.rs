//! Laws for every input of the reader, for tests and fuzzing.

use std::io::Cursor;

use tabiya_model::database::{GameNeeds, for_each_game};
use tabiya_model::error::ErrorKind;
use tabiya_model::game::Game;
use tabiya_model::tape::TapeOp;

use super::source::PgnSource;
use tabiya_codec::format::OpenOptions;

/// Every game of some bytes, read in blocks of a given size.
pub(super) fn games(
    bytes: &[u8],
    options: &OpenOptions,
    want: GameNeeds,
    block: usize,
) -> Result<Vec<Game>, ErrorKind> {
    let input = Box::new(Cursor::new(bytes.to_vec()));
    let mut source = PgnSource::new(input, "test".to_owned(), options, None).with_block_size(block);
    let mut games = Vec::new();
    for_each_game(&mut source, want, |game| {
        games.push(game.clone());
        Ok(())
    })
    .map_err(|error| error.kind)?;
    Ok(games)
}

/// Reads bytes in several ways.
///
/// # Panics
///
/// If the games depend on the size of blocks or on the needs, or if they are not in the bytes one after the other.
pub fn check(bytes: &[u8], options: &OpenOptions) {
    let whole = games(bytes, options, GameNeeds::ALL, usize::MAX / 4);
    for block in [1, 7, 100, 4096] {
        let some = games(bytes, options, GameNeeds::ALL, block);
        assert!(whole == some, "blocks of {block} bytes give other games");
    }
    let tags = games(bytes, options, GameNeeds::TAGS, 500);
    let main = games(bytes, options, GameNeeds::MAIN_LINE, 500);
    let (Ok(whole), Ok(tags), Ok(main)) = (whole, tags, main) else {
        return;
    };
    assert_eq!(whole.len(), tags.len(), "games by their tags");
    assert_eq!(whole.len(), main.len(), "games by their main lines");
    let mut last = 0;
    for (number, ((all, tags), main)) in (1..).zip(whole.iter().zip(&tags).zip(&main)) {
        assert_eq!(all.origin.number, number);
        assert!(all.origin.byte >= last, "game {number} begins too early");
        last = all.origin.byte + all.origin.length;
        assert_eq!(all.origin, tags.origin, "game {number}");
        assert_eq!(all.origin, main.origin, "game {number}");
        assert!(
            all.tags == tags.tags && all.tags == main.tags,
            "game {number}"
        );
        assert_eq!(all.outcome, tags.outcome, "game {number}");
        assert_eq!(all.outcome, main.outcome, "game {number}");
        assert_eq!(all.start, main.start, "game {number}");
        let moves = |game: &Game| game.tape.main_line().map(TapeOp::Move).collect::<Vec<_>>();
        assert_eq!(moves(all), moves(main), "game {number}");
        assert_eq!(all.tape.depth(), 0, "game {number}");
    }
}
