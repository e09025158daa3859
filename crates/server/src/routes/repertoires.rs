//! Repertoires: the tree with figures, gaps, conflicts, games that leave one, new ones, and adding lines.

use std::collections::{BTreeMap, VecDeque};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use serde::Deserialize;
use shakmaty::Color;
use tabiya::edit::{self, EditOptions, RepertoireLineRequest};
use tabiya::explorer::ExploreLine;
use tabiya::openings::position_key::PositionKey;
use tabiya::repertoire::{
    self, ColorSource, QueryRepertoires, Repertoire, RepertoireConflictOptions,
    RepertoireGapOptions, RepertoireReference,
};
use tabiya::{Selection, Target};
use tabiya_answers::SideAnswer;
use tabiya_answers::server::{
    BaseAnswer, RepertoireAdditionAnswer, RepertoireConflictsAnswer, RepertoireGamesAnswer,
    RepertoireGapsAnswer, RepertoireNodeAnswer, RepertoirePliesAnswer, RepertoireTreeAnswer,
};
use tabiya_formats::format::WriteOptions;
use tabiya_model::nag::Nag;
use tabiya_model::{Board, Control};

use super::bases::described;
use super::changes::changeable_base;
use super::clipboard::private_folder;
use super::convert::{check_name, place};
use super::selection::SelectionParameters;
use super::statistics::{text, whole};
use super::{long_work, slow_work};
use crate::answer::{Refusal, RouteResult};
use crate::error_codes;
use crate::library::LibraryChange;
use crate::repertoires::{RepertoireEntry, RepertoireKey};
use crate::{ServerState, limits};

/// A side.
#[derive(Copy, Clone, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum SideParameter {
    White,
    Black,
}

impl SideParameter {
    pub(super) fn color(self) -> Color {
        match self {
            SideParameter::White => Color::White,
            SideParameter::Black => Color::Black,
        }
    }
}

pub(super) fn side(color: Color) -> SideAnswer {
    match color {
        Color::White => SideAnswer::White,
        Color::Black => SideAnswer::Black,
    }
}

/// Which repertoire of a database, and which games it is compared with.
#[derive(Clone, Deserialize)]
pub(super) struct RepertoireParameters {
    /// The side; that of the tag `Repertoire` without it.
    pub(super) color: Option<SideParameter>,
    /// The database whose games say what is played.
    pub(super) reference: Option<String>,
}

/// Reads a repertoire, and counts what its reference has of it. Of two in a database it is White's unless a side is named. `of_reference` are the games of
/// the reference that count.
pub(super) fn read(
    shared: &ServerState,
    id: &str,
    asked: &RepertoireParameters,
    of_reference: &SelectionParameters,
    control: &Control,
) -> Result<RepertoireEntry, Refusal> {
    let base = shared.library.get(id)?;
    let color = asked.color.map(SideParameter::color);
    let reference = match text(asked.reference.clone()) {
        Some(reference) => Some((shared.library.get(&reference)?, reference)),
        None => None,
    };
    let key = reference
        .as_ref()
        .map(|(of, id_of_reference)| RepertoireKey {
            base: (id.to_owned(), base.generation()),
            color,
            reference: (
                id_of_reference.clone(),
                of.generation(),
                of_reference.clone(),
            ),
        });
    // A query that names a repertoire means another one when that has changed.
    let key = key.filter(|_| !of_reference.names_repertoire());
    if let Some(known) = key.as_ref().and_then(|key| shared.repertoires.get(key)) {
        return Ok(known);
    }
    let open = QueryRepertoires::new(&shared.library, &shared.named_repertoires, control);
    let made = open.read(&[base], color)?;
    let colors = made.iter().map(|one| one.color()).collect();
    let first = made.into_iter().next();
    let repertoire = first
        .ok_or_else(|| Refusal::bad(&error_codes::NO_REPERTOIRE, "there is no repertoire here"))?;
    let mut entry = RepertoireEntry {
        repertoire,
        colors,
        reference: None,
    };
    if let Some((reference, _)) = reference {
        let games = of_reference.of(shared, [reference])?;
        let mut counted = repertoire::reference(&entry.repertoire, &games, control)?;
        whole(counted.ended, control)?;
        counted.notes.extend(games.note());
        counted.notes.extend(damage_of_reference(counted.damaged));
        entry.reference = Some(Arc::new(counted));
        if let Some(key) = key {
            shared.repertoires.keep(key, entry.clone());
        }
    }
    Ok(entry)
}

/// Says how many games of a reference are damaged, if some are.
fn damage_of_reference(games: u64) -> Option<String> {
    match games {
        0 => None,
        1 => Some("1 game of the reference is damaged; what could be read of it counts".to_owned()),
        games => Some(format!(
            "{games} games of the reference are damaged; what could be read of them counts"
        )),
    }
}

impl RepertoireEntry {
    fn notes(&self) -> Vec<String> {
        let reference = self.reference.as_ref();
        let of_reference = reference.map_or_else(Vec::new, |reference| reference.notes.clone());
        let damage = self.repertoire.damage_note();
        damage.into_iter().chain(of_reference).collect()
    }
}

#[derive(Deserialize)]
pub(super) struct TreeParameters {
    /// The position from which on the tree is shown.
    fen: Option<String>,
}

/// The positions with their moves and figures, from one on.
pub(super) async fn tree(
    State(shared): State<ServerState>,
    Path(id): Path<String>,
    Query(asked): Query<RepertoireParameters>,
    Query(from): Query<TreeParameters>,
    Query(games): Query<SelectionParameters>,
) -> RouteResult<RepertoireTreeAnswer> {
    long_work(&shared, move |shared, control| {
        let entry = read(shared, &id, &asked, &games, control)?;
        let repertoire = &entry.repertoire;
        let reference = entry.reference.as_deref();
        let starts = match text(from.fen) {
            None => repertoire.starts().to_vec(),
            Some(fen) => vec![position_of(repertoire, &fen)?],
        };
        let tree = repertoire::tree(repertoire, reference);
        let places: BTreeMap<u32, usize> = (0..tree.len())
            .zip(&tree)
            .map(|(at, one)| (one.number, at))
            .collect();
        let (mut nodes, mut count) = (Vec::new(), 0);
        for number in nearest_first(repertoire, &starts) {
            // The last position of a line has no moves.
            let Some(node) = places.get(&number).and_then(|at| tree.get(*at)) else {
                continue;
            };
            count += 1;
            if nodes.len() < limits::REPERTOIRE_POSITIONS {
                nodes.push(RepertoireNodeAnswer {
                    position: node.answer(repertoire),
                    games: reference.map(|reference| reference.games(number)),
                    answered: reference
                        .and_then(|reference| answered(repertoire, reference, number)),
                });
            }
        }
        Ok(Json(RepertoireTreeAnswer {
            color: side(repertoire.color()),
            recognised: repertoire.source() == ColorSource::Recognised,
            colors: entry.colors.iter().copied().map(side).collect(),
            count: repertoire.positions().len() as u64,
            whole: nodes.len() == count,
            nodes,
            notes: entry.notes(),
        }))
    })
    .await
}

/// The number of a position that is told as a FEN.
pub(super) fn position_of(repertoire: &Repertoire, fen: &str) -> Result<u32, Refusal> {
    let line = ExploreLine::read(Some(fen), "")?;
    let found = repertoire.find(PositionKey::of_board(line.board()));
    found.ok_or_else(|| {
        Refusal::missing(
            &error_codes::NOT_IN_REPERTOIRE,
            "the repertoire does not have this position",
        )
    })
}

/// The positions that are reached from some, by the number of moves to them.
pub(super) fn nearest_first(repertoire: &Repertoire, starts: &[u32]) -> Vec<u32> {
    let mut seen = vec![false; repertoire.positions().len()];
    let mut waiting: VecDeque<u32> = starts.iter().copied().collect();
    let mut order = Vec::new();
    while let Some(number) = waiting.pop_front() {
        let slot = usize::try_from(number).ok().and_then(|at| seen.get_mut(at));
        let is_new = slot.is_some_and(|seen| !std::mem::replace(seen, true));
        if let Some(position) = repertoire.position(number).filter(|_| is_new) {
            order.push(number);
            waiting.extend(position.moves.iter().filter_map(|m| m.to));
        }
    }
    order
}

/// In how many per cent of the games of a position the repertoire has the move that was played.
fn answered(repertoire: &Repertoire, reference: &RepertoireReference, number: u32) -> Option<f64> {
    let all = reference.games(number);
    let moves = repertoire.position(number)?.moves.len();
    let known: u64 = (0..moves)
        .map(|at| reference.score(repertoire, number, at).games)
        .sum();
    #[allow(clippy::cast_precision_loss)]
    (all > 0).then(|| known as f64 * 100.0 / all as f64)
}

/// The opponent's moves without an answer.
pub(super) async fn gaps(
    State(shared): State<ServerState>,
    Path(id): Path<String>,
    Query(asked): Query<RepertoireParameters>,
    Query(choice): Query<GapParameters>,
    Query(games): Query<SelectionParameters>,
) -> RouteResult<RepertoireGapsAnswer> {
    long_work(&shared, move |shared, control| {
        let entry = read(shared, &id, &asked, &games, control)?;
        let repertoire = &entry.repertoire;
        let reference = entry
            .reference
            .as_deref()
            .ok_or_else(|| Refusal::bad(&error_codes::BAD_PARAMETER, "gaps need a `reference`"))?;
        let usual = RepertoireGapOptions::default();
        let options = RepertoireGapOptions {
            share: choice
                .share
                .filter(|share| share.is_finite())
                .unwrap_or(usual.share),
            games: choice.min_games.unwrap_or(usual.games),
        };
        let found = repertoire::gaps(repertoire, reference, options);
        let shown = found.iter().take(limits::FOUND);
        Ok(Json(RepertoireGapsAnswer {
            color: side(repertoire.color()),
            gaps: shown.map(|gap| gap.answer(repertoire)).collect(),
            count: found.len() as u64,
            whole: found.len() <= limits::FOUND,
            notes: entry.notes(),
        }))
    })
    .await
}

/// Which moves need an answer.
#[derive(Deserialize)]
pub(super) struct GapParameters {
    /// Those that were played in at least this per cent of the games of a position.
    share: Option<f64>,
    /// Those that were played in at least this number of games.
    min_games: Option<u64>,
}

/// Where a repertoire contradicts itself.
pub(super) async fn conflicts(
    State(shared): State<ServerState>,
    Path(id): Path<String>,
    Query(asked): Query<RepertoireParameters>,
    Query(choice): Query<GapParameters>,
    Query(games): Query<SelectionParameters>,
) -> RouteResult<RepertoireConflictsAnswer> {
    long_work(&shared, move |shared, control| {
        let entry = read(shared, &id, &asked, &games, control)?;
        let repertoire = &entry.repertoire;
        let usual = RepertoireConflictOptions::default();
        let options = RepertoireConflictOptions {
            games: choice.min_games.unwrap_or(usual.games),
            ..usual
        };
        let found = repertoire::conflicts(repertoire, entry.reference.as_deref(), options);
        let shown = found.iter().take(limits::FOUND);
        Ok(Json(RepertoireConflictsAnswer {
            color: side(repertoire.color()),
            conflicts: shown.map(|one| one.answer(repertoire)).collect(),
            count: found.len() as u64,
            whole: found.len() <= limits::FOUND,
            notes: entry.notes(),
        }))
    })
    .await
}

/// How many games of a reference are still inside at each ply.
pub(super) async fn coverage(
    State(shared): State<ServerState>,
    Path(id): Path<String>,
    Query(asked): Query<RepertoireParameters>,
    Query(games): Query<SelectionParameters>,
) -> RouteResult<RepertoirePliesAnswer> {
    long_work(&shared, move |shared, control| {
        let Some(reference) = text(asked.reference.clone()) else {
            return Err(Refusal::bad(
                &error_codes::BAD_PARAMETER,
                "the coverage needs a `reference`",
            ));
        };
        let plain = RepertoireParameters {
            reference: None,
            ..asked
        };
        let all = SelectionParameters::default();
        let entry = read(shared, &id, &plain, &all, control)?;
        let repertoire = &entry.repertoire;
        let games = games.of(shared, [shared.library.get(&reference)?])?;
        let found = repertoire::coverage(repertoire, &games, control)?;
        whole(found.ended, control)?;
        let shown = found.rows.iter().take(limits::FOUND);
        let damage = damage_of_reference(found.damaged);
        Ok(Json(RepertoirePliesAnswer {
            color: side(repertoire.color()),
            plies: shown.map(|ply| ply.answer(repertoire)).collect(),
            notes: games.note().into_iter().chain(damage).collect(),
            whole: found.rows.len() <= limits::FOUND,
        }))
    })
    .await
}

/// Which games are compared with a repertoire.
#[derive(Deserialize)]
pub(super) struct CheckParameters {
    /// The database of the games.
    of: String,
    /// Games in which this player has the side of the repertoire.
    player: Option<String>,
    /// The number of games, from the end of those chosen.
    last: Option<usize>,
}

/// Where games leave a repertoire.
pub(super) async fn check(
    State(shared): State<ServerState>,
    Path(id): Path<String>,
    Query(asked): Query<RepertoireParameters>,
    Query(choice): Query<CheckParameters>,
    Query(games): Query<SelectionParameters>,
) -> RouteResult<RepertoireGamesAnswer> {
    long_work(&shared, move |shared, control| {
        let plain = RepertoireParameters {
            reference: None,
            ..asked
        };
        let entry = read(
            shared,
            &id,
            &plain,
            &SelectionParameters::default(),
            control,
        )?;
        let repertoire = &entry.repertoire;
        let base = shared.library.get(&choice.of)?;
        let mut games = games.of(shared, [base.clone()])?;
        if let Some(player) = text(choice.player) {
            games = repertoire::games_of_player(&games, &player, repertoire.color())?;
        }
        let last = choice.last.unwrap_or(limits::FOUND).clamp(1, limits::FOUND);
        let (chosen, is_all) = last_games(&games, &base, last, control)?;
        let mut found = Vec::new();
        let name = base.name().to_owned();
        let report = repertoire::check(repertoire, &chosen, false, control, &mut |_, _, one| {
            found.push(one.answer(repertoire, &name));
            Ok(ControlFlow::Continue(()))
        })?;
        whole(report.ended, control)?;
        found.reverse();
        let lines = report.lines.sorted();
        Ok(Json(RepertoireGamesAnswer {
            color: side(repertoire.color()),
            games: found,
            lines: lines.iter().map(|line| line.answer(repertoire)).collect(),
            count: report.games,
            damaged: report.damaged,
            notes: games.note().into_iter().chain(entry.notes()).collect(),
            whole: is_all,
        }))
    })
    .await
}

/// The last of some games, and whether they are all.
fn last_games(
    games: &Selection,
    base: &tabiya::Base,
    last: usize,
    control: &Control,
) -> Result<(Selection, bool), Refusal> {
    let numbers = match games.numbers_in(base, control)? {
        Some(numbers) => numbers,
        None => {
            let count = base.database().map_or(Ok(0), |database| database.len())?;
            let from = count.saturating_sub(last as u64) + 1;
            let chosen = Selection {
                numbers: (from..count + 1).into(),
                ..Selection::of([base.clone()])
            };
            return Ok((chosen, from == 1));
        }
    };
    whole(control.completion(), control)?;
    let from = numbers.len().saturating_sub(last);
    let chosen = Selection {
        numbers: numbers.iter().skip(from).copied().collect(),
        ..Selection::of([base.clone()])
    };
    Ok((chosen, from == 0))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NewRepertoireRequest {
    color: SideParameter,
    /// Its path; without one a new name in the first folder of the server, else in the folder of the app's data.
    path: Option<String>,
}

/// Makes a repertoire without moves.
pub(super) async fn make(
    State(shared): State<ServerState>,
    Json(asked): Json<NewRepertoireRequest>,
) -> RouteResult<Vec<BaseAnswer>> {
    slow_work(&shared, move |shared| {
        let color = asked.color.color();
        let named = text(asked.path);
        let path = match &named {
            Some(path) => place(shared, path)?,
            None => new_place(shared, color)?,
        };
        let format = Target::new(&path, None, WriteOptions::default())?.format;
        check_name(&path, format)?;
        edit::make(&path, Some(format), WriteOptions::default())?;
        let first =
            edit::EditOperation::Add(vec![edit::repertoire_header(color, &Board::standard())]);
        let options = EditOptions {
            // There is nothing to go back to.
            keep: 0,
            ..EditOptions::of_user()?
        };
        edit::edit_with(
            shared.library.opener(),
            &path,
            &first,
            &options,
            &Control::default(),
            &mut |_| {},
        )?;
        let is_own = shared
            .data
            .as_deref()
            .is_some_and(|folder| path.starts_with(folder));
        let ids = match is_own {
            true => vec![shared.library.show(&path)?],
            false => shared.library.open_path(&path, None, &Control::default())?,
        };
        for id in &ids {
            shared.library.used(id);
        }
        described(shared, &ids)
    })
    .await
}

/// The path of a new repertoire that nobody has named.
fn new_place(shared: &ServerState, color: Color) -> Result<PathBuf, Refusal> {
    let folder = shared.library.roots().iter().find(|root| root.is_dir());
    let folder = match (folder, &shared.data) {
        (Some(folder), _) => folder.clone(),
        (None, Some(data)) => {
            let folder = data.join(limits::REPERTOIRE_FOLDER);
            private_folder(&folder)?;
            folder
        }
        (None, None) => {
            return Err(Refusal::new(
                StatusCode::FORBIDDEN,
                &error_codes::NO_FOLDER,
                "this machine has no folder to keep the repertoire in",
            ));
        }
    };
    let color = color.fold_wb("white", "black");
    let names = std::iter::once(format!("{color}-repertoire.pgn"))
        .chain((2..1_000).map(|number| format!("{color}-repertoire-{number}.pgn")));
    let mut free = names
        .map(|name| folder.join(name))
        .filter(|path| !path.exists());
    free.next().ok_or_else(|| {
        Refusal::bad(
            &error_codes::BAD_PATH,
            "there are too many repertoires without a name",
        )
    })
}

/// A sign for the last move of a line.
#[derive(Copy, Clone, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum LineSign {
    Good,
    Bad,
    /// It has none.
    Plain,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RepertoireLineBody {
    color: Option<SideParameter>,
    /// The position before the first move; by default, the normal starting position.
    fen: Option<String>,
    /// The moves, by their squares.
    moves: Vec<String>,
    mark: Option<LineSign>,
    /// Whether the last move is trained alone; as it was without it.
    only: Option<bool>,
    /// Whether the last move is left out, with what only it leads to; as it was without it.
    skip: Option<bool>,
}

/// Adds a line, as one change that can be undone.
pub(super) async fn add(
    State(shared): State<ServerState>,
    Path(id): Path<String>,
    Json(asked): Json<RepertoireLineBody>,
) -> RouteResult<RepertoireAdditionAnswer> {
    if asked.moves.is_empty() || asked.moves.len() > limits::REPERTOIRE_LINE {
        return Err(Refusal::bad(
            &error_codes::TOO_MANY_AT_ONCE,
            "between 1 and 300 moves can be added at once",
        )
        .with("most", limits::REPERTOIRE_LINE));
    }
    slow_work(&shared, move |shared| {
        let base = changeable_base(shared, &id)?;
        let control = Control::default().with_time(limits::SEARCH);
        let fen = text(asked.fen);
        let line = ExploreLine::read(fen.as_deref(), &asked.moves.join(" "))?;
        // What is no move, such as a number, is passed over where lines are read.
        if line.moves().len() != asked.moves.len() {
            return Err(Refusal::bad(
                &error_codes::BAD_LINE,
                "a move of the line is not given by its squares",
            ));
        }
        let parameters = RepertoireParameters {
            color: asked.color,
            reference: None,
        };
        let color = match asked.color {
            Some(color) => color.color(),
            None => {
                let all = SelectionParameters::default();
                read(shared, &id, &parameters, &all, &control)?
                    .repertoire
                    .color()
            }
        };
        let request = RepertoireLineRequest {
            color,
            start: line.start().clone(),
            moves: line.moves().to_vec(),
            nag: asked.mark.map(|mark| match mark {
                LineSign::Good => Nag(1),
                LineSign::Bad => Nag(2),
                LineSign::Plain => Nag(0),
            }),
            only: asked.only,
            skip: asked.skip,
        };
        let found = edit::repertoire_line(&base, &request, &control)?;
        let mut told = RepertoireAdditionAnswer {
            added: found.added as u64,
            game: found.game,
            base_version: None,
            notes: Vec::new(),
        };
        if let Some(change) = found.change {
            let options = EditOptions {
                wish: Some(format!(
                    "repertoire: {}",
                    repertoire::moves_in_words(line.start(), line.moves().iter().copied())
                )),
                ..EditOptions::of_user()?
            };
            let done = edit::edit_with(
                shared.library.opener(),
                base.path(),
                &change,
                &options,
                &control,
                &mut |_| {},
            )?;
            let (_, version) = shared.library.changed(&id, LibraryChange::Edited)?;
            told.base_version = Some(version);
            told.notes = done.notes;
            told.game = told
                .game
                .or(Some(done.added.start).filter(|_| !done.added.is_empty()));
        }
        Ok(Json(told))
    })
    .await
}
