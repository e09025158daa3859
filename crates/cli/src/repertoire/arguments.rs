//! The arguments of the reports about repertoires.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use shakmaty::Color;
use tabiya::repertoire::{self, Repertoire};
use tabiya::{OpenedBases, Selection};
use tabiya_model::Control;

use crate::args::{JobsArgs, ReadArgs};
use crate::output::say;
use crate::repertoire_files::{keep_damage, say_color};
use crate::select_args::SelectArgs;

/// The side of a repertoire.
#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum)]
pub(super) enum RepertoireSideArg {
    /// For White
    White,
    /// For Black
    Black,
}

#[derive(Args, Debug)]
pub(super) struct RepertoireSideArgs {
    /// Side of the repertoire [default: from the tag Repertoire, or detected]
    #[arg(long, value_enum)]
    side: Option<RepertoireSideArg>,
}

/// The repertoire of a command.
#[derive(Args, Debug)]
pub(super) struct RepertoireFileArgs {
    /// Databases with the repertoire, or folders of databases
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) side: RepertoireSideArgs,
}

/// The repertoire of a command whose other databases are games.
#[derive(Args, Debug)]
pub(super) struct RepertoireWithArgs {
    /// Databases with the repertoire, or folders of databases
    #[arg(long = "with", value_name = "FILE", required = true)]
    with: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) side: RepertoireSideArgs,
}

/// The games that a repertoire is compared with.
#[derive(Args, Debug)]
pub(super) struct RepertoireReferenceArgs {
    #[command(flatten)]
    pub(super) select: SelectArgs,
    #[command(flatten)]
    pub(super) read: ReadArgs,
    #[command(flatten)]
    pub(super) jobs: JobsArgs,
}

/// The common arguments of the reports about a repertoire.
#[derive(Args, Debug)]
pub(super) struct RepertoireReportArgs {
    #[command(flatten)]
    pub(super) repertoire: RepertoireFileArgs,
    /// Print JSON, one object per line
    #[arg(long)]
    pub(super) json: bool,
    #[command(flatten)]
    pub(super) of: RepertoireReferenceArgs,
}

#[derive(Args, Debug)]
pub(super) struct RepertoireCheckArgs {
    /// Databases with the games to check
    #[arg(required = true, value_name = "GAMES")]
    pub(super) paths: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) repertoire: RepertoireWithArgs,
    /// Only games of this player with the side of the repertoire
    #[arg(long, value_name = "NAME")]
    pub(super) player: Option<String>,
    /// Print only the summary: the positions where games leave the repertoire
    #[arg(long, conflicts_with = "pgn")]
    pub(super) summary: bool,
    /// Print JSON, one game per line
    #[arg(long)]
    pub(super) json: bool,
    /// Print the games as PGN, with a comment where they leave the repertoire
    #[arg(long, conflicts_with = "json")]
    pub(super) pgn: bool,
    /// Show at most N games, or N positions of the summary
    #[arg(long, short = 'n', value_name = "N")]
    pub(super) limit: Option<usize>,
    #[command(flatten)]
    pub(super) of: RepertoireReferenceArgs,
}

#[derive(Args, Debug)]
pub(super) struct RepertoireGapsArgs {
    #[command(flatten)]
    pub(super) report: RepertoireReportArgs,
    /// Databases that show which moves are frequent
    #[arg(long, value_name = "BASE", required = true)]
    pub(super) reference: Vec<PathBuf>,
    /// Only moves played in at least PERCENT % of the games in a position
    #[arg(long, value_name = "PERCENT", default_value_t = 5.0)]
    pub(super) share: f64,
    /// Only moves played in at least N games
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(super) min_games: u64,
    /// Print the repertoire as PGN with the missing moves, each with a comment
    #[arg(long, conflicts_with = "json")]
    pub(super) pgn: bool,
    /// Show at most N moves
    #[arg(long, short = 'n', value_name = "N", default_value_t = 20)]
    pub(super) limit: usize,
}

#[derive(Args, Debug)]
pub(super) struct RepertoireConflictsArgs {
    #[command(flatten)]
    pub(super) report: RepertoireReportArgs,
    /// Databases that show which moves are frequent and how they score
    #[arg(long, value_name = "BASE")]
    pub(super) reference: Vec<PathBuf>,
    /// Report a line that ends before a move that the opponent plays in at least PERCENT % of the games
    #[arg(long, value_name = "PERCENT", default_value_t = 30.0)]
    pub(super) often: f64,
    /// Use shares and scores only if there are at least N games
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(super) min_games: u64,
    /// Report a move that scores at least POINTS percentage points less than another
    #[arg(long, value_name = "POINTS", default_value_t = 10.0)]
    pub(super) points: f64,
    /// Report a move that is evaluated at least PAWNS pawns lower than another
    #[arg(long, value_name = "PAWNS", default_value_t = 0.5)]
    pub(super) pawns: f64,
    /// Print the repertoire as PGN, with a comment at each conflict
    #[arg(long, conflicts_with = "json")]
    pub(super) pgn: bool,
    /// Show at most N conflicts
    #[arg(long, short = 'n', value_name = "N")]
    pub(super) limit: Option<usize>,
}

#[derive(Args, Debug)]
pub(super) struct RepertoireCoverageArgs {
    #[command(flatten)]
    pub(super) report: RepertoireReportArgs,
    /// Databases to compare with the repertoire
    #[arg(long, value_name = "BASE", required = true)]
    pub(super) reference: Vec<PathBuf>,
    /// Print the repertoire as PGN, with a comment where games leave it
    #[arg(long, conflicts_with = "json")]
    pub(super) pgn: bool,
    /// Show at most N plies
    #[arg(long, short = 'n', value_name = "N")]
    pub(super) limit: Option<usize>,
}

#[derive(Args, Debug)]
pub(super) struct RepertoireShowArgs {
    #[command(flatten)]
    pub(super) report: RepertoireReportArgs,
    /// Databases from which to count games and scores for each move
    #[arg(long, value_name = "BASE")]
    pub(super) reference: Vec<PathBuf>,
    /// Print PGN: one game with variations
    #[arg(long, conflicts_with = "json")]
    pub(super) pgn: bool,
}

impl RepertoireSideArg {
    pub(super) fn color(self) -> Color {
        match self {
            RepertoireSideArg::White => Color::White,
            RepertoireSideArg::Black => Color::Black,
        }
    }
}

/// Opens bases that all have to be there: half a repertoire has gaps that are none.
pub(super) fn open_whole(paths: &[PathBuf], read: &ReadArgs) -> Result<OpenedBases> {
    let mut opened = read.opener().open_all(paths);
    if opened.failed.is_empty() {
        return Ok(opened);
    }
    let failure = opened.failed.swap_remove(0);
    Err(match failure.error.file() {
        Some(_) => anyhow::Error::from(failure.error),
        None => anyhow::Error::from(failure.error).context(failure.name),
    })
}

/// The games of a selection in which a player has a side; all if no player is named.
pub(super) fn of_player(
    games: &Selection,
    player: Option<&str>,
    color: Color,
) -> Result<Selection> {
    let Some(player) = player else {
        return Ok(games.clone());
    };
    repertoire::games_of_player(games, player, color)
        .map_err(|error| anyhow::anyhow!("--player: {error}"))
}

impl RepertoireSideArgs {
    pub(super) fn color(&self) -> Option<Color> {
        self.side.map(RepertoireSideArg::color)
    }

    /// Reads the repertoires of some paths, with the moves after moves that are marked bad or without them.
    fn read(
        &self,
        paths: &[PathBuf],
        read: &ReadArgs,
        is_whole: bool,
        control: &Control,
    ) -> Result<(OpenedBases, Vec<Repertoire>)> {
        let opened = open_whole(paths, read)?;
        let made = match is_whole {
            true => repertoire::read_whole(&opened.bases, self.color(), control),
            false => repertoire::read(&opened.bases, self.color(), control),
        };
        let made = made.map_err(|error| {
            let is_unknown = error.code.name == "unknown-side";
            let error = anyhow::Error::from(error);
            match is_unknown {
                true => anyhow::anyhow!("{}: give --side", crate::exit::message(&error)),
                false => error,
            }
        })?;
        let names: Vec<&str> = opened.bases.iter().map(tabiya::Base::name).collect();
        for one in &made {
            say_color(&names.join(", "), one);
        }
        // Those of some databases have the same games.
        if let Some(one) = made.first() {
            if let Some(damage) = one.damage_note() {
                say(&format!(
                    "{}: {damage}; `tabiya check` shows where",
                    names.join(", ")
                ));
            }
            keep_damage(&opened.bases, one.damaged());
        }
        Ok((opened, made))
    }
}

impl RepertoireFileArgs {
    /// Reads the repertoires.
    pub(super) fn read(
        &self,
        reference: &RepertoireReferenceArgs,
        control: &Control,
    ) -> Result<Vec<Repertoire>> {
        let read = &reference.read;
        let (_, made) = self.side.read(&self.files, read, false, control)?;
        Ok(made)
    }

    /// The same with the moves after moves that are marked bad.
    pub(super) fn read_whole(
        &self,
        reference: &RepertoireReferenceArgs,
        control: &Control,
    ) -> Result<Vec<Repertoire>> {
        self.open_whole(&reference.read, control)
            .map(|(_, made)| made)
    }

    /// The same with the bases that were read.
    pub(super) fn open_whole(
        &self,
        read: &ReadArgs,
        control: &Control,
    ) -> Result<(OpenedBases, Vec<Repertoire>)> {
        self.side.read(&self.files, read, true, control)
    }
}

impl RepertoireWithArgs {
    /// Reads the repertoires; with them the bases.
    pub(super) fn read(
        &self,
        read: &ReadArgs,
        control: &Control,
    ) -> Result<(OpenedBases, Vec<Repertoire>)> {
        self.side.read(&self.with, read, false, control)
    }
}

impl RepertoireReferenceArgs {
    /// Opens the reference, and chooses its games.
    pub(super) fn open(&self, paths: &[PathBuf]) -> Result<(OpenedBases, Selection)> {
        let opened = self.read.opener().open_all(paths).or_fail()?;
        let games = self.select.of(&opened.bases)?;
        Ok((opened, games))
    }
}

/// Refuses a number that is not a percentage.
pub(super) fn percent(option: &str, value: f64) -> Result<f64> {
    if !(0.0..=100.0).contains(&value) {
        bail!("{option}: give a number from 0 to 100");
    }
    Ok(value)
}
