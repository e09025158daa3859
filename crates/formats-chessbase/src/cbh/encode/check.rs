//! What was written of a game is read again, and what nothing told explains is told.

use tabiya_model::canon_game::is_white;
use tabiya_model::charset::Charset;
use tabiya_model::diff::diff;
use tabiya_model::game::Variant;
use tabiya_model::rating::RatingKind;
use tabiya_model::tags::ROSTER;
use tabiya_model::{Game, GameAspect, GameNeeds, LossKind};

use tabiya_io::mmap::FileBytes;

use super::{CbhGameParts, CbhHeaderPart, CbhLossReport, USUAL_EXTRA};
use crate::cbh::base::{CbhDataFile, CbhReader};
use crate::cbh::entities::{CbhEntityFile, CbhEntityTable, CbhTournamentExtras};
use crate::cbh::layout::RECORD;
use crate::cbh::losses::{
    LOST_EXTENSION, LOST_LAYOUT, LOST_MOVES, LOST_NAME, LOST_OUTCOME, LOST_START, LOST_TAG,
    LOST_VARIATION, MOVED_COMMENT, MOVED_NAG,
};
use crate::cbh::scratch::CbhScratch;
use crate::cbh::second_header::{self, CbhSecondHeaders, CbhSecondRecord};
use crate::cbh::tables;

/// What is told of differences between a game and its copy.
pub(crate) struct CbhLossKinds {
    /// Tags that are not there, or new.
    pub(crate) tag: &'static LossKind,
    /// Names that are cut.
    pub(crate) name: &'static LossKind,
    /// The starting position.
    pub(crate) start: &'static LossKind,
    /// Moves of the main line.
    pub(crate) moves: &'static LossKind,
    /// Variations.
    pub(crate) variation: &'static LossKind,
    /// Comments.
    pub(crate) comment: &'static LossKind,
    /// NAGs.
    pub(crate) nag: &'static LossKind,
    /// Results within the moves.
    pub(crate) outcome: &'static LossKind,
    /// Data that only one format has.
    pub(crate) extension: &'static LossKind,
    /// White space.
    pub(crate) layout: &'static LossKind,
}

/// What is told by this format.
const KINDS: CbhLossKinds = CbhLossKinds {
    tag: &LOST_TAG,
    name: &LOST_NAME,
    start: &LOST_START,
    moves: &LOST_MOVES,
    variation: &LOST_VARIATION,
    comment: &MOVED_COMMENT,
    nag: &MOVED_NAG,
    outcome: &LOST_OUTCOME,
    extension: &LOST_EXTENSION,
    layout: &LOST_LAYOUT,
};

/// Where the only record of a file begins: behind the header.
const START: u32 = 26;

/// Reads single games as a database of one.
pub(super) struct CbhCopyReader {
    reader: CbhReader,
    scratch: CbhScratch,
    copy: Game,
}

impl CbhCopyReader {
    pub(super) fn new(charset: Option<Charset>) -> CbhCopyReader {
        CbhCopyReader {
            reader: CbhReader::of_nothing(charset),
            scratch: CbhScratch::default(),
            copy: Game::default(),
        }
    }

    /// Compares a game with what will be read of it; of one that is known to be whole the tags alone.
    pub(super) fn check(
        &mut self,
        game: &Game,
        parts: &CbhGameParts,
        has_movetext: bool,
        report: &mut CbhLossReport<'_>,
    ) {
        self.fill(parts, has_movetext);
        let want = match has_movetext {
            true => GameNeeds::ALL,
            false => GameNeeds::TAGS,
        };
        let mut copy = std::mem::take(&mut self.copy);
        // The only game of the database is always there.
        let is_read = self.reader.read_game(1, want, &mut self.scratch, &mut copy);
        if is_read.is_ok() {
            compare(game, &copy, has_movetext, &KINDS, report);
        }
        self.copy = copy;
    }

    fn fill(&mut self, parts: &CbhGameParts, has_movetext: bool) {
        let reader = &mut self.reader;
        let record = match &parts.header {
            CbhHeaderPart::Game(header) => {
                let mut header = *header;
                header.moves = START;
                header.annotations = if parts.notes.is_empty() { 0 } else { START };
                header.players = [0, 1];
                header.encode()
            }
            CbhHeaderPart::Text(header) => {
                let mut header = *header;
                header.body = START;
                header.encode()
            }
            CbhHeaderPart::Unknown(record) => *record,
        };
        reader.headers = FileBytes::from([[0; RECORD], record].concat());
        let data = |record: &[u8]| {
            let bytes = [&[0; START as usize], record].concat();
            CbhDataFile {
                bytes: FileBytes::from(bytes),
                start: u64::from(START),
            }
        };
        reader.moves = has_movetext.then(|| data(&parts.moves));
        reader.annotations = (has_movetext && !parts.notes.is_empty()).then(|| data(&parts.notes));
        let names = &parts.names;
        let tournament = CbhEntityTable::Tournaments.count_at();
        let (event, extra) = names
            .tournament
            .split_at_checked(tournament)
            .unwrap_or_default();
        let team = |at: usize| names.teams.get(at).and_then(|team| team.as_deref());
        let [white, black] = &names.players;
        let teams: Vec<&[u8]> = (0..2).filter_map(team).collect();
        let lists: [(CbhEntityTable, Vec<&[u8]>); 6] = [
            (CbhEntityTable::Players, vec![white, black]),
            (CbhEntityTable::Tournaments, vec![event]),
            (CbhEntityTable::Annotators, vec![&names.annotator]),
            (CbhEntityTable::Sources, vec![&names.source]),
            (CbhEntityTable::Teams, teams),
            (
                CbhEntityTable::Titles,
                names.title.as_deref().into_iter().collect(),
            ),
        ];
        for (file, (_, records)) in reader.entities.iter_mut().zip(&lists) {
            *file = CbhEntityFile::of_records(records);
        }
        for (has, (_, records)) in reader.has.iter_mut().zip(&lists) {
            *has = !records.is_empty();
        }
        let white_team = team(0).map(|_| 0);
        let black_team = team(1).map(|_| u32::from(white_team.is_some()));
        let second = CbhSecondRecord {
            teams: [white_team, black_team],
            media: (!parts.media.is_empty()).then_some(tables::FIRST_MEDIA),
            annotations: u64::from(START),
            moves: u64::from(START),
            ratings: parts.second.ratings,
            saves: parts.second.saves,
            created: parts.second.created,
            saved: parts.second.saved,
            title: names.title.as_ref().map(|_| 0),
        };
        let mut seconds = second_header::header(1);
        seconds.extend(second.encode());
        reader.seconds = CbhSecondHeaders::new(FileBytes::from(seconds));
        reader.more = (extra != USUAL_EXTRA).then(|| {
            let file = [&CbhTournamentExtras::header(1)[..], extra].concat();
            CbhTournamentExtras::new(FileBytes::from(file))
        });
        reader.media = (!parts.media.is_empty()).then(|| {
            let mut file = tables::media_header(1);
            file.extend([0; 8]);
            file.extend_from_slice(&parts.media);
            FileBytes::from(file)
        });
    }
}

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

/// Tells every difference between a game and its copy that nothing told explains; of the movetext only if that is asked for.
pub(crate) fn compare(
    game: &Game,
    copy: &Game,
    has_movetext: bool,
    kinds: &CbhLossKinds,
    report: &mut CbhLossReport<'_>,
) {
    compare_tags(game, copy, kinds, report);
    if has_movetext {
        compare_movetext(game, copy, kinds, report);
    }
}

/// Tells every tag that a copy has not, or has besides.
fn compare_tags(game: &Game, copy: &Game, kinds: &CbhLossKinds, report: &mut CbhLossReport<'_>) {
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
fn compare_movetext(
    game: &Game,
    copy: &Game,
    kinds: &CbhLossKinds,
    report: &mut CbhLossReport<'_>,
) {
    for difference in diff(game, copy) {
        if difference.aspect == GameAspect::Tags || report.explains(difference.aspect) {
            continue;
        }
        let kind = match difference.aspect {
            GameAspect::Start => kinds.start,
            GameAspect::Moves | GameAspect::Game => kinds.moves,
            GameAspect::Variations => kinds.variation,
            GameAspect::Comments => kinds.comment,
            GameAspect::Nags => kinds.nag,
            GameAspect::Outcome => kinds.outcome,
            GameAspect::Extensions => kinds.extension,
            GameAspect::Layout | GameAspect::Tags | GameAspect::Database => kinds.layout,
        };
        report.loss(kind, difference.message);
    }
}
