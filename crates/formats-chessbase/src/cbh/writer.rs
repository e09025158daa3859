//! Databases, written: games encoded on any thread, numbers of names and places by the sink.
//!
//! The set of files is that in which databases of the newest programs of this format travel. Boosters and keys are none of
//! it: the program makes them anew when it misses them.

use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

use hashbrown::DefaultHashBuilder;
use tabiya_codec::format::WriteOptions;
use tabiya_io::output::OutputFile;
use tabiya_model::charset::Charset;
use tabiya_model::error_codes;
use tabiya_model::metadata::DatabaseMetadata;
use tabiya_model::{EncodedGames, Encoder, Error, Game, Losses, Result, Sink, WriteSummary};

use super::database_title;
use super::encode::{
    CbhGameEncoder, CbhGameNames, CbhGameParts, CbhHeaderPart, CbhSecondPart, USUAL_EXTRA,
};
use super::entities::{CbhEntityTable, CbhTournamentExtras};
use super::layout::RECORD;
use super::losses::LOST_GAME;
use super::name_files::CbhNameFile;
use super::second_header::{self, CbhSecondRecord};
use super::tables;
use crate::writer::name_list::CbhNameList;
use crate::writer::{
    CbhBatch, CbhBatchGame, CbhBatchSink, CbhNameNumbers, commit, create_file, has_extension,
    text_charset,
};

/// The length of the headers of `.cbg` and `.cba`.
const DATA_HEADER: u64 = 26;
/// The most names of a kind, and the most games: their numbers have 24 bits.
const MOST: u32 = (1 << 24) - 2;
/// Bytes of headers and second headers that wait to be written.
const FLUSH: usize = 1 << 18;

/// The files that grow with every game, in the order of [`CbhSink::streams`].
const STREAMS: [&str; 4] = ["cbg", "cba", "cbh", "cbj"];
/// The files that are written at the end.
const OTHERS: [&str; 9] = [
    "cbp", "cbt", "cbc", "cbs", "cbe", "cbl", "cbtt", "cbm", "ini",
];

/// What a game has beside its records and names.
struct CbhGameHead {
    header: CbhHeaderPart,
    second: CbhSecondPart,
    media: Vec<u8>,
}

/// The kinds of the names of a game: White, Black, tournament, annotator, source, teams, title.
const KINDS: [CbhEntityTable; 8] = [
    CbhEntityTable::Players,
    CbhEntityTable::Players,
    CbhEntityTable::Tournaments,
    CbhEntityTable::Annotators,
    CbhEntityTable::Sources,
    CbhEntityTable::Teams,
    CbhEntityTable::Teams,
    CbhEntityTable::Titles,
];

/// The encoder of one thread.
struct CbhEncoder {
    encoder: CbhGameEncoder,
    batch: CbhBatch<CbhGameHead>,
    hashes: DefaultHashBuilder,
}

impl Encoder for CbhEncoder {
    fn encode(&mut self, game: &Game, losses: &mut Losses) {
        let CbhGameParts {
            header,
            names,
            second,
            moves,
            notes,
            media,
        } = self.encoder.encode(game, losses);
        let CbhGameNames {
            players: [white, black],
            tournament,
            annotator,
            source,
            teams: [white_team, black_team],
            title,
        } = names;
        let (is_game, is_known) = match header {
            CbhHeaderPart::Game(_) => (true, true),
            CbhHeaderPart::Text(_) => (false, true),
            CbhHeaderPart::Unknown(_) => (false, false),
        };
        let wanted = [
            Some(white).filter(|_| is_game),
            Some(black).filter(|_| is_game),
            Some(tournament).filter(|_| is_known),
            Some(annotator).filter(|_| is_known),
            Some(source).filter(|_| is_known),
            white_team,
            black_team,
            title,
        ];
        let head = CbhGameHead {
            header,
            second,
            media,
        };
        let names = (KINDS.map(|kind| kind as usize), wanted);
        let records = [&moves[..], &notes];
        self.batch.push(game, head, names, records, &self.hashes);
    }

    fn take(&mut self) -> EncodedGames {
        Box::new(std::mem::take(&mut self.batch))
    }
}

/// A database that is being written.
struct CbhSink {
    options: WriteOptions,
    charset: Option<Charset>,
    hashes: DefaultHashBuilder,
    /// Files of moves, annotations, headers and second headers.
    streams: [OutputFile; 4],
    /// Those that are written at the end, in the order of [`OTHERS`].
    others: Vec<OutputFile>,
    /// Bytes on their way to the last two of them.
    waiting: [Vec<u8>; 2],
    /// Where the next records of moves and annotations begin.
    ends: [u64; 2],
    names: [CbhNameFile; 6],
    media: Vec<Vec<u8>>,
    count: u32,
}

/// Creates a database under the name of its header file, or of the file of its moves.
pub(super) fn create(path: &Path, options: &WriteOptions) -> Result<Box<dyn Sink>> {
    if !has_extension(path, &["cbh", "cbg"]) {
        return Err(Error::new(
            &error_codes::TARGET_NAME,
            "a ChessBase database is a set of files: give a name that ends in .cbh, or in .cbv for an archive",
        )
        .in_file(path.display().to_string()));
    }
    let charset = text_charset(options)?;
    let open = |extension: &str| create_file(path, extension, options);
    let [moves, notes, headers, seconds] = STREAMS;
    // All files are there from the beginning: one that must not be replaced is told before an hour's work.
    let mut others = Vec::new();
    for extension in OTHERS {
        others.push(open(extension)?);
    }
    let mut sink = CbhSink {
        options: options.clone(),
        charset,
        hashes: DefaultHashBuilder::default(),
        streams: [open(moves)?, open(notes)?, open(headers)?, open(seconds)?],
        others,
        waiting: [vec![0; RECORD], second_header::header(0)],
        ends: [DATA_HEADER; 2],
        names: CbhEntityTable::ALL.map(CbhNameFile::new),
        media: Vec::new(),
        count: 0,
    };
    // The headers are written once everything in them is known.
    let [moves, notes, ..] = &mut sink.streams;
    moves.write_all(&[0; DATA_HEADER as usize])?;
    notes.write_all(&[0; DATA_HEADER as usize])?;
    Ok(Box::new(sink))
}

impl CbhSink {
    /// Writes a record of moves or annotations and says where it begins.
    fn place(&mut self, file: usize, record: &[u8]) -> Result<u64> {
        let (Some(output), Some(end)) = (self.streams.get_mut(file), self.ends.get_mut(file))
        else {
            return Ok(0);
        };
        // An offset whose low half is 0 would mean that there is none.
        if *end & u64::from(u32::MAX) == 0 {
            output.write_all(&[0])?;
            *end += 1;
        }
        let start = *end;
        output.write_all(record)?;
        *end += record.len() as u64;
        Ok(start)
    }

    fn flush(&mut self, most: usize) -> Result<()> {
        let [_, _, outputs @ ..] = &mut self.streams;
        for (output, bytes) in outputs.iter_mut().zip(&mut self.waiting) {
            if bytes.len() > most {
                output.write_all(bytes)?;
                bytes.clear();
            }
        }
        Ok(())
    }

    /// What stands in the files that are written at the end, in the order of [`OTHERS`].
    fn contents(&self) -> Vec<Vec<u8>> {
        let mut files: Vec<Vec<u8>> = self.names.iter().map(CbhNameFile::encode).collect();
        files.push(self.tournament_extras());
        let lists = u32::try_from(self.media.len()).unwrap_or(u32::MAX);
        let mut media = tables::media_header(lists);
        for text in &self.media {
            let mut record = vec![0xff; 4];
            record.extend(1_u32.to_le_bytes());
            record.extend_from_slice(text);
            record.resize(usize::try_from(tables::MEDIA_RECORD).unwrap_or(0), 0);
            media.extend(record);
        }
        files.push(media);
        let title = self.options.description.as_deref();
        files.push(database_title::settings("DescrCBG", title, self.charset));
        files
    }

    /// More about tournaments, as far as there is any of them that has more.
    fn tournament_extras(&self) -> Vec<u8> {
        let at = CbhEntityTable::Tournaments.count_at();
        let Some(names) = self.names.get(1) else {
            return Vec::new();
        };
        let extra = |number: u32| names.get(number).get(at..).unwrap_or(&USUAL_EXTRA);
        let last = (0..names.len())
            .rev()
            .find(|number| extra(*number) != USUAL_EXTRA);
        let count = last.map_or(0, |last| last + 1);
        let mut file = CbhTournamentExtras::header(count).to_vec();
        for number in 0..count {
            file.extend_from_slice(extra(number));
        }
        file
    }
}

impl CbhBatchSink for CbhSink {
    type Head = CbhGameHead;

    fn number(&mut self, lists: &[CbhNameList], names: CbhNameNumbers) -> Option<CbhNameNumbers> {
        if self.count >= MOST {
            return None;
        }
        let mut numbers = [None; 8];
        let [.., white_team, black_team, _] = names;
        let is_same_team = white_team.is_some() && white_team == black_team;
        for ((number, kind), local) in numbers.iter_mut().zip(KINDS).zip(names) {
            let (Some(local), Some(from), Some(file)) = (
                local,
                lists.get(kind as usize),
                self.names.get_mut(kind as usize),
            ) else {
                continue;
            };
            // Team 0 against itself would look like damage.
            if kind == CbhEntityTable::Teams && is_same_team {
                file.skip_first();
            }
            if file.len() >= MOST {
                return None;
            }
            *number = Some(file.intern(&self.hashes, from.get(local)));
        }
        Some(numbers)
    }

    fn add(
        &mut self,
        game: CbhBatchGame<CbhGameHead>,
        numbers: CbhNameNumbers,
        record: &[u8],
    ) -> Result<()> {
        self.count += 1;
        let count = self.count;
        let CbhGameHead {
            header,
            second,
            media,
        } = game.head;
        let (moves, notes) = record.split_at_checked(game.moves).unwrap_or((record, &[]));
        let (moves_at, notes_at) = match (moves.is_empty(), notes.is_empty()) {
            (true, _) => (0, 0),
            (false, true) => (self.place(0, moves)?, 0),
            (false, false) => {
                let mut notes = notes.to_vec();
                let [_, a, b, c] = count.to_be_bytes();
                if let Some(head) = notes.first_chunk_mut() {
                    *head = [a, b, c];
                }
                (self.place(0, moves)?, self.place(1, &notes)?)
            }
        };
        let low = |offset: u64| u32::try_from(offset & u64::from(u32::MAX)).unwrap_or(0);
        let [
            white,
            black,
            tournament,
            annotator,
            source,
            white_team,
            black_team,
            title,
        ] = numbers;
        let or_none = |number: Option<u32>| number.unwrap_or(0);
        let header = match header {
            CbhHeaderPart::Game(mut header) => {
                header.moves = low(moves_at);
                header.annotations = low(notes_at);
                header.players = [or_none(white), or_none(black)];
                header.tournament = or_none(tournament);
                header.annotator = or_none(annotator);
                header.source = or_none(source);
                header.encode()
            }
            CbhHeaderPart::Text(mut header) => {
                header.body = low(moves_at);
                header.tournament = or_none(tournament);
                header.annotator = or_none(annotator);
                header.source = or_none(source);
                header.encode()
            }
            CbhHeaderPart::Unknown(record) => record,
        };
        for (number, kind) in numbers.iter().zip(KINDS) {
            if let (Some(number), Some(file)) = (number, self.names.get_mut(kind as usize)) {
                file.count(*number, count);
            }
        }
        let media = (!media.is_empty()).then(|| {
            let before = u32::try_from(self.media.len()).unwrap_or(u32::MAX);
            self.media.push(media);
            before
                .saturating_mul(tables::MEDIA_RECORD)
                .saturating_add(tables::FIRST_MEDIA)
        });
        let second = CbhSecondRecord {
            teams: [white_team, black_team],
            media,
            annotations: notes_at,
            moves: moves_at,
            ratings: second.ratings,
            saves: second.saves,
            created: second.created,
            saved: second.saved,
            title,
        };
        let [headers, seconds] = &mut self.waiting;
        headers.extend_from_slice(&header);
        seconds.extend_from_slice(&second.encode());
        Ok(())
    }
}

impl Sink for CbhSink {
    fn describe(&mut self, about: &DatabaseMetadata, losses: &mut Losses) {
        database_title::describe(&mut self.options.description, about, losses);
    }

    fn encoder(&self) -> Box<dyn Encoder> {
        Box::new(CbhEncoder {
            encoder: CbhGameEncoder::new(self.charset),
            batch: CbhBatch::default(),
            hashes: self.hashes.clone(),
        })
    }

    fn append(&mut self, part: EncodedGames, first: u64, losses: &mut Losses) -> Result<()> {
        self.append_batch(part, first, &LOST_GAME, losses)?;
        self.flush(FLUSH)
    }

    fn finish(mut self: Box<Self>) -> Result<WriteSummary> {
        self.flush(0)?;
        let next = self.count + 1;
        let heads = [
            data_header(self.ends[0]),
            data_header(self.ends[1]),
            file_header(next),
            second_header::header(self.count),
        ];
        for (output, head) in self.streams.iter_mut().zip(heads) {
            output.seek(SeekFrom::Start(0))?;
            output.write_all(&head)?;
        }
        let mut bytes = self.ends[0] + self.ends[1];
        bytes += u64::from(next) * RECORD as u64 + u64::from(self.count) * 120 + 32;
        let contents = self.contents();
        for (output, content) in self.others.iter_mut().zip(&contents) {
            output.write_all(content)?;
            bytes += content.len() as u64;
        }
        let mut outputs = self.others;
        let [moves, notes, headers, seconds] = self.streams;
        outputs.extend([moves, notes, seconds, headers]);
        commit(outputs, self.count, bytes)
    }
}

/// The header of `.cbg` and `.cba`: no record was ever taken out.
fn data_header(size: u64) -> Vec<u8> {
    let mut head = vec![0, 26];
    head.extend(u32::try_from(size).unwrap_or(u32::MAX).to_be_bytes());
    head.extend([0; 4]);
    head.extend(size.to_be_bytes());
    head.extend([0; 8]);
    head
}

/// The header of `.cbh`.
fn file_header(next: u32) -> Vec<u8> {
    let mut head = vec![0, 0, 44, 0, 46, 1];
    head.extend(next.to_be_bytes());
    head.resize(40, 0);
    head.extend(next.to_be_bytes());
    head.resize(RECORD, 0);
    head
}
