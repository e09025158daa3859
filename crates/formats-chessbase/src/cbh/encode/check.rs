//! What was written of a game is read again, and what nothing told explains is told.

use tabiya_io::mmap::FileBytes;
use tabiya_model::Game;
use tabiya_model::charset::Charset;

use super::{CbhGameParts, CbhHeaderPart, USUAL_EXTRA};
use crate::cbh::base::{CbhDataFile, CbhReader};
use crate::cbh::entities::{CbhEntityFile, CbhEntityTable, CbhTournamentExtras};
use crate::cbh::layout::RECORD;
use crate::cbh::scratch::CbhScratch;
use crate::cbh::second_header::{self, CbhSecondHeaders, CbhSecondRecord};
use crate::cbh::tables;
use crate::encode::CbhLossReport;
use crate::encode::compare::compare_copy;

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
        compare_copy(game, &mut self.copy, has_movetext, report, |want, copy| {
            self.reader.read_game(1, want, &mut self.scratch, copy)
        });
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
