//! The statements of a dump, and the rows in them.

use std::io::Read;

use super::lexer::{DumpLexer, DumpToken};
use super::{JoseDumpDamage, JoseDumpError};
use crate::jose::row::{JoseRow, JoseSlot, parse_int};

/// The columns of the rows of some `INSERT` statements, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JoseDumpColumns {
    /// The table's name as the dump spells it.
    pub table: String,
    /// The columns' names.
    pub names: Vec<String>,
    /// For each column, whether its values are kept.
    kept: Vec<bool>,
    /// Whether it comes from a `CREATE TABLE`, so that it is valid for an `INSERT` without columns.
    defined: bool,
}

/// The next item of a dump.
#[derive(Debug)]
pub enum JoseDumpEvent<'a> {
    /// A new list of columns; its number is that of the last of [`JoseDumpReader::lists`].
    Table,
    /// A row; its columns are [`JoseDumpReader::columns`] of the number.
    Row(usize, JoseRow<'a>),
    /// Something invalid; reading continues after it.
    Damage(JoseDumpDamage),
    /// The end of the dump.
    End,
}

/// The state for reading rows again from the middle of a dump.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JoseDumpState {
    /// The offset of the row in the dump.
    pub offset: u64,
    /// The number of its columns' list.
    pub columns: usize,
    /// Whether `\` escapes in strings there.
    pub backslash: bool,
    /// Whether double quotes enclose names there.
    pub ansi_quotes: bool,
}

/// More different column lists than any dump has.
const MAX_LISTS: usize = 1024;

/// More columns than a server allows.
const MAX_COLUMNS: usize = 4096;

/// Returns the usual columns of a table without `CREATE TABLE` in the dump.
pub type JoseColumnDefaults = fn(table: &str) -> Vec<String>;

/// Returns whether the values of a column of a table are needed.
pub type JoseColumnFilter = fn(table: &str, column: &str) -> bool;

/// A reader of dumps; see [`JoseDumpReader::next_event`].
pub struct JoseDumpReader<R> {
    lexer: DumpLexer<R>,
    /// Column lists; the first of a table is the one of `CREATE TABLE` if there is one.
    lists: Vec<JoseDumpColumns>,
    /// The list of the `INSERT` statement that is being read.
    inside: Option<usize>,
    usual: JoseColumnDefaults,
    keep: JoseColumnFilter,
    bytes: Vec<u8>,
    slots: Vec<JoseSlot>,
    charset: Option<String>,
    statements: u64,
    /// Whether the following tables are the server's own, which include one called `event`.
    system: bool,
    /// How many lists of columns the caller knows.
    announced: usize,
    /// Whether tables are currently locked.
    locked: bool,
}

impl<R: Read> JoseDumpReader<R> {
    /// Begins to read a dump.
    pub fn new(source: R, usual: JoseColumnDefaults, keep: JoseColumnFilter) -> JoseDumpReader<R> {
        JoseDumpReader {
            lexer: DumpLexer::new(source, 0),
            lists: Vec::new(),
            inside: None,
            usual,
            keep,
            bytes: Vec::new(),
            slots: Vec::new(),
            charset: None,
            statements: 0,
            system: false,
            announced: 0,
            locked: false,
        }
    }

    /// Starts to read rows that another reader has found; see [`JoseDumpReader::go_to`].
    pub fn with_lists(
        source: R,
        lists: Vec<JoseDumpColumns>,
        usual: JoseColumnDefaults,
        keep: JoseColumnFilter,
    ) -> JoseDumpReader<R> {
        let mut dump = JoseDumpReader::new(source, usual, keep);
        dump.announced = lists.len();
        dump.lists = lists;
        dump
    }

    /// Goes to a row that was found before. `seek` moves the source to its offset, if it has to be moved.
    pub fn go_to(&mut self, at: JoseDumpState, seek: impl FnOnce(&mut R)) {
        if !self.lexer.jump(at.offset) {
            self.lexer.restart(at.offset, seek);
        }
        self.lexer.backslash = at.backslash;
        self.lexer.ansi_quotes = at.ansi_quotes;
        self.inside = (at.columns < self.lists.len()).then_some(at.columns);
    }

    /// The state for [`JoseDumpReader::go_to`] without the offset and the columns of a row: the current text modes.
    pub fn modes(&self) -> JoseDumpState {
        JoseDumpState {
            offset: 0,
            columns: 0,
            backslash: self.lexer.backslash,
            ansi_quotes: self.lexer.ansi_quotes,
        }
    }

    /// The column lists met so far.
    pub fn lists(&self) -> &[JoseDumpColumns] {
        &self.lists
    }

    /// The columns with this number.
    pub fn columns(&self, number: usize) -> Option<&JoseDumpColumns> {
        self.lists.get(number)
    }

    /// The character set that the dump names for its text.
    pub fn charset(&self) -> Option<&str> {
        self.charset.as_deref()
    }

    /// Whether tables are locked that a complete dump would have unlocked.
    pub fn is_locked(&self) -> bool {
        self.locked
    }

    /// The number of recognised statements about tables: 0 in a text that is not a dump.
    pub fn statements(&self) -> u64 {
        self.statements
    }

    /// The next row or problem.
    pub fn next_event(&mut self) -> Result<JoseDumpEvent<'_>, JoseDumpError> {
        loop {
            let step = match self.inside {
                Some(list) => self.step_values(list)?,
                None => self.step_statement()?,
            };
            match step {
                DumpStep::On if self.lists.len() > self.announced => {
                    self.announced = self.lists.len();
                    return Ok(JoseDumpEvent::Table);
                }
                DumpStep::On => {}
                DumpStep::Row(list, offset) => {
                    let row = JoseRow {
                        offset,
                        bytes: &self.bytes,
                        slots: &self.slots,
                    };
                    return Ok(JoseDumpEvent::Row(list, row));
                }
                DumpStep::Damage(damage) => return Ok(JoseDumpEvent::Damage(damage)),
                DumpStep::End => return Ok(JoseDumpEvent::End),
            }
        }
    }

    fn token(&mut self) -> Result<DumpToken, JoseDumpError> {
        self.bytes.clear();
        self.lexer.token(&mut self.bytes)
    }

    fn damage(&self, offset: u64, what: &'static str) -> DumpStep {
        DumpStep::Damage(JoseDumpDamage { offset, what })
    }

    fn is_word(&self, word: &str) -> bool {
        self.bytes.eq_ignore_ascii_case(word.as_bytes())
    }

    /// Reads the beginning of a statement.
    fn step_statement(&mut self) -> Result<DumpStep, JoseDumpError> {
        self.lexer.skip_blank()?;
        let offset = self.lexer.offset();
        match self.token()? {
            DumpToken::End => Ok(DumpStep::End),
            DumpToken::Sign(b';') => Ok(DumpStep::On),
            DumpToken::Conditional => {
                self.settings();
                Ok(DumpStep::On)
            }
            DumpToken::Word if self.is_word("create") => self.create(offset),
            DumpToken::Word if self.is_word("insert") || self.is_word("replace") => {
                self.insert(offset)
            }
            DumpToken::Word if self.is_word("set") => {
                // The settings are short: collect their text and search it for the two relevant ones.
                let mut text = Vec::new();
                loop {
                    let token = self.token()?;
                    match token {
                        DumpToken::Sign(b';') | DumpToken::End | DumpToken::Cut => break,
                        _ => {}
                    }
                    if text.len() < 1024 {
                        if let DumpToken::Sign(sign) = token {
                            text.push(sign);
                        } else {
                            text.extend_from_slice(
                                self.bytes
                                    .get(..self.bytes.len().min(1024))
                                    .unwrap_or_default(),
                            );
                            text.push(b' ');
                        }
                    }
                }
                self.bytes.clear();
                self.bytes.extend_from_slice(b"SET ");
                self.bytes.extend_from_slice(&text);
                self.settings();
                Ok(DumpStep::On)
            }
            DumpToken::Word if self.is_word("use") => {
                if let Some((name, token)) = self.name()? {
                    const SYSTEM: [&str; 4] =
                        ["mysql", "sys", "information_schema", "performance_schema"];
                    self.system = SYSTEM.iter().any(|own| name.eq_ignore_ascii_case(own));
                    if token == DumpToken::Sign(b';') {
                        return Ok(DumpStep::On);
                    }
                }
                self.skip_statement()
            }
            DumpToken::Word => {
                if self.is_word("lock") || self.is_word("unlock") {
                    self.locked = self.is_word("lock");
                }
                self.skip_statement()
            }
            DumpToken::Cut => Ok(self.damage(offset, "the dump ends inside a statement")),
            DumpToken::Text | DumpToken::Name | DumpToken::Number | DumpToken::Sign(_) => {
                // Some tools write a byte order mark.
                if offset == 0 && self.bytes.starts_with(b"\xEF\xBB\xBF") {
                    return Ok(DumpStep::On);
                }
                self.resync()?;
                Ok(self.damage(offset, "this is not a statement of a SQL dump"))
            }
        }
    }

    /// Reads the relevant settings from the text of a `SET`.
    fn settings(&mut self) {
        let text = String::from_utf8_lossy(&self.bytes).to_ascii_lowercase();
        let mut words = text
            .split([' ', '\t', '\n', '\r', '\'', '"', ';', ','])
            .filter(|w| !w.is_empty());
        if let (Some("set"), Some("names"), Some(charset)) =
            (words.next(), words.next(), words.next())
        {
            self.charset = Some(charset.to_owned());
        }
        if let Some((_, mode)) = text.split_once("sql_mode") {
            let mode = mode.trim_start_matches([' ', '=']);
            // The end of a dump restores the saved mode.
            if !mode.starts_with('@') {
                self.lexer.backslash = !mode.contains("no_backslash_escapes");
                self.lexer.ansi_quotes = mode.contains("ansi");
            }
        }
    }

    /// Skips the rest of a statement.
    fn skip_statement(&mut self) -> Result<DumpStep, JoseDumpError> {
        loop {
            let offset = self.lexer.offset();
            match self.token()? {
                DumpToken::Sign(b';') | DumpToken::End => return Ok(DumpStep::On),
                DumpToken::Cut => {
                    return Ok(self.damage(offset, "the dump ends inside a statement"));
                }
                _ => {}
            }
        }
    }

    /// A name, perhaps after its database: the token that follows it, and the name.
    fn name(&mut self) -> Result<Option<(String, DumpToken)>, JoseDumpError> {
        let mut token = self.token()?;
        loop {
            if !matches!(token, DumpToken::Word | DumpToken::Name | DumpToken::Text) {
                return Ok(None);
            }
            let name = String::from_utf8_lossy(
                self.bytes
                    .get(..self.bytes.len().min(1024))
                    .unwrap_or_default(),
            )
            .into_owned();
            token = self.token()?;
            if token != DumpToken::Sign(b'.') {
                return Ok(Some((name, token)));
            }
            token = self.token()?;
        }
    }

    /// `CREATE TABLE`: the order of the columns.
    fn create(&mut self, offset: u64) -> Result<DumpStep, JoseDumpError> {
        let mut token = self.token()?;
        while token == DumpToken::Word
            && (self.is_word("temporary") || self.is_word("or") || self.is_word("replace"))
        {
            token = self.token()?;
        }
        if token == DumpToken::End {
            return Ok(self.damage(offset, "the dump ends inside a statement"));
        }
        if token != DumpToken::Word || !self.is_word("table") {
            return if token == DumpToken::Sign(b';') {
                Ok(DumpStep::On)
            } else {
                self.skip_statement()
            };
        }
        let Some((mut table, mut token)) = self.name()? else {
            self.resync()?;
            return Ok(self.damage(offset, "a table without a name"));
        };
        if table.eq_ignore_ascii_case("if") {
            // IF NOT EXISTS: the word after `if` has been read.
            self.token()?;
            let Some((name, next)) = self.name()? else {
                self.resync()?;
                return Ok(self.damage(offset, "a table without a name"));
            };
            (table, token) = (name, next);
        }
        if token != DumpToken::Sign(b'(') {
            return if token == DumpToken::Sign(b';') {
                Ok(DumpStep::On)
            } else {
                self.skip_statement()
            };
        }
        let mut names = Vec::new();
        let mut depth = 1usize;
        let mut first = true;
        loop {
            let token = self.token()?;
            match token {
                DumpToken::End | DumpToken::Cut => {
                    return Ok(self.damage(offset, "the dump ends inside a statement"));
                }
                DumpToken::Sign(b'(') => depth += 1,
                DumpToken::Sign(b')') => {
                    depth -= 1;
                    if depth == 0 {
                        break;
                    }
                }
                DumpToken::Sign(b',') if depth == 1 => {
                    first = true;
                    continue;
                }
                DumpToken::Name | DumpToken::Text if first => {
                    names.push(String::from_utf8_lossy(&self.bytes).into_owned());
                }
                DumpToken::Word if first => {
                    const NO_COLUMN: [&str; 10] = [
                        "primary",
                        "key",
                        "unique",
                        "index",
                        "fulltext",
                        "spatial",
                        "constraint",
                        "foreign",
                        "check",
                        "period",
                    ];
                    if !NO_COLUMN.iter().any(|word| self.is_word(word)) {
                        names.push(String::from_utf8_lossy(&self.bytes).into_owned());
                    }
                }
                _ => {}
            }
            first = false;
            if names.len() > MAX_COLUMNS {
                return Err(JoseDumpError::Limit {
                    offset,
                    what: "a table of more than 4096 columns",
                });
            }
        }
        self.statements += 1;
        self.intern(table, names, offset, true)?;
        self.skip_statement()
    }

    /// The number of a column list.
    fn intern(
        &mut self,
        table: String,
        names: Vec<String>,
        offset: u64,
        defined: bool,
    ) -> Result<usize, JoseDumpError> {
        let table = if self.system {
            format!("mysql.{table}")
        } else {
            table
        };
        let same = |list: &JoseDumpColumns| list.table == table && list.names == names;
        if let Some(number) = self.lists.iter().position(same) {
            if let (true, Some(list)) = (defined, self.lists.get_mut(number)) {
                list.defined = true;
            }
            return Ok(number);
        }
        if self.lists.len() >= MAX_LISTS {
            return Err(JoseDumpError::Limit {
                offset,
                what: "more than 1024 different lists of columns",
            });
        }
        let kept = names.iter().map(|name| (self.keep)(&table, name)).collect();
        self.lists.push(JoseDumpColumns {
            table,
            names,
            kept,
            defined,
        });
        Ok(self.lists.len() - 1)
    }

    /// `INSERT INTO` up to its `VALUES`.
    fn insert(&mut self, offset: u64) -> Result<DumpStep, JoseDumpError> {
        loop {
            self.lexer.skip_blank()?;
            // A modifier or INTO; the table's name is the first other word.
            let mut probe = Vec::new();
            let mut ahead = 0;
            while let Some(byte) = self.lexer.peek(ahead)? {
                if !byte.is_ascii_alphabetic() && byte != b'_' || ahead > 16 {
                    break;
                }
                probe.push(byte.to_ascii_lowercase());
                ahead += 1;
            }
            let modifier = matches!(
                probe.as_slice(),
                b"into" | b"ignore" | b"delayed" | b"low_priority" | b"high_priority"
            );
            if !modifier {
                break;
            }
            self.token()?;
        }
        let Some((table, mut token)) = self.name()? else {
            self.resync()?;
            return Ok(self.damage(offset, "an INSERT without the name of a table"));
        };
        let mut named = None;
        if token == DumpToken::Sign(b'(') {
            let mut names = Vec::new();
            loop {
                match self.token()? {
                    DumpToken::Word | DumpToken::Name | DumpToken::Text
                        if names.len() < MAX_COLUMNS =>
                    {
                        names.push(String::from_utf8_lossy(&self.bytes).into_owned());
                    }
                    DumpToken::Sign(b',') => {}
                    DumpToken::Sign(b')') => break,
                    _ => {
                        self.resync()?;
                        return Ok(self.damage(offset, "an INSERT whose columns are not names"));
                    }
                }
            }
            named = Some(names);
            token = self.token()?;
        }
        if token != DumpToken::Word || !(self.is_word("values") || self.is_word("value")) {
            if matches!(token, DumpToken::End | DumpToken::Cut) {
                return Ok(self.damage(offset, "the dump ends inside a statement"));
            }
            self.resync()?;
            return Ok(self.damage(offset, "an INSERT without VALUES"));
        }
        let list = match named {
            Some(names) => self.intern(table, names, offset, false)?,
            // The latest definition is valid.
            None if self.system => self.intern(table, Vec::new(), offset, false)?,
            None => match self
                .lists
                .iter()
                .rposition(|list| list.defined && list.table.eq_ignore_ascii_case(&table))
            {
                Some(number) => number,
                None => {
                    let names = (self.usual)(&table);
                    self.intern(table, names, offset, false)?
                }
            },
        };
        self.statements += 1;
        self.inside = Some(list);
        Ok(DumpStep::On)
    }

    /// Reads one row of an `INSERT`, or its end.
    fn step_values(&mut self, list: usize) -> Result<DumpStep, JoseDumpError> {
        self.lexer.skip_blank()?;
        let offset = self.lexer.offset();
        match self.token()? {
            DumpToken::Sign(b',') => return Ok(DumpStep::On),
            DumpToken::Sign(b';') => {
                self.inside = None;
                return Ok(DumpStep::On);
            }
            DumpToken::End => {
                self.inside = None;
                return Ok(self.damage(offset, "the dump ends inside an INSERT"));
            }
            DumpToken::Sign(b'(') => {}
            DumpToken::Word if self.is_word("on") => {
                self.inside = None;
                return self.skip_statement();
            }
            DumpToken::Conditional => return Ok(DumpStep::On),
            _ => {
                self.resync()?;
                return Ok(self.damage(offset, "expected the beginning of a row"));
            }
        }
        self.bytes.clear();
        self.slots.clear();
        let what = loop {
            if let Err(what) = self.value(list)? {
                break Some(what);
            }
            // The token after a value appends nothing.
            match self.lexer.token(&mut self.bytes)? {
                DumpToken::Sign(b',') => {}
                DumpToken::Sign(b')') => break None,
                DumpToken::End | DumpToken::Cut => break Some("the dump ends inside a row"),
                _ => break Some("a row is not a list of values"),
            }
            if self.slots.len() > MAX_COLUMNS {
                break Some("a row has more values than its table has columns");
            }
        };
        let expected = self.lists.get(list).map_or(0, |list| list.names.len());
        match what {
            None if expected == 0 => Ok(DumpStep::On),
            None if self.slots.len() == expected => Ok(DumpStep::Row(list, offset)),
            // The row itself is complete, so the next one is at its usual place.
            None => Ok(self.damage(
                offset,
                "a row does not have one value per column of its table",
            )),
            Some(what) => {
                self.resync()?;
                Ok(self.damage(offset, what))
            }
        }
    }

    /// Reads one value into the slots.
    fn value(&mut self, list: usize) -> Result<Result<(), &'static str>, JoseDumpError> {
        let start = self.bytes.len();
        let mut token = self.lexer.token(&mut self.bytes)?;
        if token == DumpToken::Word && self.bytes.get(start) == Some(&b'_') {
            // An introducer such as _binary: the value follows.
            self.bytes.truncate(start);
            token = self.lexer.token(&mut self.bytes)?;
        }
        let word = self.bytes.get(start..).unwrap_or_default();
        let slot = match token {
            DumpToken::Text => JoseSlot::Bytes(start, self.bytes.len()),
            DumpToken::Number => match parse_int(word) {
                Some(value) => JoseSlot::Int(value),
                None => JoseSlot::Bytes(start, self.bytes.len()),
            },
            DumpToken::Word if word.eq_ignore_ascii_case(b"null") => JoseSlot::Null,
            DumpToken::Word if word.eq_ignore_ascii_case(b"default") => JoseSlot::Null,
            DumpToken::Word if word.eq_ignore_ascii_case(b"true") => JoseSlot::Int(1),
            DumpToken::Word if word.eq_ignore_ascii_case(b"false") => JoseSlot::Int(0),
            DumpToken::End | DumpToken::Cut => return Ok(Err("the dump ends inside a row")),
            DumpToken::Word | DumpToken::Name | DumpToken::Sign(_) | DumpToken::Conditional => {
                return Ok(Err("a row is not a list of values"));
            }
        };
        let kept = self
            .lists
            .get(list)
            .and_then(|list| list.kept.get(self.slots.len()))
            .copied()
            .unwrap_or(false);
        if kept {
            self.slots.push(slot);
        } else {
            self.slots.push(JoseSlot::Null);
        }
        if !kept || !matches!(slot, JoseSlot::Bytes(..)) {
            self.bytes.truncate(start);
        }
        Ok(Ok(()))
    }

    /// Goes to the next place where a row or a statement may begin: the beginning of a line, or a row after another one.
    fn resync(&mut self) -> Result<(), JoseDumpError> {
        const STATEMENTS: [&[u8]; 6] = [
            b"INSERT ",
            b"REPLACE ",
            b"CREATE ",
            b"UNLOCK ",
            b"LOCK ",
            b"-- ",
        ];
        while let Some(byte) = self.lexer.peek(0)? {
            match byte {
                b'\n' => {
                    if self.inside.is_some() && self.lexer.peek(1)? == Some(b'(') {
                        self.lexer.advance(1);
                        return Ok(());
                    }
                    'statement: for statement in STATEMENTS {
                        for (ahead, &wanted) in statement.iter().enumerate() {
                            let found = self.lexer.peek(ahead + 1)?;
                            if found.map(|b| b.to_ascii_uppercase()) != Some(wanted) {
                                continue 'statement;
                            }
                        }
                        self.lexer.advance(1);
                        self.inside = None;
                        return Ok(());
                    }
                }
                b')' if self.inside.is_some()
                    && self.lexer.peek(1)? == Some(b',')
                    && self.lexer.peek(2)? == Some(b'(') =>
                {
                    self.lexer.advance(2);
                    return Ok(());
                }
                _ => {}
            }
            self.lexer.advance(1);
        }
        self.inside = None;
        Ok(())
    }
}

/// The result of one step of reading.
enum DumpStep {
    On,
    Row(usize, u64),
    Damage(JoseDumpDamage),
    End,
}
