//! Values that no other program writes into our columns.

use tabiya_columns::{CellValue, ParquetWriter, RowGroupBuilder};
use tabiya_model::database::for_each_game;
use tabiya_model::{Game, GameNeeds};

use super::layout;
use tabiya_codec::format::OpenOptions;

/// A game of single cells, read.
fn read(cells: &[(usize, CellValue<'_>)]) -> Game {
    let fields = layout::fields(layout::MoveColumn::Fast);
    let mut group = RowGroupBuilder::new(&fields);
    group.push(layout::GAME, CellValue::Int(1));
    group.push(layout::PLIES, CellValue::Int(0));
    for (column, cell) in cells {
        group.push(*column, *cell);
    }
    group.end_row();
    let mut bytes = Vec::new();
    let mut writer = ParquetWriter::new(&fields, &[], 1, 8192).expect("a table");
    let packed = writer.packer().pack(group).expect("packed");
    writer.add(packed, &mut bytes).expect("added");
    writer.finish(&[], &mut bytes).expect("finished");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("games.parquet");
    std::fs::write(&path, bytes).expect("written");
    let database = super::database::open(&path, &OpenOptions::default()).expect("it opens");
    let mut read = Vec::new();
    let mut source = database.source(None).expect("a source");
    for_each_game(&mut *source, GameNeeds::ALL, |game| {
        read.push(game.clone());
        Ok(())
    })
    .expect("read");
    assert_eq!(read.len(), 1);
    read.remove(0)
}

fn codes(game: &Game) -> Vec<&'static str> {
    game.diagnostics
        .iter()
        .map(|found| found.code.name)
        .collect()
}

/// e2e4 and e7e5.
const OPEN: [u8; 4] = [0x0c, 0x07, 0x34, 0x09];

#[test]
fn plain_moves_are_read() {
    let game = read(&[(layout::MOVES, CellValue::Bytes(&OPEN))]);
    assert_eq!(game.tape.plies(), 2);
    assert!(codes(&game).is_empty(), "{:?}", codes(&game));
}

#[test]
fn damaged_cells_are_told_and_the_main_line_stays() {
    for (cells, expected) in [
        (
            vec![(layout::ANNOTATIONS, &[99_u8][..])],
            "parquet-annotations",
        ),
        (
            vec![(layout::ANNOTATIONS, &[0, 7][..])],
            "parquet-annotations",
        ),
        (
            vec![(layout::ANNOTATIONS, &[5, 5, 5][..])],
            "parquet-annotations",
        ),
        (vec![(layout::ANNOTATIONS, &[6][..])], "parquet-annotations"),
        (
            vec![(
                layout::ANNOTATIONS,
                &[0, 1, 2, 0xff, 0xff, 0xff, 0xff, 0x0f][..],
            )],
            "parquet-annotations",
        ),
        (vec![(layout::CLOCKS, &[1, 2, 3][..])], "parquet-clocks"),
        (
            vec![(layout::EVALS, &[0xff, 0x7f, 0xff, 0x7f][..])],
            "parquet-clocks",
        ),
        (vec![(layout::TAG_NAMES, &b"White"[..])], "parquet-tags"),
        (vec![(layout::TAG_NAMES, &b"Own="[..])], "parquet-tags"),
        (vec![(layout::TAG_VALUES, &[2, b'x'][..])], "parquet-tags"),
        (vec![(layout::OUTCOME, &b"2-0"[..])], "parquet-outcome"),
    ] {
        let mut row = vec![(layout::MOVES, CellValue::Bytes(&OPEN))];
        row.extend(
            cells
                .iter()
                .map(|(column, bytes)| (*column, CellValue::Bytes(bytes))),
        );
        let game = read(&row);
        assert!(
            codes(&game).contains(&expected),
            "{expected}: {:?}",
            codes(&game)
        );
        assert_eq!(game.tape.plies(), 2, "{expected}");
        assert!(game.tape.is_well_formed());
    }
}

#[test]
fn moves_that_cannot_be_played_are_kept_as_text() {
    // e2e4, e2e4 again, e7e5, and half a move.
    let moves = [0x0c, 0x07, 0x0c, 0x07, 0x34, 0x09, 1];
    let game = read(&[(layout::MOVES, CellValue::Bytes(&moves))]);
    assert_eq!(game.tape.plies(), 1);
    assert_eq!(codes(&game), ["parquet-moves", "parquet-unreadable-move"]);
    let texts: Vec<_> = game
        .tape
        .ops()
        .filter_map(|op| match op {
            tabiya_model::TapeOp::Raw(id) => Some(game.tape.text(id)),
            _ => None,
        })
        .collect();
    assert_eq!(texts, ["e2e4", "e7e5"]);
}
