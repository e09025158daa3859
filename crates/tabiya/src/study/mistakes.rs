//! Where a player loses: by opening, phase, clock, piece, kind of loss and motif, compared with others of a similar rating.
//!
//! Only moves between two evaluations are counted, whoever wrote these. `docs/mistakes.md` defines the words.

use std::collections::{BTreeMap, BTreeSet};

use shakmaty::{Color, Role};
use tabiya_answers::{
    EvaluatedGamesAnswer, MistakeCountAnswer, MistakeGamesAnswer, MistakeGroupAnswer,
    MistakePlaceAnswer, MistakeRowAnswer, MistakesAnswer,
};
use tabiya_engine::tactics::{PuzzleTheme, themes};
use tabiya_model::collect::{CollectorNeeds, CollectorPass, GameView, Statistic};
use tabiya_model::command::{ClockKind, CommentCommand, Evaluation, commands};
use tabiya_model::judgement::{EvaluationStep, Evaluations, Judgement};
use tabiya_model::tags::TagSet;
use tabiya_model::{Board, Control, Game, GameNeeds, JobCompletion, Result, Tape, TapeOp};

use crate::select::base_view::{self, BaseView, GameCount};
use crate::select::selection::Selection;
use crate::study::player::NameForms;

pub use crate::study::named_games::{NamedGame, NamedGames};

/// Ratings within a hundred of each other are alike: others are those of the player's hundred and of both beside it.
const BAND: u32 = 100;

/// So many plies are the opening, unless the endgame begins before.
const OPENING_PLIES: usize = 20;

/// So many plies of a better line say what it is about.
const MOTIF_PLIES: usize = 12;

/// So many games of others are named for a number, at most: they may be those of a whole database.
const OTHER_GAMES: usize = 1000;

/// With so many pieces beside kings and pawns it is an endgame.
const ENDGAME_PIECES: usize = 6;

/// Themes that say nothing of what was missed: the phase is counted apart.
const NO_MOTIFS: [PuzzleTheme; 5] = [
    PuzzleTheme::PawnEndgame,
    PuzzleTheme::KnightEndgame,
    PuzzleTheme::BishopEndgame,
    PuzzleTheme::RookEndgame,
    PuzzleTheme::QueenEndgame,
];

/// Whose games, and how many rows.
#[derive(Clone, Debug)]
pub struct MistakesOptions {
    /// The player's name, in any form that a search for a player understands.
    pub name: String,
    /// How many rows a group has at most.
    pub top: usize,
}

/// How moves are grouped.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum MistakeAspect {
    /// The ECO code of the game.
    Opening,
    /// Opening, middlegame or endgame.
    Phase,
    /// The time that was left for the move.
    Clock,
    /// The piece that was moved.
    Piece,
    /// The kind of loss, of moves that are judged.
    Kind,
    /// The motifs of the better line that the analysis gives, of moves that are judged.
    Motif,
}

impl MistakeAspect {
    const ALL: [MistakeAspect; 6] = [
        MistakeAspect::Opening,
        MistakeAspect::Phase,
        MistakeAspect::Clock,
        MistakeAspect::Piece,
        MistakeAspect::Kind,
        MistakeAspect::Motif,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            MistakeAspect::Opening => "opening",
            MistakeAspect::Phase => "phase",
            MistakeAspect::Clock => "clock",
            MistakeAspect::Piece => "piece",
            MistakeAspect::Kind => "kind",
            MistakeAspect::Motif => "motif",
        }
    }
}

/// How moves were judged, and what they lost in total in hundredths of a pawn.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct MistakeCount {
    /// Moves.
    pub moves: u64,
    /// Inaccuracies.
    pub inaccuracies: u64,
    /// Mistakes.
    pub mistakes: u64,
    /// Blunders.
    pub blunders: u64,
    /// What they lost.
    pub loss: u64,
}

impl MistakeCount {
    fn of(step: &EvaluationStep) -> MistakeCount {
        let judgement = step.judgement();
        let is = |wanted| u64::from(judgement == Some(wanted));
        MistakeCount {
            moves: 1,
            inaccuracies: is(Judgement::Inaccuracy),
            mistakes: is(Judgement::Mistake),
            blunders: is(Judgement::Blunder),
            loss: u64::from(step.loss().unsigned_abs()),
        }
    }

    fn add(&mut self, other: MistakeCount) {
        self.moves += other.moves;
        self.inaccuracies += other.inaccuracies;
        self.mistakes += other.mistakes;
        self.blunders += other.blunders;
        self.loss += other.loss;
    }

    fn answer(self) -> MistakeCountAnswer {
        MistakeCountAnswer {
            moves: self.moves,
            inaccuracies: self.inaccuracies,
            mistakes: self.mistakes,
            blunders: self.blunders,
            loss: self.loss,
        }
    }
}

/// Moves, and the games in which they were made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MistakeTally {
    /// The moves.
    pub count: MistakeCount,
    /// Their games.
    pub games: NamedGames,
}

impl MistakeTally {
    fn new(most: usize) -> MistakeTally {
        MistakeTally {
            count: MistakeCount::default(),
            games: NamedGames::new(most),
        }
    }

    /// Of the player: all games are named.
    fn own() -> MistakeTally {
        MistakeTally::new(usize::MAX)
    }

    fn others() -> MistakeTally {
        MistakeTally::new(OTHER_GAMES)
    }

    fn see(&mut self, count: MistakeCount, game: NamedGame) {
        self.count.add(count);
        self.games.push(game);
    }

    fn append(&mut self, later: &MistakeTally, first: u64) {
        self.count.add(later.count);
        self.games.append(&later.games, first);
    }

    fn merge(&mut self, other: &MistakeTally) {
        self.count.add(other.count);
        self.games.merge(&other.games);
    }
}

/// An inaccuracy, mistake or blunder of the player.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MistakePlace {
    /// The game.
    pub game: NamedGame,
    /// The ply, from 1.
    pub ply: u64,
    /// What it is.
    pub judgement: Judgement,
}

/// Moves with something in common.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MistakeRow {
    /// What they have in common.
    pub value: String,
    /// The player's moves.
    pub own: MistakeTally,
    /// Those of others with a similar rating.
    pub others: MistakeTally,
    /// The player's inaccuracies, mistakes and blunders.
    pub places: Vec<MistakePlace>,
}

/// Where a player loses.
#[derive(Clone, Debug)]
pub struct MistakesReport {
    /// The requested name.
    pub player: String,
    /// The names of the bases.
    pub bases: Vec<String>,
    /// Games of the player with evaluations.
    pub games: NamedGames,
    /// Games of the player without.
    pub without_evaluations: NamedGames,
    /// The mean of the player's ratings.
    pub rating: Option<u64>,
    /// All moves of the player.
    pub all: MistakeTally,
    /// All moves of others with a similar rating.
    pub others: MistakeTally,
    /// The player's inaccuracies, mistakes and blunders.
    pub places: Vec<MistakePlace>,
    /// The moves by each aspect, rows with the greatest loss first.
    pub groups: Vec<(MistakeAspect, Vec<MistakeRow>)>,
    /// Games that are damaged.
    pub damaged: u64,
    /// Notes on indexes that are not used.
    pub notes: Vec<String>,
    /// Whether all games were read.
    pub ended: JobCompletion,
}

impl MistakesReport {
    /// The answer for programs.
    pub fn answer(&self) -> MistakesAnswer {
        let place = |place: &MistakePlace| MistakePlaceAnswer {
            base: self.bases.get(place.game.base).cloned().unwrap_or_default(),
            number: place.game.number,
            ply: place.ply,
            judgement: place.judgement.name().to_owned(),
        };
        let games = |own: &MistakeTally, others: &MistakeTally, places: &[MistakePlace]| {
            let judged = |judgement| {
                let mut games = NamedGames::new(usize::MAX);
                let places = places.iter();
                let places = places.filter(|place| place.judgement == judgement);
                places.for_each(|place| games.push(place.game));
                games.answer(&self.bases)
            };
            MistakeGamesAnswer {
                moves: own.games.answer(&self.bases),
                inaccuracies: judged(Judgement::Inaccuracy),
                mistakes: judged(Judgement::Mistake),
                blunders: judged(Judgement::Blunder),
                others: others.games.answer(&self.bases),
            }
        };
        let row = |row: &MistakeRow| MistakeRowAnswer {
            value: row.value.clone(),
            own: row.own.count.answer(),
            others: row.others.count.answer(),
            in_games: games(&row.own, &row.others, &row.places),
            places: row.places.iter().map(place).collect(),
        };
        MistakesAnswer {
            player: self.player.clone(),
            bases: self.bases.clone(),
            games: self.games.games().len() as u64,
            without_evaluations: self.without_evaluations.games().len() as u64,
            games_by_evaluations: EvaluatedGamesAnswer {
                with: self.games.answer(&self.bases),
                without: self.without_evaluations.answer(&self.bases),
            },
            rating: self.rating,
            all: self.all.count.answer(),
            others: self.others.count.answer(),
            in_games: games(&self.all, &self.others, &self.places),
            groups: self
                .groups
                .iter()
                .map(|(aspect, rows)| MistakeGroupAnswer {
                    by: aspect.name().to_owned(),
                    rows: rows.iter().map(row).collect(),
                })
                .collect(),
            damaged: self.damaged,
            whole: self.ended.is_whole(),
        }
    }
}

type MistakeKey = (MistakeAspect, String);

/// The moves of others with ratings in one hundred: all of them, and by what they have in common.
type OtherTallies = (MistakeTally, BTreeMap<MistakeKey, MistakeTally>);

/// What was counted of a run of games.
struct MistakeSum {
    games: NamedGames,
    without_evaluations: NamedGames,
    ratings: (u64, u64),
    all: MistakeTally,
    own: BTreeMap<MistakeKey, MistakeTally>,
    /// Others by the hundreds of their rating.
    others: BTreeMap<u32, OtherTallies>,
    all_places: Vec<MistakePlace>,
    places: BTreeMap<MistakeKey, Vec<MistakePlace>>,
}

impl Default for MistakeSum {
    fn default() -> MistakeSum {
        MistakeSum {
            games: NamedGames::new(usize::MAX),
            without_evaluations: NamedGames::new(usize::MAX),
            ratings: (0, 0),
            all: MistakeTally::own(),
            own: BTreeMap::new(),
            others: BTreeMap::new(),
            all_places: Vec::new(),
            places: BTreeMap::new(),
        }
    }
}

impl MistakeSum {
    fn see_own(&mut self, game: NamedGame, keys: Vec<MistakeKey>, step: &EvaluationStep) {
        let count = MistakeCount::of(step);
        let place = step.judgement().map(|judgement| MistakePlace {
            game,
            ply: step.ply as u64 + 1,
            judgement,
        });
        self.all.see(count, game);
        self.all_places.extend(place.clone());
        for key in keys {
            if let Some(place) = &place {
                let places = self.places.entry(key.clone()).or_default();
                places.push(place.clone());
            }
            let tally = self.own.entry(key).or_insert_with(MistakeTally::own);
            tally.see(count, game);
        }
    }

    fn see_other(
        &mut self,
        game: NamedGame,
        rating: u32,
        keys: Vec<MistakeKey>,
        count: MistakeCount,
    ) {
        let band = self.others.entry(rating / BAND);
        let (all, by) = band.or_insert_with(|| (MistakeTally::others(), BTreeMap::new()));
        all.see(count, game);
        for key in keys {
            let tally = by.entry(key).or_insert_with(MistakeTally::others);
            tally.see(count, game);
        }
    }

    /// Adds what was counted later; its numbers begin after `first`.
    fn append(&mut self, later: MistakeSum, first: u64) {
        self.games.append(&later.games, first);
        let without = &later.without_evaluations;
        self.without_evaluations.append(without, first);
        self.ratings.0 += later.ratings.0;
        self.ratings.1 += later.ratings.1;
        self.all.append(&later.all, first);
        for (key, tally) in later.own {
            let sum = self.own.entry(key).or_insert_with(MistakeTally::own);
            sum.append(&tally, first);
        }
        for (band, (all, by)) in later.others {
            let band = self.others.entry(band);
            let (sum, sum_by) = band.or_insert_with(|| (MistakeTally::others(), BTreeMap::new()));
            sum.append(&all, first);
            for (key, tally) in by {
                let sum = sum_by.entry(key).or_insert_with(MistakeTally::others);
                sum.append(&tally, first);
            }
        }
        let moved = |mut place: MistakePlace| {
            place.game.number = place.game.number.saturating_add(first);
            place
        };
        self.all_places
            .extend(later.all_places.into_iter().map(moved));
        for (key, places) in later.places {
            let sum = self.places.entry(key).or_default();
            sum.extend(places.into_iter().map(moved));
        }
    }

    /// Every game that is named.
    fn named_games(&mut self) -> impl Iterator<Item = &mut NamedGame> {
        let others = self.others.values_mut();
        let others = others.flat_map(|(all, by)| std::iter::once(all).chain(by.values_mut()));
        let tallies = std::iter::once(&mut self.all).chain(self.own.values_mut());
        let tallies = tallies.chain(others).map(|tally| &mut tally.games);
        let lists = [&mut self.games, &mut self.without_evaluations];
        let games = tallies.chain(lists).flat_map(|games| games.iter_mut());
        let places = self.places.values_mut().chain([&mut self.all_places]);
        games.chain(places.flatten().map(|place| &mut place.game))
    }
}

/// Counts the moves of one base.
struct MistakeCollector<'f> {
    base: usize,
    forms: &'f NameForms,
}

/// What is read of every game.
const NEEDS: GameNeeds = GameNeeds {
    moves: true,
    // The better lines of an analysis.
    variations: true,
    annotations: true,
    verify: false,
    notation: false,
    tags: TagSet::ALL,
};

impl Statistic for MistakeCollector<'_> {
    type Sum = MistakeSum;

    fn needs(&self) -> CollectorNeeds {
        CollectorNeeds::game(NEEDS)
    }

    fn see(&self, sum: &mut MistakeSum, view: &mut GameView<'_>) -> Result<()> {
        let place = NamedGame {
            base: self.base,
            number: view.place(),
        };
        let game = view.game(NEEDS)?;
        let sides = [(Color::White, "White"), (Color::Black, "Black")];
        let own = sides.map(|(_, tag)| self.forms.matches(game.tags.value(tag)));
        let evaluations = Evaluations::of(game);
        if evaluations.is_empty() {
            if own.contains(&true) {
                sum.without_evaluations.push(place);
            }
            return Ok(());
        }
        if own.contains(&true) {
            sum.games.push(place);
        }
        let judged: BTreeSet<usize> = evaluations
            .steps()
            .filter(|step| step.judgement().is_some())
            .map(|step| step.ply)
            .collect();
        let moves = described(game, &judged);
        let ratings = sides.map(|(_, tag)| {
            game.tags
                .number(&format!("{tag}Elo"))
                .filter(|elo| *elo > 0)
        });
        for (is_own, rating) in own.iter().zip(ratings) {
            if let (true, Some(rating)) = (*is_own, rating) {
                sum.ratings.0 += u64::from(rating);
                sum.ratings.1 += 1;
            }
        }
        for step in evaluations.steps() {
            let side = usize::from(step.mover == Color::Black);
            let is_own = own.get(side).copied().unwrap_or(false);
            let rating = ratings.get(side).copied().flatten();
            let Some(told) = moves.get(step.ply) else {
                continue;
            };
            let keys = keys(game, told, &step);
            match (is_own, rating) {
                (true, _) => sum.see_own(place, keys, &step),
                (_, Some(rating)) => sum.see_other(place, rating, keys, MistakeCount::of(&step)),
                _ => {}
            }
        }
        Ok(())
    }

    fn add(&self, sum: &mut MistakeSum, part: MistakeSum, first: u64) {
        sum.append(part, first);
    }
}

/// What is known of a move before it is judged.
struct DescribedMove {
    piece: &'static str,
    phase: &'static str,
    clock: &'static str,
    /// The motifs of the first variation instead of the move, if it is judged and has one.
    motifs: Option<Vec<&'static str>>,
}

/// The moves of the main line, with the motifs of those plies that are judged.
fn described(game: &Game, judged: &BTreeSet<usize>) -> Vec<DescribedMove> {
    let mut board = game.start_board();
    let mut before = board.clone();
    let mut moves: Vec<DescribedMove> = Vec::new();
    // What is left on both clocks; the last entry is the one of who has just moved.
    let mut clocks: [Option<u64>; 2] = [None, None];
    let tape = &game.tape;
    let mut at = 0;
    while let Some(op) = tape.get(at) {
        at += 1;
        match op {
            TapeOp::Begin(_) => {
                let is_judged = judged.contains(&moves.len().wrapping_sub(1));
                if let Some(last) = moves.last_mut().filter(|_| is_judged) {
                    last.motifs.get_or_insert_with(|| motifs(&before, tape, at));
                }
                at = tape.skip(at - 1);
            }
            TapeOp::Move(m) => {
                // Whoever moves now looks at the clock of two plies ago.
                clocks.swap(0, 1);
                moves.push(DescribedMove {
                    piece: piece_name(m.role()),
                    phase: phase(&board, moves.len()),
                    clock: clock_name(clocks[1]),
                    motifs: None,
                });
                clocks[1] = None;
                before.clone_from(&board);
                board.play(m);
            }
            TapeOp::Comment(id) if !moves.is_empty() => {
                for command in commands(tape.text(id)) {
                    if let CommentCommand::Clock(ClockKind::Remaining, time) = command {
                        clocks[1] = Some(if time.negative {
                            0
                        } else {
                            time.amount.as_secs()
                        });
                    }
                }
            }
            _ => {}
        }
    }
    moves
}

/// The motifs of the variation whose operations begin at a place.
fn motifs(start: &Board, tape: &Tape, mut at: usize) -> Vec<&'static str> {
    let mut line = Vec::new();
    while let Some(op) = tape.get(at).filter(|_| line.len() < MOTIF_PLIES) {
        at += 1;
        match op {
            TapeOp::Begin(_) => at = tape.skip(at - 1),
            TapeOp::End => break,
            TapeOp::Move(m) if m.is_null() => break,
            TapeOp::Move(m) => line.push(m),
            _ => {}
        }
    }
    let themes = themes::of(start, &line).into_iter();
    themes
        .filter(|theme| !NO_MOTIFS.contains(theme))
        .map(PuzzleTheme::name)
        .collect()
}

fn piece_name(role: Role) -> &'static str {
    match role {
        Role::Pawn => "pawn",
        Role::Knight => "knight",
        Role::Bishop => "bishop",
        Role::Rook => "rook",
        Role::Queen => "queen",
        Role::King => "king",
    }
}

fn phase(board: &Board, ply: usize) -> &'static str {
    let pawns = board.by_role(Role::Pawn) | board.by_role(Role::King);
    let pieces = (board.occupied() & !pawns).count();
    if pieces <= ENDGAME_PIECES {
        "endgame"
    } else if ply < OPENING_PLIES {
        "opening"
    } else {
        "middlegame"
    }
}

fn clock_name(seconds: Option<u64>) -> &'static str {
    match seconds {
        None => "unknown",
        Some(0..10) => "under 10 s",
        Some(10..30) => "10 to 30 s",
        Some(30..60) => "30 to 60 s",
        Some(60..180) => "1 to 3 min",
        Some(180..600) => "3 to 10 min",
        Some(_) => "10 min and more",
    }
}

/// What kind of loss a judged move is.
fn kind(step: &EvaluationStep) -> Option<&'static str> {
    step.judgement()?;
    let mates_mover = |score: Evaluation| match score {
        Evaluation::Mate(moves) => (moves < 0) == (step.mover == Color::White),
        Evaluation::Centipawns(_) => false,
    };
    Some(if mates_mover(step.after) {
        "allows mate"
    } else if step.misses_mate() {
        "misses mate"
    } else {
        "loses ground"
    })
}

/// The things by which a move is told apart.
fn keys(game: &Game, told: &DescribedMove, step: &EvaluationStep) -> Vec<MistakeKey> {
    let eco: String = game.tags.value("ECO").chars().take(3).collect();
    let eco = if eco.is_empty() { "?".to_owned() } else { eco };
    let mut keys = vec![
        (MistakeAspect::Opening, eco),
        (MistakeAspect::Phase, told.phase.to_owned()),
        (MistakeAspect::Clock, told.clock.to_owned()),
        (MistakeAspect::Piece, told.piece.to_owned()),
    ];
    if let Some(kind) = kind(step) {
        keys.push((MistakeAspect::Kind, kind.to_owned()));
        let motifs: &[&str] = match &told.motifs {
            None => &["unknown"],
            Some(motifs) if motifs.is_empty() => &["none"],
            Some(motifs) => motifs,
        };
        let motifs = motifs.iter().map(|motif| (*motif).to_owned());
        keys.extend(motifs.map(|motif| (MistakeAspect::Motif, motif)));
    }
    keys
}

/// Finds where a player loses.
///
/// ```
/// # fn main() -> tabiya::model::Result<()> {
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/lichess/ok/games.ndjson");
/// use tabiya::Selection;
/// use tabiya::mistakes::{MistakesOptions, mistakes};
/// use tabiya::model::Control;
///
/// let options = MistakesOptions { name: "SampleKnight".to_owned(), top: 10 };
/// let report = mistakes(&Selection::of(tabiya::open(path)?), &options, &Control::default())?;
/// assert_eq!((report.all.count.moves, report.all.count.blunders), (6, 1));
/// # Ok(())
/// # }
/// ```
pub fn mistakes(
    games: &Selection,
    options: &MistakesOptions,
    control: &Control,
) -> Result<MistakesReport> {
    let forms = NameForms::new(&options.name, games.aliases.as_deref())?;
    let mut report = MistakesReport {
        player: options.name.clone(),
        bases: games.base_names(),
        games: NamedGames::new(usize::MAX),
        without_evaluations: NamedGames::new(usize::MAX),
        rating: None,
        all: MistakeTally::own(),
        others: MistakeTally::others(),
        places: Vec::new(),
        groups: Vec::new(),
        damaged: 0,
        notes: Vec::new(),
        ended: JobCompletion::default(),
    };
    let mut whole = MistakeSum::default();
    for (place, base) in games.bases.iter().enumerate() {
        if control.is_stopped() {
            break;
        }
        let view = BaseView::open(games, base, control, &mut report.notes)?;
        let collector = MistakeCollector {
            base: place,
            forms: &forms,
        };
        let (mut counts, mut sum) = ((0, 0), MistakeSum::default());
        let mut pass = CollectorPass::new();
        pass.sum(&GameCount, &mut counts);
        pass.sum(&collector, &mut sum);
        let ended = base_view::run(base, view.as_ref(), pass, control)?;
        if let Some(listed) = view.as_ref().and_then(BaseView::listed) {
            // They know their places in the list.
            for game in sum.named_games() {
                let at = usize::try_from(game.number.saturating_sub(1)).ok();
                let number = at.and_then(|at| listed.get(at));
                game.number = number.copied().unwrap_or(game.number);
            }
        }
        whole.append(sum, 0);
        report.damaged += counts.1;
        report.notes.extend(view.and_then(|view| view.damage()));
        report.ended = report.ended.and(ended);
    }
    report.ended = report.ended.and(control.completion());
    report.fill(whole, options.top);
    Ok(report)
}

impl MistakesReport {
    /// Makes the rows of what was counted.
    fn fill(&mut self, mut sum: MistakeSum, top: usize) {
        self.games = sum.games;
        self.without_evaluations = sum.without_evaluations;
        self.all = sum.all;
        self.places = sum.all_places;
        let (total, count) = sum.ratings;
        // Half a point goes up.
        self.rating = (2 * total + count).checked_div(2 * count);
        let mut others: BTreeMap<MistakeKey, MistakeTally> = BTreeMap::new();
        let band = self.rating.and_then(|rating| u32::try_from(rating).ok());
        if let Some(band) = band.map(|rating| rating / BAND) {
            for (_, (all, by)) in sum.others.range(band.saturating_sub(1)..=band + 1) {
                self.others.merge(all);
                for (key, tally) in by {
                    let sum = others.entry(key.clone());
                    sum.or_insert_with(MistakeTally::others).merge(tally);
                }
            }
        }
        for aspect in MistakeAspect::ALL {
            let mut rows: Vec<MistakeRow> = sum
                .own
                .iter()
                .filter(|((of, _), _)| *of == aspect)
                .map(|(key, own)| MistakeRow {
                    value: key.1.clone(),
                    own: own.clone(),
                    others: others.remove(key).unwrap_or_else(MistakeTally::others),
                    places: sum.places.remove(key).unwrap_or_default(),
                })
                .collect();
            rows.sort_by(|a, b| {
                let losses = b.own.count.loss.cmp(&a.own.count.loss);
                losses.then_with(|| a.value.cmp(&b.value))
            });
            rows.truncate(top);
            self.groups.push((aspect, rows));
        }
    }
}
