//! Changes of every format that can be edited, including interrupted ones.

mod scid;
mod settled;

use std::path::{Path, PathBuf};

use tabiya_formats::edit::{DatabaseEditor, finish_interrupted};
use tabiya_formats::format::{Format, OpenOptions, WriteOptions};
use tabiya_formats::registry;
use tabiya_io::disk::guarded;
use tabiya_io::disk_faults::{DiskFullFault, KillFault, count};
use tabiya_model::database::{SinkWriter, for_each_game};
use tabiya_model::{Game, GameNeeds, Losses, Result};

/// Compressed databases.
const PACKED: [(&str, &str); 2] = [("pgn", "base.pgn.gz"), ("ndjson", "base.ndjson.zst")];

/// Every format that can be edited, with names of databases.
fn formats() -> Vec<(&'static Format, String)> {
    let mut list = Vec::new();
    for format in registry::FORMATS {
        if format.edit.is_none() || format.create.is_none() {
            continue;
        }
        list.push((*format, format!("base.{}", format.extensions[0])));
        let packed = PACKED.iter().filter(|(name, _)| *name == format.name);
        list.extend(packed.map(|(_, file)| (*format, (*file).to_owned())));
    }
    assert!(list.len() >= 9, "{list:?}");
    list
}

/// Games with these surnames, one move each.
pub(crate) fn games(names: &[&str]) -> Vec<Game> {
    let board = tabiya_model::Board::standard();
    (1..)
        .zip(names)
        .map(|(number, name)| {
            let mut game = Game::default();
            game.origin.number = number;
            for (tag, value) in [
                ("Event", "E"),
                ("Site", "S"),
                ("Date", "1990.01.01"),
                ("Round", "1"),
                ("White", *name),
                ("Black", "Other"),
                ("Result", "1-0"),
            ] {
                game.tags.push(tag, value);
            }
            game.outcome = Some(tabiya_model::outcome::Outcome::WhiteWins);
            game.tape
                .push_move(board.parse_uci(b"e2e4").expect("legal"));
            game.tape.push_comment(&format!("by {name}"));
            game
        })
        .collect()
}

pub(crate) const START: [&str; 3] = ["Morphy", "Steinitz", "Lasker"];

fn create(format: &Format, path: &Path, names: &[&str]) {
    let options = WriteOptions {
        force: true,
        ..WriteOptions::default()
    };
    let create = format.create.expect("can be written");
    let mut writer = SinkWriter::new(create(path, &options).expect("created"));
    let mut losses = Losses::default();
    for game in games(names) {
        writer.write(&game, &mut losses).expect("written");
    }
    writer.finish().expect("finished");
}

/// White's surnames, with `*` for deleted games.
fn content(format: &Format, path: &Path) -> Vec<String> {
    let open = format.open.expect("can be read");
    let base = open(path, &OpenOptions::default()).expect("opens");
    let mut list = Vec::new();
    let mut source = base.source(None).expect("reads");
    for_each_game(&mut *source, GameNeeds::ALL, |game| {
        let mark = if game.is_deleted() { "*" } else { "" };
        let name = game.tags.value("White").trim_end_matches(['.', ',']);
        list.push(format!("{name}{mark}"));
        Ok(())
    })
    .expect("reads");
    list
}

fn edit(
    format: &Format,
    path: &Path,
    change: &dyn Fn(&mut dyn DatabaseEditor) -> Result<()>,
) -> Result<()> {
    let open = format.edit.expect("can be changed");
    let mut editor = open(path, &OpenOptions::default())?;
    change(&mut *editor)?;
    editor.commit(None)
}

pub(crate) fn append(editor: &mut dyn DatabaseEditor) -> Result<()> {
    for game in games(&["Zukertort", "Anderssen"]) {
        assert!(editor.append(&game, &mut Losses::default())?);
    }
    Ok(())
}

pub(crate) type EditFunction<'w> = &'w dyn Fn(&mut dyn DatabaseEditor) -> Result<()>;

/// A change: its name, its effect, and the content of the database of [`START`] afterwards.
pub(crate) type EditCase = (&'static str, EditFunction<'static>, &'static [&'static str]);

pub(crate) const CHANGES: &[EditCase] = &[
    (
        "append",
        &append,
        &["Morphy", "Steinitz", "Lasker", "Zukertort", "Anderssen"],
    ),
    (
        "replace",
        &|editor| {
            let games = games(&["Tal"]);
            let game = games.first().expect("one");
            editor.replace(2, game, &mut Losses::default()).map(|_| ())
        },
        &["Morphy", "Tal", "Lasker"],
    ),
    (
        "delete",
        &|editor| {
            assert_eq!(editor.flags(&[1..2, 3..4], "D", "")?, 2);
            assert_eq!(editor.flags(std::slice::from_ref(&(1..2)), "D", "")?, 0);
            Ok(())
        },
        &["Morphy*", "Steinitz", "Lasker*"],
    ),
    ("remove", &|editor| editor.remove(&[3, 1]), &["Steinitz"]),
    (
        "sort",
        &|editor| editor.sort(&["-white".to_owned()]).map(|_| ()),
        &["Steinitz", "Morphy", "Lasker"],
    ),
    (
        "compact",
        &|editor| {
            append(editor)?;
            editor.flags(std::slice::from_ref(&(2..3)), "D", "")?;
            assert_eq!(editor.compact()?.len(), 1);
            Ok(())
        },
        &["Morphy", "Lasker", "Zukertort", "Anderssen"],
    ),
];

/// The changes that a format supports: without a deletion mark, that is reported.
fn changes(format: &Format, name: &str) -> Vec<&'static EditCase> {
    let marks = |what: &str| ["delete", "compact"].contains(&what);
    let (kept, refused): (Vec<&EditCase>, Vec<&EditCase>) = CHANGES
        .iter()
        .partition(|(what, ..)| format.capabilities.deleted || !marks(what));
    for (what, change, _) in refused {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join(name);
        create(format, &path, &START);
        let before = std::fs::read(&path).expect("reads");
        let error = edit(format, &path, change).expect_err("told");
        assert!(
            error.to_string().contains("cannot be set"),
            "{what} {name}: {error}"
        );
        assert_eq!(std::fs::read(&path).expect("reads"), before);
        assert!(left_behind(folder.path()).is_empty());
    }
    kept
}

fn left_behind(folder: &Path) -> Vec<String> {
    std::fs::read_dir(folder)
        .expect("listed")
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .filter(|name| name.contains("tabiya-") || name.ends_with(".part"))
        .collect()
}

#[test]
fn changes_do_what_they_say_in_every_format() {
    for (format, name) in formats() {
        for (what, change, expected) in changes(format, &name) {
            let folder = tempfile::tempdir().expect("folder");
            let path = folder.path().join(&name);
            create(format, &path, &START);
            assert_eq!(content(format, &path), START, "{name}");
            edit(format, &path, change).unwrap_or_else(|error| panic!("{what} {name}: {error}"));
            assert_eq!(content(format, &path), *expected, "{what} {name}");
            assert!(left_behind(folder.path()).is_empty());
        }
    }
}

#[test]
fn one_killed_at_any_step_happens_whole_or_not_at_all() {
    for (format, name) in formats() {
        for (what, change, expected) in changes(format, &name) {
            let folder = tempfile::tempdir().expect("folder");
            let path = folder.path().join(&name);
            create(format, &path, &START);
            let all = count(|| edit(format, &path, change).expect("changes"));
            let (mut old, mut new) = (0, 0);
            for steps in tried_steps(all) {
                let folder = tempfile::tempdir().expect("folder");
                let path = folder.path().join(&name);
                create(format, &path, &START);
                let _ = guarded(KillFault::after(steps), || edit(format, &path, change));
                // A change that was decided before its process was killed is completed by whoever opens the database.
                finish_interrupted(format, &path).expect("settles");
                let found = content(format, &path);
                edit(format, &path, &|_| Ok(())).expect("begins");
                assert_eq!(content(format, &path), found, "{what} {name}");
                if found == START {
                    old += 1;
                } else {
                    new += 1;
                    assert_eq!(
                        found, *expected,
                        "{what} {name}, killed after {steps} steps"
                    );
                }
                assert!(
                    left_behind(folder.path()).is_empty(),
                    "{:?}",
                    left_behind(folder.path())
                );
            }
            assert!(old >= 3 && new >= 1, "{what} {name}: {old} {new}");
        }
    }
}

#[test]
fn a_full_disk_is_told_as_it_is() {
    for (format, name) in formats() {
        for (what, change, expected) in changes(format, &name) {
            let folder = tempfile::tempdir().expect("folder");
            let path = folder.path().join(&name);
            create(format, &path, &START);
            let all = count(|| edit(format, &path, change).expect("changes"));
            for steps in tried_steps(all) {
                let folder = tempfile::tempdir().expect("folder");
                let path = folder.path().join(&name);
                create(format, &path, &START);
                let told = guarded(DiskFullFault::at(steps, 7), || edit(format, &path, change));
                let is_done = match &told {
                    Ok(()) => true,
                    Err(error) => error.to_string().contains("the change is made"),
                };
                edit(format, &path, &|_| Ok(())).expect("begins");
                let found = content(format, &path);
                let wanted: &[&str] = if is_done { expected } else { &START };
                assert_eq!(found, wanted, "{what} {name}, step {steps}: {told:?}");
                assert!(left_behind(folder.path()).is_empty(), "{told:?}");
            }
        }
    }
}

/// The steps of a change that are tried: all of them in the long form; in the short one so many that a change of many files takes no
/// longer than one of a single file, spread over all, with the first and the last ones.
fn tried_steps(all: u64) -> impl Iterator<Item = u64> {
    const WHOLE: u64 = 40;
    let stride = match tabiya_testing::is_full() {
        true => 1,
        false => all.div_ceil(WHOLE).max(1),
    };
    (0..all).filter(move |step| step % stride == 0 || *step < 3 || step + 3 >= all)
}

fn pgn() -> &'static Format {
    registry::by_name("pgn").expect("known")
}

/// A file of PGN in an unusual style, with everything that rewriting would change.
fn odd_file(folder: &Path, text: &str) -> PathBuf {
    let path = folder.join("odd.pgn");
    std::fs::write(&path, text).expect("written");
    path
}

const ODD: &str = "; a line of somebody's\n[Event   \"One\"]\n[White \"A\"]\n\n1.e4   e5{ (closed) }2.Nf3 1-0\n\n\n\n\
    [White \"B\"]\n[Event \"Two\"]\n\n1. d4 d5\n2. c4 *\n[White \"C\"]\n\n1. c4 1/2-1/2";

#[test]
fn all_other_games_of_a_text_keep_their_bytes() {
    let folder = tempfile::tempdir().expect("folder");
    let new = games(&["Tal"]);
    for (number, kept) in [(1, "[White \"B\"]"), (2, "; a line"), (3, "; a line")] {
        let path = odd_file(folder.path(), ODD);
        edit(pgn(), &path, &|editor| {
            editor
                .replace(number, &new[0], &mut Losses::default())
                .map(|_| ())
        })
        .expect("replaces");
        let text = std::fs::read_to_string(&path).expect("reads");
        assert_eq!(content(pgn(), &path).len(), 3, "{text}");
        assert_eq!(content(pgn(), &path)[number as usize - 1], "Tal");
        let from = ODD.find(kept).expect("there");
        let end = match number {
            1 => ODD.len(),
            2 => ODD.find("[White \"B\"]").expect("there"),
            _ => ODD.find("[White \"C\"]").expect("there"),
        };
        assert!(text.contains(&ODD[from..end]), "{number}: {text}");
    }
    // Appending leaves everything else unchanged.
    let path = odd_file(folder.path(), ODD);
    edit(pgn(), &path, &append).expect("appends");
    let text = std::fs::read_to_string(&path).expect("reads");
    assert!(text.starts_with(ODD));
    assert_eq!(
        content(pgn(), &path),
        ["A", "B", "C", "Zukertort", "Anderssen"]
    );
}

#[test]
fn line_ends_and_a_mark_of_the_charset_stay() {
    let folder = tempfile::tempdir().expect("folder");
    let text = format!("\u{feff}{}", ODD.replace('\n', "\r\n"));
    let path = odd_file(folder.path(), &text);
    edit(pgn(), &path, &append).expect("appends");
    edit(pgn(), &path, &|editor| {
        editor.sort(&["-white".to_owned()]).map(|_| ())
    })
    .expect("sorts");
    let found = std::fs::read_to_string(&path).expect("reads");
    assert_eq!(
        content(pgn(), &path),
        ["Zukertort", "C", "B", "Anderssen", "A"]
    );
    assert!(found.starts_with('\u{feff}') && found.matches('\u{feff}').count() == 1);
    let lone = found.matches('\n').count() - found.matches("\r\n").count();
    assert_eq!(lone, 0, "{found:?}");
}

#[test]
fn what_would_be_swallowed_by_an_open_comment_is_refused() {
    let folder = tempfile::tempdir().expect("folder");
    let path = odd_file(folder.path(), "[White \"A\"]\n\n1. e4 {never closed 1-0\n");
    let before = std::fs::read(&path).expect("reads");
    let told = edit(pgn(), &path, &append);
    match told {
        // If the reader ends the comment at the next game, appending one does no harm.
        Ok(()) => assert_eq!(content(pgn(), &path), ["A", "Zukertort", "Anderssen"]),
        Err(error) => {
            assert!(error.to_string().contains("nothing was changed"), "{error}");
            assert_eq!(std::fs::read(&path).expect("reads"), before);
        }
    }
    assert!(left_behind(folder.path()).is_empty());
}

#[test]
fn a_game_is_added_to_a_long_file_without_a_walk_over_it() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("long.pgn");
    let mut text = String::new();
    for number in 0..20_000 {
        text.push_str(&format!(
            "[White \"W{number}\"]\n[Black \"B\"]\n\n1. e4 e5 2. Nf3 Nc6 1-0\n\n"
        ));
    }
    std::fs::write(&path, &text).expect("written");
    edit(pgn(), &path, &append).expect("appends");
    let found = std::fs::read_to_string(&path).expect("reads");
    assert!(found.starts_with(&text));
    assert_eq!(content(pgn(), &path).len(), 20_002);
    // Replacing one in the middle keeps the bytes of the others.
    let new = games(&["Tal"]);
    edit(pgn(), &path, &|editor| {
        editor
            .replace(10_000, &new[0], &mut Losses::default())
            .map(|_| ())
    })
    .expect("replaces");
    let text = std::fs::read_to_string(&path).expect("reads");
    let at = found.find("[White \"W9999\"]").expect("there");
    let end = found.find("[White \"W10000\"]").expect("there");
    assert!(text.starts_with(&found[..at]) && text.ends_with(&found[end..]));
    assert_eq!(content(pgn(), &path)[9_999], "Tal");
}

#[test]
fn bad_wishes_change_nothing() {
    for (format, name) in formats() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join(&name);
        create(format, &path, &START);
        let before = std::fs::read(&path).expect("reads");
        let new = games(&["Tal"]);
        let wishes: [EditFunction<'_>; 4] = [
            &|editor| {
                editor
                    .replace(4, &new[0], &mut Losses::default())
                    .map(|_| ())
            },
            &|editor| {
                editor
                    .replace(0, &new[0], &mut Losses::default())
                    .map(|_| ())
            },
            &|editor| {
                editor
                    .flags(std::slice::from_ref(&(1..9)), "D", "")
                    .map(|_| ())
            },
            &|editor| editor.sort(&["colour".to_owned()]).map(|_| ()),
        ];
        for wish in wishes {
            assert!(edit(format, &path, wish).is_err(), "{name}");
            assert_eq!(std::fs::read(&path).expect("reads"), before);
        }
        let open = format.edit.expect("can be changed");
        let first = open(&path, &OpenOptions::default()).expect("opens");
        let error = open(&path, &OpenOptions::default()).err().expect("told");
        assert!(error.to_string().contains("is being changed by"), "{error}");
        drop(first);
        let mut read_only = std::fs::metadata(&path).expect("there").permissions();
        read_only.set_readonly(true);
        std::fs::set_permissions(&path, read_only).expect("set");
        let error = edit(format, &path, &append).expect_err("refused");
        assert!(error.to_string().contains("read-only"), "{name}: {error}");
        assert_eq!(std::fs::read(&path).expect("reads"), before);
        assert!(left_behind(folder.path()).is_empty());
    }
}
