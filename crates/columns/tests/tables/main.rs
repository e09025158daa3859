//! Tables of any content come back as they were written: by our reader, and by those of others.

#![allow(clippy::print_stderr, reason = "what was skipped is said")]

use std::fmt::Write;
use std::path::Path;

use tabiya_columns::{
    CellValue, ColumnEncoding, ColumnSchema, ColumnType, ParquetReader, ParquetWriter,
    RowGroupBuilder,
};
use tabiya_testing::{TestRandom, python_with, seed};

/// A value in a test.
#[derive(Clone, Debug, PartialEq)]
enum Cell {
    Null,
    Int(i64),
    Real(f64),
    Bytes(Vec<u8>),
}

impl Cell {
    fn value(&self) -> CellValue<'_> {
        match self {
            Cell::Null => CellValue::Null,
            Cell::Int(value) => CellValue::Int(*value),
            Cell::Real(value) => CellValue::Real(*value),
            Cell::Bytes(bytes) => CellValue::Bytes(bytes),
        }
    }

    /// In the notation of the script next to this file.
    fn text(&self) -> String {
        match self {
            Cell::Null => String::new(),
            Cell::Int(value) => value.to_string(),
            Cell::Real(value) => format!("{:016x}", value.to_bits()),
            Cell::Bytes(bytes) => bytes.iter().fold("x".to_owned(), |mut text, byte| {
                let _ = write!(text, "{byte:02x}");
                text
            }),
        }
    }
}

struct Table {
    fields: Vec<ColumnSchema>,
    page_rows: usize,
    groups: Vec<Vec<Vec<Cell>>>,
}

const KINDS: [ColumnType; 6] = [
    ColumnType::Int,
    ColumnType::Long,
    ColumnType::Day,
    ColumnType::Real,
    ColumnType::Text,
    ColumnType::Bytes,
];
const ENCODINGS: [ColumnEncoding; 3] = [
    ColumnEncoding::Dictionary,
    ColumnEncoding::Delta,
    ColumnEncoding::Plain,
];

/// Every kind of column in every encoding, with a value in every row and with missing values.
fn all_fields() -> Vec<ColumnSchema> {
    let mut fields = Vec::new();
    for kind in KINDS {
        for packing in ENCODINGS {
            for required in [false, true] {
                let name = format!("{kind:?}_{packing:?}_{required}").to_lowercase();
                let mut field = ColumnSchema::new(name.leak(), kind, packing);
                field.required = required;
                fields.push(field);
            }
        }
    }
    fields
}

/// The distribution of values in a column of a group.
#[derive(Clone, Copy)]
struct Shape {
    nulls: usize,
    different: usize,
    run: usize,
    length: usize,
}

impl Shape {
    fn any(random: &mut TestRandom) -> Shape {
        Shape {
            nulls: *random.pick(&[0, 0, 1, 50, 99, 100]),
            different: *random.pick(&[1, 2, 3, 200, 70_000]),
            run: *random.pick(&[1, 1, 3, 40]),
            length: *random.pick(&[0, 1, 15, 17, 60]),
        }
    }
}

fn text(random: &mut TestRandom, length: usize) -> String {
    let letters = [
        'a',
        'z',
        '\u{7f}',
        'ä',
        '\u{7ff}',
        '\u{d7ff}',
        '€',
        '\u{10ffff}',
        '\u{1f600}',
    ];
    (0..length).map(|_| *random.pick(&letters)).collect()
}

fn value(random: &mut TestRandom, kind: ColumnType, shape: Shape) -> Cell {
    let number = random.below(shape.different);
    // The same number always gives the same value.
    let mut own = TestRandom::new(number as u64 ^ 0x5eed);
    match kind {
        ColumnType::Int => Cell::Int(match own.below(4) {
            0 => *own.pick(&[i64::from(i32::MIN), -1, 0, i64::from(i32::MAX)]),
            _ => number as i64,
        }),
        ColumnType::Long => Cell::Int(match own.below(4) {
            0 => *own.pick(&[i64::MIN, -1, 0, i64::MAX]),
            1 => own.number().cast_signed(),
            _ => number as i64,
        }),
        // Days that Python supports.
        ColumnType::Day => Cell::Int(own.below(3_650_000) as i64 - 719_162),
        ColumnType::Real => Cell::Real(match own.below(6) {
            0 => *own.pick(&[
                -0.0,
                0.0,
                f64::INFINITY,
                f64::NEG_INFINITY,
                f64::MIN_POSITIVE,
            ]),
            _ => f64::from_bits(own.number() & !(1 << 62)),
        }),
        ColumnType::Text => {
            let length = own.below(shape.length + 1);
            Cell::Bytes(text(&mut own, length).into_bytes())
        }
        ColumnType::Bytes => {
            let length = own.below(shape.length + 1);
            Cell::Bytes((0..length).map(|_| own.number() as u8).collect())
        }
    }
}

fn random_group(random: &mut TestRandom, fields: &[ColumnSchema], rows: usize) -> Vec<Vec<Cell>> {
    let shapes: Vec<Shape> = fields.iter().map(|_| Shape::any(random)).collect();
    let mut group: Vec<Vec<Cell>> = Vec::new();
    for _ in 0..rows {
        let cells = fields.iter().zip(&shapes).enumerate();
        let row = cells.map(|(at, (field, shape))| {
            let before = group.last().and_then(|row| row.get(at));
            match before {
                Some(before) if random.below(shape.run) > 0 => before.clone(),
                _ if !field.required && random.chance(shape.nulls) => Cell::Null,
                _ => value(random, field.kind, *shape),
            }
        });
        let row = row.collect();
        group.push(row);
    }
    group
}

fn random_table(random: &mut TestRandom) -> Table {
    let fields = all_fields();
    let groups = (0..random.below(4)).map(|_| *random.pick(&[0, 1, 7, 8, 9, 300, 1200]));
    let groups: Vec<usize> = groups.collect();
    Table {
        page_rows: *random.pick(&[1, 7, 64, 1000, 1 << 20]),
        groups: groups
            .into_iter()
            .map(|rows| random_group(random, &fields, rows))
            .collect(),
        fields,
    }
}

fn written(table: &Table) -> Vec<u8> {
    let notes = [("one", "1".to_owned())];
    let mut writer =
        ParquetWriter::new(&table.fields, &notes, 1, table.page_rows).expect("a writer");
    let mut bytes = Vec::new();
    for rows in &table.groups {
        let mut group = RowGroupBuilder::new(&table.fields);
        for row in rows {
            for (at, cell) in row.iter().enumerate() {
                group.push(at, cell.value());
            }
            group.end_row();
        }
        let packed = writer.packer().pack(group).expect("a group");
        writer.add(packed, &mut bytes).expect("added");
    }
    let notes = [("two", "ä".to_owned())];
    writer.finish(&notes, &mut bytes).expect("written");
    bytes
}

fn same(one: &Cell, other: CellValue<'_>) -> bool {
    match (one, other) {
        // By their bits: zeros have signs.
        (Cell::Real(one), CellValue::Real(other)) => one.to_bits() == other.to_bits(),
        _ => one.value() == other,
    }
}

/// Reads a table with our own reader, once row by row and once with some of them skipped.
fn check_with_ours(path: &Path, table: &Table, random: &mut TestRandom) {
    let reader = ParquetReader::of_file(path).expect("a table");
    assert!(reader.has_sums());
    assert_eq!(reader.note("one"), Some("1"));
    assert_eq!(reader.note("two"), Some("ä"));
    let columns: Vec<Option<usize>> = table
        .fields
        .iter()
        .map(|field| reader.column(field.name, field.kind).expect("a column"))
        .collect();
    assert!(columns.iter().all(Option::is_some));
    let groups = table.groups.iter().filter(|rows| !rows.is_empty());
    assert_eq!(reader.groups(), groups.clone().count());
    for (number, group) in groups.enumerate() {
        assert_eq!(reader.rows_of(number), group.len() as u64);
        for hops in [false, true] {
            let mut rows = reader.rows(number, &columns).expect("rows");
            let mut at = 0;
            while at < group.len() {
                let hop = if hops { random.below(20) } else { 0 };
                let hop = hop.min(group.len() - at - 1);
                rows.skip(hop as u64).expect("rows are passed over");
                at += hop;
                for (column, cell) in group[at].iter().enumerate() {
                    let found = rows.next(column).expect("a value");
                    let name = table.fields[column].name;
                    assert!(same(cell, found), "row {at} of {name}: {cell:?} {found:?}");
                }
                at += 1;
            }
        }
        for (column, field) in table.fields.iter().enumerate() {
            if let (ColumnType::Long, Some((least, greatest))) =
                (field.kind, reader.bounds(number, column))
            {
                let values = group.iter().filter_map(|row| match row[column] {
                    Cell::Int(value) => Some(value),
                    _ => None,
                });
                assert_eq!(values.clone().min(), Some(least));
                assert_eq!(values.max(), Some(greatest));
            }
        }
    }
}

/// The content of a table, one row per line.
fn told(table: &Table) -> String {
    let mut text = String::new();
    for field in &table.fields {
        text.push_str(&format!("{}:{:?}\t", field.name, field.kind));
    }
    text.push('\n');
    for row in table.groups.iter().flatten() {
        let cells: Vec<String> = row.iter().map(Cell::text).collect();
        text.push_str(&cells.join("\t"));
        text.push('\n');
    }
    text
}

/// Lets other programs read a table, if they are installed.
fn check_with_peers(path: &Path, table: &Table) {
    let told_path = path.with_extension("tsv");
    std::fs::write(&told_path, told(table)).expect("written");
    if let Some(mut python) = python_with("pyarrow") {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tables/peers.py");
        let output = python
            .arg(script)
            .args([&told_path, path])
            .output()
            .expect("Python");
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{told}");
        eprint!("{}", String::from_utf8_lossy(&output.stdout));
    }
}

fn check(name: &str, table: &Table, random: &mut TestRandom) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(format!("{name}.parquet"));
    std::fs::write(&path, written(table)).expect("written");
    check_with_ours(&path, table, random);
    check_with_peers(&path, table);
}

#[test]
fn random_tables_come_back() {
    let mut random = TestRandom::new(seed());
    let count = if tabiya_testing::is_full() { 300 } else { 4 };
    for number in 0..count {
        let table = random_table(&mut random);
        check(&format!("random-{number}"), &table, &mut random);
    }
}

#[test]
fn a_dictionary_that_grows_too_long_ends() {
    let fields = vec![
        ColumnSchema::new("number", ColumnType::Int, ColumnEncoding::Dictionary).required(),
        ColumnSchema::new("text", ColumnType::Text, ColumnEncoding::Dictionary),
    ];
    // Repeated texts at first, and then different ones: 12 MB.
    let rows = (0..24_000_i64).map(|row| {
        let text = match row {
            0..9000 => format!("{}", row % 100),
            _ if row % 7 == 0 => "17".to_owned(),
            _ => format!("{row:0>800}"),
        };
        let text = if row % 5 == 0 {
            Cell::Null
        } else {
            Cell::Bytes(text.into_bytes())
        };
        vec![Cell::Int(row / 10), text]
    });
    let table = Table {
        fields,
        page_rows: 5000,
        groups: vec![rows.collect()],
    };
    check("long-dictionary", &table, &mut TestRandom::new(1));
}

#[test]
fn long_values_come_back() {
    let mut fields = Vec::new();
    for packing in ENCODINGS {
        for kind in [ColumnType::Text, ColumnType::Bytes] {
            let name = format!("{kind:?}_{packing:?}").to_lowercase();
            fields.push(ColumnSchema::new(name.leak(), kind, packing));
        }
    }
    let rows = (0..8_usize).map(|row| {
        let length = [0, 1 << 20, 3, (3 << 20) + 1][row % 4];
        let bytes = vec![b'a' + (row % 3) as u8; length];
        vec![Cell::Bytes(bytes); fields.len()]
    });
    let table = Table {
        page_rows: 8192,
        groups: vec![rows.collect()],
        fields: fields.clone(),
    };
    check("long-values", &table, &mut TestRandom::new(2));
}

#[test]
fn a_value_too_long_for_a_page_is_refused() {
    let fields = [ColumnSchema::new(
        "bytes",
        ColumnType::Bytes,
        ColumnEncoding::Plain,
    )];
    let writer = ParquetWriter::new(&fields, &[], 1, 10).expect("a writer");
    let mut group = RowGroupBuilder::new(&fields);
    group.push(0, CellValue::Bytes(&vec![0; 1 << 28]));
    group.end_row();
    let error = writer
        .packer()
        .pack(group)
        .err()
        .map(|error| error.to_string());
    assert!(error.is_some_and(|told| told.contains("\"bytes\"") && told.contains("too long")));
}

#[test]
fn a_table_without_rows_is_a_table() {
    let table = Table {
        fields: all_fields(),
        page_rows: 100,
        groups: vec![Vec::new()],
    };
    check("no-rows", &table, &mut TestRandom::new(3));
}
