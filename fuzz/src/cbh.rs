//! The inner structures of ChessBase's files, each on its own: mutations of whole databases rarely get so far.

use std::io::{Read, Write};
use std::sync::Arc;

use tabiya_formats::cbh::{
    annotations::items,
    commands::language_mark,
    entities::{
        CbhEntityFile, CbhEntityTable, CbhSource, CbhTeam, CbhTournament, CbhTournamentExtras,
        player, titles,
    },
    layout::{CbhAnnotationHead, CbhFileHeader, CbhRecord, RECORD},
    moves::{
        CbhDecoderMemory, CbhMoveEncoding, CbhMoveOptions, CbhMoveTree, CbhPieces, CbhTreeStep,
        decode,
    },
    second_header::{CbhSecondHeaders, created_text, saved_text},
    text::{guiding, plain_of_html, read, text_of},
};
use tabiya_io::{
    cbv::CbvArchive, compression::UnpackLimits, mmap::FileBytes, random_file::RandomFile,
    scratch_file::ScratchFile, stream_decoder::UnpackMeter,
};
use tabiya_model::{board::Board, charset::Charset};

use crate::FuzzTarget;

/// One target for each structure.
pub fn targets() -> Vec<FuzzTarget> {
    let within = |folder, name: &str, suffix, run: fn(&[u8])| {
        let run = Box::new(move |parts: &[&[u8]]| run(&parts.concat()));
        FuzzTarget::new(name, folder, suffix, run)
    };
    let target = |name: &str, suffix, run| within("cbh-parts", name, suffix, run);
    vec![
        target("cbh-headers", ".headers", headers),
        target("cbh-entities", ".entities", entities),
        target("cbh-moves", ".moves", moves),
        target("cbh-annotations", ".annotations", annotations),
        target("cbh-text", ".text", text),
        within("cbh", "cbv", ".cbv", archive),
    ]
}

fn headers(data: &[u8]) {
    let _ = CbhFileHeader::decode(data);
    for record in data.as_chunks::<RECORD>().0 {
        if let CbhRecord::Game(game) = CbhRecord::decode(record) {
            // A record of Chess960 has no code.
            assert!(game.eco().is_none() || game.chess960().is_none());
        }
    }
    if let Some(seconds) = CbhSecondHeaders::new(FileBytes::from(data.to_vec())) {
        for number in 0..=seconds.count() + 1 {
            let Some(second) = seconds.get(number) else {
                continue;
            };
            let _ = (second.teams(), second.rating_kinds(), second.title());
            let _ = second.created().and_then(created_text);
            let _ = second.saved().and_then(saved_text);
        }
    }
}

fn entities(data: &[u8]) {
    for table in CbhEntityTable::ALL {
        let Ok((entities, _)) = CbhEntityFile::new(table, FileBytes::from(data.to_vec())) else {
            continue;
        };
        assert!(entities.count() as usize <= data.len());
        for number in 0..=entities.count() {
            let Some(record) = entities.get(number) else {
                continue;
            };
            let _ = (
                player(record),
                CbhTournament::decode(record),
                CbhTeam::decode(record),
            );
            let _ = CbhSource::decode(record).title.decode(Charset::Cp1252);
            let _ = titles(record).count();
            let _ = entities.uses(table, number);
        }
    }
    let more = CbhTournamentExtras::new(FileBytes::from(data.to_vec()));
    for number in 0..64 {
        let _ = more.get(number);
    }
}

/// The first byte is the mode.
fn moves(data: &[u8]) {
    let Some((mode, data)) = data.split_first() else {
        return;
    };
    let Some(coder) = CbhMoveEncoding::of(mode & 63) else {
        return;
    };
    let board = Board::standard();
    let mut lengths = Vec::new();
    for (verify, variations) in [(true, true), (false, true), (false, false)] {
        let mut tree = CbhMoveTree::default();
        let understood = decode(
            data,
            CbhPieces::of(&board, None),
            verify.then_some(&board),
            CbhMoveOptions {
                coder,
                variations,
                depth: 200,
            },
            &mut CbhDecoderMemory::default(),
            &mut tree,
            &mut |_, _| {},
        );
        assert!(understood <= data.len());
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
}

fn annotations(data: &[u8]) {
    let _ = CbhAnnotationHead::decode(data);
    let mut list = items(data);
    let mut used = 0;
    for item in list.by_ref() {
        used += item.payload.len() + 6;
        let Some(note) = item.note() else { continue };
        let mut out = String::new();
        note.command(true, &mut out);
        let _ = note.nags().count();
        let _ = language_mark(item.kind);
    }
    assert_eq!(used + list.rest().len(), data.len());
}

fn text(data: &[u8]) {
    let (guiding, _) = guiding(data);
    for content in &guiding.contents {
        let _ = plain_of_html(&String::from_utf8_lossy(content.text));
    }
    for charset in [Charset::Cp1252, Charset::Cp1251] {
        let _ = plain_of_html(&text_of(data, read(data, charset)));
    }
}

fn archive(data: &[u8]) {
    let Ok(mut scratch) = ScratchFile::new() else {
        return;
    };
    if scratch.write_all(data).is_err() {
        return;
    }
    let Ok(file) = RandomFile::from_scratch(scratch) else {
        return;
    };
    let limits = UnpackLimits {
        ratio: 20,
        free: 1 << 20,
        ..UnpackLimits::default()
    };
    let meter = UnpackMeter::of_size(data.len() as u64);
    let Ok(archive) = CbvArchive::open("fuzz.cbv", Arc::new(file), &limits, meter) else {
        return;
    };
    for member in archive.take(64).flatten() {
        let size = member.size;
        let mut content = Vec::new();
        let whole = member.take(4 << 20).read_to_end(&mut content).is_ok();
        assert!(!whole || content.len() as u64 == size.min(4 << 20));
    }
}
