//! The law of every format: games are written and read again, and every difference was reported as a loss. Include it by
//! path from the tests of a format.

#![allow(clippy::print_stderr, reason = "what was compared is said")]

use tabiya_formats::format::OpenOptions;
use tabiya_formats::registry;
use tabiya_model::canon_game::fold;
use tabiya_model::diff::diff;
use tabiya_model::{Game, GameNeeds, Loss, Losses, Sink, WriteSummary};
use tabiya_testing::shared;

/// Tags whose changes must all be reported.
const NAMED: [&str; 9] = [
    "White", "Black", "Event", "Site", "Round", "Date", "WhiteElo", "BlackElo", "ECO",
];

/// Writes games to a database, and returns the losses of each.
pub(crate) fn write(mut sink: Box<dyn Sink>, games: &[Game]) -> (Vec<Losses>, WriteSummary) {
    let mut encoder = sink.encoder();
    let mut all = Vec::new();
    for game in games {
        let mut losses = Losses::default();
        encoder.encode(game, &mut losses);
        all.push(losses);
    }
    let mut late = Losses::default();
    sink.append(encoder.take(), 1, &mut late).expect("appended");
    assert!(late.is_empty());
    (all, sink.finish().expect("finished"))
}

/// Asserts that the losses explain every difference between a game and its copy.
pub(crate) fn assert_told(place: &str, game: &Game, again: &Game, losses: &Losses) {
    for difference in &diff(game, again) {
        assert!(
            losses
                .iter()
                .any(|loss| loss.kind.aspect.explains(difference.aspect)),
            "{place} ({} {}): {difference}, and the losses are {losses:?}",
            game.tags.value("White"),
            game.tags.value("Date"),
        );
    }
}

/// Asserts that the tags by which games are found are unchanged (an empty one as an unknown one, and a missing date as
/// `unsaid`), or that a loss reports them.
pub(crate) fn assert_named(
    place: &str,
    game: &Game,
    again: &Game,
    losses: &Losses,
    unsaid: &str,
    tells: impl Fn(&Loss, &str) -> bool,
) {
    for name in NAMED {
        let value = |game: &Game| {
            let unknown = if name == "Date" { unsaid } else { "?" };
            fold(game.tags.get(name).unwrap_or(unknown))
        };
        let (before, after) = (value(game), value(again));
        assert!(
            before == after
                || losses.iter().any(|loss| tells(loss, name))
                || before.is_empty() && ["?", "????.??.??"].contains(&&*after),
            "{place}: {name} {before:?} became {after:?}, and the losses are {losses:?}"
        );
    }
}

/// Checks at most a number of games of a corpus, every n-th one, some thousands at a time; returns how many had no loss at
/// all.
pub(crate) fn corpus(
    name: &str,
    games: usize,
    each: usize,
    mut check: impl FnMut(&[Game]) -> usize,
) {
    let Some(path) = shared(format!("corpora/{name}")) else {
        return;
    };
    let open = registry::by_name("pgn")
        .and_then(|format| format.open)
        .expect("PGN can be read");
    let database = open(&path, &OpenOptions::default()).expect("opened");
    let mut source = database.source(None).expect("a source");
    let mut batch: Vec<Game> = Vec::new();
    let (mut count, mut seen, mut intact) = (0, 0, 0);
    let mut game = Game::default();
    'all: while let Some(mut block) = source.next_block().expect("read") {
        while block.next(GameNeeds::ALL, &mut game).expect("read") {
            seen += 1;
            if seen % each != 0 {
                continue;
            }
            count += 1;
            batch.push(game.clone());
            if batch.len() == 5_000 {
                intact += check(&batch);
                batch.clear();
            }
            if count == games {
                break 'all;
            }
        }
    }
    intact += check(&batch);
    assert!(count > 0);
    eprintln!("{name}: {count} games, {intact} without any loss");
}
