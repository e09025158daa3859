//! The inner structures of Chess Assistant's files, each on its own: mutations of whole databases rarely get so far.

use tabiya_formats::chess_assistant::{
    layout::{CaAddressTable, CaCdp, CaHeader, CaPlayer, HEADER_BYTES, PLAYER_BYTES},
    moves::CaFileDirection,
    record::{self, CaReadSettings, CaRecordPlace, CaScratch},
    tags::{CaGameNames, push_tags},
    text::{CaNameLists, read_symbols},
    volume::{CaVolume, build},
};
use tabiya_model::{
    Diagnostics, Game, GameNeeds, Tags, canon_game::canon, charset::Charset,
    game::StartingPosition, nag::Nag,
};

use crate::FuzzTarget;

/// One target for each structure.
pub fn targets() -> Vec<FuzzTarget> {
    let target = |name: &str, suffix, run: fn(&[&[u8]])| {
        FuzzTarget::new(name, "ca-parts", suffix, Box::new(run))
    };
    vec![
        target("ca-volume", ".volume", |parts| volume(&parts.concat())),
        target("ca-names", ".names", |parts| names(&parts.concat())),
        target("ca-header", ".header", |parts| header(&parts.concat())),
        target("ca-record", ".record", |parts| record(&parts.concat())),
    ]
}

/// The file system of an EMB, with the lists in it.
fn volume(data: &[u8]) {
    let Ok(volume) = CaVolume::open(data) else {
        return;
    };
    let mut total = 0;
    for file in volume.files() {
        match volume.read(file) {
            Ok(content) => {
                assert_eq!(content.len() as u64, u64::from(file.length));
                total += content.len();
            }
            Err(damage) => assert_eq!(file.damage(), Some(&damage)),
        }
    }
    assert!(total <= data.len(), "sound files share no bytes");
    look_up(&CaNameLists::read(&volume, |_| (), |_| ()));
}

/// Addresses and names, one after the other in a sound volume.
fn names(data: &[u8]) {
    let half = data.len() / 2;
    let (addresses, entries) = data.split_at(half);
    let resolved = CaAddressTable::resolve(addresses);
    assert_eq!(resolved.len(), addresses.len() / 4);
    let files = [
        ("Players.a01", addresses),
        ("Players.d01", entries),
        ("Players.d00", entries),
        ("Events.a01", addresses),
        ("Events.d01", entries),
    ];
    let emb = build(&files, 64).expect("small enough");
    let volume = CaVolume::open(&emb).expect("sound");
    look_up(&CaNameLists::read(
        &volume,
        |_| (),
        |damage| panic!("{damage}"),
    ));
}

fn look_up(lists: &CaNameLists) {
    let _ = lists.detect_charset();
    for names in lists.all() {
        for id in 0..names.len().min(5_000) + 2 {
            let id = u32::try_from(id).expect("small");
            if let Some((name, title)) = names.get(id) {
                assert!(name.len() <= 255 && title.len() <= 255);
            }
            let _ = names.facts(id);
        }
    }
}

/// A header, the facts of its players, and a CDP.
fn header(data: &[u8]) {
    let _ = CaCdp::read(data);
    let Some((bytes, rest)) = data.split_first_chunk::<HEADER_BYTES>() else {
        return;
    };
    let header = CaHeader::read(bytes);
    assert_eq!(&header.write(), bytes);
    let mut facts = [CaPlayer::default(); 2];
    for (facts, bytes) in facts.iter_mut().zip(rest.as_chunks::<PLAYER_BYTES>().0) {
        *facts = CaPlayer::read(bytes);
        assert_eq!(&facts.write(), bytes);
    }
    let names = CaGameNames {
        players: [rest, b""],
        facts,
        event: rest,
        ..CaGameNames::default()
    };
    let mut tags = Tags::default();
    push_tags(&header, &names, Charset::Cp1251, &mut tags, |_, _| ());
    assert!(tags.len() >= 7);
}

/// A record, in both readings.
fn record(data: &[u8]) {
    let _ = read_symbols(data, |_| ());
    let (spot, want) = (
        CaRecordPlace {
            game: Some(1),
            byte: 0,
        },
        GameNeeds::ALL,
    );
    for sideways in [CaFileDirection::Right, CaFileDirection::Left] {
        let rules = CaReadSettings {
            charset: Charset::Cp1251,
            sideways,
            depth: 1_000,
            is_trial: false,
        };
        let (mut scratch, mut found) = (CaScratch::default(), Diagnostics::default());
        let mut game = Game::default();
        let start = record::find_setup(data).map(|bytes| {
            let (board, pieces, problems, _) = record::read_setup(bytes);
            game.start = StartingPosition::Setup(Box::new(board.clone()), problems);
            (board, pieces)
        });
        let tally = record::decode(data, start, rules, want, spot, &mut scratch, &mut found);
        let evaluation = Some(Nag(16));
        record::emit(
            data,
            rules.charset,
            evaluation,
            spot,
            &mut scratch,
            &mut game.tape,
            &mut found,
        );
        assert_eq!(game.tape.depth(), 0, "every variation is closed");
        assert!(tally.moves as usize <= data.len());
        let _ = canon(&game);
    }
}
