//! The inner structures of ChessBase's files, each on its own: mutations of whole databases rarely get so far.

use std::io::{Read, Write};
use std::sync::Arc;

use tabiya_formats::cbh::{
    annotations::items,
    commands::language_mark,
    entities::{Entities, MoreOfTournaments, Source, Table, Team, Tournament, player, titles},
    layout::{AnnotationHead, FileHeader, RECORD, Record},
    moves::{Coder, Memory, Men, Rules, Step, Tree, decode},
    second::{Seconds, created_text, saved_text},
    text::{guiding, plain_of_html, read, text_of},
};
use tabiya_io::{
    cbv::Archive, compression::Limits, decode::Meter, mmap::Bytes, random::RandomFile,
    scratch::Scratch,
};
use tabiya_model::{board::Board, charset::Charset};

use crate::Target;

/// One target for each structure.
pub fn targets() -> Vec<Target> {
    let within = |folder, name: &str, suffix, run: fn(&[u8])| {
        let run = Box::new(move |parts: &[&[u8]]| run(&parts.concat()));
        Target::new(name, folder, suffix, run)
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
    let _ = FileHeader::decode(data);
    for record in data.as_chunks::<RECORD>().0 {
        if let Record::Game(game) = Record::decode(record) {
            // A record of Chess960 has no code.
            assert!(game.eco().is_none() || game.chess960().is_none());
        }
    }
    if let Some(seconds) = Seconds::new(Bytes::from(data.to_vec())) {
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
    for table in Table::ALL {
        let Ok((entities, _)) = Entities::new(table, Bytes::from(data.to_vec())) else {
            continue;
        };
        assert!(entities.count() as usize <= data.len());
        for number in 0..=entities.count() {
            let Some(record) = entities.get(number) else {
                continue;
            };
            let _ = (
                player(record),
                Tournament::decode(record),
                Team::decode(record),
            );
            let _ = Source::decode(record).title.decode(Charset::Cp1252);
            let _ = titles(record).count();
            let _ = entities.uses(table, number);
        }
    }
    let more = MoreOfTournaments::new(Bytes::from(data.to_vec()));
    for number in 0..64 {
        let _ = more.get(number);
    }
}

/// The first byte is the mode.
fn moves(data: &[u8]) {
    let Some((mode, data)) = data.split_first() else {
        return;
    };
    let Some(coder) = Coder::of(mode & 63) else {
        return;
    };
    let board = Board::standard();
    let mut lengths = Vec::new();
    for (verify, variations) in [(true, true), (false, true), (false, false)] {
        let mut tree = Tree::default();
        let understood = decode(
            data,
            Men::of(&board, None),
            verify.then_some(&board),
            Rules {
                coder,
                variations,
                depth: 200,
            },
            &mut Memory::default(),
            &mut tree,
            &mut |_, _| {},
        );
        assert!(understood <= data.len());
        let (mut seen, mut depth) = (0, 0_usize);
        tree.walk(|step| match step {
            Step::Move(..) => seen += 1,
            Step::Begin => depth += 1,
            Step::End => depth -= 1,
        });
        assert_eq!((seen, depth), (tree.len(), 0), "every move is met once");
        lengths.push((tree.len(), tree.main_line_len()));
    }
    assert_eq!(lengths[0], lengths[1], "legality changes no tree");
}

fn annotations(data: &[u8]) {
    let _ = AnnotationHead::decode(data);
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
    let Ok(mut scratch) = Scratch::new() else {
        return;
    };
    if scratch.write_all(data).is_err() {
        return;
    }
    let Ok(file) = RandomFile::from_scratch(scratch) else {
        return;
    };
    let limits = Limits {
        ratio: 20,
        free: 1 << 20,
        ..Limits::default()
    };
    let meter = Meter::of_size(data.len() as u64);
    let Ok(archive) = Archive::open("fuzz.cbv", Arc::new(file), &limits, meter) else {
        return;
    };
    for member in archive.take(64).flatten() {
        let size = member.size;
        let mut content = Vec::new();
        let whole = member.take(4 << 20).read_to_end(&mut content).is_ok();
        assert!(!whole || content.len() as u64 == size.min(4 << 20));
    }
}
