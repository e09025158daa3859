//! A preparation report about a player: openings and scores with each colour, the recent repertoire, where the player
//! deviates from others, and model games.

mod html;
mod markdown;

use shakmaty::Color;
use tabiya_explore::explorer::ExploreTarget;
use tabiya_explore::tally::MoveScore;
use tabiya_formats::pgn::{PgnGameWriter, PgnStyle};
use tabiya_model::board::Board;
use tabiya_model::date::Date;
use tabiya_model::outcome::Outcome;
use tabiya_model::{Control, GameNeeds, JobCompletion, Losses, Result};
use tabiya_openings::position_key::PositionKey;
use tabiya_stats::player::{PlayerGame, PlayerRecord};

use crate::open::base::Base;
use crate::select::selection::Selection;
use crate::study::explorer::{
    ExploreFilter, ExploreLine, Explorer, OpeningTree, OpeningTreeBounds, OpeningTreeBranch,
    opening_after, san_of,
};
use crate::study::player;
use crate::study::player::PlayerOptions;

/// Plies of the trees of openings.
const DEPTH: usize = 14;
/// The share of the games that a move of a tree needs, and how many at least.
const SHARE: u64 = 40;
const LEAST: u64 = 2;
/// Moves of a tree that are shown, departures, model games for each colour.
const BRANCHES: usize = 80;
const DEPARTURES: usize = 8;
const MODELS: usize = 3;
/// How many games of others a position needs, so that they have a way.
const OTHERS: u64 = 10;
/// The years before the last game that are lately.
const LATELY: u16 = 2;
/// The ply behind which a model game is shown as a diagram.
const DIAGRAM: usize = 24;

/// A preparation report.
#[derive(Clone, Debug, Default)]
pub struct Dossier {
    /// The player's name, as requested.
    pub player: String,
    /// The names of the bases.
    pub bases: Vec<String>,
    /// The record of all games; nothing if there are none.
    pub record: Option<PlayerRecord>,
    /// The first date of recent games, and the record of those.
    pub lately: Option<(u16, PlayerRecord)>,
    /// With White, and with Black.
    pub sides: Vec<DossierSide>,
    /// Damaged games among those that had to be read.
    pub damaged: u64,
    /// Notes on indexes that are not used.
    pub notes: Vec<String>,
    /// Whether all games were read.
    pub ended: JobCompletion,
}

/// The games with one colour.
#[derive(Clone, Debug)]
pub struct DossierSide {
    /// The colour.
    pub color: Color,
    /// The tree of moves.
    pub moves: Vec<DossierMove>,
    /// Where the player deviates from others.
    pub departures: Vec<RepertoireDeparture>,
    /// Model games: wins against the strongest.
    pub models: Vec<ModelGame>,
}

/// A move of a tree.
#[derive(Clone, Debug)]
pub struct DossierMove {
    /// The depth in the tree, in plies.
    pub depth: usize,
    /// The move with its number.
    pub text: String,
    /// Games.
    pub games: u64,
    /// The player's score in per cent, of games with a result.
    pub percent: Option<f64>,
    /// The date of the last game.
    pub last: Date,
    /// The name of the opening that it leads to.
    pub opening: Option<&'static str>,
}

/// A position in which the player mostly plays another move than others do.
#[derive(Clone, Debug)]
pub struct RepertoireDeparture {
    /// The moves that lead there.
    pub line: String,
    /// The position.
    pub board: Board,
    /// The player's move, and in how many of how many games.
    pub own: (String, u64, u64),
    /// The same for others.
    pub others: (String, u64, u64),
}

/// A model game.
#[derive(Clone, Debug)]
pub struct ModelGame {
    /// The game, seen from the player.
    pub played: PlayerGame,
    /// The game as PGN.
    pub pgn: String,
    /// The position after the opening.
    pub board: Board,
}

impl Dossier {
    /// The report as Markdown.
    #[must_use]
    pub fn markdown(&self) -> String {
        markdown::page(self)
    }

    /// The report as a self-contained page of HTML.
    #[must_use]
    pub fn html(&self) -> String {
        html::page(self)
    }
}

/// Makes a preparation report.
///
/// # Errors
///
/// If games cannot be read.
///
/// ```
/// # fn main() -> tabiya::model::Result<()> {
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/pgn/ok/opera.pgn");
/// # let folder = tempfile::tempdir()?;
/// use tabiya::Selection;
/// use tabiya::dossier::dossier;
/// use tabiya::model::Control;
/// use tabiya::player::PlayerOptions;
///
/// let made = dossier(&Selection::of(tabiya::open(path)?), &PlayerOptions::new("Morphy"), &Control::default())?;
/// assert!(made.markdown().contains("16. Qb8+"));
/// std::fs::write(folder.path().join("morphy.html"), made.html())?;
/// # Ok(())
/// # }
/// ```
pub fn dossier(games: &Selection, options: &PlayerOptions, control: &Control) -> Result<Dossier> {
    let found = player::player_games(games, options, control)?;
    let mut dossier = Dossier {
        player: options.name.clone(),
        bases: games.base_names(),
        damaged: found.damaged,
        notes: found.notes,
        ended: found.ended,
        ..Dossier::default()
    };
    if found.games.is_empty() || !dossier.ended.is_whole() {
        return Ok(dossier);
    }
    let last = found.games.iter().filter_map(|game| game.date.year).max();
    if let Some(since) = last.map(|last| last.saturating_sub(LATELY - 1)) {
        let is_late = |game: &&PlayerGame| game.date.year.is_some_and(|year| year >= since);
        let late: Vec<PlayerGame> = found.games.iter().filter(is_late).cloned().collect();
        if late.len() < found.games.len() {
            dossier.lately = Some((since, PlayerRecord::new(late, options.top)));
        }
    }
    for color in Color::ALL {
        let own: Vec<&PlayerGame> = found
            .games
            .iter()
            .filter(|game| game.color == color)
            .collect();
        if !own.is_empty() && !control.is_stopped() {
            dossier.sides.push(side(games, color, &own, control)?);
        }
    }
    dossier.record = Some(PlayerRecord::new(found.games, options.top));
    dossier.ended = control.completion();
    Ok(dossier)
}

fn side(
    games: &Selection,
    color: Color,
    own: &[&PlayerGame],
    control: &Control,
) -> Result<DossierSide> {
    let bases = &games.bases[..];
    let mut side = DossierSide {
        color,
        moves: Vec::new(),
        departures: Vec::new(),
        models: models(bases, own)?,
    };
    // The base with the most games tells the openings: trees of several do not go together.
    let most = (0..bases.len()).max_by_key(|at| own.iter().filter(|game| game.base == *at).count());
    let Some((at, base)) = most.and_then(|at| Some((at, bases.get(at)?))) else {
        return Ok(side);
    };
    if base.database().is_none() {
        return Ok(side);
    }
    let all = Selection {
        index: games.index,
        ..Selection::of([base.clone()])
    };
    let own = own.iter().filter(|game| game.base == at);
    let those = Selection {
        numbers: own.map(|game| game.number).collect(),
        ..all.clone()
    };
    let explorer = Explorer::new(those, &ExploreFilter::default(), control)?;
    let line = ExploreLine::read(None, "")?;
    let first = explorer.ask(&line, control)?;
    let bounds = OpeningTreeBounds {
        depth: DEPTH,
        least: (first.tally.total().games / SHARE).max(LEAST),
    };
    let tree = OpeningTree::grow(&explorer, line.board(), &first, bounds, control)?;
    let branches = tree.branches()?;
    side.moves = branches
        .iter()
        .take(BRANCHES)
        .map(|branch| shown(branch, color))
        .collect();
    side.departures = departures(all, &branches, color, control)?;
    Ok(side)
}

#[allow(clippy::cast_precision_loss, reason = "no count of games is near 2^53")]
fn percent(score: &MoveScore, color: Color) -> Option<f64> {
    let won = color.fold_wb(score.white, score.black);
    let decided = score.white + score.draws + score.black;
    (decided > 0).then(|| (2 * won + score.draws) as f64 * 50.0 / decided as f64)
}

fn shown(branch: &OpeningTreeBranch, color: Color) -> DossierMove {
    let number = branch.board.fullmoves();
    let dots = branch.board.turn().fold_wb(".", "...");
    DossierMove {
        depth: branch.before.len(),
        text: format!("{number}{dots}{}", branch.san),
        games: branch.score.games,
        percent: percent(&branch.score, color),
        last: branch.score.last_date(),
        opening: opening_after(&branch.board, branch.step).map(|opening| opening.name),
    }
}

/// The positions in which the player's usual move is not that of others, those of the most games first.
fn departures(
    all: Selection,
    branches: &[OpeningTreeBranch],
    color: Color,
    control: &Control,
) -> Result<Vec<RepertoireDeparture>> {
    let is_own = |branch: &&OpeningTreeBranch| branch.board.turn() == color && branch.place == 0;
    let own: Vec<&OpeningTreeBranch> = branches.iter().filter(is_own).collect();
    let total = |of: &OpeningTreeBranch| -> u64 {
        let here = PositionKey::of_board(&of.board);
        let same = branches
            .iter()
            .filter(|one| PositionKey::of_board(&one.board) == here);
        same.map(|one| one.score.games).sum()
    };
    let targets: Vec<ExploreTarget> = own
        .iter()
        .map(|one| ExploreTarget::of_board(&one.board))
        .collect();
    if targets.is_empty() {
        return Ok(Vec::new());
    }
    let all = Explorer::new(all, &ExploreFilter::default(), control)?;
    let explored = all.explore(&targets, control)?;
    let mut found = Vec::new();
    for (branch, tally) in own.iter().zip(&explored.tallies) {
        let games = tally.total().games;
        let Some((step, score)) = tally.moves().first().copied() else {
            continue;
        };
        if step == branch.step || games < OTHERS {
            continue;
        }
        found.push(RepertoireDeparture {
            line: branch.before.join(" "),
            board: branch.board.clone(),
            own: (branch.san.clone(), branch.score.games, total(branch)),
            others: (san_of(&branch.board, step), score.games, games),
        });
    }
    found.sort_by_key(|departure| std::cmp::Reverse(departure.own.2));
    found.truncate(DEPARTURES);
    Ok(found)
}

/// Wins against the strongest opponents, the latest first of those as strong.
fn models(bases: &[Base], own: &[&PlayerGame]) -> Result<Vec<ModelGame>> {
    let mut wins: Vec<&&PlayerGame> = own
        .iter()
        .filter(|game| game.outcome == Outcome::WhiteWins)
        .collect();
    wins.sort_by_key(|game| std::cmp::Reverse((game.opponent_elo, game.date)));
    let mut models = Vec::new();
    for played in wins.into_iter().take(MODELS) {
        let Some(base) = bases
            .get(played.base)
            .filter(|base| base.database().is_some())
        else {
            continue;
        };
        let game = base.read(played.number, GameNeeds::ALL)?;
        let mut pgn = Vec::new();
        let mut writer = PgnGameWriter::new(PgnStyle::default());
        // It is shown and not kept: what PGN cannot hold is no loss.
        writer.write(&game, &mut pgn, &mut Losses::default());
        let mut board = game.start_board();
        game.tape
            .main_line()
            .take(DIAGRAM)
            .for_each(|m| board.play(m));
        models.push(ModelGame {
            played: (**played).clone(),
            pgn: String::from_utf8_lossy(&pgn).into_owned(),
            board,
        });
    }
    Ok(models)
}

/// The chapters of a side.
fn name(color: Color) -> &'static str {
    color.fold_wb("White", "Black")
}

/// How a departure is told.
fn told(departure: &RepertoireDeparture) -> String {
    let (own, games, all) = &departure.own;
    let (others, their_games, theirs) = &departure.others;
    let number = departure.board.fullmoves();
    let dots = departure.board.turn().fold_wb(".", "...");
    format!(
        "{number}{dots}{own} in {games} of {all} games, where most others play {others} ({their_games} of {theirs})"
    )
}

/// What a score comes to.
fn share(percent: Option<f64>) -> String {
    percent
        .map(|percent| format!("{percent:.0} %"))
        .unwrap_or_default()
}
