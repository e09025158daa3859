//! The archives of `oracles/cbh`: every member is the file that was packed.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use tabiya_io::cbv::CbzReader;
use tabiya_io::compression::UnpackLimits;
use tabiya_io::container::InputFiles;

use crate::cbh::shared;

/// The members of an archive by the ends of their names, in lower case.
fn members(members: InputFiles) -> BTreeMap<String, Vec<u8>> {
    members
        .map(|member| {
            let mut member = member.expect("a member");
            let mut content = Vec::new();
            member.read_to_end(&mut content).expect("unpacked");
            let name = Path::new(member.name());
            let extension = name.extension().expect("an extension");
            (extension.to_string_lossy().to_lowercase(), content)
        })
        .collect()
}

#[test]
fn every_member_is_the_file_that_was_packed() {
    let Some(root) = shared("oracles/cbh") else {
        return;
    };
    for (folder, stem, count) in [
        ("small", "small", 12),
        ("twic1134", "twic1134", 13),
        ("srenault-test", "test", 13),
    ] {
        let plain = root.join(folder).join(stem);
        let archive = plain.with_extension("cbv");
        let found = members(InputFiles::open(&archive, &UnpackLimits::default()).expect("opened"));
        assert_eq!(found.len(), count, "{stem}");
        for (extension, content) in found {
            let file = std::fs::read(plain.with_extension(&extension)).expect("the file");
            assert!(content == file, "{stem}.{extension}");
        }
    }
}

#[test]
fn enciphered_archives_open_with_their_passwords() {
    let Some(root) = shared("oracles/cbh/small") else {
        return;
    };
    let limits = UnpackLimits::default();
    let plain = members(InputFiles::open(&root.join("small.cbv"), &limits).expect("opened"));
    for (name, password) in [
        ("small.cbz", "password"),
        ("small2.cbz", "pass"),
        ("small3.cbz", "my long password"),
    ] {
        let file = File::open(root.join(name)).expect("opened");
        let reader = Box::new(CbzReader::new(file, password.as_bytes()));
        let found = members(InputFiles::from_reader(name, reader, &limits));
        assert!(found == plain, "{name}");
        let mut head = [0; 8];
        let file = File::open(root.join(name)).expect("opened");
        let mut wrong = CbzReader::new(file, b"wrong");
        wrong.read_exact(&mut head).expect("read");
        assert!(!tabiya_io::cbv::is_header(&head), "{name}");
    }
}
