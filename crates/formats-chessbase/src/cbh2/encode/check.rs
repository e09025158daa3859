//! What was written of a game is read again, and what nothing told explains is told.

use tabiya_codec::numbered_database::NumberedDatabase;
use tabiya_io::mmap::FileBytes;
use tabiya_model::Game;
use tabiya_model::charset::Charset;

use super::{Cbh2GameParts, Cbh2HeaderPart};
use crate::cbh2::base::Cbh2Reader;
use crate::cbh2::entities::Cbh2EntityFile;
use crate::cbh2::layout::{DATA_HEADER, RECORD, frame_head, frame_tail, tag};
use crate::cbh2::scratch::Cbh2Scratch;
use crate::encode::CbhLossReport;
use crate::encode::compare::compare_copy;

/// Where the only record of a file begins: behind the header.
const START: i64 = DATA_HEADER as i64;

/// Reads single games as a database of one.
pub(super) struct Cbh2CopyReader {
    reader: Cbh2Reader,
    scratch: Cbh2Scratch,
    copy: Game,
}

impl Cbh2CopyReader {
    pub(super) fn new(charset: Option<Charset>) -> Cbh2CopyReader {
        Cbh2CopyReader {
            reader: Cbh2Reader::of_nothing(charset),
            scratch: Cbh2Scratch::default(),
            copy: Game::default(),
        }
    }

    /// Compares a game with what will be read of it; of one that is known to be whole the tags alone.
    pub(super) fn check(
        &mut self,
        game: &Game,
        parts: &Cbh2GameParts,
        has_movetext: bool,
        report: &mut CbhLossReport<'_>,
    ) {
        self.fill(parts, has_movetext);
        compare_copy(game, &mut self.copy, has_movetext, report, |want, copy| {
            self.reader.fill(1, want, &mut self.scratch, copy)
        });
    }

    fn fill(&mut self, parts: &Cbh2GameParts, has_movetext: bool) {
        let names = &parts.names;
        let [white, black] = &names.players;
        let [white_team, black_team] = &names.teams;
        let team = |own: &Option<Vec<u8>>, at| own.as_ref().map_or(-1, |_| at);
        let record = match &parts.header {
            Cbh2HeaderPart::Game(header) => {
                let mut header = **header;
                (header.moves, header.annotations) = (START, START);
                header.players = [0, 1];
                header.annotator = 2;
                header.teams = [
                    team(white_team, 0),
                    team(black_team, i64::from(white_team.is_some())),
                ];
                header.encode()
            }
            Cbh2HeaderPart::Text(header) => {
                let mut header = *header;
                header.body = START;
                header.author = 2;
                header.encode()
            }
            Cbh2HeaderPart::Analysis(header, rest) => {
                let mut header = *header;
                (header.moves, header.annotations) = (START, START);
                header.author = 2;
                header.encode(rest)
            }
            Cbh2HeaderPart::Unknown(record) => **record,
        };
        // A record without players has none before its author.
        let player = |own: &Option<Vec<u8>>| own.clone().unwrap_or_default();
        let all = |own: &[&Option<Vec<u8>>]| -> Vec<Vec<u8>> {
            own.iter().filter_map(|own| (*own).clone()).collect()
        };
        let lists = [
            vec![player(white), player(black), player(&names.annotator)],
            all(&[&names.tournament]),
            all(&[&names.source]),
            all(&[white_team, black_team]),
            all(&[&names.title]),
        ];
        let reader = &mut self.reader;
        reader.headers = FileBytes::from([[0; RECORD], record].concat());
        let data = |content: &[u8], tag| {
            let mut bytes = vec![0; DATA_HEADER];
            bytes.extend(frame_head(content, 0, tag));
            bytes.extend_from_slice(content);
            bytes.extend(frame_tail(content.len(), 0));
            FileBytes::from(bytes)
        };
        reader.moves = has_movetext.then(|| data(&parts.moves, parts.tag));
        reader.annotations = has_movetext.then(|| data(&parts.notes, tag::ANNOTATIONS));
        reader.names = Some(Cbh2EntityFile::of_records(&lists));
    }
}
