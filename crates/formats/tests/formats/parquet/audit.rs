//! Columns that should follow from the moves but differ are damage that a check reports, in files that we wrote.

use std::path::Path;

use tabiya_columns::{CellValue, ColumnValues, ParquetWriter, RowGroupBuilder};
use tabiya_formats::format::OpenOptions;
use tabiya_formats::parquet;
use tabiya_model::Game;

use super::{GAMES, games_of, read};

/// Writes games as usual, apart from one wrong cell.
fn write_with_a_lie(path: &Path, games: &[Game], lie: Option<(usize, &str, CellValue<'_>)>) {
    let fields = parquet::ParquetRowBuffer::fields();
    let mut rows = parquet::ParquetRowBuffer::default();
    games.iter().for_each(|game| rows.push(game));
    let columns = rows.take().into_columns();
    let mut group = RowGroupBuilder::new(&fields);
    let mut next = vec![0; columns.len()];
    for row in 0..games.len() {
        for (at, column) in columns.iter().enumerate() {
            let number = next[at];
            let is_there = column.levels.get(row) == Some(&1);
            next[at] += usize::from(is_there);
            let cell = match &column.values {
                _ if column.field.name == "game" => CellValue::Int(1),
                _ if !is_there => CellValue::Null,
                ColumnValues::Ints(values) => CellValue::Int(values[number]),
                ColumnValues::Reals(values) => CellValue::Real(values[number]),
                ColumnValues::Bytes { bytes, ends } => {
                    let start = number.checked_sub(1).map_or(0, |before| ends[before]);
                    CellValue::Bytes(&bytes[start..ends[number]])
                }
            };
            let is_lie = lie.is_some_and(|lie| lie.0 == row && lie.1 == column.field.name);
            group.push(at, if is_lie { lie.expect("a lie").2 } else { cell });
        }
        group.end_row();
    }
    let notes = [("tabiya.lake", "1".to_owned())];
    let mut writer = ParquetWriter::new(&fields, &notes, 1, 16).expect("a writer");
    let mut bytes = Vec::new();
    let packed = writer.packer().pack(group).expect("packed");
    writer.add(packed, &mut bytes).expect("written");
    writer.finish(&[], &mut bytes).expect("written");
    std::fs::write(path, bytes).expect("written");
}

/// The games for which a check reports that a column does not match the moves.
fn told(path: &Path, audit: bool) -> Vec<usize> {
    let open = parquet::FORMAT.open.expect("it is read");
    let options = OpenOptions {
        audit,
        ..OpenOptions::default()
    };
    let database = open(path, &options).expect("opened");
    let games = read(&*database);
    let is_told = |game: &Game| {
        let mut found = game.diagnostics.iter();
        found.any(|found| found.code.name == "parquet-derived")
    };
    (0..games.len()).filter(|at| is_told(&games[*at])).collect()
}

#[test]
fn a_check_tells_columns_that_do_not_fit_the_moves() {
    let folder = tempfile::tempdir().expect("a folder");
    let source = folder.path().join("games.pgn");
    std::fs::write(&source, GAMES.repeat(20)).expect("written");
    let games = games_of(&source, usize::MAX);
    let path = folder.path().join("games.parquet");
    write_with_a_lie(&path, &games, None);
    assert_eq!(told(&path, true), [0; 0]);
    for (column, cell) in [
        ("plies", CellValue::Int(77)),
        ("final_material", CellValue::Bytes(b"KvK")),
        ("home_pawns", CellValue::Bytes(b"Ee")),
        ("home_pawns", CellValue::Null),
        ("promotions", CellValue::Bytes(b"q")),
    ] {
        for row in [0, 1, 30] {
            write_with_a_lie(&path, &games, Some((row, column, cell)));
            assert_eq!(told(&path, true), [row], "{column}");
            assert_eq!(told(&path, false), [0; 0], "{column}");
        }
    }
}
