//! Changed databases: what was changed often is what is written once, and files that no longer fit are gone.

use std::path::{Path, PathBuf};

use tabiya_formats::cbh::{self, CbhReader};
use tabiya_formats::edit::DatabaseEditor;
use tabiya_formats::format::OpenOptions;
use tabiya_model::charset::Charset;
use tabiya_model::database::for_each_game;
use tabiya_model::{Database, Game, GameNeeds, Losses, Result};
use tabiya_testing::{TestRandom, shared};

use super::decoder::be;
use super::real::{Files, class_of_moves, class_of_notes};
use super::{file, write};
use crate::cbh::games::{self, Wild};

/// The files of a written database.
const FILES: [&str; 13] = [
    "cbh", "cbg", "cba", "cbp", "cbt", "cbc", "cbs", "cbe", "cbl", "cbj", "cbtt", "cbm", "ini",
];

fn read(path: &Path) -> Vec<Game> {
    let reader = CbhReader::open(path, &OpenOptions::default()).expect("opened");
    let mut games = Vec::new();
    let mut source = reader.source(None).expect("a source");
    for_each_game(&mut *source, GameNeeds::ALL, |game| {
        games.push(game.clone());
        Ok(())
    })
    .expect("read");
    games
}

fn edit(path: &Path, change: &mut dyn FnMut(&mut dyn DatabaseEditor) -> Result<()>) -> Result<()> {
    let open = cbh::FORMAT.edit.expect("it can be changed");
    let mut editor = open(path, &OpenOptions::default())?;
    change(&mut *editor)?;
    editor.commit(None)
}

fn numbered(games: &[Game]) -> Vec<Game> {
    let number = |(number, game): (u64, &Game)| {
        let mut game = game.clone();
        game.origin.number = number;
        game
    };
    (1..).zip(games).map(number).collect()
}

/// Games as a database holds them, which can be written again without any loss.
fn whole_games(folder: &Path, count: usize) -> Vec<Game> {
    let path = folder.join("all.cbh");
    let mut wild = games::games(7, count, Wild::TAME);
    for (game, name) in wild.iter_mut().zip(["Müller", "Łódź", "Žižka", "Ивáнов"]) {
        game.tags.set("White", name);
    }
    write(&path, &wild, None);
    let games = read(&path);
    let one = folder.join("one.cbh");
    let is_whole = |game: &&Game| {
        let mut game = (*game).clone();
        game.origin.number = 1;
        write(&one, &[game], None).is_empty()
    };
    let whole: Vec<Game> = games.iter().filter(is_whole).cloned().collect();
    assert!(whole.len() * 10 > count * 9, "{} of {count}", whole.len());
    whole
}

/// One random change of a database and of the list of its games.
fn change_once(
    editor: &mut dyn DatabaseEditor,
    list: &mut Vec<Game>,
    pool: &[Game],
    random: &mut TestRandom,
) -> Result<()> {
    let at = random.below(list.len().max(1));
    let number = at as u64 + 1;
    let new = random.pick(pool);
    let mut losses = Losses::default();
    match random.below(if list.len() < 5 { 1 } else { 5 }) {
        0 => {
            assert!(editor.append(new, &mut losses)?);
            list.push(new.clone());
        }
        1 => {
            assert!(editor.replace(number, new, &mut losses)?);
            list[at] = new.clone();
        }
        2 => {
            let is_deleted = list[at].is_deleted();
            let (set, clear) = if is_deleted { ("", "D") } else { ("D", "") };
            let games = number..number + 1;
            assert_eq!(editor.flags(std::slice::from_ref(&games), set, clear)?, 1);
            let tags = &mut list[at].tags;
            tags.remove("ScidFlags");
            if !is_deleted {
                tags.push("ScidFlags", "D");
            }
        }
        3 => {
            editor.remove(&[number])?;
            list.remove(at);
        }
        _ => {
            let order: Vec<u64> = (1..=list.len() as u64).rev().collect();
            editor.reorder(&order)?;
            list.reverse();
        }
    }
    assert!(losses.is_empty(), "{:?}", losses.iter().next());
    Ok(())
}

#[test]
fn a_thousand_changes_are_what_is_written_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let pool = whole_games(folder.path(), 60);
    let path = folder.path().join("often.cbh");
    let mut list = pool[..20].to_vec();
    assert!(write(&path, &numbered(&list), None).is_empty());
    let (changes, each) = match tabiya_testing::is_full() {
        true => (1_000, 1),
        false => (50, 20),
    };
    let mut random = TestRandom::new(11);
    for _ in 0..changes {
        edit(&path, &mut |editor| {
            for _ in 0..each {
                change_once(editor, &mut list, &pool, &mut random)?;
            }
            Ok(())
        })
        .expect("changed");
    }
    let once = folder.path().join("once.cbh");
    assert!(write(&once, &numbered(&list), None).is_empty());
    for extension in FILES {
        assert!(
            file(&path, extension) == file(&once, extension),
            "{extension} differs"
        );
    }
    let left = std::fs::read_dir(folder.path()).expect("a folder");
    let names = left.map(|entry| entry.expect("an entry").file_name());
    let own = names.filter(|name| name.to_string_lossy().starts_with("often"));
    assert_eq!(own.count(), FILES.len(), "nothing is left behind");
}

/// A copy of a real database.
fn copy(of: &Path, into: &Path) -> PathBuf {
    let stem = of.file_stem().expect("a name");
    let mut found = None;
    for entry in std::fs::read_dir(of.parent().expect("a folder")).expect("listed") {
        let from = entry.expect("an entry").path();
        if from.file_stem() == Some(stem) && from.is_file() {
            let to = into.join(from.file_name().expect("a name"));
            std::fs::write(&to, std::fs::read(&from).expect("read")).expect("written");
            if from.extension() == of.extension() {
                found = Some(to);
            }
        }
    }
    found.expect("it is there")
}

/// The moves and texts of games, to compare them.
fn content(games: &[Game]) -> Vec<String> {
    games
        .iter()
        .map(|game| {
            let tags: Vec<String> = game
                .tags
                .iter()
                .map(|tag| format!("{} {}", tag.name, tag.value))
                .collect();
            format!("{tags:?} {:?}", game.tape)
        })
        .collect()
}

/// Every game of a changed database that was there before has the same bytes wherever the format leaves no freedom: `before`
/// has the files, `numbers` what number each game has now.
fn has_old_bytes(name: &str, before: &Files, seconds: &[u8], path: &Path, numbers: &[usize]) {
    let after = Files::of(path);
    let again = file(path, "cbj");
    let second = |file: &[u8], number: usize| -> Vec<u8> {
        let word = |at: usize| {
            let bytes = file.get(at..at + 4);
            bytes.map_or(0, |it| {
                u32::from_le_bytes(it.try_into().expect("four")) as usize
            })
        };
        let at = 32 + word(4) * (number - 1);
        let is_there = number <= word(8);
        let record = file.get(at..at + word(4)).filter(|_| is_there);
        record.unwrap_or_default().to_vec()
    };
    for (old, now) in (1..).zip(numbers) {
        let (header, moves, notes) = before.records(old);
        let (header_now, moves_now, notes_now) = after.records(*now);
        let class = class_of_moves(moves, moves_now);
        assert_ne!(class, "moves other", "{name} {old}");
        let class = class_of_notes(notes, notes_now);
        assert_ne!(class, "other", "{name} {old}");
        if class != "no items" {
            let from = if header[0] & 2 != 0 { 16 } else { 24 };
            assert_eq!(header[from..], header_now[from..], "{name} {old}");
            assert_eq!(header[0], header_now[0], "{name} {old}");
        }
        let (second, second_now) = (second(seconds, old), second(&again, *now));
        for at in (20..30).chain(38..78).chain(88..108) {
            if let Some(byte) = second.get(at) {
                assert_eq!(Some(byte), second_now.get(at), "{name} {old}: byte {at}");
            }
        }
    }
}

#[test]
fn real_databases_keep_their_other_games() {
    let Some(oracles) = shared("oracles/cbh") else {
        return;
    };
    let base_of = |name: &str| oracles.join(name).join(format!("{name}.cbh"));
    // Very old files, old ones, and new ones with boosters, bits and deleted games.
    for base in ["Mate2", "linares", "text", "cb12", "test-annotations"] {
        let folder = tempfile::tempdir().expect("a folder");
        let path = copy(&base_of(base), folder.path());
        let before = content(&read(&path));
        let files = Files::of(&path);
        let seconds = std::fs::read(path.with_extension("cbj")).unwrap_or_default();
        let settings = std::fs::read(path.with_extension("ini")).ok();
        let new = games::games(3, 1, Wild::TAME);
        edit(&path, &mut |editor| {
            assert!(editor.append(&new[0], &mut Losses::default())?);
            Ok(())
        })
        .unwrap_or_else(|error| panic!("{base}: {error}"));
        let after = content(&read(&path));
        assert_eq!(after.len(), before.len() + 1, "{base}");
        for (number, (old, now)) in (1..).zip(before.iter().zip(&after)) {
            assert!(old == now, "{base}, game {number}:\n{old}\n{now}");
        }
        let numbers: Vec<usize> = (1..=before.len()).collect();
        has_old_bytes(base, &files, &seconds, &path, &numbers);
        for gone in ["cit", "cib", "cit2", "cib2", "cbb"] {
            assert!(!path.with_extension(gone).exists(), "{base}: {gone}");
        }
        assert!(settings.is_none() || settings == std::fs::read(path.with_extension("ini")).ok());
        // What belongs to a PGN file is not touched.
        assert_eq!(path.with_extension("pgi").exists(), base == "linares");
        // A second change finds the files of the first one.
        edit(&path, &mut |editor| editor.remove(&[after.len() as u64])).expect("changed");
        assert!(content(&read(&path)) == before, "{base}");
        has_old_bytes(base, &files, &seconds, &path, &numbers);
    }
}

#[test]
fn annotations_that_nobody_knows_keep_their_bytes() {
    let Some(oracles) = shared("oracles/cbh") else {
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let path = copy(&oracles.join("linares/linares.cbh"), folder.path());
    // Every seventh annotation becomes one of a kind that does not exist.
    let files = Files::of(&path);
    let mut notes = file(&path, "cba");
    let mut changed = 0;
    for number in 1..=files.count() {
        let (header, _, record) = files.records(number);
        let start = be(header, 5, 4);
        let mut at = 14;
        while header[0] & 2 == 0 && at + 6 <= record.len() {
            if (start + at).is_multiple_of(7) {
                notes[start + at + 3] = 0x70;
                changed += 1;
            }
            at += be(record, at + 4, 2).max(6);
        }
    }
    assert!(changed > 100, "{changed}");
    std::fs::write(path.with_extension("cba"), notes).expect("written");
    let before = Files::of(&path);
    let seconds = file(&path, "cbj");
    let new = games::games(3, 1, Wild::TAME);
    edit(&path, &mut |editor| {
        assert!(editor.append(&new[0], &mut Losses::default())?);
        assert!(editor.replace(2, &new[0], &mut Losses::default())?);
        let count = before.count() as u64 + 1;
        editor.reorder(&(1..=count).rev().collect::<Vec<_>>())
    })
    .expect("changed");
    let count = before.count() + 1;
    let numbers: Vec<usize> = (1..=before.count()).map(|old| count + 1 - old).collect();
    // The second game is another one.
    for range in [0..1, 2..before.count()] {
        for old in range {
            let (_, moves, notes) = before.records(old + 1);
            let after = Files::of(&path);
            let (_, moves_now, notes_now) = after.records(numbers[old]);
            assert_ne!(class_of_moves(moves, moves_now), "moves other", "{old}");
            assert_ne!(class_of_notes(notes, notes_now), "other", "{old}");
        }
    }
    assert!(!seconds.is_empty());
}

/// The bits of a game in `.flags`.
fn bits_of(file: &[u8], number: usize) -> u8 {
    file[12 + number / 4] >> (2 * (number % 4)) & 3
}

#[test]
fn bits_of_games_and_places_of_moves_go_with_the_games() {
    let Some(oracles) = shared("oracles/cbh") else {
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let path = copy(
        &oracles.join("test-annotations/test-annotations.cbh"),
        folder.path(),
    );
    let mut flags = file(&path, "flags");
    for (number, bits) in [(1, 3), (2, 1), (4, 2), (6, 3)] {
        flags[12 + number / 4] |= bits << (2 * (number % 4));
    }
    std::fs::write(path.with_extension("flags"), &flags).expect("written");
    let new = games::games(3, 300, Wild::TAME);
    edit(&path, &mut |editor| {
        assert!(editor.append(&new[0], &mut Losses::default())?);
        assert!(editor.replace(2, &new[1], &mut Losses::default())?);
        editor.remove(&[1])?;
        editor
            .flags(std::slice::from_ref(&(3..4)), "D", "")
            .map(|_| ())
    })
    .expect("changed");
    // Games 2 to 6 are 1 to 5, and one is new.
    let now = file(&path, "flags");
    let bits: Vec<u8> = (1..=6).map(|number| bits_of(&now, number)).collect();
    assert_eq!(bits, [1, 0, 2, 0, 3, 0]);
    assert_eq!(now.len(), flags.len());
    let places = |path: &Path| {
        let (headers, places) = (file(path, "cbh"), file(path, "cbgi"));
        let count = headers.len() / 46 - 1;
        assert_eq!(places.len() % (512 * 1024), 0);
        assert_eq!(
            places[..4],
            u32::try_from(count).expect("few").to_le_bytes()
        );
        for number in 1..=count {
            let place = u32::from_le_bytes(places[4 * number..][..4].try_into().expect("four"));
            let header = &headers[46 * number..][..46];
            let is_text = header[0] & 2 != 0;
            let at = if is_text { 0 } else { be(header, 1, 4) };
            assert_eq!(place as usize, at, "{number}");
        }
        assert!(places[4 * (count + 1)..].iter().all(|byte| *byte == 0));
    };
    places(&path);
    // The file of bits grows with the games.
    edit(&path, &mut |editor| {
        for game in &new {
            assert!(editor.append(game, &mut Losses::default())?);
        }
        Ok(())
    })
    .expect("changed");
    let now = file(&path, "flags");
    assert_eq!((now.len(), be(&now, 4, 4)), (12 + 32 * 4, 32));
    let bits: Vec<u8> = (1..=6).map(|number| bits_of(&now, number)).collect();
    assert_eq!(bits, [1, 0, 2, 0, 3, 0]);
    places(&path);
    // Bits of another kind are not changed.
    let mut odd = now;
    odd[0] = 1;
    std::fs::write(path.with_extension("flags"), &odd).expect("written");
    let headers = file(&path, "cbh");
    let refused = edit(&path, &mut |editor| editor.remove(&[1])).expect_err("told");
    assert!(
        refused.to_string().contains("nothing was changed"),
        "{refused}"
    );
    assert!(file(&path, "cbh") == headers && file(&path, "flags") == odd);
}

#[test]
fn keys_and_charsets_are_heeded() {
    let Some(oracles) = shared("oracles/cbh") else {
        return;
    };
    // The texts of this one are in code page 1251, and keys classify its games.
    let folder = tempfile::tempdir().expect("a folder");
    let path = copy(&oracles.join("hedgehog/Hedgehog.cbh"), folder.path());
    let before = read(&path);
    let refused = edit(&path, &mut |editor| editor.remove(&[1])).expect_err("keys");
    assert!(refused.to_string().contains("no longer fit"), "{refused}");
    for entry in std::fs::read_dir(folder.path()).expect("listed") {
        let file = entry.expect("an entry").path();
        let extension = file.extension().unwrap_or_default().to_string_lossy();
        if extension.starts_with("ck") || extension.starts_with("cp") {
            std::fs::remove_file(&file).expect("removed");
        }
    }
    edit(&path, &mut |editor| editor.remove(&[before.len() as u64])).expect("changed");
    let after = read(&path);
    let reader = CbhReader::open(&path, &OpenOptions::default()).expect("opened");
    assert_eq!(reader.charset(), Charset::Cp1251);
    assert!(content(&after) == content(&before[..before.len() - 1]));
}

#[test]
fn files_of_any_case_are_replaced() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("case.cbh");
    let pool = whole_games(folder.path(), 10);
    write(&path, &numbered(&pool), None);
    for extension in ["cbg", "cbp"] {
        let upper = folder
            .path()
            .join(format!("CASE.{}", extension.to_uppercase()));
        std::fs::rename(path.with_extension(extension), upper).expect("renamed");
    }
    std::fs::write(folder.path().join("Case.CIT"), "old").expect("written");
    let before = std::fs::read_dir(folder.path()).expect("listed").count();
    edit(&path, &mut |editor| editor.remove(&[1])).expect("changed");
    assert_eq!(read(&path).len(), pool.len() - 1);
    let after = std::fs::read_dir(folder.path()).expect("listed").count();
    assert_eq!(after, before - 1, "only the outdated list is gone");
}
