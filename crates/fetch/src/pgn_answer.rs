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
    for_each_game(&mut *stream, GameNeeds::ALL, |game| {
        games.push(game.clone());
        Ok(())
    })?;
    if !games.is_empty() && games.iter().all(|game| game.tags.is_empty()) {
        return Err(not_data());
    }
    Ok(games)
}

/// All games of bases.
pub(crate) fn games_of(bases: &[tabiya::Base], control: &Control) -> Result<Vec<Game>> {
    let mut games = Vec::new();
    for base in bases {
        base.for_each(GameNeeds::ALL, control, |game| {
            games.push(game.clone());
            Ok(ControlFlow::Continue(()))
        })?;
    }
    Ok(games)
}
