//! Writing a database. Experimental: everything follows the description, and no real program has read it.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use tabiya_model::charset::Charset;
use tabiya_model::error_codes;
use tabiya_model::metadata::{DESCRIPTION, DatabaseMetadata};
use tabiya_model::{EncodedGames, Encoder, Error, Game, Losses, Result, Sink, WriteSummary};

use super::EXTENSIONS;
use super::encode::{CaEncodedGame, encode};
use super::layout::{CDP_VERSION, CaPlayer, ID_MAX, SIGNATURE, write_record_length};
use super::losses;
use super::text::{A00_FILE, CHARSET_FILE, DEFAULT_CHARSET, LIST_FILES, LIST_NAMES};
use super::volume;
use tabiya_codec::format::WriteOptions;
use tabiya_io::output::{self, OutputFile, OutputOptions, commit_all};

/// Bytes of a fragment in the EMB: according to the description, most are shorter than a kilobyte.
const FRAGMENT: usize = 512;

/// Players are the same only if all of their data is.
type CaPlayerKey = (Vec<u8>, Vec<u8>, CaPlayer);

/// A list of names to be written to the EMB. Entry 0 is the empty name.
struct CaNameListWriter<K> {
    ids: HashMap<K, u32>,
    addresses: Vec<u8>,
    data: Vec<u8>,
    facts: Vec<u8>,
    /// Names and numbers, to be sorted.
    order: Vec<(Vec<u8>, u32)>,
}

impl<K: std::hash::Hash + Eq> CaNameListWriter<K> {
    fn new(empty: &[u8], facts: &[u8]) -> CaNameListWriter<K> {
        CaNameListWriter {
            ids: HashMap::new(),
            addresses: 0_u32.to_le_bytes().to_vec(),
            data: empty.to_vec(),
            facts: facts.to_vec(),
            order: vec![(Vec::new(), 0)],
        }
    }

    /// The number of an entry, new or known; `None` if the list is full.
    fn id(
        &mut self,
        key: K,
        name: &[u8],
        record: impl FnOnce(&mut Vec<u8>),
        facts: &[u8],
    ) -> Option<u32> {
        if let Some(id) = self.ids.get(&key) {
            return Some(*id);
        }
        let id = u32::try_from(self.addresses.len() / 4)
            .ok()
            .filter(|id| *id <= ID_MAX)?;
        let address = i32::try_from(self.data.len()).ok()?;
        self.addresses.extend(address.to_le_bytes());
        record(&mut self.data);
        self.facts.extend_from_slice(facts);
        self.order.push((name.to_vec(), id));
        self.ids.insert(key, id);
        Some(id)
    }

    /// The inner files of the list.
    fn files(mut self, stem: &'static str) -> Vec<(String, Vec<u8>)> {
        self.order.sort();
        let sorted: Vec<u8> = self
            .order
            .iter()
            .flat_map(|(_, id)| id.to_le_bytes())
            .collect();
        let entries = self.order.len();
        let mut head = Vec::new();
        write_cdp(entries as u64, b"", &mut head);
        // Masks with a bit for each entry, whose meaning is unknown.
        let mask = vec![0; entries.div_ceil(8)];
        let contents = [
            head,
            sorted,
            mask.clone(),
            mask,
            self.facts,
            self.addresses,
            self.data,
        ];
        LIST_FILES
            .into_iter()
            .zip(contents)
            .map(|(extension, content)| (format!("{stem}.{extension}"), content))
            .collect()
    }
}

/// A list of plain names.
type CaPlainListWriter = CaNameListWriter<Vec<u8>>;

fn plain_id(list: &mut CaPlainListWriter, name: &[u8]) -> Option<u32> {
    if name.is_empty() {
        return Some(0);
    }
    let record = |data: &mut Vec<u8>| {
        data.push(u8::try_from(name.len()).unwrap_or(u8::MAX));
        data.extend_from_slice(name);
    };
    list.id(name.to_vec(), name, record, &[])
}

/// A database that is being written.
pub struct CaWriter {
    /// In the order of [`EXTENSIONS`].
    outputs: [OutputFile; 5],
    files: Vec<PathBuf>,
    charset: Charset,
    description: String,
    players: CaNameListWriter<CaPlayerKey>,
    events: CaPlainListWriter,
    places: CaPlainListWriter,
    sources: CaPlainListWriter,
    games: u32,
    /// Numbers of the games that have A00.
    a00: Vec<u8>,
    /// Bytes of the D02 so far.
    offset: u64,
    buffer: Vec<u8>,
}

/// The names of all files, from any of them.
fn paths(path: &Path) -> Result<[PathBuf; 5]> {
    let extension = path.extension().and_then(OsStr::to_str).unwrap_or("");
    if !EXTENSIONS
        .iter()
        .any(|known| extension.eq_ignore_ascii_case(known))
    {
        return Err(Error::new(
            &error_codes::TARGET_NAME,
            "a Chess Assistant database has five files: use a name that ends in .cdp",
        )
        .in_file(path.display().to_string()));
    }
    let is_upper = !extension.contains(|c: char| c.is_ascii_lowercase());
    Ok(EXTENSIONS.map(|known| {
        if extension.eq_ignore_ascii_case(known) {
            path.to_path_buf()
        } else if is_upper {
            path.with_extension(known.to_ascii_uppercase())
        } else {
            path.with_extension(known)
        }
    }))
}

fn failed(error: output::OutputError) -> Error {
    Error::from(std::io::Error::from(error))
}

/// Appends a CDP.
fn write_cdp(games: u64, comment: &[u8], out: &mut Vec<u8>) {
    for text in [SIGNATURE, CDP_VERSION] {
        let end = out.len() + 50;
        out.extend_from_slice(text);
        out.resize(end, 0);
    }
    out.extend([0; 4]);
    out.extend(u32::try_from(games).unwrap_or(u32::MAX).to_le_bytes());
    out.extend(
        u32::try_from(comment.len())
            .unwrap_or(u32::MAX)
            .to_le_bytes(),
    );
    out.extend_from_slice(comment);
}

impl CaWriter {
    /// Begins to write a database under the name of any of its files.
    pub fn create(path: &Path, options: &WriteOptions) -> Result<CaWriter> {
        let files = paths(path)?;
        let charset = options.encoding.unwrap_or(DEFAULT_CHARSET);
        if !charset.is_single_byte() {
            return Err(Error::new(
                &error_codes::TARGET_CHARSET,
                format!(
                    "{} cannot be the charset of a Chess Assistant database: a character must be one byte",
                    charset.name()
                ),
            ));
        }
        let permitted = OutputOptions {
            force: options.force,
            sources: options.sources.clone(),
        };
        let create = |path: &PathBuf| OutputFile::create(path, &permitted).map_err(failed);
        let [cdp, emb, d00, a02, d02] = &files;
        Ok(CaWriter {
            outputs: [
                create(cdp)?,
                create(emb)?,
                create(d00)?,
                create(a02)?,
                create(d02)?,
            ],
            files: files.to_vec(),
            charset,
            description: options.description.clone().unwrap_or_default(),
            players: CaNameListWriter::new(&[0, 0], &CaPlayer::default().write()),
            events: CaNameListWriter::new(&[0], &[]),
            places: CaNameListWriter::new(&[0], &[]),
            sources: CaNameListWriter::new(&[0], &[]),
            games: 0,
            a00: Vec::new(),
            offset: 0,
            buffer: Vec::new(),
        })
    }

    fn player(&mut self, name: &[u8], title: &[u8], facts: CaPlayer) -> Option<u32> {
        if name.is_empty() && title.is_empty() && facts == CaPlayer::default() {
            return Some(0);
        }
        let record = |data: &mut Vec<u8>| {
            for text in [name, title] {
                data.push(u8::try_from(text.len()).unwrap_or(u8::MAX));
            }
            data.extend_from_slice(name);
            data.extend_from_slice(title);
        };
        let key = (name.to_vec(), title.to_vec(), facts);
        self.players.id(key, name, record, &facts.write())
    }

    fn put(&mut self, game: &CaEncodedGame, losses: &mut Losses) -> Result<()> {
        self.buffer.clear();
        write_record_length(game.record.len(), &mut self.buffer);
        self.buffer.extend_from_slice(&game.record);
        let Ok(address) = i32::try_from(self.offset) else {
            losses.report(&losses::GAME, game.number, "the .d02 is full");
            return Ok(());
        };
        let mut header = game.header;
        let [(white, white_title), (black, black_title)] = &game.players;
        let [white_facts, black_facts] = game.facts;
        let ids = [
            self.player(white, white_title, white_facts),
            self.player(black, black_title, black_facts),
            self.player(&game.annotator, b"", CaPlayer::default()),
            plain_id(&mut self.events, &game.event),
            plain_id(&mut self.places, &game.site),
            plain_id(&mut self.sources, &game.source),
        ];
        if ids.contains(&None) {
            losses.report(&losses::TAG_VALUE, game.number, "a list of names is full");
        }
        let [white, black, annotator, event, site, source] = ids.map(|id| id.unwrap_or(0));
        header.white = white;
        header.black = black;
        header.annotator = annotator;
        header.event = event;
        header.site = site;
        header.source = source;
        header.game = self.games;
        if game.is_a00 {
            self.a00.extend(self.games.to_le_bytes());
        }
        let [_, _, d00, a02, d02] = &mut self.outputs;
        d02.write_all(&self.buffer)?;
        a02.write_all(&address.to_le_bytes())?;
        d00.write_all(&header.write())?;
        self.games += 1;
        self.offset += self.buffer.len() as u64;
        Ok(())
    }
}

impl Sink for CaWriter {
    fn encoder(&self) -> Box<dyn Encoder> {
        Box::new(CaEncoder {
            charset: self.charset,
            part: CaBatch::default(),
        })
    }

    fn describe(&mut self, about: &DatabaseMetadata, losses: &mut Losses) {
        if about.is_part {
            return about.lose(losses);
        }
        if about.collections.len() > 1 {
            about.lose_collections(losses);
        }
        about.lose_settings(losses);
        // The user's description is kept.
        if self.description.is_empty() {
            self.description = about.title().to_owned();
            let (_, replaced) = self.charset.encode_lossy(&self.description);
            if replaced > 0 {
                let charset = self.charset.name();
                let detail = format!("{replaced} characters of it are not in {charset}");
                losses.report(&DESCRIPTION, 0, detail);
            }
        }
    }

    fn append(&mut self, part: EncodedGames, first: u64, losses: &mut Losses) -> Result<()> {
        let Ok(part) = part.downcast::<CaBatch>() else {
            return Err(Error::new(
                &error_codes::INTERNAL,
                "this part was encoded for another format",
            ));
        };
        for (at, mut game) in part.games {
            // Games of unnumbered blocks learn their number here.
            game.number = first.saturating_add(at);
            self.put(&game, losses)?;
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<WriteSummary> {
        let mut this = *self;
        let (comment, replaced) = this.charset.encode_lossy(&this.description);
        let [players, events, places, sources] = LIST_NAMES;
        let lists = [
            this.players.files(players),
            this.events.files(events),
            this.places.files(places),
            this.sources.files(sources),
        ];
        let mut files: Vec<(String, Vec<u8>)> = lists.into_iter().flatten().collect();
        // Stored only if a reader would otherwise have to guess.
        let is_ascii = files.iter().all(|(name, bytes)| {
            let is_text = name.to_ascii_lowercase().ends_with(".d01");
            !is_text || bytes.is_ascii()
        });
        if !is_ascii || this.charset != DEFAULT_CHARSET {
            let name = this.charset.name().as_bytes().to_vec();
            files.push((CHARSET_FILE.to_owned(), name));
        }
        if !this.a00.is_empty() {
            files.push((A00_FILE.to_owned(), this.a00));
        }
        let Some(emb) = volume::build(&files, FRAGMENT) else {
            return Err(Error::new(
                &error_codes::TOO_LARGE,
                "the names exceed the 4 GB of an .emb",
            ));
        };
        let mut cdp = Vec::new();
        write_cdp(this.games.into(), &comment, &mut cdp);
        let [cdp_output, emb_output, ..] = &mut this.outputs;
        cdp_output.write_all(&cdp)?;
        emb_output.write_all(&emb)?;
        let games = u64::from(this.games);
        let mut notes = vec![
            "experimental: written according to the only description of the closed format; the original program has not read it yet"
                .to_owned(),
        ];
        if replaced > 0 {
            notes.push(format!(
                "{replaced} characters of the description are not in {}",
                this.charset.name()
            ));
        }
        commit_all(this.outputs).map_err(failed)?;
        Ok(WriteSummary {
            games,
            bytes: this.offset + 42 * games + (cdp.len() + emb.len()) as u64,
            files: this.files,
            notes,
        })
    }
}

/// Encoded games with their places among those of their part.
#[derive(Default)]
struct CaBatch {
    games: Vec<(u64, CaEncodedGame)>,
    /// How many games there were, including those that cannot be stored.
    seen: u64,
}

/// Encodes games on any thread.
struct CaEncoder {
    charset: Charset,
    part: CaBatch,
}

impl Encoder for CaEncoder {
    fn encode(&mut self, game: &Game, losses: &mut Losses) {
        if let Some(encoded) = encode(game, self.charset, losses) {
            self.part.games.push((self.part.seen, encoded));
        }
        self.part.seen += 1;
    }

    fn take(&mut self) -> EncodedGames {
        Box::new(std::mem::take(&mut self.part))
    }
}
