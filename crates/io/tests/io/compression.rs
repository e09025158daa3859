//! Every compression, read back from our own writers and from the programs that users have.

use std::io::{Read, Write};
use std::process::{Command, Stdio};

use proptest::prelude::*;
use tabiya_io::compressed_writer::compressed_writer;
use tabiya_io::compression::{
    Compression, ContentKind, UnpackError, UnpackLimits, detect, open_stream, unpack_stream,
};
use tabiya_io::seek_points::SeekPoints;

const WRITTEN: [Compression; 4] = [
    Compression::Gzip,
    Compression::Zstd,
    Compression::Bzip2,
    Compression::Xz,
];

/// Data similar to games: repeated tags, varied moves.
fn games(count: usize) -> Vec<u8> {
    let mut text = Vec::new();
    let mut state = 0x2545_f491_4f6c_dd1du64;
    for game in 0..count {
        writeln!(text, "[Event \"Open {}\"]\n[Round \"{game}\"]\n", game % 7).expect("memory");
        for number in 1..30 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let (from, to) = (state >> 40 & 7, state >> 50 & 7);
            write!(
                text,
                "{number}. N{}{} ",
                char::from(b'a' + from as u8),
                to + 1
            )
            .expect("memory");
        }
        text.extend_from_slice(b"1/2-1/2\n\n");
    }
    text
}

fn pack(compression: Compression, content: &[u8]) -> Vec<u8> {
    let mut writer = compressed_writer(Some(compression), Vec::new()).expect("made");
    writer.write_all(content).expect("memory");
    writer.finish().expect("memory")
}

/// All decompressed bytes, and the error if there is one.
fn unpack_with(packed: &[u8], limits: &UnpackLimits) -> (Vec<u8>, Option<std::io::Error>) {
    let reader = Box::new(std::io::Cursor::new(packed.to_vec()));
    let mut reader = match unpack_stream("test", reader, limits) {
        Ok(reader) => reader,
        Err(error) => return (Vec::new(), Some(error.into())),
    };
    let mut content = Vec::new();
    match reader.read_to_end(&mut content) {
        Ok(_) => (content, None),
        Err(error) => {
            assert!(
                reader.read(&mut [0; 9]).is_err(),
                "an error must not be followed by an end"
            );
            (content, Some(error))
        }
    }
}

fn unpack(packed: &[u8]) -> (Vec<u8>, Option<std::io::Error>) {
    unpack_with(packed, &UnpackLimits::default())
}

#[track_caller]
fn assert_unpacks(packed: &[u8], content: &[u8]) {
    let (unpacked, error) = unpack(packed);
    assert!(error.is_none(), "{error:?}");
    assert!(
        unpacked == content,
        "{} bytes instead of {}",
        unpacked.len(),
        content.len()
    );
}

#[test]
fn what_we_write_we_read() {
    for content in [games(3000), b"*".to_vec(), Vec::new()] {
        for compression in WRITTEN {
            let packed = pack(compression, &content);
            assert_eq!(detect(&packed, false), ContentKind::Compressed(compression));
            assert_unpacks(&packed, &content);
        }
    }
}

#[test]
fn plain_content_passes_unchanged() {
    for content in [
        &b""[..],
        b"[Event \"x\"]\n",
        b"h91",
        b"BZ is no game",
        b"\x1f\x8b",
    ] {
        assert_eq!(detect(content, true), ContentKind::Plain);
        assert_unpacks(content, content);
    }
}

#[test]
fn several_members_are_one_content_and_zeros_pad() {
    let (first, second) = (games(200), games(300));
    let whole = [first.clone(), second.clone()].concat();
    for compression in WRITTEN {
        let mut packed = pack(compression, &first);
        packed.extend(pack(compression, b""));
        packed.extend(pack(compression, &second));
        assert_unpacks(&packed, &whole);
        packed.extend([0; 1024]);
        assert_unpacks(&packed, &whole);
    }
}

#[test]
fn skippable_zstd_frames_are_skipped() {
    let content = games(50);
    let skippable = [0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, b'x', b'y', b'z'];
    let packed = [
        &skippable[..],
        &pack(Compression::Zstd, &content),
        &skippable,
    ]
    .concat();
    assert_eq!(
        detect(&packed, false),
        ContentKind::Compressed(Compression::Zstd)
    );
    assert_unpacks(&packed, &content);
}

#[test]
fn layers_are_taken_off_up_to_a_limit() {
    let content = games(10);
    let mut packed = content.clone();
    for layer in 1..=7usize {
        packed = pack(WRITTEN[layer % 4], &packed);
        let (unpacked, error) = unpack(&packed);
        match layer {
            7 => {
                let error = error.expect("too deep");
                assert!(
                    matches!(UnpackError::of(&error), Some(UnpackError::Depth { .. })),
                    "{error}"
                );
            }
            _ => assert!(
                error.is_none() && unpacked == content,
                "{layer} layers: {error:?}"
            ),
        }
    }
}

#[test]
fn what_follows_is_an_error_after_the_content() {
    let content = games(100);
    for compression in WRITTEN {
        for trash in [&b"<html>"[..], b"\0\0\0\0\0\0\0\0x", b"P"] {
            let packed = pack(compression, &content);
            let (unpacked, error) = unpack(&[&packed, trash].concat());
            assert!(unpacked == content);
            let error = error.expect("trailing bytes");
            match UnpackError::of(&error) {
                Some(UnpackError::Trailing { input, .. }) => {
                    let zeros = trash.iter().take_while(|byte| **byte == 0).count();
                    assert_eq!(*input, (packed.len() + zeros) as u64);
                }
                _ => panic!("{compression:?}: {error}"),
            }
        }
    }
}

#[test]
fn a_cut_stream_gives_what_it_has_and_then_an_error() {
    let content = games(6000);
    for compression in WRITTEN {
        let packed = pack(compression, &content);
        for part in [10, 50, 90, 99] {
            let (unpacked, error) = unpack(&packed[..packed.len() * part / 100]);
            let error = error.expect("cut");
            assert_eq!(error.kind(), std::io::ErrorKind::UnexpectedEof);
            assert!(
                matches!(UnpackError::of(&error), Some(UnpackError::Truncated { .. })),
                "{error}"
            );
            assert!(content.starts_with(&unpacked), "{compression:?}");
            // One block of bzip2 (900,000 bytes of content) or zstd (131,072) may be missing.
            if part >= 90 && compression != Compression::Bzip2 {
                assert!(
                    unpacked.len() * 10 > content.len() * 7,
                    "{compression:?} at {part} %"
                );
            }
        }
    }
}

#[test]
fn every_truncation_of_a_small_stream_is_an_error() {
    let content = games(3);
    for compression in WRITTEN {
        let packed = pack(compression, &content);
        for length in 0..packed.len() {
            let (unpacked, error) = unpack(&packed[..length]);
            match detect(&packed[..length], false) {
                ContentKind::Plain => assert!(error.is_none() && unpacked == packed[..length]),
                _ => {
                    assert!(error.is_some(), "{compression:?} cut at {length}");
                    assert!(content.starts_with(&unpacked));
                }
            }
        }
    }
}

#[test]
fn every_flipped_byte_is_survived_and_found_by_a_checksum() {
    let content = games(3);
    for compression in WRITTEN {
        let packed = pack(compression, &content);
        for place in 0..packed.len() {
            let mut damaged = packed.clone();
            damaged[place] ^= 0x55;
            let (unpacked, error) = unpack(&damaged);
            if detect(&damaged, false) == ContentKind::Plain {
                assert_eq!(unpacked, damaged);
            } else if unpacked != content {
                assert!(error.is_some(), "{compression:?}: silent damage at {place}");
            }
        }
    }
}

#[test]
fn damage_in_the_middle_keeps_what_was_before_it() {
    let content = games(12_000);
    for compression in WRITTEN {
        let mut packed = pack(compression, &content);
        let place = packed.len() / 2;
        for byte in &mut packed[place..place + 64] {
            *byte = !*byte;
        }
        let (unpacked, error) = unpack(&packed);
        assert!(error.is_some(), "{compression:?}");
        // A checksum can come after the damage, so only the part surely before it is compared.
        let sure = content.len() * 2 / 5;
        let sure = if compression == Compression::Bzip2 {
            800_000
        } else {
            sure
        };
        assert!(
            unpacked.len() >= sure,
            "{compression:?}: {} bytes",
            unpacked.len()
        );
        assert!(unpacked[..sure] == content[..sure], "{compression:?}");
    }
}

#[test]
fn headerless_bzip2_is_read_when_asked_for() {
    let content = games(100);
    let packed = &pack(Compression::Bzip2, &content)[2..];
    assert_eq!(detect(packed, false), ContentKind::Plain);
    let limits = UnpackLimits {
        headerless_bzip2: true,
        ..UnpackLimits::default()
    };
    let (unpacked, error) = unpack_with(packed, &limits);
    assert!(error.is_none() && unpacked == content);
    let (unpacked, error) = unpack_with(&packed[..packed.len() - 3], &limits);
    assert!(unpacked == content);
    match UnpackError::of(&error.expect("cut")) {
        Some(UnpackError::Truncated { input, .. }) => assert_eq!(*input, packed.len() as u64 - 3),
        other => panic!("{other:?}"),
    }
}

#[test]
fn bombs_are_stopped_and_honest_repetition_is_not() {
    let limits = UnpackLimits {
        free: 1 << 20,
        ratio: 100,
        ..UnpackLimits::default()
    };
    let content = vec![b' '; 20 << 20];
    for compression in WRITTEN {
        let packed = pack(compression, &content);
        let (unpacked, error) = unpack_with(&packed, &limits);
        let error = error.expect("a bomb");
        assert!(
            matches!(UnpackError::of(&error), Some(UnpackError::Bomb { .. })),
            "{error}"
        );
        assert!(
            unpacked.len() < 16 << 20,
            "{compression:?}: {} bytes",
            unpacked.len()
        );
        // The default allows 256 MiB before the ratio counts.
        assert_unpacks(&packed, &content);
    }
}

#[test]
fn a_bomb_in_several_layers_is_measured_against_the_file() {
    let limits = UnpackLimits {
        free: 1 << 20,
        ratio: 1000,
        ..UnpackLimits::default()
    };
    let inner = pack(Compression::Zstd, &vec![0u8; 64 << 20]);
    let packed = pack(Compression::Xz, &inner.repeat(50));
    let (unpacked, error) = unpack_with(&packed, &limits);
    assert!(
        matches!(
            error.as_ref().and_then(UnpackError::of),
            Some(UnpackError::Bomb { .. })
        ),
        "{error:?}"
    );
    assert!(unpacked.len() <= packed.len() * 1000 + (2 << 20));
}

#[test]
fn windows_beyond_the_limit_are_refused() {
    let content = games(6000);
    let small = UnpackLimits {
        window: 1 << 18,
        ..UnpackLimits::default()
    };
    for compression in [Compression::Zstd, Compression::Xz] {
        let packed = pack(compression, &content);
        let (unpacked, error) = unpack_with(&packed, &small);
        assert!(unpacked.is_empty());
        let error = error.expect("refused");
        assert!(
            matches!(UnpackError::of(&error), Some(UnpackError::Window { .. })),
            "{error}"
        );
    }
    // An xz header that claims a dictionary of 4 GiB allocates nothing.
    let mut stream = vec![
        0xfd, b'7', b'z', b'X', b'Z', 0, 0, 1, 0x69, 0x22, 0xde, 0x36,
    ];
    stream.extend([2, 0, 0x21, 1, 40, 0, 0, 0]);
    let checksum = {
        let mut crc = flate2::Crc::new();
        crc.update(&stream[12..]);
        crc.sum()
    };
    stream.extend(checksum.to_le_bytes());
    let error = unpack(&stream).1.expect("refused");
    assert!(
        matches!(UnpackError::of(&error), Some(UnpackError::Window { .. })),
        "{error}"
    );
}

#[test]
fn foreign_archives_get_a_message() {
    for head in [
        &b"Rar!\x1a\x07\x01\x00 and so on"[..],
        b"7z\xbc\xaf\x27\x1c and so on",
    ] {
        let error = unpack(head).1.expect("unsupported");
        assert_eq!(error.kind(), std::io::ErrorKind::Unsupported);
        assert!(
            error.to_string().contains("unpack it with its own program"),
            "{error}"
        );
    }
}

#[test]
fn the_programs_of_the_system_understand_each_other_with_us() {
    let content = games(5000);
    let programs: [(&str, &[&str], Compression); 7] = [
        ("gzip", &["-9"], Compression::Gzip),
        ("zstd", &["-q"], Compression::Zstd),
        ("zstd", &["-q", "-19", "--long=27"], Compression::Zstd),
        ("zstd", &["-q", "-1", "--no-check"], Compression::Zstd),
        ("bzip2", &["-1"], Compression::Bzip2),
        ("xz", &["-9", "-T2", "--block-size=100KiB"], Compression::Xz),
        (
            "xz",
            &["--check=crc32", "--delta=dist=1", "--lzma2=dict=1MiB"],
            Compression::Xz,
        ),
    ];
    for (program, options, compression) in programs {
        let Some(packed) = pipe(program, options, &content) else {
            continue;
        };
        assert_eq!(
            detect(&packed, false),
            ContentKind::Compressed(compression),
            "{program}"
        );
        assert_unpacks(&packed, &content);
        let back = pipe(program, &["-dc"], &pack(compression, &content)).expect("was there");
        assert!(back == content, "{program} reads what we wrote");
    }
    let content = games(20);
    if let Some(packed) = pipe("xz", &["--format=xz", "--check=none"], &content) {
        assert_unpacks(&packed, &content);
    }
}

/// Runs a program between two pipes; `None` if it is not installed.
fn pipe(program: &str, options: &[&str], input: &[u8]) -> Option<Vec<u8>> {
    let child = Command::new(program)
        .args(options)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let Ok(mut child) = child else {
        skipped(&format!("{program} is not installed"));
        return None;
    };
    let mut stdin = child.stdin.take().expect("piped");
    let output = std::thread::scope(|scope| {
        scope.spawn(move || stdin.write_all(input).expect("taken"));
        child.wait_with_output().expect("ended")
    });
    assert!(output.status.success(), "{program} {options:?}");
    Some(output.stdout)
}

#[allow(clippy::print_stderr)]
fn skipped(reason: &str) {
    eprintln!("skipped: {reason}");
}

#[test]
fn files_are_opened_by_content_whatever_their_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let content = games(5);
    let path = folder.path().join("games.pgn");
    for compression in WRITTEN {
        std::fs::write(&path, pack(compression, &content)).expect("written");
        let mut unpacked = Vec::new();
        let mut reader = open_stream(&path, &UnpackLimits::default()).expect("opened");
        reader.read_to_end(&mut unpacked).expect("read");
        assert!(unpacked == content);
    }
    let error = open_stream(&folder.path().join("no.pgn"), &UnpackLimits::default()).err();
    assert!(error.expect("missing").to_string().contains("no.pgn: "));
}

/// A file of several pieces, some without content between them, and its content.
fn in_pieces(compression: Compression) -> (Vec<u8>, Vec<u8>) {
    let (mut packed, mut content) = (Vec::new(), Vec::new());
    for piece in 0..9 {
        let part = games(200 + piece);
        packed.extend(pack(compression, &part));
        content.extend(part);
        if piece % 4 == 0 {
            packed.extend(pack(compression, b""));
        }
    }
    (packed, content)
}

fn read_all(reader: &mut dyn Read) -> std::io::Result<Vec<u8>> {
    let mut all = Vec::new();
    reader.read_to_end(&mut all).map(|_| all)
}

#[test]
fn what_is_packed_in_pieces_is_read_from_any_place() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("games.pgn");
    let limits = UnpackLimits::default();
    for compression in WRITTEN {
        let (packed, content) = in_pieces(compression);
        std::fs::write(&path, &packed).expect("written");
        let points = SeekPoints::default();
        for _ in 0..2 {
            let mut reader = points.open_stream(&path, &limits).expect("opened");
            assert!(read_all(&mut reader).expect("read") == content);
            assert_eq!(points.pieces(), Some(9), "{compression:?}");
        }
        // The first pieces are not decompressed to read from the last one.
        let mut cut = packed.clone();
        cut[..packed.len() / 3].fill(0);
        std::fs::write(&path, &cut).expect("written");
        let from = content.len() * 9 / 10;
        let mut reader = points.open_at(&path, &limits, from as u64).expect("opened");
        assert!(read_all(&mut reader).expect("read") == content[from..]);

        std::fs::write(&path, &packed).expect("written");
        for from in (0..=content.len()).step_by(content.len() / 50) {
            let mut reader = points.open_at(&path, &limits, from as u64).expect("opened");
            assert!(
                read_all(&mut reader).expect("read") == content[from..],
                "{from}"
            );
        }
        let mut beyond = points.open_at(&path, &limits, u64::MAX).expect("opened");
        assert_eq!(read_all(&mut beyond).expect("read"), b"");
    }
}

#[test]
fn places_of_a_file_that_has_changed_do_no_harm() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("games.pgn");
    let limits = UnpackLimits::default();
    for compression in WRITTEN {
        let (packed, content) = in_pieces(compression);
        std::fs::write(&path, &packed).expect("written");
        let points = SeekPoints::default();
        let mut reader = points.open_stream(&path, &limits).expect("opened");
        read_all(&mut reader).expect("read");
        for changed in [&b""[..], b"short", &packed[1..], &content[..]] {
            std::fs::write(&path, changed).expect("written");
            let from = content.len() as u64 - 10;
            let opened = points.open_at(&path, &limits, from);
            let read = opened.map(|mut reader| read_all(&mut reader));
            assert!(!matches!(read, Ok(Ok(_))), "{compression:?}");
        }
    }
}

#[test]
fn what_has_no_places_is_read_from_its_beginning() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("games.pgn");
    let limits = UnpackLimits::default();
    let content = games(3000);
    let (twice, inner) = in_pieces(Compression::Gzip);
    let twice = [
        pack(Compression::Zstd, &twice[..9]),
        pack(Compression::Zstd, &twice[9..]),
    ]
    .concat();
    let cases = [
        (content.clone(), &content, None),
        (pack(Compression::Zstd, &content), &content, Some(1)),
        (twice, &inner, Some(1)),
    ];
    for (packed, content, pieces) in cases {
        std::fs::write(&path, packed).expect("written");
        let points = SeekPoints::default();
        let mut reader = points.open_stream(&path, &limits).expect("opened");
        assert!(&read_all(&mut reader).expect("read") == content);
        assert_eq!(points.pieces(), pieces);
        let from = content.len() - 100;
        let mut reader = points.open_at(&path, &limits, from as u64).expect("opened");
        assert!(read_all(&mut reader).expect("read") == content[from..]);
    }
}

#[test]
fn targets_are_compressed_by_name() {
    let of = |name: &str| Compression::of_target(name.as_ref());
    assert_eq!(of("a.pgn.GZ"), Some((Compression::Gzip, "a.pgn".into())));
    assert_eq!(of("b/a.zst"), Some((Compression::Zstd, "b/a".into())));
    assert_eq!(of("a.pgn"), None);
    assert_eq!(of("gz"), None);
    assert!(compressed_writer(Some(Compression::Deflate), Vec::new()).is_err());
    let mut writer = compressed_writer(None, Vec::new()).expect("made");
    writer.write_all(b"*").expect("memory");
    assert_eq!(writer.finish().expect("memory"), b"*");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_content_comes_back(content in proptest::collection::vec(any::<u8>(), 0..5000)) {
        for compression in WRITTEN {
            let (unpacked, error) = unpack(&pack(compression, &content));
            prop_assert!(error.is_none());
            prop_assert_eq!(&unpacked, &content);
        }
    }

    #[test]
    fn places_in_a_damaged_file_give_what_reading_through_gives(
        compression in 0usize..4,
        damage in any::<prop::sample::Index>(),
        flip in 0u8..4,
        from in any::<prop::sample::Index>(),
    ) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("games.pgn");
        let piece = pack(WRITTEN[compression], &games(220));
        let mut packed = [&piece[..], &piece, &piece].concat();
        let at = damage.index(packed.len());
        packed[at] ^= flip;
        std::fs::write(&path, &packed).expect("written");
        let (points, limits) = (SeekPoints::default(), UnpackLimits::default());
        let mut content = Vec::new();
        let through = points
            .open_stream(&path, &limits)
            .map(|mut reader| reader.read_to_end(&mut content).is_ok());
        let from = from.index(content.len() + 1);
        let mut rest = Vec::new();
        let other = points
            .open_at(&path, &limits, from as u64)
            .map(|mut reader| reader.read_to_end(&mut rest).is_ok());
        prop_assert_eq!(through.unwrap_or(false), other.unwrap_or(false));
        // Of a damaged piece, more or fewer bytes can be read.
        let wanted = &content[from..];
        prop_assert!(rest.starts_with(wanted) || wanted.starts_with(&rest));
    }

    #[test]
    fn any_bytes_after_a_magic_are_survived(
        compression in 0usize..4,
        rest in proptest::collection::vec(any::<u8>(), 0..3000),
        cut in 0usize..40,
    ) {
        let mut packed = pack(WRITTEN[compression], b"some game");
        packed.truncate(cut.max(10));
        packed.extend(rest);
        let (unpacked, error) = unpack(&packed);
        prop_assert!(error.is_some() || unpacked == b"some game");
    }
}
