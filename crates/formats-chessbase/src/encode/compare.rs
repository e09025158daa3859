//! What differs between a game and its copy, told where nothing told explains it.

use tabiya_model::canon_game::is_white;
use tabiya_model::diff::diff;
use tabiya_model::game::Variant;
use tabiya_model::rating::RatingKind;
use tabiya_model::tags::ROSTER;
use tabiya_model::{Game, GameAspect, GameNeeds, Result};

use super::CbhLossReport;

/// Names, which are cut where they are longer than their fields.
const NAMES: [&str; 8] = [
    "White",
    "Black",
    "Event",
    "Site",
    "Annotator",
    "Source",
    "SourceTitle",
    "WhiteTeam",
];

/// Reads the copy of a game and tells every difference that nothing told explains; of a movetext that is known to be whole
/// none.
pub(crate) fn compare_copy(
    game: &Game,
    copy: &mut Game,
    has_movetext: bool,
    report: &mut CbhLossReport<'_>,
    read: impl FnOnce(GameNeeds, &mut Game) -> Result<()>,
) {
    let want = match has_movetext {
        true => GameNeeds::ALL,
        false => GameNeeds::TAGS,
    };
    // The only game of the database is always there.
    if read(want, copy).is_err() {
        return;
    }
    compare_tags(game, copy, report);
    if has_movetext {
        compare_movetext(game, copy, report);
    }
}

/// Tells every tag that a copy has not, or has besides.
fn compare_tags(game: &Game, copy: &Game, report: &mut CbhLossReport<'_>) {
    let kinds = report.kinds;
    let mut used = vec![false; copy.tags.len()];
    let mut told: Vec<&str> = Vec::new();
    for (index, tag) in game.tags.iter().enumerate() {
        if says_nothing(game, index) {
            // What stands for it in the copy says nothing either.
            if let Some(at) = copy
                .tags
                .position(tag.name)
                .filter(|_| !told.contains(&tag.name))
                && let Some(used) = used.get_mut(at)
                && game.tags.position(tag.name) == Some(index)
            {
                *used = true;
            }
            continue;
        }
        let same = copy.tags.iter().zip(&mut used).find(|(other, is_used)| {
            !**is_used && other.name == tag.name && other.value == tag.value
        });
        if let Some((_, is_used)) = same {
            *is_used = true;
            continue;
        }
        if tag.name == "Result" && report.is_result_told && !told.contains(&"Result") {
            told.push("Result");
            continue;
        }
        let other = copy.tags.get(tag.name).unwrap_or("");
        let is_cut = (NAMES.contains(&tag.name) || tag.name == "BlackTeam")
            && !other.is_empty()
            && tag.value.starts_with(other);
        let kind = if is_cut { kinds.name } else { kinds.tag };
        report.loss(kind, format!("[{} {:?}]", tag.name, tag.value));
        told.push(tag.name);
    }
    for ((index, tag), is_used) in copy.tags.iter().enumerate().zip(used) {
        let is_missing = game.tags.get(tag.name).is_none();
        let is_default =
            is_missing && ROSTER.contains(&tag.name) && is_default(game, tag.name, tag.value);
        if is_used || told.contains(&tag.name) || is_default || says_nothing(copy, index) {
            continue;
        }
        report.loss(kinds.tag, format!("[{} {:?}] is new", tag.name, tag.value));
    }
}

/// Whether a tag of the roster that a game does not have says what its absence does.
fn is_default(game: &Game, name: &str, value: &str) -> bool {
    match name {
        "Result" => value == game.result().as_pgn(),
        "Date" => value == "????.??.??",
        _ => value == "?",
    }
}

/// Whether a tag is told elsewhere, or not at all: those of the start, empty ones of the roster, empty ratings.
fn says_nothing(game: &Game, index: usize) -> bool {
    let Some(tag) = game.tags.at(index) else {
        return true;
    };
    let is_first = game.tags.position(tag.name) == Some(index);
    let is_blank = || tag.value.trim_matches(is_white).is_empty();
    let is_roster = || is_first && ROSTER.contains(&tag.name) && is_blank();
    let is_rating = || is_first && is_blank() && RatingKind::from_tag_name(tag.name).is_some();
    let is_variant = || {
        game.variant == Variant::Chess960
            && tag.name == "Variant"
            && tag.value.trim_matches(is_white) == "Chess960"
    };
    game.is_start_tag(index) || is_roster() || is_rating() || is_variant()
}

/// Tells every difference of the movetext that nothing told explains.
fn compare_movetext(game: &Game, copy: &Game, report: &mut CbhLossReport<'_>) {
    let kinds = report.kinds;
    for difference in diff(game, copy) {
        if difference.aspect == GameAspect::Tags || report.explains(difference.aspect) {
            continue;
        }
        let kind = match difference.aspect {
            GameAspect::Start => kinds.start,
            GameAspect::Moves | GameAspect::Game => kinds.moves,
            GameAspect::Variations => kinds.variation,
            GameAspect::Comments => kinds.moved_comment,
            GameAspect::Nags => kinds.moved_nag,
            GameAspect::Outcome => kinds.outcome,
            GameAspect::Extensions => kinds.extension,
            GameAspect::Layout | GameAspect::Tags | GameAspect::Database => kinds.layout,
        };
        report.loss(kind, difference.message);
    }
}
