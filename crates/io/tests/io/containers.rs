//! Archives and folders, made by hand and by the programs that users have.

use std::fs;
use std::io::{Cursor, Read, Write};
use std::path::Path;
use std::process::Command;

use tabiya_io::compressed_writer::compressed_writer;
use tabiya_io::compression::{Compression, ContentKind, UnpackError, UnpackLimits, detect};
use tabiya_io::container::InputFiles;

type MemberContent = (String, Vec<u8>, Option<String>);

/// The names, contents and errors of all members; an error of the walk counts as a member without a name.
fn walk(members: InputFiles) -> Vec<MemberContent> {
    let mut found = Vec::new();
    for member in members {
        match member {
            Ok(mut member) => {
                let mut content = Vec::new();
                let error = member.read_to_end(&mut content).err();
                found.push((
                    member.name().to_owned(),
                    content,
                    error.map(|error| error.to_string()),
                ));
            }
            Err(error) => found.push((String::new(), Vec::new(), Some(error.to_string()))),
        }
    }
    found
}

fn read_bytes(bytes: &[u8]) -> Vec<MemberContent> {
    read_bytes_with(bytes, &UnpackLimits::default())
}

fn read_bytes_with(bytes: &[u8], limits: &UnpackLimits) -> Vec<MemberContent> {
    walk(InputFiles::from_reader(
        "x",
        Box::new(Cursor::new(bytes.to_vec())),
        limits,
    ))
}

fn read_path(path: &Path) -> Vec<MemberContent> {
    walk(InputFiles::open(path, &UnpackLimits::default()).expect("there"))
}

#[track_caller]
fn assert_members(found: &[MemberContent], wanted: &[(&str, &[u8])]) {
    let names: Vec<_> = found
        .iter()
        .map(|(name, _, error)| (name.as_str(), error))
        .collect();
    assert_eq!(found.len(), wanted.len(), "{names:?}");
    for ((name, content, error), (wanted_name, wanted_content)) in found.iter().zip(wanted) {
        // Windows separates folders by another character.
        let name = name.replace(std::path::MAIN_SEPARATOR, "/");
        assert!(name.ends_with(wanted_name), "{names:?}");
        assert_eq!(error, &None, "{name}");
        assert!(content == wanted_content, "{name}: {} bytes", content.len());
    }
}

fn pack(compression: Compression, content: &[u8]) -> Vec<u8> {
    let mut writer = compressed_writer(Some(compression), Vec::new()).expect("made");
    writer.write_all(content).expect("memory");
    writer.finish().expect("memory")
}

fn deflate(content: &[u8]) -> Vec<u8> {
    let mut writer = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::default());
    writer.write_all(content).expect("memory");
    writer.finish().expect("memory")
}

fn crc(content: &[u8]) -> u32 {
    let mut crc = flate2::Crc::new();
    crc.update(content);
    crc.sum()
}

/// A zip archive with members of any method.
fn zip(members: &[(&str, u16, &[u8])]) -> Vec<u8> {
    let (mut bytes, mut directory) = (Vec::new(), Vec::new());
    for (name, method, content) in members {
        let packed = match method {
            0 => content.to_vec(),
            8 => deflate(content),
            12 => pack(Compression::Bzip2, content),
            93 => pack(Compression::Zstd, content),
            95 => pack(Compression::Xz, content),
            _ => b"?".to_vec(),
        };
        let offset = bytes.len() as u32;
        let mut shared = Vec::new();
        for number in [20u16, 0, *method, 0, 0] {
            shared.extend(number.to_le_bytes());
        }
        for number in [crc(content), packed.len() as u32, content.len() as u32] {
            shared.extend(number.to_le_bytes());
        }
        shared.extend((name.len() as u16).to_le_bytes());
        shared.extend([0, 0]);
        bytes.extend(b"PK\x03\x04");
        bytes.extend(&shared);
        bytes.extend(name.as_bytes());
        bytes.extend(&packed);
        directory.extend(b"PK\x01\x02\x14\0");
        directory.extend(&shared);
        directory.extend([0; 10]);
        directory.extend(offset.to_le_bytes());
        directory.extend(name.as_bytes());
    }
    let offset = bytes.len() as u32;
    bytes.extend(&directory);
    bytes.extend(b"PK\x05\x06\0\0\0\0");
    for _ in 0..2 {
        bytes.extend((members.len() as u16).to_le_bytes());
    }
    bytes.extend((directory.len() as u32).to_le_bytes());
    bytes.extend(offset.to_le_bytes());
    bytes.extend([0, 0]);
    bytes
}

fn tar_member(name: &str, kind: u8, content: &[u8]) -> Vec<u8> {
    let mut header = [0u8; 512];
    header[..name.len()].copy_from_slice(name.as_bytes());
    header[124..135].copy_from_slice(format!("{:011o}", content.len()).as_bytes());
    header[148..156].fill(b' ');
    header[156] = kind;
    header[257..265].copy_from_slice(b"ustar\x0000");
    let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
    header[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
    let mut bytes = header.to_vec();
    bytes.extend(content);
    bytes.resize(bytes.len().next_multiple_of(512), 0);
    bytes
}

fn tar(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut bytes: Vec<u8> = members
        .iter()
        .flat_map(|(name, content)| tar_member(name, b'0', content))
        .collect();
    bytes.extend([0; 1024]);
    bytes
}

const GAME: &[u8] = b"[Event \"One\"]\n\n1. e4 e5 *\n\n";
const OTHER: &[u8] = b"[Event \"Two\"]\n\n1. d4 d5 2. c4 *\n\n";

#[test]
fn a_zip_gives_its_files_whatever_their_method() {
    let long = GAME.repeat(10_000);
    let bytes = zip(&[
        ("folder/", 0, b""),
        ("folder/stored.pgn", 0, GAME),
        ("deflated.pgn", 8, &long),
        ("__MACOSX/._deflated.pgn", 0, b"resource fork"),
        ("a.bz2ed", 12, &long),
        ("a.zstd", 93, &long),
        ("a.xzed", 95, &long),
        ("empty", 8, b""),
    ]);
    assert_eq!(detect(&bytes, false), ContentKind::Zip);
    let wanted: [(&str, &[u8]); 6] = [
        ("x/folder/stored.pgn", GAME),
        ("x/deflated.pgn", &long),
        ("x/a.bz2ed", &long),
        ("x/a.zstd", &long),
        ("x/a.xzed", &long),
        ("x/empty", b""),
    ];
    assert_members(&read_bytes(&bytes), &wanted);
    // As a file, after a self-extracting program, and with a comment after it.
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("x");
    fs::write(&path, &bytes).expect("written");
    assert_members(&read_path(&path), &wanted);
    let mut commented = bytes.clone();
    let length = commented.len();
    commented[length - 2] = 5;
    commented.extend(b"hello");
    assert_members(&read_bytes(&commented), &wanted);
    assert_members(&read_bytes(&zip(&[])), &[]);
}

#[test]
fn members_of_a_zip_can_be_read_in_any_order() {
    let bytes = zip(&[("a", 8, GAME), ("b", 0, OTHER), ("c", 93, GAME)]);
    let members =
        InputFiles::from_reader("x", Box::new(Cursor::new(bytes)), &UnpackLimits::default());
    let mut members: Vec<_> = members.map(|member| member.expect("opened")).collect();
    let contents: Vec<_> = members
        .iter_mut()
        .rev()
        .map(|member| {
            let mut content = Vec::new();
            member.read_to_end(&mut content).expect("read");
            content
        })
        .collect();
    assert_eq!(contents, [GAME, OTHER, GAME]);
}

#[test]
fn a_fault_in_one_zip_member_spares_the_others() {
    let long = OTHER.repeat(1000);
    let mut bytes = zip(&[
        ("a", 8, GAME),
        ("b", 0, &long),
        ("c", 7, b""),
        ("d", 8, OTHER),
    ]);
    let place = bytes
        .windows(9)
        .position(|window| window == b"2. c4 *\n\n")
        .expect("there");
    bytes[place + 3] ^= 1;
    let found = read_bytes(&bytes);
    assert_eq!(found.len(), 4);
    assert_members(&found[..1], &[("x/a", GAME)]);
    assert_eq!(found[1].1.len(), long.len());
    assert!(
        found[1]
            .2
            .as_ref()
            .is_some_and(|error| error.contains("checksum")),
        "{found:?}"
    );
    assert!(
        found[2]
            .2
            .as_ref()
            .is_some_and(|error| error.contains("method 7")),
        "{found:?}"
    );
    assert_members(&found[3..], &[("x/d", OTHER)]);
}

#[test]
fn a_cut_zip_gives_what_it_has() {
    let bytes = zip(&[("a", 8, GAME), ("b", 0, OTHER), ("c", 8, &GAME.repeat(100))]);
    let directory = bytes
        .windows(4)
        .position(|window| window == b"PK\x01\x02")
        .expect("there");
    let found = read_bytes(&bytes[..directory + 10]);
    assert_eq!(found.len(), 4);
    let long = GAME.repeat(100);
    assert_members(
        &found[..3],
        &[("x/a", GAME), ("x/b", OTHER), ("x/c", &long)],
    );
    assert!(
        found[3]
            .2
            .as_ref()
            .is_some_and(|error| error.contains("truncated")),
        "{found:?}"
    );
    let found = read_bytes(&bytes[..directory - 10]);
    assert_members(&found[..2], &[("x/a", GAME), ("x/b", OTHER)]);
    assert!(
        found[2..].iter().all(|(_, _, error)| error.is_some()),
        "{found:?}"
    );
}

#[test]
fn overlapping_members_and_lying_sizes_are_stopped() {
    let limits = UnpackLimits {
        free: 1 << 20,
        ratio: 20,
        ..UnpackLimits::default()
    };
    let kernel = vec![b' '; 100_000];
    let mut bytes = zip(&[("a", 8, &kernel)]);
    // A directory that refers to the same data a thousand times.
    let directory = bytes
        .windows(4)
        .position(|window| window == b"PK\x01\x02")
        .expect("there");
    let entry = bytes[directory..directory + 47].to_vec();
    bytes.truncate(directory);
    bytes.extend(entry.repeat(1000));
    bytes.extend(b"PK\x05\x06\0\0\0\0\0\0\0\0");
    bytes.extend((47_000u32).to_le_bytes());
    bytes.extend((directory as u32).to_le_bytes());
    bytes.extend([0, 0]);
    let found = read_bytes_with(&bytes, &limits);
    assert_eq!(found.len(), 1000);
    let total: usize = found.iter().map(|(_, content, _)| content.len()).sum();
    assert!(
        found
            .iter()
            .any(|(_, _, error)| error.as_ref().is_some_and(|e| e.contains("bomb")))
    );
    assert!(total < 60 << 20, "{total}");
    // A member that is longer than its claimed size.
    let mut bytes = zip(&[("a", 8, GAME)]);
    let directory = bytes
        .windows(4)
        .position(|window| window == b"PK\x01\x02")
        .expect("there");
    bytes[directory + 24] -= 4;
    let found = read_bytes(&bytes);
    assert_eq!(found[0].1, GAME[..GAME.len() - 4]);
    assert!(
        found[0]
            .2
            .as_ref()
            .is_some_and(|error| error.contains("longer")),
        "{found:?}"
    );
}

#[test]
fn a_tar_gives_its_files() {
    let long_name = "n".repeat(180);
    let mut bytes = tar_member("./", b'5', b"");
    bytes.extend(tar_member("././@LongLink", b'L', long_name.as_bytes()));
    bytes.extend(tar_member("short", b'0', GAME));
    bytes.extend(tar_member("pax", b'x', b"17 path=pax.name\n12 size=30\n"));
    bytes.extend(tar_member("short", b'0', &OTHER[..30]));
    bytes.extend(tar(&[("./b", OTHER), ("empty", b"")]));
    assert_eq!(detect(&bytes, false), ContentKind::Tar);
    let wanted: [(&str, &[u8]); 4] = [
        (&long_name, GAME),
        ("x/pax.name", &OTHER[..30]),
        ("x/b", OTHER),
        ("x/empty", b""),
    ];
    assert_members(&read_bytes(&bytes), &wanted);
    for compression in [
        Compression::Gzip,
        Compression::Zstd,
        Compression::Bzip2,
        Compression::Xz,
    ] {
        assert_members(&read_bytes(&pack(compression, &bytes)), &wanted);
    }
    let limits = UnpackLimits {
        headerless_bzip2: true,
        ..UnpackLimits::default()
    };
    let headerless = &pack(Compression::Bzip2, &bytes)[2..];
    assert_members(&read_bytes_with(headerless, &limits), &wanted);
}

#[test]
fn what_is_no_file_in_a_tar_is_told() {
    let long_name = "n".repeat(180);
    let mut bytes = tar(&[("a", GAME)]);
    bytes.truncate(bytes.len() - 1024);
    let mut link = tar_member("link", b'2', b"");
    link[157..161].copy_from_slice(b"a.pg");
    let sum: u64 = link[..512]
        .iter()
        .enumerate()
        .map(|(at, byte)| match at {
            148..156 => 32,
            _ => u64::from(*byte),
        })
        .sum();
    link[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    bytes.extend(link);
    bytes.extend(tar_member("././@LongLink", b'L', long_name.as_bytes()));
    bytes.extend(tar_member("fifo", b'6', b""));
    bytes.extend(tar_member("folder/", b'5', b""));
    bytes.extend(tar(&[("b", OTHER)]));
    let found = read_bytes(&bytes);
    assert_eq!(found.len(), 4, "{found:?}");
    assert_members(&found[..1], &[("x/a", GAME)]);
    let told = |at: usize| found[at].2.clone().expect("told");
    assert!(told(1).contains("x/link: a link to a.pg"), "{}", told(1));
    assert!(
        told(2).contains(&format!("{long_name}: a pipe")),
        "{}",
        told(2)
    );
    assert_members(&found[3..], &[("x/b", OTHER)]);
}

#[test]
fn what_is_no_file_in_a_zip_is_told() {
    let whole = zip(&[
        ("a", 8, GAME),
        ("link", 8, b"a.pgn"),
        ("pipe", 0, b""),
        ("b", 0, OTHER),
    ]);
    let entries: Vec<usize> = memchr::memmem::find_iter(&whole, b"PK\x01\x02").collect();
    // The system that made it, and the mode in the upper half of the attributes.
    let with = |host: u8| {
        let mut bytes = whole.clone();
        for (entry, mode) in entries
            .iter()
            .zip([0o100_644_u32, 0o120_777, 0o010_644, 0o100_644])
        {
            bytes[entry + 5] = host;
            bytes[entry + 38..entry + 42].copy_from_slice(&(mode << 16).to_le_bytes());
        }
        bytes
    };
    for unix in [3, 19] {
        let found = read_bytes(&with(unix));
        assert_eq!(found.len(), 4, "{found:?}");
        assert_members(&found[..1], &[("x/a", GAME)]);
        let told = |at: usize| found[at].2.clone().expect("told");
        assert!(told(1).contains("x/link: a link to a.pgn"), "{}", told(1));
        assert!(told(2).contains("x/pipe: a pipe"), "{}", told(2));
        assert_members(&found[3..], &[("x/b", OTHER)]);
    }
    // The same number has another meaning if another system wrote it.
    assert_members(
        &read_bytes(&with(0)),
        &[("a", GAME), ("link", b"a.pgn"), ("pipe", b""), ("b", OTHER)],
    );
}

#[test]
fn a_long_name_outlives_a_bad_checksum() {
    let long_name = "n".repeat(180);
    for (ahead, name) in [
        (
            tar_member("././@LongLink", b'L', long_name.as_bytes()),
            &*long_name,
        ),
        (tar_member("pax", b'x', b"17 path=pax.name\n"), "x/pax.name"),
    ] {
        let mut bytes = tar(&[("a", GAME)]);
        bytes.truncate(bytes.len() - 1024);
        let start = bytes.len() + ahead.len();
        bytes.extend(ahead);
        bytes.extend(tar(&[("short", OTHER)]));
        bytes[start + 150] ^= 1;
        let found = read_bytes(&bytes);
        assert_eq!(found.len(), 3, "{found:?}");
        let error = found[1].2.clone().expect("told");
        assert!(error.contains("checksum"), "{error}");
        assert_members(&found[2..], &[(name, OTHER)]);
    }
}

#[test]
fn a_bomb_that_says_what_it_is_is_not_unpacked() {
    let limits = UnpackLimits {
        free: 1 << 20,
        ratio: 100,
        ..UnpackLimits::default()
    };
    let zeros = vec![0; 4 << 20];
    let found = read_bytes_with(&zip(&[("a", 8, &zeros), ("b", 8, GAME)]), &limits);
    assert!(found[0].1.is_empty(), "nothing was unpacked");
    let error = found[0].2.clone().expect("refused");
    assert!(error.contains("bomb"), "{error}");
    assert_members(&found[1..], &[("x/b", GAME)]);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("x.gz");
    fs::write(&path, pack(Compression::Gzip, &zeros)).expect("written");
    let members = InputFiles::open(&path, &limits).expect("there");
    let found = walk(members);
    assert!(found[0].1.is_empty(), "nothing was unpacked");
    let error = found[0].2.clone().expect("refused");
    assert!(error.contains("bomb"), "{error}");
    // The last bytes of a truncated file have no meaning.
    let mut cut = pack(Compression::Gzip, &OTHER.repeat(1000));
    let length = cut.len();
    cut[length - 4..].fill(0x7f);
    fs::write(&path, &cut).expect("written");
    let found = walk(InputFiles::open(&path, &limits).expect("there"));
    assert_eq!(found[0].1.len(), OTHER.len() * 1000);
}

#[test]
fn a_tar_is_cut_or_damaged_loudly() {
    let bytes = tar(&[("a", GAME), ("b", &OTHER.repeat(30)), ("c", GAME)]);
    for length in 0..=bytes.len() - 1024 {
        let found = read_bytes(&bytes[..length]);
        if length >= 512 {
            assert!(
                found.iter().any(|(_, _, error)| error.is_some()),
                "cut at {length}"
            );
        }
        if length >= 1024 {
            assert_members(&found[..1], &[("x/a", GAME)]);
        }
    }
    let mut damaged = bytes.clone();
    damaged[1024 + 20] ^= 1;
    let found = read_bytes(&damaged);
    assert_members(&found[..1], &[("x/a", GAME)]);
    assert!(
        found[1]
            .2
            .as_ref()
            .is_some_and(|error| error.contains("checksum")),
        "{found:?}"
    );
    let found = read_bytes(&[&bytes, &b"more"[..]].concat());
    assert!(
        found[3]
            .2
            .as_ref()
            .is_some_and(|error| error.contains("other data"))
    );
}

#[test]
fn a_member_of_a_tar_is_not_read_late() {
    let bytes = tar(&[("a", &GAME.repeat(100)), ("b", OTHER)]);
    let mut members =
        InputFiles::from_reader("x", Box::new(Cursor::new(bytes)), &UnpackLimits::default());
    let mut first = members.next().expect("a").expect("opened");
    let mut second = members.next().expect("b").expect("opened");
    let mut content = Vec::new();
    second.read_to_end(&mut content).expect("read");
    assert_eq!(content, OTHER);
    assert!(first.read_to_end(&mut content).is_err());
    assert!(members.next().is_none());
}

#[test]
fn archives_within_archives() {
    let inner = zip(&[
        ("one.pgn", 8, GAME),
        ("two.pgn.gz", 0, &pack(Compression::Gzip, OTHER)),
    ]);
    let middle = pack(
        Compression::Xz,
        &tar(&[("inner.zip", &inner), ("three.pgn", GAME)]),
    );
    let outer = zip(&[("middle.tar.xz", 0, &middle), ("four.pgn", 8, OTHER)]);
    let wanted: [(&str, &[u8]); 4] = [
        ("x/middle.tar.xz/inner.zip/one.pgn", GAME),
        ("x/middle.tar.xz/inner.zip/two.pgn.gz", OTHER),
        ("x/middle.tar.xz/three.pgn", GAME),
        ("x/four.pgn", OTHER),
    ];
    assert_members(&read_bytes(&outer), &wanted);
    let limits = UnpackLimits {
        depth: 3,
        ..UnpackLimits::default()
    };
    let found = read_bytes_with(&outer, &limits);
    assert!(
        found[0]
            .2
            .as_ref()
            .is_some_and(|error| error.contains("layers of archives")),
        "{found:?}"
    );
    assert_members(&found[1..], &wanted[2..]);
    let limits = UnpackLimits {
        spool: 100,
        ..UnpackLimits::default()
    };
    let found = read_bytes_with(&outer, &limits);
    assert!(
        found[0]
            .2
            .as_ref()
            .is_some_and(|error| error.contains("temporary")),
        "{found:?}"
    );
}

#[test]
fn a_cut_compression_around_a_zip_is_told_after_the_members() {
    let bytes = zip(&[("a", 0, GAME), ("b", 0, &OTHER.repeat(3000))]);
    let packed = pack(Compression::Gzip, &bytes);
    let found = read_bytes(&packed[..packed.len() - 9]);
    assert_members(&found[..1], &[("x/a", GAME)]);
    let last = found.last().expect("some");
    assert!(
        last.2
            .as_ref()
            .is_some_and(|error| error.contains("gzip data is truncated")),
        "{last:?}"
    );
}

#[test]
fn a_folder_gives_its_files_in_order() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    fs::create_dir_all(at("b/c")).expect("made");
    fs::write(at("a.pgn"), GAME).expect("written");
    fs::write(at(".hidden"), GAME).expect("written");
    fs::write(at("b/c/z.pgn.gz"), pack(Compression::Gzip, OTHER)).expect("written");
    fs::write(at("b/y.zip"), zip(&[("in.pgn", 8, GAME)])).expect("written");
    fs::write(at("d.pgn"), b"").expect("written");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(folder.path(), at("b/circle")).expect("linked");
        std::os::unix::fs::symlink(at("a.pgn"), at("e.pgn")).expect("linked");
    }
    let found = read_path(folder.path());
    let wanted: [(&str, &[u8]); 5] = [
        ("a.pgn", GAME),
        ("b/c/z.pgn.gz", OTHER),
        ("b/y.zip/in.pgn", GAME),
        ("d.pgn", b""),
        ("e.pgn", GAME),
    ];
    assert_members(&found, if cfg!(unix) { &wanted } else { &wanted[..4] });
    let paths: Vec<_> = InputFiles::open(folder.path(), &UnpackLimits::default())
        .expect("there")
        .map(|member| member.expect("opened").path().is_some())
        .collect();
    assert_eq!(paths[..4], [true, false, false, true]);
    assert!(InputFiles::open(&at("no"), &UnpackLimits::default()).is_err());
}

#[test]
fn a_bomb_in_a_tar_in_a_zip_is_stopped() {
    let limits = UnpackLimits {
        free: 1 << 20,
        ratio: 50,
        ..UnpackLimits::default()
    };
    let bytes = zip(&[(
        "a.tar.gz",
        0,
        &pack(Compression::Gzip, &tar(&[("a", &[0; 9 << 20])])),
    )]);
    let found = read_bytes_with(&bytes, &limits);
    let error = found[0].2.as_ref().expect("a bomb");
    assert!(error.contains("bomb"), "{error}");
    assert!(matches!(
        UnpackError::of(&std::io::Error::from(UnpackError::Depth {
            name: String::new(),
            limit: 1
        })),
        Some(UnpackError::Depth { .. })
    ));
}

#[test]
fn archives_within_archives_have_one_bound_together() {
    let zeros = vec![0; 1 << 20];
    let mut archive = zip(&[("0", 8, &zeros), ("1", 8, &zeros)]);
    for _ in 0..4 {
        let names: Vec<String> = (0..16).map(|number| format!("{number}.zip")).collect();
        let members: Vec<_> = names
            .iter()
            .map(|name| (name.as_str(), 8, archive.as_slice()))
            .collect();
        archive = zip(&members);
    }
    // 65,536 archives of 2 MiB: 128 GiB from some kilobytes.
    let limits = UnpackLimits {
        free: 4 << 20,
        ..UnpackLimits::default()
    };
    let all = (limits.free * 2).max(archive.len() as u64 * limits.ratio);
    let found = read_bytes_with(&archive, &limits);
    let content: u64 = found
        .iter()
        .map(|(_, content, _)| content.len() as u64)
        .sum();
    assert!(content <= all, "{content} bytes out of {}", archive.len());
    let last = found.last().and_then(|(.., error)| error.as_deref());
    assert!(last.is_some_and(|error| error.contains("bomb")), "{last:?}");
    // No further member is tried after that.
    let faults = found.iter().filter(|(.., error)| error.is_some()).count();
    assert!(faults <= 2, "{faults}");
}

#[test]
fn files_and_archives_are_counted_over_all_levels() {
    let empty = tar(&vec![("a", &b""[..]); 100]);
    let packed = pack(Compression::Zstd, &empty);
    let names: Vec<String> = (0..50).map(|number| format!("{number}.tar.zst")).collect();
    let members: Vec<_> = names
        .iter()
        .map(|name| (name.as_str(), packed.as_slice()))
        .collect();
    let archive = pack(Compression::Zstd, &tar(&members));
    let size = archive.len() as u64;
    let of = |members, archives| {
        let limits = UnpackLimits {
            members,
            archives,
            ..UnpackLimits::default()
        };
        read_bytes_with(&archive, &limits)
    };
    let all = of(5_050, 50);
    assert_eq!(all.len(), 5_000);
    assert!(all.iter().all(|(.., error)| error.is_none()));
    let found = of(1_000, 50);
    assert!(found.len() as u64 <= 1_001 + size, "{}", found.len());
    let last = found.last().and_then(|(.., error)| error.clone());
    assert!(last.is_some_and(|error| error.contains("files in")));
    let found = of(5_050, 10);
    assert!(
        found.len() as u64 <= 100 * (10 + size / 256) + 1,
        "{}",
        found.len()
    );
    let last = found.last().and_then(|(.., error)| error.clone());
    assert!(last.is_some_and(|error| error.contains("archives in")));
}

#[test]
fn every_truncation_and_flip_is_survived() {
    let nested = tar(&[("t", GAME)]);
    let zipped = zip(&[("a", 8, GAME), ("b", 0, OTHER), ("t.tar", 8, &nested)]);
    let tarred = tar(&[("z.zip", &zip(&[("a", 8, GAME)])), ("b", OTHER)]);
    for bytes in [&zipped, &tarred] {
        let whole = read_bytes(bytes);
        assert!(whole.iter().all(|(_, _, error)| error.is_none()));
        for length in (4..bytes.len()).step_by(3) {
            let found = read_bytes(&bytes[..length]);
            assert!(found.len() <= whole.len() + 2, "cut at {length}");
        }
        for place in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[place] ^= 0x5a;
            let found = read_bytes(&damaged);
            assert!(found.len() <= whole.len() + 2, "flip at {place}");
        }
    }
}

#[test]
fn the_programs_of_the_system_make_archives_that_we_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    let long_name = format!("{}/{}.pgn", "d".repeat(120), "f".repeat(90));
    fs::create_dir(at(&"d".repeat(120))).expect("made");
    fs::write(at(&long_name), OTHER).expect("written");
    let long = GAME.repeat(5000);
    fs::write(at("a.pgn"), &long).expect("written");
    let files = ["a.pgn", long_name.as_str()];
    let wanted: [(&str, &[u8]); 2] = [("a.pgn", &long), (&long_name, OTHER)];
    let runs: [(&str, &[&str], &str); 6] = [
        ("zip", &["-q", "t.zip"], "t.zip"),
        ("zip", &["-q", "-fz", "w.zip"], "w.zip"),
        ("tar", &["-cf", "gnu.tar", "--format=gnu"], "gnu.tar"),
        ("tar", &["-cf", "pax.tar", "--format=pax"], "pax.tar"),
        ("tar", &["-cf", "ustar.tar", "--format=ustar"], "ustar.tar"),
        ("tar", &["-czf", "gnu.tar.gz", "--format=gnu"], "gnu.tar.gz"),
    ];
    for (program, options, archive) in runs {
        let status = Command::new(program)
            .current_dir(folder.path())
            .args(options)
            .args(files)
            .status();
        let Ok(status) = status else {
            skipped(&format!("{program} is not installed"));
            continue;
        };
        assert!(status.success(), "{program} {options:?}");
        assert_members(&read_path(&at(archive)), &wanted);
        // The same from a pipe.
        let limits = UnpackLimits::default();
        let reader = Box::new(Cursor::new(fs::read(at(archive)).expect("read")));
        assert_members(
            &walk(InputFiles::from_reader("x", reader, &limits)),
            &wanted,
        );
    }
    // If `zip` writes into a pipe, it puts the lengths after the data.
    let output = Command::new("zip")
        .current_dir(folder.path())
        .args(["-q", "-"])
        .args(files)
        .output();
    let Ok(output) = output else { return };
    assert_members(&read_bytes(&output.stdout), &wanted);
    let directory = output
        .stdout
        .windows(4)
        .position(|window| window == b"PK\x01\x02")
        .expect("there");
    let found = read_bytes(&output.stdout[..directory]);
    assert_members(&found[..2], &wanted);
    assert!(
        found[2]
            .2
            .as_ref()
            .is_some_and(|error| error.contains("truncated"))
    );
    let found = read_bytes(&output.stdout[..directory - 10]);
    assert_members(&found[..1], &wanted[..1]);
    assert_eq!(found[1].1, OTHER, "deflate data find their own end");
    assert!(
        found.last().is_some_and(|(_, _, error)| error.is_some()),
        "the rest is missing"
    );
}

#[allow(clippy::print_stderr)]
fn skipped(reason: &str) {
    eprintln!("skipped: {reason}");
}
