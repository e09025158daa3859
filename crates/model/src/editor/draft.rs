//! The serial form of changes and of whole editing sessions: lines of JSON.
//!
//! JSON, because a web app reads it directly; written by hand, because the forms are few and a dependency would affect
//! every user of the model; lines, because a draft on disk then grows by appending one line for each edit, and a line
//! cut off by a crash is recognised by its missing end. `docs/editor.md` describes each form.

use crate::board::{Board, Move, PositionProblems};
use crate::game::{Game, StartingPosition, Variant};
use crate::nag::Nag;
use crate::outcome::Outcome;
use crate::tape::{Replay, Tape, TapeExtension, TapeOp};
use crate::text::{OwnedText, TextProvenance};
use tabiya_text::charset::Charset;
use tabiya_text::json::{JsonFault, JsonScanner, push_hex, push_text, read_hex};

use super::change::{EditorChange, GamePatch, NewTag, PatchList, PatchPart, TapeItem};
use super::{EditError, GameEditor};

/// The version of the form.
const VERSION: u64 = 1;

impl EditorChange {
    /// The change as one line of JSON, without a line end. With `undoes`, it includes how to undo it; a draft leaves that
    /// out, because it follows from the game.
    pub fn to_json(&self, undoes: bool) -> String {
        let mut out = Vec::new();
        out.extend_from_slice(b"{\"wish\":");
        push_text(&self.wish, &mut out);
        push_number(",\"from\":", self.before, &mut out);
        push_number(",\"to\":", self.after, &mut out);
        out.extend_from_slice(b",\"do\":");
        push_patches(&self.does, &mut out);
        if undoes {
            out.extend_from_slice(b",\"undo\":");
            push_patches(&self.undoes, &mut out);
        }
        out.push(b'}');
        into_text(out)
    }

    /// Reads what [`EditorChange::to_json`] wrote.
    ///
    /// # Errors
    ///
    /// [`EditError::BadDraft`].
    pub fn from_json(line: &str) -> Result<EditorChange, EditError> {
        match read_line(line) {
            Ok(DraftLine::Change(change)) => Ok(change),
            Ok(_) => Err(bad(1, wanted("a change"))),
            Err(fault) => Err(bad(1, fault)),
        }
    }
}

impl GameEditor {
    /// The whole session: the original game, every change, including undone ones, and the cursor. Each line ends with a
    /// line feed. The findings of readers, and the game's place in its source, are left out.
    pub fn to_draft(&self) -> String {
        self.to_draft_from(&self.first())
    }

    /// The game as it was before the first change. This undoes all changes: keep it if you need it often.
    pub fn first(&self) -> Game {
        let mut first = self.game().clone();
        for change in self.done().iter().rev() {
            // A change that was made to this very game can be undone.
            let undone = super::change::apply_all(&change.undoes, &mut first);
            debug_assert!(undone.is_ok());
        }
        first
    }

    /// [`GameEditor::to_draft`] with the result of [`GameEditor::first`].
    pub fn to_draft_from(&self, first: &Game) -> String {
        let mut draft = game_line(first);
        for change in self.done().iter().chain(self.undone().iter().rev()) {
            draft.push_str(&change.to_json(false));
            draft.push('\n');
        }
        if !self.undone().is_empty() {
            draft.push_str(&format!("{{\"undo\":{}}}\n", self.undone().len()));
        }
        draft.push_str(&format!("{{\"go\":{}}}\n", self.place()));
        draft
    }

    /// Resumes a session. A last line without a line end is incomplete and ignored.
    ///
    /// # Errors
    ///
    /// [`EditError::BadDraft`] with the line, or why a change in it does not apply to the game.
    pub fn from_draft(draft: &str) -> Result<GameEditor, EditError> {
        let whole = draft.rfind('\n').map_or("", |end| &draft[..end]);
        let mut lines = whole.split('\n').enumerate().map(|(i, line)| (i + 1, line));
        let (_, first) = lines.next().unwrap_or((1, ""));
        let game = read_game(first).map_err(|fault| bad(1, fault))??;
        let mut editor = GameEditor::new(game)?;
        for (number, line) in lines {
            match read_line(line).map_err(|fault| bad(number, fault))? {
                DraftLine::Change(change) => {
                    editor.go_to(change.before)?;
                    editor.apply(&change)?;
                }
                DraftLine::Undo(times) => {
                    for _ in 0..times {
                        editor.undo()?;
                    }
                }
                DraftLine::Redo(times) => {
                    for _ in 0..times {
                        editor.redo()?;
                    }
                }
                DraftLine::Go(place) => editor.go_to(place)?,
            }
        }
        Ok(editor)
    }
}

/// The first line of a draft: the unchanged game, with its line end.
pub fn game_line(game: &Game) -> String {
    let mut out = Vec::new();
    out.extend_from_slice(format!("{{\"draft\":{VERSION},\"tags\":[").as_bytes());
    for index in 0..game.tags.len() {
        if index > 0 {
            out.push(b',');
        }
        if let Some(tag) = game.tags.owned(index) {
            push_tag(&tag, &mut out);
        }
    }
    out.extend_from_slice(b"],\"start\":");
    push_start(&game.start, game.variant, &mut out);
    out.extend_from_slice(b",\"outcome\":");
    push_outcome(game.outcome, &mut out);
    out.extend_from_slice(b",\"tape\":[");
    for (index, op) in game.tape.ops().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        push_item(&TapeItem::of(&game.tape, op), &mut out);
    }
    out.extend_from_slice(b"]}\n");
    into_text(out)
}

/// Whether every move of a tape has a piece to make it: more of it is not trusted, since it comes from outside.
pub(super) fn is_playable(start: &Board, tape: &Tape) -> bool {
    let mut replay = Replay::new(start);
    for op in tape.ops() {
        if let TapeOp::Move(m) = op {
            let board = replay.now();
            let stands = board.us().contains(m.from()) && board.role_at(m.from()) == Some(m.role());
            if !m.is_null() && !stands {
                return false;
            }
        }
        replay.follow(op);
    }
    true
}

fn into_text(out: Vec<u8>) -> String {
    // Every part of it is text.
    String::from_utf8(out)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

fn push_number(label: &str, number: usize, out: &mut Vec<u8>) {
    out.extend_from_slice(label.as_bytes());
    out.extend_from_slice(number.to_string().as_bytes());
}

fn push_patches(patches: &[GamePatch], out: &mut Vec<u8>) {
    out.push(b'[');
    for (index, patch) in patches.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        push_patch(patch, out);
    }
    out.push(b']');
}

fn push_patch(patch: &GamePatch, out: &mut Vec<u8>) {
    let mut lead: &[u8] = b"{";
    let mut label = |name: &str, out: &mut Vec<u8>| {
        out.extend_from_slice(std::mem::replace(&mut lead, b","));
        out.extend_from_slice(name.as_bytes());
    };
    if let Some(tape) = &patch.tape {
        label("\"tape\":", out);
        push_pieces(tape, push_item, out);
    }
    if let Some(tags) = &patch.tags {
        label("\"tags\":", out);
        push_pieces(tags, push_tag, out);
    }
    if let Some((start, variant)) = &patch.start {
        label("\"start\":", out);
        push_start(start, *variant, out);
    }
    if let Some(outcome) = patch.outcome {
        label("\"outcome\":", out);
        push_outcome(outcome, out);
    }
    if *patch == GamePatch::default() {
        label("", out);
    }
    out.push(b'}');
}

fn push_pieces<T>(pieces: &PatchList<T>, push: impl Fn(&T, &mut Vec<u8>), out: &mut Vec<u8>) {
    out.push(b'[');
    let mut first = true;
    for piece in pieces.iter() {
        match piece {
            PatchPart::Keep(run) => {
                if !std::mem::take(&mut first) {
                    out.push(b',');
                }
                out.extend_from_slice(format!("[{},{}]", run.start, run.end).as_bytes());
            }
            PatchPart::New(items) => {
                for item in items {
                    if !std::mem::take(&mut first) {
                        out.push(b',');
                    }
                    push(item, out);
                }
            }
        }
    }
    out.push(b']');
}

fn push_start(start: &StartingPosition, variant: Variant, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"fen\":");
    match start {
        StartingPosition::Standard => out.extend_from_slice(b"null"),
        StartingPosition::Setup(board, problems) => {
            push_text(&board.to_fen_always_ep(), out);
            push_number(",\"problems\":", problems.bits() as usize, out);
        }
    }
    let rules = match variant {
        Variant::Standard => "standard",
        Variant::Chess960 => "chess960",
        Variant::Other => "other",
    };
    out.extend_from_slice(format!(",\"rules\":\"{rules}\"}}").as_bytes());
}

fn push_outcome(outcome: Option<Outcome>, out: &mut Vec<u8>) {
    match outcome {
        None => out.extend_from_slice(b"null"),
        Some(outcome) => push_text(outcome.as_pgn(), out),
    }
}

fn push_tag((name, value): &NewTag, out: &mut Vec<u8>) {
    out.push(b'[');
    push_owned(name, out);
    out.push(b',');
    push_owned(value, out);
    out.push(b']');
}

/// The text of a tag: a string, or an object if it was not UTF-8.
fn push_owned(text: &OwnedText, out: &mut Vec<u8>) {
    if text.provenance.is_none() {
        push_text(&text.text, out);
        return;
    }
    push_labelled("text", text, out);
}

fn push_labelled(label: &str, text: &OwnedText, out: &mut Vec<u8>) {
    out.extend_from_slice(format!("{{\"{label}\":").as_bytes());
    push_text(&text.text, out);
    if let Some(TextProvenance { charset, raw }) = &text.provenance {
        out.extend_from_slice(b",\"charset\":");
        push_text(charset.name(), out);
        if let Some(raw) = raw {
            out.extend_from_slice(b",\"bytes\":\"");
            push_hex(raw, out);
            out.push(b'"');
        }
    }
    out.push(b'}');
}

fn push_item(item: &TapeItem, out: &mut Vec<u8>) {
    match item {
        TapeItem::Move(m) => {
            out.push(b'"');
            push_move(*m, out);
            out.push(b'"');
        }
        TapeItem::Nag(nag) => push_text(&format!("${}", nag.0), out),
        TapeItem::Comment(text) => push_labelled("comment", text, out),
        TapeItem::Raw(text) => push_labelled("raw", text, out),
        TapeItem::Ext(extension) => {
            out.extend_from_slice(b"{\"ext\":");
            push_text(&extension.name, out);
            out.extend_from_slice(b",\"data\":\"");
            push_hex(&extension.data, out);
            out.extend_from_slice(b"\"}");
        }
        TapeItem::Begin => out.extend_from_slice(b"\"(\""),
        TapeItem::End => out.extend_from_slice(b"\")\""),
        TapeItem::Outcome(outcome) => push_text(outcome.as_pgn(), out),
    }
}

/// A move with everything that a tape holds of it: piece, squares, kind, promotion.
fn push_move(m: Move, out: &mut Vec<u8>) {
    if m.is_null() {
        return out.extend_from_slice(b"--");
    }
    let mark = match (m.is_castle(), m.is_en_passant(), m.is_capture()) {
        (true, _, _) => b'~',
        (_, true, _) => b'^',
        (_, _, true) => b'x',
        _ => b'-',
    };
    let letter = |role: shakmaty::Role| role.upper_char() as u8;
    let square = |square: shakmaty::Square| {
        let (file, rank) = (square.file().char(), square.rank().char());
        [file as u8, rank as u8]
    };
    out.push(letter(m.role()));
    out.extend_from_slice(&square(m.from()));
    out.push(mark);
    out.extend_from_slice(&square(m.to()));
    if let Some(role) = m.promotion() {
        out.extend_from_slice(&[b'=', letter(role)]);
    }
}

fn read_move(text: &str) -> Option<Move> {
    use shakmaty::{Role, Square};
    if text == "--" {
        return Some(Move::NULL);
    }
    let bytes = text.as_bytes();
    let role = Role::from_char(char::from(*bytes.first()?))?;
    let from = Square::from_ascii(bytes.get(1..3)?).ok()?;
    let to = Square::from_ascii(bytes.get(4..6)?).ok()?;
    let promotion = match bytes.get(6..)? {
        [] => None,
        [b'=', letter] => Some(Role::from_char(char::from(*letter))?),
        _ => return None,
    };
    let m = match (bytes.get(3)?, role) {
        (b'~', Role::King) => Move::castle(from, to),
        (b'^', Role::Pawn) => Move::en_passant(from, to),
        (b'x', _) => Move::normal(role, from, to, true, promotion),
        (b'-', _) => Move::normal(role, from, to, false, promotion),
        _ => return None,
    };
    let is_what_is_written = |m: &Move| {
        let mut written = Vec::new();
        push_move(*m, &mut written);
        written.eq_ignore_ascii_case(bytes)
    };
    Move::from_bits(m.bits()).filter(is_what_is_written)
}

/// A line after the first.
enum DraftLine {
    Change(EditorChange),
    Undo(u64),
    Redo(u64),
    Go(usize),
}

fn bad(line: usize, fault: JsonFault) -> EditError {
    EditError::BadDraft {
        line,
        at: fault.at,
        wanted: fault.wanted,
    }
}

fn wanted(wanted: &'static str) -> JsonFault {
    JsonFault { at: 0, wanted }
}

fn read_size(scanner: &mut JsonScanner<'_>) -> Result<usize, JsonFault> {
    let number = scanner.number()?;
    usize::try_from(number).map_err(|_| scanner.fault("a smaller number"))
}

fn read_line(line: &str) -> Result<DraftLine, JsonFault> {
    let mut scanner = JsonScanner::new(line.as_bytes());
    let mut change = EditorChange {
        wish: String::new(),
        does: Vec::new(),
        undoes: Vec::new(),
        before: 0,
        after: 0,
    };
    let mut other = None;
    let mut does = false;
    scanner.expect(b'{', "an object")?;
    let mut first = true;
    while let Some(name) = scanner.member(std::mem::take(&mut first))? {
        if name.is("wish") {
            change.wish = scanner.text()?.to_text();
        } else if name.is("from") {
            change.before = read_size(&mut scanner)?;
        } else if name.is("to") {
            change.after = read_size(&mut scanner)?;
        } else if name.is("do") {
            change.does = read_patches(&mut scanner)?;
            does = true;
        } else if name.is("undo") && scanner.peek() == Some(b'[') {
            change.undoes = read_patches(&mut scanner)?;
        } else if name.is("undo") {
            other = Some(DraftLine::Undo(scanner.number()?));
        } else if name.is("redo") {
            other = Some(DraftLine::Redo(scanner.number()?));
        } else if name.is("go") {
            other = Some(DraftLine::Go(read_size(&mut scanner)?));
        } else {
            scanner.skip()?;
        }
    }
    read_end(&mut scanner)?;
    match other {
        Some(line) => Ok(line),
        None if does => Ok(DraftLine::Change(change)),
        None => Err(scanner.fault("a change, an undo, a redo or a cursor")),
    }
}

fn read_end(scanner: &mut JsonScanner<'_>) -> Result<(), JsonFault> {
    match scanner.peek() {
        None => Ok(()),
        Some(_) => Err(scanner.fault("the end of the line")),
    }
}

/// Reads the first line; the errors are those of its form (outer), or of the game that it describes (inner).
fn read_game(line: &str) -> Result<Result<Game, EditError>, JsonFault> {
    let mut scanner = JsonScanner::new(line.as_bytes());
    let mut patch = GamePatch::default();
    let mut version = None;
    scanner.expect(b'{', "an object")?;
    let mut first = true;
    while let Some(name) = scanner.member(std::mem::take(&mut first))? {
        if name.is("draft") {
            version = Some(scanner.number()?);
        } else if name.is("tags") {
            patch.tags = Some(read_pieces(&mut scanner, read_tag)?);
        } else if name.is("tape") {
            patch.tape = Some(read_pieces(&mut scanner, read_item)?);
        } else if name.is("start") {
            patch.start = Some(read_start(&mut scanner)?);
        } else if name.is("outcome") {
            patch.outcome = Some(read_outcome(&mut scanner)?);
        } else {
            scanner.skip()?;
        }
    }
    read_end(&mut scanner)?;
    if version != Some(VERSION) {
        return Err(scanner.fault("a draft of version 1"));
    }
    let mut game = Game::default();
    Ok(match patch.apply(&mut game) {
        Ok(_) if is_playable(&game.start_board(), &game.tape) => Ok(game),
        Ok(_) => Err(EditError::BadTape),
        Err(error) => Err(error),
    })
}

fn read_patches(scanner: &mut JsonScanner<'_>) -> Result<Vec<GamePatch>, JsonFault> {
    let mut patches = Vec::new();
    scanner.expect(b'[', "a list of patches")?;
    while scanner.element(patches.is_empty())? {
        patches.push(read_patch(scanner)?);
    }
    Ok(patches)
}

fn read_patch(scanner: &mut JsonScanner<'_>) -> Result<GamePatch, JsonFault> {
    let mut patch = GamePatch::default();
    scanner.expect(b'{', "a patch")?;
    let mut first = true;
    while let Some(name) = scanner.member(std::mem::take(&mut first))? {
        if name.is("tape") {
            patch.tape = Some(read_pieces(scanner, read_item)?);
        } else if name.is("tags") {
            patch.tags = Some(read_pieces(scanner, read_tag)?);
        } else if name.is("start") {
            patch.start = Some(read_start(scanner)?);
        } else if name.is("outcome") {
            patch.outcome = Some(read_outcome(scanner)?);
        } else {
            scanner.skip()?;
        }
    }
    Ok(patch)
}

/// Reads ranges `[from,to]` and the new entries between them.
fn read_pieces<T>(
    scanner: &mut JsonScanner<'_>,
    read: impl Fn(&mut JsonScanner<'_>) -> Result<T, JsonFault>,
) -> Result<PatchList<T>, JsonFault> {
    let mut pieces = PatchList::default();
    scanner.expect(b'[', "a list")?;
    let mut first = true;
    while scanner.element(std::mem::take(&mut first))? {
        let at = scanner.at();
        if scanner.take(b'[') {
            if matches!(scanner.peek(), Some(b'0'..=b'9')) {
                let from = read_size(scanner)?;
                scanner.expect(b',', "a comma")?;
                let to = read_size(scanner)?;
                scanner.expect(b']', "the end of the run")?;
                if from >= to {
                    return Err(scanner.fault("a non-empty run"));
                }
                pieces.keep(from..to);
                continue;
            }
            scanner.go_to(at);
        }
        pieces.put(read(scanner)?);
    }
    Ok(pieces)
}

fn read_start(scanner: &mut JsonScanner<'_>) -> Result<(StartingPosition, Variant), JsonFault> {
    let mut start = StartingPosition::Standard;
    let mut problems = None;
    let mut variant = Variant::Standard;
    scanner.expect(b'{', "a start")?;
    let mut first = true;
    while let Some(name) = scanner.member(std::mem::take(&mut first))? {
        if name.is("fen") {
            if let Some(fen) = scanner.text_or_null()? {
                let (board, problems) = Board::from_fen(&fen.to_text())
                    .map_err(|_| scanner.fault("a position before this"))?;
                start = StartingPosition::Setup(Box::new(board), problems);
            }
        } else if name.is("problems") {
            problems = Some(scanner.number()?);
        } else if name.is("rules") {
            let rules = scanner.text()?;
            variant = match () {
                () if rules.is("standard") => Variant::Standard,
                () if rules.is("chess960") => Variant::Chess960,
                () if rules.is("other") => Variant::Other,
                () => return Err(scanner.fault("known rules before this")),
            };
        } else {
            scanner.skip()?;
        }
    }
    if let (StartingPosition::Setup(_, own), Some(bits)) = (&mut start, problems) {
        *own = PositionProblems::from_bits(u32::try_from(bits).unwrap_or(0));
    }
    Ok((start, variant))
}

fn read_outcome(scanner: &mut JsonScanner<'_>) -> Result<Option<Outcome>, JsonFault> {
    match scanner.text_or_null()? {
        None => Ok(None),
        Some(text) => Outcome::from_pgn(&text.to_text())
            .map(Some)
            .ok_or(scanner.fault("a result before this")),
    }
}

fn read_tag(scanner: &mut JsonScanner<'_>) -> Result<NewTag, JsonFault> {
    scanner.expect(b'[', "a tag")?;
    let name = read_owned(scanner)?;
    scanner.expect(b',', "a comma")?;
    let value = read_owned(scanner)?;
    scanner.expect(b']', "the end of the tag")?;
    Ok((name, value))
}

fn read_owned(scanner: &mut JsonScanner<'_>) -> Result<OwnedText, JsonFault> {
    if scanner.peek() == Some(b'"') {
        return Ok(scanner.text()?.to_text().as_str().into());
    }
    match read_object(scanner)? {
        (Some(("text", text)), _) => Ok(text),
        _ => Err(scanner.fault("a text before this")),
    }
}

/// The text of an object and its label, and the bytes of an extension.
type DraftItemContent = (Option<(&'static str, OwnedText)>, Option<Vec<u8>>);

fn read_object(scanner: &mut JsonScanner<'_>) -> Result<DraftItemContent, JsonFault> {
    const LABELS: [&str; 4] = ["text", "comment", "raw", "ext"];
    let mut found = None;
    let mut charset = None;
    let (mut raw, mut data) = (None, None);
    scanner.expect(b'{', "a text")?;
    let mut first = true;
    while let Some(name) = scanner.member(std::mem::take(&mut first))? {
        if let Some(label) = LABELS.into_iter().find(|label| name.is(label)) {
            found = Some((label, scanner.text()?.to_text()));
        } else if name.is("charset") {
            let known = Charset::from_name(&scanner.text()?.to_text());
            charset = Some(known.ok_or(scanner.fault("a known charset before this"))?);
        } else if name.is("bytes") {
            raw = Some(read_bytes(scanner)?);
        } else if name.is("data") {
            data = Some(read_bytes(scanner)?);
        } else {
            scanner.skip()?;
        }
    }
    let provenance = charset.map(|charset| TextProvenance {
        charset,
        raw: raw.map(Vec::into_boxed_slice),
    });
    let found = found.map(|(label, text)| (label, OwnedText { text, provenance }));
    Ok((found, data))
}

fn read_bytes(scanner: &mut JsonScanner<'_>) -> Result<Vec<u8>, JsonFault> {
    let mut scratch = Vec::new();
    read_hex(scanner.text()?.bytes(&mut scratch)).ok_or(scanner.fault("hexadecimal digits"))
}

fn read_item(scanner: &mut JsonScanner<'_>) -> Result<TapeItem, JsonFault> {
    if scanner.peek() == Some(b'"') {
        let text = scanner.text()?.to_text();
        return plain_item(&text).ok_or(scanner.fault("an operation before this"));
    }
    match read_object(scanner)? {
        (Some(("comment", text)), _) => Ok(TapeItem::Comment(text)),
        (Some(("raw", text)), _) => Ok(TapeItem::Raw(text)),
        (Some(("ext", name)), Some(data)) => Ok(TapeItem::Ext(TapeExtension {
            name: name.text,
            data,
        })),
        _ => Err(scanner.fault("an operation before this")),
    }
}

fn plain_item(text: &str) -> Option<TapeItem> {
    match text {
        "(" => return Some(TapeItem::Begin),
        ")" => return Some(TapeItem::End),
        _ => {}
    }
    if let Some(number) = text.strip_prefix('$') {
        return number.parse().ok().map(|number| TapeItem::Nag(Nag(number)));
    }
    Outcome::from_pgn(text)
        .map(TapeItem::Outcome)
        .or_else(|| read_move(text).map(TapeItem::Move))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_legal_move_comes_back() {
        for fen in [
            "r3k2r/pPp1qpb1/bn2pnp1/2pPN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq c6 0 1",
            "r3k2r/8/8/8/3pP3/8/1p6/R3K2R b KQkq e3 0 1",
        ] {
            let (board, _) = Board::from_fen(fen).expect("a position");
            let mut moves = Vec::new();
            board.legal_moves(&mut moves);
            assert!(moves.len() > 20);
            for m in moves {
                let mut text = Vec::new();
                push_move(m, &mut text);
                assert_eq!(read_move(&into_text(text)), Some(m), "{m:?}");
            }
        }
        assert_eq!(read_move("--"), Some(Move::NULL));
        for text in [
            "",
            "K",
            "Ke1",
            "Ke1-e1",
            "Pe7-e8=K",
            "Ke1~e8",
            "Xe1-e2",
            "Ke1-e2=Q!",
        ] {
            assert_eq!(read_move(text), None, "{text}");
        }
    }
}
