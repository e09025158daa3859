use std::io::Read;

use super::*;
use crate::jose::row::JoseCell;

fn usual(table: &str) -> Vec<String> {
    match table {
        "Usual" => vec!["a".to_owned(), "b".to_owned()],
        _ => Vec::new(),
    }
}

fn keep(_: &str, column: &str) -> bool {
    column != "skipped"
}

/// Rows as text (`table: value|value`), and problems as `!what`.
fn read(source: impl Read) -> Vec<String> {
    let mut dump = JoseDumpReader::new(source, usual, keep);
    let mut found = Vec::new();
    let mut tables: Vec<String> = Vec::new();
    loop {
        match dump.next_event().expect("readable") {
            JoseDumpEvent::End => return found,
            JoseDumpEvent::Table => {
                let new = dump
                    .lists()
                    .iter()
                    .skip(tables.len())
                    .map(|list| list.table.clone());
                tables.extend(new.collect::<Vec<_>>());
            }
            JoseDumpEvent::Damage(damage) => found.push(format!("!{}", damage.what)),
            JoseDumpEvent::Row(list, row) => {
                let cells: Vec<_> = (0..row.slots.len())
                    .map(|at| match row.cell(at) {
                        JoseCell::Null => "NULL".to_owned(),
                        JoseCell::Int(value) => value.to_string(),
                        JoseCell::Date(day) => format!("{day:?}"),
                        JoseCell::Bytes(bytes) => String::from_utf8_lossy(bytes).into_owned(),
                    })
                    .collect();
                found.push(format!("{}: {}", tables[list], cells.join("|")));
            }
        }
    }
}

fn text(dump: &str) -> Vec<String> {
    read(dump.as_bytes())
}

/// A source that returns one byte at a time.
struct Drop1<'a>(&'a [u8]);

impl Read for Drop1<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let some = buffer.len().min(1);
        self.0.read(&mut buffer[..some])
    }
}

const DUMP: &str = r#"-- a comment; 'with' a quote
# another '
/*!40101 SET NAMES latin1 */;
/* and ' another */ SET @x = 'y;z';
CREATE TABLE `db`.`T` (
  `a` int(11) NOT NULL DEFAULT '0' COMMENT 'one, (two)',
  `b` enum('x','y,(') DEFAULT NULL,
  `skipped` text,
  PRIMARY KEY (`a`),
  KEY `b` (`b`,`a`)
) ENGINE=MyISAM COMMENT='x;y';
LOCK TABLES `T` WRITE;
INSERT INTO `T` VALUES (1,'it''s \'q\' \\ \n\r\t\0\Z\%\x',NULL),
(-2,0x41426,'gone'),(3,x'4142',_binary 'a;b),('),
(4,_utf8mb4"d""q",''),(NULL,1.5e3,TRUE);
INSERT IGNORE INTO T (b, a) VALUES ('n',7) , ('o',+8) ON DUPLICATE KEY UPDATE a=1;
REPLACE INTO Usual VALUES('p', 9);
CREATE TABLE IF NOT EXISTS Other (x int, y int);
INSERT INTO Other VALUES (1,2);
DROP TABLE nothing
"#;

#[test]
fn what_tools_write() {
    let found = text(DUMP);
    assert_eq!(
        found,
        [
            "T: 1|it's 'q' \\ \n\r\t\0\u{1a}\\%x|NULL",
            "T: -2|\u{4}\u{14}&|NULL",
            "T: 3|AB|NULL",
            "T: 4|d\"q|NULL",
            "T: NULL|1.5e3|NULL",
            "T: n|7",
            "T: o|8",
            "Usual: p|9",
            "Other: 1|2",
        ]
    );
    assert_eq!(read(Drop1(DUMP.as_bytes())), found);
    let mut dump = JoseDumpReader::new(DUMP.as_bytes(), usual, keep);
    while !matches!(dump.next_event().expect("readable"), JoseDumpEvent::End) {}
    assert_eq!(dump.charset(), Some("latin1"));
}

#[test]
fn modes_of_writing() {
    let plain = "SET sql_mode='NO_BACKSLASH_ESCAPES'; INSERT INTO Usual VALUES ('a\\','b');";
    assert_eq!(text(plain), ["Usual: a\\|b"]);
    let ansi = "SET SQL_MODE = \"ANSI\"; INSERT INTO \"Usual\" (\"b\",\"a\") VALUES ('x',1);";
    assert_eq!(text(ansi), ["Usual: x|1"]);
    let system =
        "USE `mysql`; INSERT INTO Usual VALUES (1,2); USE jose; INSERT INTO Usual VALUES (3,4);";
    assert_eq!(text(system), ["Usual: 3|4"]);
}

#[test]
fn damage_is_told_and_passed() {
    let found = text(
        "INSERT INTO Usual VALUES (1,2),(3),(4,5),(6,@),(7,8),\n(9,,10),\n(11,12);\nINSERT INTO Usual VALUES (13,14);",
    );
    assert_eq!(
        found,
        [
            "Usual: 1|2",
            "!a row does not have one value per column of its table",
            "Usual: 4|5",
            "!a row is not a list of values",
            "Usual: 7|8",
            "!a row is not a list of values",
            "Usual: 11|12",
            "Usual: 13|14",
        ]
    );
    for broken in [
        "INSERT",
        "INSERT INTO Usual VALUES (1,'a",
        "INSERT INTO Usual VALUES (1",
        "INSERT INTO Usual VALUES (1,2)",
        "INSERT INTO Usual SET a=1;\n",
        "CREATE TABLE x (a int",
        "\u{1}\u{2}garbage;",
        "/* never closed INSERT INTO Usual VALUES (1,2);",
        "INSERT INTO Usual VALUES (0x1,x'4);",
    ] {
        let found = text(broken);
        assert!(
            found
                .iter()
                .all(|line| line.starts_with('!') || line == "Usual: 1|2"),
            "{found:?}"
        );
    }
}

#[test]
fn every_cut_and_every_flip_is_survived() {
    let whole = text(DUMP);
    for end in 0..DUMP.len() {
        let found = read(&DUMP.as_bytes()[..end]);
        let rows: Vec<_> = found.iter().filter(|line| !line.starts_with('!')).collect();
        assert!(rows.len() <= whole.len());
        // The rows before the cut are unchanged.
        assert!(
            rows.iter().zip(&whole).all(|(a, b)| *a == b),
            "cut at {end}"
        );
    }
    for at in 0..DUMP.len() {
        for flip in [1, 0x20, 0x80] {
            let mut bytes = DUMP.as_bytes().to_vec();
            bytes[at] ^= flip;
            read(bytes.as_slice());
        }
    }
}

#[test]
fn rows_are_found_again() {
    let mut dump = JoseDumpReader::new(DUMP.as_bytes(), usual, keep);
    let mut places = Vec::new();
    loop {
        let modes = dump.modes();
        match dump.next_event().expect("readable") {
            JoseDumpEvent::End => break,
            JoseDumpEvent::Row(columns, row) => {
                let cells: Vec<_> = (0..row.slots.len())
                    .map(|at| format!("{:?}", row.cell(at)))
                    .collect();
                places.push((
                    JoseDumpState {
                        offset: row.offset,
                        columns,
                        ..modes
                    },
                    cells,
                ));
            }
            JoseDumpEvent::Table | JoseDumpEvent::Damage(_) => {}
        }
    }
    assert_eq!(places.len(), 9);
    let lists = dump.lists().to_vec();
    let mut again =
        JoseDumpReader::with_lists(std::io::Cursor::new(DUMP.as_bytes()), lists, usual, keep);
    for order in [[0usize, 1, 2], [8, 0, 8], [5, 6, 4]].concat() {
        let (resume, wanted) = &places[order];
        again.go_to(*resume, |source| source.set_position(resume.offset));
        match again.next_event().expect("readable") {
            JoseDumpEvent::Row(columns, row) => {
                let cells: Vec<_> = (0..row.slots.len())
                    .map(|at| format!("{:?}", row.cell(at)))
                    .collect();
                assert_eq!((columns, &cells), (resume.columns, wanted));
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_row_without_end_is_a_limit() {
    let endless = b"INSERT INTO Usual VALUES ('".chain(std::io::repeat(b'a'));
    let mut dump = JoseDumpReader::new(endless, usual, keep);
    let outcome = loop {
        match dump.next_event() {
            Ok(JoseDumpEvent::Table) => {}
            other => break other.map(|_| ()),
        }
    };
    assert!(matches!(outcome, Err(JoseDumpError::Limit { .. })));
}
