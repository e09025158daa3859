//! Doubles: twelve kinds of them, planted among games that look like doubles and are none.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tabiya::dedupe::{
    self, AnnotationMerges, DedupeOptions, DedupeReport, DuplicatePair, KeepCriterion,
};
use tabiya::model::{Control, GameNeeds};
use tabiya::query::Aliases;
use tabiya::{Opener, Selection, Target, convert, edit};

/// Real moves, 50 half-moves of them.
const MOVES: &str = "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5 Bb3 d6 c3 O-O h3 Nb8 d4 Nbd7 c4 c6 cxb5 axb5 Nc3 Bb7 Bg5 b4 \
    Nb1 h6 Bh4 c5 dxe5 Nxe4 Bxe7 Qxe7 exd6 Qf6 Nbd2 Nxd6 Nc4 Nxc4 Bxc4 Nb6 Ne5 Rae8 Bxf7+ Rxf7 Nxf7 Rxe1+";

#[derive(Clone)]
struct Planted {
    tags: Vec<(String, String)>,
    moves: String,
}

impl Planted {
    fn new(white: &str, black: &str, date: &str, round: &str, plies: usize) -> Planted {
        let tags = [
            ("Event", "Spring Open"),
            ("Site", "Town"),
            ("Date", date),
            ("Round", round),
            ("White", white),
            ("Black", black),
            ("Result", "1-0"),
        ];
        Planted {
            tags: tags
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .to_vec(),
            moves: moves(plies),
        }
    }

    fn with(mut self, name: &str, value: &str) -> Planted {
        match self.tags.iter_mut().find(|(tag, _)| tag == name) {
            Some(tag) => value.clone_into(&mut tag.1),
            None => self.tags.push((name.to_owned(), value.to_owned())),
        }
        self
    }

    fn played(mut self, moves: String) -> Planted {
        self.moves = moves;
        self
    }

    fn pgn(&self) -> String {
        let mut out = String::new();
        for (name, value) in &self.tags {
            let _ = writeln!(out, "[{name} \"{value}\"]");
        }
        let result = self.tags.iter().find(|(name, _)| name == "Result");
        let result = result.map_or("*", |(_, value)| value.as_str());
        let _ = writeln!(out, "\n{} {result}\n", self.moves);
        out
    }
}

/// The first so many half-moves.
fn moves(plies: usize) -> String {
    let mut out = String::new();
    for (ply, san) in MOVES.split_whitespace().take(plies).enumerate() {
        if ply % 2 == 0 {
            let _ = write!(out, "{}. ", ply / 2 + 1);
        }
        let _ = write!(out, "{san} ");
    }
    out
}

/// Each kind: what it is, a game, and its double.
fn kinds() -> Vec<(&'static str, Planted, Planted)> {
    let game = |white: &str, black: &str| Planted::new(white, black, "1999.05.04", "3", 50);
    let one = game;
    vec![
        (
            "a copy",
            one("Abel, Anna", "Bern, Boris"),
            one("Abel, Anna", "Bern, Boris"),
        ),
        (
            "initials",
            one("Cole, Carl", "Dorn, Dora Maria"),
            one("Cole, C", "Dorn, DM"),
        ),
        (
            "names without a comma",
            one("Eder, Ernst", "Falk, Fritz"),
            one("Ernst Eder", "Falk Fritz"),
        ),
        (
            "titles",
            one("Gast, Gerd", "Hahn, Hans"),
            one("GM Gast, Gerd", "IM Hans Hahn"),
        ),
        (
            "accents and transliteration",
            one("Müller, Jörg", "Корчной, Виктор"),
            one("Mueller, Jorg", "Kortschnoi, V"),
        ),
        (
            "an alias",
            one("Igel, Ida", "Jung, Jan"),
            one("Zweig, Zoe", "Jung, Jan"),
        ),
        (
            "a day that is not known",
            one("Kern, Karl", "Lenz, Lea"),
            one("Kern, Karl", "Lenz, Lea").with("Date", "1999.??.??"),
        ),
        (
            "another day of the tournament",
            one("Mohr, Max", "Nagel, Nele"),
            one("Mohr, Max", "Nagel, Nele")
                .with("Date", "1999.05.01")
                .with("Round", "?"),
        ),
        (
            "a cut feed",
            one("Otto, Olga", "Pohl, Paul"),
            one("Otto, Olga", "Pohl, Paul")
                .played(moves(38))
                .with("Result", "*"),
        ),
        (
            "moves after the end",
            one("Quast, Quin", "Reich, Rosa").played(moves(44)),
            one("Quast, Quin", "Reich, Rosa"),
        ),
        (
            "another event, site, round and result",
            one("Sauer, Sven", "Thal, Tina"),
            one("Sauer, Sven", "Thal, Tina")
                .with("Event", "Rated games")
                .with("Site", "?")
                .with("Round", "12")
                .with("Result", "1/2-1/2"),
        ),
        (
            "annotations",
            one("Uhl, Ute", "Vogt, Veit"),
            one("Uhl, Ute", "Vogt, Veit")
                .played(format!(
                    "{{An open game.}} {}",
                    moves(50).replace("Nf3", "Nf3 $1 {best} (2. f4 exf4 {accepted})")
                ))
                .with("WhiteElo", "2100"),
        ),
    ]
}

/// Games that are no doubles of each other.
fn others() -> Vec<Planted> {
    let game = |white: &str, black: &str| Planted::new(white, black, "1999.05.04", "3", 50);
    let short = |round: &str, date: &str| {
        Planted::new("Wolf, Wim", "Xaver, Xenia", date, round, 20).with("Result", "1/2-1/2")
    };
    vec![
        // Another player of the same surname, a woman's form, another year, swapped colours.
        game("Adam, Alf", "Brandt, Bea"),
        game("Adam, Berta", "Brandt, Bea"),
        game("Adamova, Alf", "Brandt, Bea"),
        game("Adam, Alf", "Brandt, Bea").with("Date", "2001.05.04"),
        game("Brandt, Bea", "Adam, Alf"),
        // The same short draw in several rounds of a match, and in another event of the year.
        short("1", "1999.05.04"),
        short("3", "1999.05.05"),
        short("5", "1999.05.06"),
        short("1", "1999.09.09").with("Event", "Autumn Open"),
        // An opening that both played before, and went on with.
        game("York, Yann", "Zorn, Zita")
            .played(moves(30))
            .with("Date", "1999.01.01")
            .with("Result", "0-1"),
        game("York, Yann", "Zorn, Zita"),
        // Games without moves.
        game("Gold, Gil", "Gras, Gus")
            .played(String::new())
            .with("Round", "1"),
        game("Gold, Gil", "Gras, Gus")
            .played(String::new())
            .with("Round", "2"),
    ]
}

fn aliases() -> Aliases {
    Aliases::parse("Igel, Ida = Zweig, Zoe").expect("aliases")
}

fn planted(folder: &Path) -> PathBuf {
    let mut text = String::new();
    for (_, one, two) in kinds() {
        text.push_str(&one.pgn());
        text.push_str(&two.pgn());
    }
    for other in others() {
        text.push_str(&other.pgn());
    }
    let path = folder.join("planted.pgn");
    fs::write(&path, text).expect("written");
    path
}

fn as_si5(path: &Path) -> PathBuf {
    let target = path.with_extension("si5");
    let bases = tabiya::open(path).expect("opened");
    let to = Target::new(&target, None, Default::default()).expect("a target");
    let done = convert::convert(&bases, &to, &Default::default(), &Control::default());
    assert!(done.expect("converted").summary.is_some());
    target
}

/// The games of some files, and who is who in them.
fn known(paths: &[&Path]) -> Selection {
    let bases = paths.iter();
    let bases = bases.flat_map(|path| tabiya::open(path).expect("opened"));
    Selection {
        aliases: Some(Arc::new(aliases())),
        ..Selection::of(bases.collect::<Vec<_>>())
    }
}

fn find(paths: &[&Path], options: &DedupeOptions) -> (DedupeReport, Vec<DuplicatePair>) {
    let games = Selection {
        aliases: None,
        ..known(paths)
    };
    find_among(&games, options)
}

fn find_among(games: &Selection, options: &DedupeOptions) -> (DedupeReport, Vec<DuplicatePair>) {
    let mut pairs = Vec::new();
    let control = Control::default();
    let doubles = dedupe::dedupe(games, options, &control, &mut |pair| {
        pairs.push(pair.clone());
        Ok(ControlFlow::Continue(()))
    });
    (doubles.expect("looked for"), pairs)
}

fn numbers(pairs: &[DuplicatePair]) -> BTreeSet<(u64, u64)> {
    pairs
        .iter()
        .map(|pair| (pair.keep.game.number, pair.drop.game.number))
        .collect()
}

fn keeping(keep: KeepCriterion) -> DedupeOptions {
    DedupeOptions {
        keep,
        ..DedupeOptions::default()
    }
}

#[test]
fn twelve_kinds_of_doubles_are_found_and_nothing_else() {
    let folder = tempfile::tempdir().expect("a folder");
    let pgn = planted(folder.path());
    let si5 = as_si5(&pgn);
    for path in [&pgn, &si5] {
        for keep in [KeepCriterion::First, KeepCriterion::Newest] {
            let (doubles, pairs) = find_among(&known(&[path]), &keeping(keep));
            let expected: BTreeSet<(u64, u64)> = (0..kinds().len() as u64)
                .map(|kind| (2 * kind + 1, 2 * kind + 2))
                .map(|(one, two)| {
                    if keep == KeepCriterion::First {
                        (one, two)
                    } else {
                        (two, one)
                    }
                })
                .collect();
            let found = numbers(&pairs);
            let missing: Vec<_> = expected
                .difference(&found)
                .map(|(one, two)| kinds()[(one.min(two) / 2) as usize].0)
                .collect();
            let more: Vec<_> = found.difference(&expected).collect();
            assert!(
                missing.is_empty() && more.is_empty(),
                "{}: missing {missing:?}, more {more:?}",
                path.display()
            );
            assert_eq!(doubles.games, 2 * 12 + 13);
            assert!(
                pairs.iter().all(|pair| pair.reasons.len() >= 3),
                "{pairs:?}"
            );
        }
    }
}

#[test]
fn what_stays_is_what_was_asked_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = planted(folder.path());
    let dropped = |keep: KeepCriterion| -> BTreeSet<u64> {
        let (_, pairs) = find_among(&known(&[&path]), &keeping(keep));
        pairs.iter().map(|pair| pair.drop.game.number).collect()
    };
    // The cut feed goes, the game with moves after the end stays, and so does the one with annotations.
    let moves = dropped(KeepCriterion::Moves);
    assert!(
        moves.contains(&18) && moves.contains(&19) && moves.contains(&23),
        "{moves:?}"
    );
    assert!(dropped(KeepCriterion::Annotations).contains(&23));
    assert!(dropped(KeepCriterion::Elo).contains(&23));
    assert!(dropped(KeepCriterion::First).contains(&24));
}

#[test]
fn colours_are_told_apart_unless_asked() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = planted(folder.path());
    let options = DedupeOptions {
        swapped: true,
        ..keeping(KeepCriterion::Moves)
    };
    let (_, pairs) = find_among(&known(&[&path]), &options);
    assert_eq!(pairs.len(), 13);
    let swapped: Vec<&DuplicatePair> = pairs
        .iter()
        .filter(|pair| pair.reasons.iter().any(|reason| reason.contains("colours")))
        .collect();
    assert_eq!(swapped.len(), 1, "{pairs:?}");
}

#[test]
fn one_letter_of_a_surname_may_be_wrong_where_it_is_asked_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let game = |white: &str, date: &str, plies| {
        Planted::new(white, "Zimmermann, Zacharias", date, "3", plies)
    };
    let day = "1999.05.04";
    let games = [
        // Added, left out, changed, swapped with its neighbour; at the front and at the end.
        game("Lindström, Olaf", day, 50),
        game("Lindtröm, O", day, 50),
        game("Vindström, Olaf", day, 50),
        game("Lindstörm, Olaf", "1999.05.??", 36),
        // Others: given names, two letters, a short surname, another day with few moves, few moves at all.
        game("Lindtröm, Karl", day, 50),
        game("Landtröm, O", day, 50),
        game("Meyr, Ute", day, 50),
        game("Meer, Ute", day, 50),
        game("Schneider, Uwe", day, 36),
        game("Schnieder, Uwe", "1999.05.06", 36),
        game("Baumgart, Uwe", day, 20),
        game("Baumgard, Uwe", day, 20),
    ];
    let text: String = games.iter().map(Planted::pgn).collect();
    let path = folder.path().join("games.pgn");
    fs::write(&path, text).expect("written");
    assert!(find(&[&path], &DedupeOptions::default()).1.is_empty());
    let options = DedupeOptions {
        misspelt: true,
        keep: KeepCriterion::First,
        ..DedupeOptions::default()
    };
    for path in [&path, &as_si5(&path)] {
        let (_, pairs) = find(&[path], &options);
        let expected = [(1, 2), (1, 3), (1, 4)];
        assert_eq!(numbers(&pairs), BTreeSet::from(expected), "{pairs:#?}");
        let reasons: Vec<&String> = pairs.iter().flat_map(|pair| &pair.reasons).collect();
        let letters = reasons.iter().filter(|one| one.contains("one letter"));
        assert_eq!(letters.count(), 3, "{reasons:?}");
        // All that is found without is found as well.
        let planted = planted(folder.path());
        let all = DedupeOptions {
            misspelt: true,
            ..keeping(KeepCriterion::First)
        };
        assert_eq!(find_among(&known(&[&planted]), &all).1.len(), 12);
    }
}

#[test]
fn a_new_base_has_each_game_once_with_the_annotations_of_both() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = planted(folder.path());
    let bases = tabiya::open(&path).expect("opened");
    let control = Control::default();
    let mut merging = AnnotationMerges::default();
    let doubles = dedupe::dedupe(
        &known(&[&path]),
        &keeping(KeepCriterion::First),
        &control,
        &mut |pair| {
            merging.add(pair);
            Ok(ControlFlow::Continue(()))
        },
    )
    .expect("looked for");
    let target =
        Target::new(folder.path().join("new.pgn"), None, Default::default()).expect("a target");
    let (done, merged) =
        dedupe::copy(&bases, &doubles, &merging, &target, &control).expect("copied");
    assert_eq!(done.summary.map(|summary| summary.games), Some(12 + 13));
    // Annotations, and the moves that came after the end.
    assert_eq!(merged, 2);
    let new = tabiya::open(&target.path).expect("opened");
    let game = new[0].read(12, GameNeeds::ALL).expect("read");
    assert_eq!(game.tags.value("White"), "Uhl, Ute");
    let text = edit::text_of(&game);
    for part in [
        "An open game.",
        "Nf3 $1 {best} (2. f4 exf4 {accepted})",
        "Rxe1+",
    ] {
        assert!(text.replace('\n', " ").contains(part), "{part}: {text}");
    }
    let longer = new[0].read(10, GameNeeds::ALL).expect("read");
    assert_eq!(longer.tape.plies(), 50);
    let (_, again) = find_among(&known(&[&target.path]), &keeping(KeepCriterion::First));
    assert!(again.is_empty(), "{again:?}");
}

#[test]
fn marks_are_set_and_taken_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = as_si5(&planted(folder.path()));
    let (doubles, _) = find_among(&known(&[&path]), &keeping(KeepCriterion::Moves));
    let (opener, control) = (Opener::default(), Control::default());
    let before = fs::read(&path).expect("read");
    let options = edit::EditOptions::default();
    let done = dedupe::mark(&opener, &path, &doubles.drops[0], &options, &control);
    assert_eq!(done.expect("marked").games, 12);
    let bases = tabiya::open(&path).expect("opened");
    for number in &doubles.drops[0] {
        assert!(
            bases[0]
                .read(*number, GameNeeds::TAGS)
                .expect("read")
                .is_deleted()
        );
    }
    // What is deleted is no double any more.
    assert!(
        find_among(&known(&[&path]), &keeping(KeepCriterion::Moves))
            .1
            .is_empty()
    );
    dedupe::unmark(&opener, &path, &control).expect("unmarked");
    assert_eq!(fs::read(&path).expect("read").len(), before.len());
    assert_eq!(
        find_among(&known(&[&path]), &keeping(KeepCriterion::Moves))
            .1
            .len(),
        12
    );
    // Another change is none of its business.
    let change = edit::EditOperation::Flags {
        games: (1..2).into(),
        set: "W".to_owned(),
        clear: String::new(),
    };
    edit::edit(&opener, &path, &change, &control).expect("flagged");
    assert!(dedupe::unmark(&opener, &path, &control).is_err());
}

#[test]
fn nothing_comes_of_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("one.pgn");
    fs::write(&path, Planted::new("?", "?", "????.??.??", "?", 0).pgn()).expect("written");
    assert!(find(&[&path], &DedupeOptions::default()).1.is_empty());
    // A base that is named twice is no base full of doubles.
    let bases: Vec<_> = [&path, &path]
        .into_iter()
        .flat_map(|path| tabiya::open(path).expect("opened"))
        .collect();
    let twice = dedupe::dedupe(
        &Selection::of(bases),
        &DedupeOptions::default(),
        &Control::default(),
        &mut |_| Ok(ControlFlow::Continue(())),
    );
    assert!(twice.is_err());
    // The same game in two bases is one.
    let twin = folder.path().join("two.pgn");
    let text = Planted::new("Abel, A", "Bern, B", "1999.01.01", "1", 30).pgn();
    fs::write(&path, &text).expect("written");
    fs::write(&twin, &text).expect("written");
    let (doubles, pairs) = find(&[&path, &twin], &DedupeOptions::default());
    assert_eq!((doubles.drops, pairs.len()), (vec![vec![], vec![1]], 1));
}

#[test]
fn a_round_with_its_board_is_the_round() {
    let folder = tempfile::tempdir().expect("a folder");
    for (one, two, are_one) in [
        ("2", "2.1", true),
        ("2.1", "2", true),
        ("2.1", "2.1.3", true),
        ("02", "2.4", true),
        ("2", "3", false),
        ("2.1", "2.2", false),
        ("2", "3.2", false),
        ("2.1", "3.1", false),
        ("final", "2", false),
    ] {
        let games: String = [one, two]
            .iter()
            .map(|round| Planted::new("Ahorn, Anna", "Birke, Bert", "2001.05.01", round, 30).pgn())
            .collect();
        let path = folder.path().join("rounds.pgn");
        fs::write(&path, games).expect("written");
        let (_, pairs) = find(&[&path], &DedupeOptions::default());
        assert_eq!(pairs.len(), usize::from(are_one), "{one} and {two}");
    }
}

/// Where more games are alike than are compared with each other, the answer is still the same each time.
#[test]
fn a_crowd_of_like_games_gives_one_answer() {
    let folder = tempfile::tempdir().expect("a folder");
    let games: String = (1..=600)
        .map(|n| {
            let (white, black) = (format!("Player {}", n % 97), format!("Other {}", n % 49));
            let date = format!("{}.02.03", 2001 + n % 3);
            Planted::new(&white, &black, &date, &n.to_string(), 8 + n % 3)
                .with("Event", &format!("Event {}", n % 50))
                .pgn()
        })
        .collect();
    let paths = ["one.pgn", "two.pgn"].map(|name| folder.path().join(name));
    for path in &paths {
        fs::write(path, &games).expect("written");
    }
    let paths = [paths[0].as_path(), &paths[1]];
    let places = || -> BTreeSet<(usize, u64, usize, u64)> {
        let (_, pairs) = find(&paths, &DedupeOptions::default());
        let place = |place: &dedupe::DuplicateGame| (place.base, place.game.number);
        let both = pairs
            .iter()
            .map(|pair| (place(&pair.keep), place(&pair.drop)));
        both.map(|((a, b), (c, d))| (a, b, c, d)).collect()
    };
    let first = places();
    assert!(first.len() > 300, "{}", first.len());
    for _ in 0..6 {
        assert_eq!(places(), first);
    }
}
