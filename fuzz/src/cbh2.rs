//! The inner structures of ChessBase's newer files, each on its own: mutations of whole databases rarely get so far.

use tabiya_formats::cbh::moves::{CbhMoveTree, CbhTreeStep};
use tabiya_formats::cbh2::{
    annotations::{Cbh2Annotation, Cbh2AnnotationCutter, language_mark},
    entities::{
        Cbh2EntityFile, Cbh2EntityTable, Cbh2Player, Cbh2Source, Cbh2Team, Cbh2Tournament, titles,
    },
    layout::{Cbh2FileHeader, Cbh2Frame, Cbh2Record, RECORD},
    moves::{Cbh2MoveMemory, Cbh2StartPieces, decode},
    start::read_start,
};
use tabiya_io::mmap::FileBytes;
use tabiya_model::board::Board;

use crate::FuzzTarget;

/// One target for each structure.
pub fn targets() -> Vec<FuzzTarget> {
    let target = |name: &str, suffix, run: fn(&[u8])| {
        let run = Box::new(move |parts: &[&[u8]]| run(&parts.concat()));
        FuzzTarget::new(name, "2cbh-parts", suffix, run)
    };
    vec![
        target("2cbh-headers", ".headers", headers),
        target("2cbh-entities", ".entities", entities),
        target("2cbh-moves", ".moves", moves),
        target("2cbh-annotations", ".annotations", annotations),
    ]
}

fn headers(data: &[u8]) {
    let _ = Cbh2FileHeader::decode(data);
    for record in data.as_chunks::<RECORD>().0 {
        let record = Cbh2Record::decode(record);
        if let Cbh2Record::Game(game) = &record {
            // A number is a code, a start of Chess960, none, or damage.
            let kinds = [
                game.eco == 0,
                game.eco().is_some(),
                game.chess960().is_some(),
                game.is_bad_eco(),
            ];
            assert_eq!(kinds.into_iter().filter(|kind| *kind).count(), 1);
        }
        for offset in [record.body(), record.annotations()].into_iter().flatten() {
            if let Ok(frame) = Cbh2Frame::decode(data, offset) {
                assert!(frame.length() <= data.len());
                let _ = frame.fault();
            }
        }
    }
}

fn entities(data: &[u8]) {
    let Ok(names) = Cbh2EntityFile::new(FileBytes::from(data.to_vec())) else {
        return;
    };
    for table in Cbh2EntityTable::ALL {
        let count = names.count(table);
        // A container may be empty, so that there are no more names than bytes.
        assert!(count <= data.len() as u64);
        let last = i64::try_from(count).unwrap_or(i64::MAX);
        for id in (0..last.min(64)).chain([-1, last]) {
            let Some(record) = names.get(table, id) else {
                continue;
            };
            assert!(record.len() <= names.kind(table).size);
            let _ = (Cbh2Player::decode(record), Cbh2Team::decode(record));
            let _ = (Cbh2Source::decode(record), titles(record).len());
            let tournament = Cbh2Tournament::decode(record);
            assert_eq!(Cbh2Tournament::start(record), tournament.date);
            let names = [tournament.place, tournament.title];
            assert_eq!(Cbh2Tournament::names(record), names);
        }
    }
}

/// The first two bytes are the kind of the record.
fn moves(data: &[u8]) {
    let Some((tag, content)) = data.split_first_chunk::<2>() else {
        return;
    };
    let Ok(start) = read_start(content, u16::from_le_bytes(*tag)) else {
        return;
    };
    let stream = content.get(start.at..).unwrap_or(&[]);
    let board = Board::standard();
    let pieces = Cbh2StartPieces::of(&board, start.is_chess960);
    let mut lengths = Vec::new();
    for (verify, variations) in [(true, true), (false, true), (false, false)] {
        let mut tree = CbhMoveTree::default();
        let understood = decode(
            stream,
            &pieces,
            verify.then_some(&board),
            variations,
            &mut Cbh2MoveMemory::default(),
            &mut tree,
            &mut |_, _| {},
        );
        assert!(understood <= stream.len());
        let (mut seen, mut depth) = (0, 0_usize);
        tree.walk(|step| match step {
            CbhTreeStep::Move(..) => seen += 1,
            CbhTreeStep::Begin => depth += 1,
            CbhTreeStep::End => depth -= 1,
        });
        assert_eq!((seen, depth), (tree.len(), 0), "every move is met once");
        lengths.push((tree.len(), tree.main_line_len()));
    }
    assert_eq!(lengths[0], lengths[1], "legality changes no tree");
    assert_eq!(lengths[0].1, lengths[2].0, "the main line comes first");
}

fn annotations(data: &[u8]) {
    let mut cutter = Cbh2AnnotationCutter::new(data);
    for slot in cutter.by_ref() {
        let start = slot.start as usize;
        let payload = data
            .get(start..start + slot.length as usize)
            .expect("an item lies within the record");
        assert!(slot.place >= -1);
        if let Some(Cbh2Annotation::Command(note)) = Cbh2Annotation::of(slot.kind, payload) {
            let mut out = String::new();
            note.command(true, &mut out);
            let _ = note.nags().count();
        }
        let _ = language_mark(u16::from(slot.kind));
    }
    if let Some(rest) = cutter.rest() {
        assert!(data.ends_with(rest.bytes));
        assert!(cutter.after().is_empty());
    }
}
