//! Answers that are PGN.

use std::io::{Read, Seek as _};
use std::ops::ControlFlow;

use tabiya_formats::format::OpenOptions;
use tabiya_formats::pgn::FORMAT;
use tabiya_model::database::for_each_game;
use tabiya_model::{Control, Game, GameNeeds};

use crate::client::FetchData;
use crate::site::FetchSettings;
use crate::{FetchError, Result};

/// The most games of one answer, which are in memory together: an issue, a study or a broadcast has some thousands.
const MOST: usize = 200_000;

/// Takes one more game of an answer.
fn take(games: &mut Vec<Game>, game: &Game, site: &str) -> Result<()> {
    if games.len() >= MOST {
        return Err(FetchError::TooMany {
            site: site.to_owned(),
            limit: MOST,
        });
    }
    games.push(game.clone());
    Ok(())
}

/// All games of an answer. It is whole before the first game is read.
pub(crate) fn games(data: FetchData, settings: &FetchSettings) -> Result<Vec<Game>> {
    let site = data.site.clone();
    let failed = |error| FetchError::File {
        file: "a temporary file".to_owned(),
        error,
    };
    let mut file = tempfile::tempfile().map_err(failed)?;
    data.save(&mut file, settings.answer_bytes)?;
    file.rewind().map_err(failed)?;
    games_in(Box::new(file), &site, settings)
}

/// All games of what a reader brings.
pub(crate) fn games_in(
    reader: Box<dyn Read + Send>,
    site: &str,
    settings: &FetchSettings,
) -> Result<Vec<Game>> {
    let mut options = OpenOptions::default();
    options.limits.game_bytes = settings.game_bytes;
    let not_data = || FetchError::NotData {
        site: site.to_owned(),
        wanted: "games in PGN",
    };
    let open = FORMAT.stream.ok_or_else(not_data)?;
    let mut stream = open(reader, &options)?;
    let mut games = Vec::new();
    let mut taken = Ok(());
    let read = for_each_game(&mut *stream, GameNeeds::ALL, |game| {
        taken = take(&mut games, game, site);
        match taken {
            Ok(()) => Ok(()),
            // It only ends the reading; what is told is the other error.
            Err(_) => Err(std::io::Error::from(std::io::ErrorKind::FileTooLarge).into()),
        }
    });
    taken?;
    read?;
    if !games.is_empty() && games.iter().all(|game| game.tags.is_empty()) {
        return Err(not_data());
    }
    Ok(games)
}

/// All games of bases.
pub(crate) fn games_of(bases: &[tabiya::Base], site: &str, control: &Control) -> Result<Vec<Game>> {
    let mut games = Vec::new();
    let mut taken = Ok(());
    for base in bases {
        base.for_each(GameNeeds::ALL, control, |game| {
            taken = take(&mut games, game, site);
            Ok(match taken {
                Ok(()) => ControlFlow::Continue(()),
                Err(_) => ControlFlow::Break(()),
            })
        })?;
        std::mem::replace(&mut taken, Ok(()))?;
    }
    Ok(games)
}
