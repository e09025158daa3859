//! Games with everything that the sites say of them, through every format and back: each difference is a reported loss.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tabiya::bulk::{self, ConvertPlan, ConvertSelection, ConvertTargets};
use tabiya::{Selection, Target};
use tabiya_fetch::{FetchSettings, FetchSite, FetchSource};
use tabiya_formats::format::Format;
use tabiya_formats::registry::FORMATS;
use tabiya_model::loss::GameAspect;
use tabiya_model::{Control, Game, Move, TapeOp};

use crate::lichess::{account, answer};
use crate::stand_in::{Reply, StandIn};
use crate::{fetch_with, games, settings};

/// The samples of both sites: clocks, evaluations, accuracy, judgements, division, rating differences, variants.
fn sample(name: &str) -> Vec<u8> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    std::fs::read(corpus.join(name)).expect("a sample")
}

fn server() -> StandIn {
    StandIn::start(|asked| match asked.place() {
        "/api/games/user/samplerook" => Reply::new(
            200,
            "application/x-ndjson",
            sample("lichess/ok/games.ndjson"),
        ),
        "/api/games/export/_ids" => Reply::new(200, "application/x-ndjson", ""),
        "/pub/player/samplerook/games/archives" => Reply::new(
            200,
            "application/json",
            r#"{"archives":["https://api.chess.com/pub/player/samplerook/games/2024/05"]}"#,
        ),
        "/pub/player/samplerook/games/2024/05" => Reply::new(
            200,
            "application/json",
            sample("chesscom/ok/month.chesscom"),
        ),
        _ => Reply::new(404, "text/plain", ""),
    })
}

/// Fetches the games of both sites into a base; how many it holds, and how many it could not hold.
fn fill(base: &Path) -> (u64, u64) {
    let server = server();
    let both = FetchSettings {
        hosts: [
            (FetchSite::Lichess, server.address.clone()),
            (FetchSite::Chesscom, server.address.clone()),
        ]
        .into(),
        ..settings(FetchSite::Lichess, &server)
    };
    let sources = [
        FetchSource::lichess("SampleRook"),
        FetchSource::chesscom("SampleRook"),
    ];
    let (mut added, mut refused) = (0, 0);
    for source in sources {
        let report = fetch_with(base, both.clone(), &source.expect("a name")).expect("fetched");
        added += report.added;
        refused += report.refused;
    }
    (added, refused)
}

/// What a game says, part by part.
#[derive(Debug, Default, PartialEq)]
struct GameContent {
    tags: BTreeMap<String, Vec<String>>,
    line: Vec<Move>,
    /// The moves of variations, with the depth of each.
    variations: Vec<(usize, Move)>,
    /// Words of comments, with the number of moves before each.
    comments: Vec<(usize, String)>,
    nags: Vec<(usize, u32)>,
    raw: Vec<String>,
}

fn content(game: &Game) -> GameContent {
    let mut content = GameContent::default();
    for tag in game.tags.iter() {
        let values = content.tags.entry(tag.name.to_owned()).or_default();
        values.push(tag.value.to_owned());
    }
    let (mut depth, mut moves) = (0, 0);
    for op in game.tape.ops() {
        match op {
            TapeOp::Move(m) => {
                moves += 1;
                match depth {
                    0 => content.line.push(m),
                    _ => content.variations.push((depth, m)),
                }
            }
            TapeOp::Begin(_) => depth += 1,
            TapeOp::End => depth -= 1,
            TapeOp::Nag(nag) => content.nags.push((moves, nag.0)),
            TapeOp::Comment(id) => {
                let words = game.tape.text(id).split_whitespace();
                content
                    .comments
                    .extend(words.map(|word| (moves, word.to_owned())));
            }
            TapeOp::Raw(id) => {
                let words = game.tape.text(id).split_whitespace();
                content.raw.extend(words.map(str::to_owned));
            }
            TapeOp::Ext(_) | TapeOp::Outcome(_) => {}
        }
    }
    content
}

/// A position as a FEN says it, whatever its form.
#[derive(PartialEq)]
struct FenMeaning {
    /// The squares from a8 to h1; a point is an empty one.
    squares: String,
    /// The rooks of castling rights, by their files; those of White in capitals.
    rooks: BTreeSet<char>,
    /// Side to move, en passant and counters.
    rest: Vec<String>,
}

/// What a FEN means: `K` and `Q` stand for the outermost rook on that side of the king, a file for the rook on it.
fn meaning(fen: &str) -> Option<FenMeaning> {
    let mut fields = fen.split_whitespace();
    let (pieces, side, rights) = (fields.next()?, fields.next()?, fields.next()?);
    let mut squares = String::new();
    for sign in pieces.chars().filter(|sign| *sign != '/') {
        match sign.to_digit(10) {
            Some(empty) => (0..empty).for_each(|_| squares.push('.')),
            None => squares.push(sign),
        }
    }
    let row = |is_white: bool| match is_white {
        true => squares.get(56..64),
        false => squares.get(..8),
    };
    let mut rooks = BTreeSet::new();
    for right in rights.chars().filter(|right| *right != '-') {
        let is_white = right.is_ascii_uppercase();
        let (king, rook) = if is_white { ('K', 'R') } else { ('k', 'r') };
        let row = row(is_white)?;
        let king = row.find(king)?;
        let file = match right.to_ascii_lowercase() {
            'k' => row.rfind(rook).filter(|file| *file > king)?,
            'q' => row.find(rook).filter(|file| *file < king)?,
            file => (file as usize).checked_sub('a' as usize)?,
        };
        let file = "abcdefgh".chars().nth(file)?;
        rooks.insert(if is_white {
            file.to_ascii_uppercase()
        } else {
            file
        });
    }
    let mut rest = vec![side.to_owned()];
    for usual in ["-", "0", "1"] {
        rest.push(fields.next().unwrap_or(usual).to_owned());
    }
    Some(FenMeaning {
        squares,
        rooks,
        rest,
    })
}

/// The aspects of which one must be reported where a FEN is not as it was: another form of the same position is layout.
fn fen_aspects(old: &str, new: &str) -> &'static [GameAspect] {
    match (meaning(old), meaning(new)) {
        (Some(old), Some(new)) if old == new => &[GameAspect::Layout, GameAspect::Tags],
        _ => &[GameAspect::Tags, GameAspect::Start],
    }
}

/// The parts in which two games differ, with the aspects of which one must be reported as lost.
fn differences(old: &GameContent, new: &GameContent) -> Vec<(&'static str, Vec<GameAspect>)> {
    use GameAspect::{Comments, Moves, Nags, Start, Tags, Variations};
    let fens = [old, new].map(|game| game.tags.get("FEN").map(|all| all.concat()));
    let without_fen = |game: &GameContent| {
        let mut tags = game.tags.clone();
        tags.remove("FEN");
        tags
    };
    let mut found = Vec::new();
    let mut compare = |name, is_same: bool, aspects: &[GameAspect]| {
        if !is_same {
            found.push((name, aspects.to_vec()));
        }
    };
    compare("tags", without_fen(old) == without_fen(new), &[Tags, Start]);
    let [old_fen, new_fen] = fens.map(Option::unwrap_or_default);
    compare("FEN", old_fen == new_fen, fen_aspects(&old_fen, &new_fen));
    compare("moves", old.line == new.line, &[Moves]);
    compare(
        "variations",
        old.variations == new.variations,
        &[Variations, Moves],
    );
    compare("comments", old.comments == new.comments, &[Comments, Moves]);
    compare("NAGs", old.nags == new.nags, &[Nags, Moves]);
    compare("text", old.raw == new.raw, &[Moves]);
    found
}

/// Copies one game, and says which aspects were reported as lost.
fn copy(from: &Path, number: u64, to: &Path, format: &'static Format) -> BTreeSet<GameAspect> {
    let target = Target::new(to, Some(format), Default::default()).expect("a target");
    let bases = tabiya::open(from).expect("a base");
    let plan = ConvertPlan {
        choose: ConvertSelection {
            games: Selection {
                numbers: (number..number + 1).into(),
                ..Selection::of(bases)
            },
            ..ConvertSelection::default()
        },
        ..ConvertPlan::default()
    };
    let targets = ConvertTargets {
        main: &target,
        rest: None,
        doubles: None,
    };
    let copied = bulk::run(&plan, targets, &Default::default(), &Control::default());
    let copied = copied.unwrap_or_else(|error| panic!("{}: {error}", format.name));
    copied
        .main
        .sources
        .iter()
        .flat_map(|source| source.losses.kinds())
        .map(|(kind, ..)| kind.aspect)
        .collect()
}

/// The path of a database of a format.
fn path_of(folder: &Path, name: &str, format: &Format) -> PathBuf {
    folder.join(format!(
        "{name}.{}",
        format.extensions.first().unwrap_or(&"x")
    ))
}

#[test]
fn the_judge_tells_forms_of_a_position_from_other_positions() {
    let fen =
        |rights: &str| format!("1rbnkbrn/pppppppp/8/8/8/8/PPPPPPPP/1RBNKBRN w {rights} - 0 1");
    assert!(meaning(&fen("GBgb")) == meaning(&fen("KQkq")));
    assert!(meaning(&fen("GBgb")) != meaning(&fen("KQk")));
    // With another rook further out the letters mean that one.
    let inner = |rights: &str| format!("4k3/8/8/8/8/8/8/RR2K1RR w {rights} - 0 1");
    assert!(meaning(&inner("GB")) != meaning(&inner("KQ")));
    assert!(meaning(&inner("HA")) == meaning(&inner("KQ")));
    assert!(meaning(&inner("HA")) == meaning("4k3/8/8/8/8/8/8/RR2K1RR w HA"));
    assert!(meaning(&inner("HA")) != meaning("4k3/8/8/8/8/8/8/RR2K1R1 w HA - 0 1"));
}

#[test]
fn through_every_format_and_back_nothing_is_lost_without_a_report() {
    let folder = tempfile::tempdir().expect("a folder");
    let base = folder.path().join("mine.pgn");
    let (added, refused) = fill(&base);
    assert_eq!(refused, 0);
    let originals = games(&base);
    assert_eq!(originals.len() as u64, added);
    // The samples have what this is about.
    let text = std::fs::read_to_string(&base).expect("PGN");
    for part in [
        "[%clk ",
        "[%eval ",
        "Accuracy \"",
        "RatingDiff \"",
        "MiddlegamePly",
        "was best.",
        "SiteFields",
    ] {
        assert!(text.contains(part), "{part}");
    }
    let pgn = FORMATS[0];
    let mut whole = BTreeSet::new();
    let mut tried = 0;
    for format in FORMATS {
        if format.create.is_none() || format.is_table() {
            continue;
        }
        tried += 1;
        let mut is_whole = true;
        for (number, original) in (1..).zip(&originals) {
            let there = path_of(
                folder.path(),
                &format!("{}-there{number}", format.name),
                format,
            );
            let back = folder.path().join(format!("{}-{number}.pgn", format.name));
            let mut lost = copy(&base, number, &there, format);
            let is_base = tabiya::open(&there).is_ok();
            let count = if is_base { games_of(&there).len() } else { 0 };
            if count != 1 {
                assert!(
                    lost.contains(&GameAspect::Game),
                    "{}: game {number} became {count} games: {lost:?}",
                    format.name
                );
                is_whole = false;
                continue;
            }
            lost.extend(copy(&there, 1, &back, pgn));
            let returned = &games(&back)[0];
            let found = differences(&content(original), &content(returned));
            is_whole &= found.is_empty();
            // A book keeps moves and no games, and says so of each.
            if lost.contains(&GameAspect::Game) {
                continue;
            }
            for (part, aspects) in found {
                assert!(
                    aspects.iter().any(|aspect| lost.contains(aspect)),
                    "{}: game {number}: {part} are not as they were, and only {lost:?} are reported\n{original:?}\n{returned:?}",
                    format.name
                );
            }
        }
        if is_whole {
            whole.insert(format.name);
        }
    }
    assert!(tried >= 12, "{tried} formats");
    for name in ["pgn", "ndjson", "parquet"] {
        assert!(whole.contains(name), "{name}: {whole:?}");
    }
}

/// All games of all bases at a path.
fn games_of(path: &Path) -> Vec<Game> {
    let bases = tabiya::open(path).expect("bases");
    let mut all = Vec::new();
    for base in bases {
        base.for_each(tabiya_model::GameNeeds::ALL, &Control::default(), |game| {
            all.push(game.clone());
            Ok(std::ops::ControlFlow::Continue(()))
        })
        .expect("games");
    }
    all
}

/// Whether games can be fetched into a base of a format. A lake is changed as a folder.
fn is_fed(format: &Format) -> bool {
    format.edit.is_some() && format.create.is_some() && format.name != "lake"
}

#[test]
fn a_base_of_any_format_is_fed_and_says_all_that_the_sites_say() {
    let folder = tempfile::tempdir().expect("a folder");
    let pgn = folder.path().join("mine.pgn");
    let (all, _) = fill(&pgn);
    let originals = games(&pgn);
    let mut tried = 0;
    for format in FORMATS {
        if !is_fed(format) {
            continue;
        }
        tried += 1;
        let base = path_of(folder.path(), "fed", format);
        let (added, refused) = fill(&base);
        assert_eq!(added + refused, all, "{}", format.name);
        // And once more: nothing is doubled.
        let (again, _) = fill(&base);
        assert_eq!(again, 0, "{}", format.name);
        let fed = games_of(&base);
        assert_eq!(fed.len() as u64, added, "{}", format.name);
        // A format with few tags keeps the others in a comment, which has its own form of them.
        if refused > 0 || !format.capabilities.any_tag {
            continue;
        }
        for (original, game) in originals.iter().zip(&fed) {
            let (original, fed) = (content(original), content(game));
            let what = |part: &str| format!("{}: {part}: {original:?}\n{fed:?}", format.name);
            assert!(original.line == fed.line, "{}", what("moves"));
            let comments: Vec<&str> = fed.comments.iter().map(|(_, word)| &word[..]).collect();
            // In a comment there are no braces, and quotes may be marked.
            let comments = comments.join(" ").replace("\\\"", "\"");
            let tags: BTreeSet<&String> = fed.tags.values().flatten().collect();
            for value in original.tags.values().flatten() {
                let plain = value.replace('{', "(").replace('}', ")");
                let is_said = tags.contains(value) || comments.contains(&plain);
                // Some formats have no word for what is not known.
                assert!(is_said || value == "?", "{}", what(value));
            }
            for word in ["[%clk", "[%eval"] {
                let count = |content: &GameContent| {
                    let comments = content.comments.iter();
                    comments.filter(|(_, found)| found == word).count()
                };
                assert_eq!(count(&original), count(&fed), "{}", what(word));
            }
        }
    }
    assert!(tried >= 6, "{tried} formats");
}

#[test]
fn in_any_format_a_game_gets_its_analysis_later() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut tried = 0;
    for format in FORMATS {
        // Where there is no comment, an evaluation has no place.
        if !is_fed(format) || !format.capabilities.comments {
            continue;
        }
        tried += 1;
        let account = account(7);
        let behind = Arc::clone(&account);
        let server = StandIn::start(move |asked| answer(&behind, asked));
        let base = path_of(folder.path(), "later", format);
        let source = FetchSource::lichess("SampleRook").expect("a name");
        let fetch =
            || fetch_with(&base, settings(FetchSite::Lichess, &server), &source).expect("fetched");
        assert_eq!(fetch().added, 7, "{}", format.name);
        // The first, the fourth and the seventh had it already.
        for game in account.lock().expect("a lock").iter_mut() {
            game.is_analysed = true;
        }
        let report = fetch();
        let counts = (report.added, report.renewed);
        assert_eq!(counts, (0, 4), "{}: {:?}", format.name, report.notes);
        let report = fetch();
        assert_eq!((report.added, report.renewed), (0, 0), "{}", format.name);
        let games = games_of(&base);
        assert_eq!(games.len(), 7, "{}", format.name);
        for game in &games {
            let content = content(game);
            let words: Vec<&str> = content.comments.iter().map(|(_, word)| &word[..]).collect();
            let evaluations = words.iter().filter(|word| **word == "[%eval").count();
            assert!(evaluations >= 6, "{}: {words:?}", format.name);
            // What the format has no tag for is told once.
            let told = words.join(" ").matches("GameId").count();
            let has_tag = content.tags.contains_key("GameId");
            assert_eq!(told + usize::from(has_tag), 1, "{}: {words:?}", format.name);
        }
    }
    assert!(tried >= 6, "{tried} formats");
}
