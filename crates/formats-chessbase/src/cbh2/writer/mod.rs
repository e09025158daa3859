//! Databases, written: games encoded on any thread, numbers of names and places by the sink.

mod letters;
mod names;
mod orders;
mod uses;

use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

use hashbrown::DefaultHashBuilder;
use tabiya_codec::format::WriteOptions;
use tabiya_io::output::OutputFile;
use tabiya_model::charset::Charset;
use tabiya_model::error_codes;
use tabiya_model::metadata::DatabaseMetadata;
use tabiya_model::{EncodedGames, Encoder, Error, Game, Losses, Result, Sink, WriteSummary};

use self::names::MOST_NAMES;
use self::uses::{Cbh2NameUses, Cbh2RoleGames, Cbh2UseKind};
use super::encode::names::Cbh2GameNames;
use super::encode::{Cbh2GameEncoder, Cbh2GameParts, Cbh2HeaderPart};
use super::entities::Cbh2EntityTable;
use super::layout::{
    Cbh2FileHeader, DATA_HEADER, FRAME_HEAD, RECORD, VERSION, frame_head, frame_tail, new_spare,
    tag,
};
use super::losses::LOST_GAME;
use super::name_roles::Cbh2NameRole;
use crate::cbh::database_title;
use crate::writer::name_list::CbhNameList;
use crate::writer::{
    CbhBatch, CbhBatchGame, CbhBatchSink, CbhNameNumbers, commit, create_file, has_extension,
    text_charset,
};

/// The most games: the header counts them in 31 bits.
const MOST: u32 = (1 << 31) - 2;
/// Bytes of headers that wait to be written.
const FLUSH: usize = 1 << 18;

/// The files that grow with every game, in the order of [`Cbh2Sink::streams`].
const STREAMS: [&str; 3] = ["2cbg", "2cba", "2cbh"];
/// The files that are written at the end.
const OTHERS: [&str; 4] = ["2lid", "2lgd", "2lcd", "ini"];

/// The kinds of the names of a game, as [`Cbh2NameUses`] has them.
const KINDS: [Cbh2EntityTable; 8] = [
    Cbh2EntityTable::Players,
    Cbh2EntityTable::Players,
    Cbh2EntityTable::Players,
    Cbh2EntityTable::Tournaments,
    Cbh2EntityTable::Sources,
    Cbh2EntityTable::Teams,
    Cbh2EntityTable::Teams,
    Cbh2EntityTable::Titles,
];

/// The place of a kind of names in a list of all.
fn place(table: Cbh2EntityTable) -> usize {
    Cbh2EntityTable::ALL
        .iter()
        .position(|own| *own == table)
        .unwrap_or(0)
}

/// What a game has beside its records and names.
struct Cbh2GameHead {
    header: Cbh2HeaderPart,
    /// The kind of its record of moves.
    tag: u16,
}

/// The encoder of one thread.
struct Cbh2Encoder {
    encoder: Cbh2GameEncoder,
    batch: CbhBatch<Cbh2GameHead>,
    hashes: DefaultHashBuilder,
}

impl Encoder for Cbh2Encoder {
    fn encode(&mut self, game: &Game, losses: &mut Losses) {
        let Cbh2GameParts {
            header,
            names,
            tag,
            moves,
            notes,
        } = self.encoder.encode(game, losses);
        let Cbh2GameNames {
            players: [white, black],
            annotator,
            tournament,
            source,
            teams: [white_team, black_team],
            title,
        } = names;
        let wanted = [
            white, black, annotator, tournament, source, white_team, black_team, title,
        ];
        let head = Cbh2GameHead { header, tag };
        let names = (KINDS.map(place), wanted);
        let records = [&moves[..], &notes];
        self.batch.push(game, head, names, records, &self.hashes);
    }

    fn take(&mut self) -> EncodedGames {
        Box::new(std::mem::take(&mut self.batch))
    }
}

/// A database that is being written.
struct Cbh2Sink {
    options: WriteOptions,
    charset: Option<Charset>,
    hashes: DefaultHashBuilder,
    /// Files of moves, annotations and headers.
    streams: [OutputFile; 3],
    /// Those that are written at the end, in the order of [`OTHERS`].
    others: [OutputFile; 4],
    /// Headers on their way to their file.
    waiting: Vec<u8>,
    /// Where the next records of moves and annotations begin.
    ends: [u64; 2],
    names: [CbhNameList; 5],
    uses: Vec<Cbh2NameUses>,
    count: u32,
}

/// Creates a database under the name of its header file, or of the file of its moves.
pub(super) fn create(path: &Path, options: &WriteOptions) -> Result<Box<dyn Sink>> {
    if !has_extension(path, &["2cbh", "2cbg"]) {
        return Err(Error::new(
            &error_codes::TARGET_NAME,
            "a database of ChessBase 17 and later is a set of files: give a name that ends in .2cbh",
        )
        .in_file(path.display().to_string()));
    }
    let charset = text_charset(options)?;
    let open = |extension: &str| create_file(path, extension, options);
    // All files are there from the beginning: one that must not be replaced is told before an hour's work.
    let [ids, games, orders, settings] = OTHERS;
    let others = [open(ids)?, open(games)?, open(orders)?, open(settings)?];
    let [moves, notes, headers] = STREAMS;
    let mut sink = Cbh2Sink {
        options: options.clone(),
        charset,
        hashes: DefaultHashBuilder::default(),
        streams: [open(moves)?, open(notes)?, open(headers)?],
        others,
        waiting: vec![0; RECORD],
        ends: [DATA_HEADER as u64; 2],
        names: Default::default(),
        uses: Vec::new(),
        count: 0,
    };
    // The headers are written once everything in them is known.
    let [moves, notes, _] = &mut sink.streams;
    moves.write_all(&[0; DATA_HEADER])?;
    notes.write_all(&[0; DATA_HEADER])?;
    Ok(Box::new(sink))
}

impl Cbh2Sink {
    /// Writes a record of moves or annotations and says where it begins.
    fn place(&mut self, file: usize, content: &[u8], tag: u16) -> Result<i64> {
        let (Some(output), Some(end)) = (self.streams.get_mut(file), self.ends.get_mut(file))
        else {
            return Ok(0);
        };
        let start = *end;
        let spare = new_spare(start, content.len(), tag);
        let mut frame = Vec::with_capacity(FRAME_HEAD + content.len() + spare + 8);
        frame.extend(frame_head(content, spare, tag));
        frame.extend_from_slice(content);
        frame.extend(frame_tail(content.len(), spare));
        output.write_all(&frame)?;
        *end += frame.len() as u64;
        Ok(i64::try_from(start).unwrap_or(i64::MAX))
    }

    fn flush(&mut self, most: usize) -> Result<()> {
        let [_, _, headers] = &mut self.streams;
        if self.waiting.len() > most {
            headers.write_all(&self.waiting)?;
            self.waiting.clear();
        }
        Ok(())
    }

    /// Writes the files of names, and of what follows from all records; gives their size.
    fn write_names(&mut self) -> Result<u64> {
        let uses = std::mem::take(&mut self.uses);
        let roles = Cbh2NameRole::ALL.map(|role| {
            let list = self.names.get(place(role.table()));
            Cbh2RoleGames::collect(&uses, role, list.map_or(0, CbhNameList::len))
        });
        drop(uses);
        let [ids, games, orders, settings] = &mut self.others;
        let mut size = names::write(ids, &self.names)?;
        size += uses::write(games, &roles)?;
        size += orders::write(orders, &roles, &self.names)?;
        let title = self.options.description.as_deref();
        let text = database_title::settings("Descr2CBG", title, self.charset);
        settings.write_all(&text)?;
        Ok(size + text.len() as u64)
    }
}

impl CbhBatchSink for Cbh2Sink {
    type Head = Cbh2GameHead;

    fn number(&mut self, lists: &[CbhNameList], names: CbhNameNumbers) -> Option<CbhNameNumbers> {
        if self.count >= MOST {
            return None;
        }
        let mut numbers = [None; 8];
        for ((number, kind), local) in numbers.iter_mut().zip(KINDS).zip(names) {
            let (Some(local), Some(from), Some(list)) = (
                local,
                lists.get(place(kind)),
                self.names.get_mut(place(kind)),
            ) else {
                continue;
            };
            if list.len() >= MOST_NAMES {
                return None;
            }
            *number = Some(list.intern(&self.hashes, from.get(local)));
        }
        Some(numbers)
    }

    fn add(
        &mut self,
        game: CbhBatchGame<Cbh2GameHead>,
        numbers: CbhNameNumbers,
        record: &[u8],
    ) -> Result<()> {
        self.count += 1;
        let (moves, notes) = record.split_at_checked(game.moves).unwrap_or((record, &[]));
        let [
            white,
            black,
            annotator,
            tournament,
            source,
            white_team,
            black_team,
            title,
        ] = numbers.map(|number| number.map_or(-1, i64::from));
        let (kind, header) = match game.head.header {
            Cbh2HeaderPart::Game(mut header) => {
                header.moves = self.place(0, moves, game.head.tag)?;
                // Every game has a record of annotations, even if there is none in it.
                header.annotations = self.place(1, notes, tag::ANNOTATIONS)?;
                header.players = [white, black];
                header.annotator = annotator;
                header.tournament = tournament;
                header.source = source;
                header.teams = [white_team, black_team];
                header.title = title;
                (Cbh2UseKind::Game, header.encode())
            }
            Cbh2HeaderPart::Text(mut header) => {
                header.body = self.place(0, moves, game.head.tag)?;
                header.tournament = tournament;
                header.source = source;
                header.author = annotator;
                header.title = title;
                (Cbh2UseKind::Text, header.encode())
            }
            Cbh2HeaderPart::Analysis(mut header, rest) => {
                header.moves = self.place(0, moves, game.head.tag)?;
                header.annotations = self.place(1, notes, tag::ANNOTATIONS)?;
                header.title = title;
                header.source = source;
                header.author = annotator;
                (Cbh2UseKind::Analysis, header.encode(&rest))
            }
            Cbh2HeaderPart::Unknown(record) => (Cbh2UseKind::Unknown, *record),
        };
        self.uses.push(Cbh2NameUses::new(kind, numbers));
        self.waiting.extend_from_slice(&header);
        Ok(())
    }
}

impl Sink for Cbh2Sink {
    fn describe(&mut self, about: &DatabaseMetadata, losses: &mut Losses) {
        database_title::describe(&mut self.options.description, about, losses);
    }

    fn encoder(&self) -> Box<dyn Encoder> {
        Box::new(Cbh2Encoder {
            encoder: Cbh2GameEncoder::new(self.charset),
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
        let [moves, notes] = self.ends;
        // A file of moves without any has no version.
        let version = if moves > DATA_HEADER as u64 {
            VERSION
        } else {
            0
        };
        let header = Cbh2FileHeader::encode(self.count);
        let heads = [
            data_header(moves, version, u8::from(version == 0)),
            data_header(notes, 0, 0),
            header.to_vec(),
        ];
        for (output, head) in self.streams.iter_mut().zip(heads) {
            output.seek(SeekFrom::Start(0))?;
            output.write_all(&head)?;
        }
        let headers = (u64::from(self.count) + 1) * RECORD as u64;
        let bytes = moves + notes + headers + self.write_names()?;
        let [moves, notes, headers] = self.streams;
        let mut outputs = Vec::from(self.others);
        outputs.extend([moves, notes, headers]);
        commit(outputs, self.count, bytes)
    }
}

/// The header of `.2cbg` and `.2cba`.
fn data_header(size: u64, version: u8, is_empty: u8) -> Vec<u8> {
    let mut head = size.to_le_bytes().to_vec();
    head.extend((DATA_HEADER as u16).to_le_bytes());
    head.extend([is_empty, version]);
    head
}
