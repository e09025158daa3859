//! Reads files from the test suites of other programs, and compares the result with that of those programs.

use tabiya_model::database::{GameNeeds, for_each_game};
use tabiya_model::error::ErrorKind;
use tabiya_model::game::{Game, Variant};

use super::super::laws;
use super::super::source::PgnSource;
use tabiya_codec::format::OpenOptions;

/// The counts of a file.
#[derive(Debug, Default, PartialEq, Eq)]
struct PeerCounts {
    games: usize,
    plies: usize,
    other_variants: usize,
}

fn source(bytes: &[u8], block: usize) -> PgnSource {
    let input = Box::new(std::io::Cursor::new(bytes.to_vec()));
    PgnSource::new(input, "test".to_owned(), &OpenOptions::default(), None).with_block_size(block)
}

fn count(bytes: &[u8]) -> Option<PeerCounts> {
    let mut counts = PeerCounts::default();
    let result = for_each_game(&mut source(bytes, 1 << 20), GameNeeds::ALL, |game| {
        counts.games += 1;
        counts.plies += game.tape.plies();
        counts.other_variants += usize::from(game.variant == Variant::Other);
        Ok(())
    });
    match result {
        Ok(_) => Some(counts),
        Err(error) => {
            assert_eq!(error.kind, ErrorKind::NotThisFormat, "{error}");
            None
        }
    }
}

/// Why a file is read differently than by the other programs.
struct PeerException {
    reason: &'static str,
    files: &'static [&'static str],
}

/// The games of these files are counted differently.
const GAMES: &[PeerException] = &[
    PeerException {
        reason: "not PGN at all: neither a tag nor a move stands at the beginning of a line, which is an error",
        files: &[
            "kentdjb_pgn-extract__test_infiles_argslist.txt",
            "kentdjb_pgn-extract__test_infiles_clist.txt",
            "kentdjb_pgn-extract__test_infiles_files.txt",
            "kentdjb_pgn-extract__test_infiles_gamefiles.txt",
            "kentdjb_pgn-extract__test_infiles_reltags.txt",
            "kentdjb_pgn-extract__test_infiles_roster.txt",
            "kentdjb_pgn-extract__test_infiles_taglist.txt",
            "kentdjb_pgn-extract__test_infiles_test-FENPattern.txt",
            "kentdjb_pgn-extract__test_infiles_test-elodiff.txt",
            "kentdjb_pgn-extract__test_infiles_test-tFEN.txt",
            "kentdjb_pgn-extract__test_infiles_ymatch.txt",
            "kentdjb_pgn-extract__test_outfiles_test-WWepd-out.pgn",
            "lgbarn_pgn-extract-go__testdata_golden_test-WWepd-out.pgn",
            "lgbarn_pgn-extract-go__testdata_infiles_argslist.txt",
            "lgbarn_pgn-extract-go__testdata_infiles_roster.txt",
            "lgbarn_pgn-extract-go__testdata_infiles_test-FENPattern.txt",
            "lgbarn_pgn-extract-go__testdata_infiles_test-tFEN.txt",
            "lgbarn_pgn-extract-go__testdata_infiles_ymatch.txt",
            "lgbarn_pgn-extract-go__testdata_infiles_zmatch.txt",
            "lichess-org_scalachess__test-kit_src_test_resources_snapshot_canplay_playPositions_racing_kings.txt",
            "lichess-org_scalachess__test-kit_src_test_resources_snapshot_canplay_playPositions_standard.txt",
            "lichess-org_scalachess__test-kit_src_test_resources_snapshot_replay_mainline_fen.txt",
            "lichess-org_scalachess__test-kit_src_test_resources_snapshot_tiebreak_official_tournament.txt",
            "lichess-org_scalachess__test-kit_src_test_resources_snapshot_tiebreak_tournament.txt",
            "lichess-org_scalachess__test-kit_src_test_resources_snapshot_tiebreak_uzchesscup.txt",
            "pychess_pychess__testing_gamefiles_frc_perftsuite.epd",
            "pychess_pychess__testing_gamefiles_kkppr.fen",
            "pychess_pychess__testing_gamefiles_pawn.epd",
            "pychess_pychess__testing_gamefiles_perftsuite.epd",
            "pychess_pychess__testing_gamefiles_perftsuite2.epd",
            "pychess_pychess__testing_gamefiles_single.epd",
        ],
    },
    PeerException {
        reason: "an empty line within a game, behind its first comment or before its result, ends no game",
        files: &[
            "bhlangonijr_chesslib__src_test_resources_ep.pgn",
            "bhlangonijr_chesslib__src_test_resources_z0.pgn",
            "kentdjb_pgn-extract__test_infiles_barnes-horton.pgn",
            "kentdjb_pgn-extract__test_infiles_test-C.pgn",
            "kentdjb_pgn-extract__test_infiles_test-F-text.pgn",
            "kentdjb_pgn-extract__test_infiles_test-F.pgn",
            "kentdjb_pgn-extract__test_infiles_test-L2.pgn",
            "kentdjb_pgn-extract__test_infiles_test-N.pgn",
            "kentdjb_pgn-extract__test_infiles_test-R.pgn",
            "kentdjb_pgn-extract__test_infiles_test-Ta.pgn",
            "kentdjb_pgn-extract__test_infiles_test-V.pgn",
            "kentdjb_pgn-extract__test_infiles_test-checkmate.pgn",
            "kentdjb_pgn-extract__test_infiles_test-f1.pgn",
            "kentdjb_pgn-extract__test_infiles_test-fencomments.pgn",
            "kentdjb_pgn-extract__test_infiles_test-nochecks.pgn",
            "kentdjb_pgn-extract__test_infiles_test-nomovenumbers.pgn",
            "kentdjb_pgn-extract__test_infiles_test-noresults.pgn",
            "kentdjb_pgn-extract__test_infiles_test-notags.pgn",
            "kentdjb_pgn-extract__test_infiles_test-plylimit.pgn",
            "kentdjb_pgn-extract__test_infiles_test-stalemate.pgn",
            "kentdjb_pgn-extract__test_infiles_test-ucW.pgn",
            "kentdjb_pgn-extract__test_infiles_test-w.pgn",
            "kentdjb_pgn-extract__test_outfiles_test-FF-out.pgn",
            "kentdjb_pgn-extract__test_outfiles_test-FF-text-out.pgn",
            "kentdjb_pgn-extract__test_outfiles_test-NN-out.pgn",
            "kentdjb_pgn-extract__test_outfiles_test-VV-out.pgn",
            "kentdjb_pgn-extract__test_outfiles_test-WWelalg-out.pgn",
            "kentdjb_pgn-extract__test_outfiles_test-WWxlalg-out.pgn",
            "kentdjb_pgn-extract__test_outfiles_test-Wdeutsch-out.pgn",
            "kentdjb_pgn-extract__test_outfiles_test-Welalg-out.pgn",
            "kentdjb_pgn-extract__test_outfiles_test-Whalg-out.pgn",
            "kentdjb_pgn-extract__test_outfiles_test-addhashcode-out.pgn",
            "kentdjb_pgn-extract__test_outfiles_test-f-out.pgn",
            "kentdjb_pgn-extract__test_outfiles_test-fencomments-out.pgn",
            "kentdjb_pgn-extract__test_outfiles_test-noresults-out.pgn",
            "kentdjb_pgn-extract__test_outfiles_test-notags-out.pgn",
            "kentdjb_pgn-extract__test_outfiles_test-plycount-out.pgn",
            "kentdjb_pgn-extract__test_outfiles_test-plylimit-out.pgn",
            "kentdjb_pgn-extract__test_outfiles_test-w1000-out.pgn",
            "kentdjb_pgn-extract__test_outfiles_test-w60-out.pgn",
            "kentdjb_pgn-extract__test_outfiles_test-w75-out.pgn",
            "lgbarn_pgn-extract-go__testdata_golden_test-FF-out.pgn",
            "lgbarn_pgn-extract-go__testdata_golden_test-FF-text-out.pgn",
            "lgbarn_pgn-extract-go__testdata_golden_test-NN-out.pgn",
            "lgbarn_pgn-extract-go__testdata_golden_test-RR-out.pgn",
            "lgbarn_pgn-extract-go__testdata_golden_test-VV-out.pgn",
            "lgbarn_pgn-extract-go__testdata_golden_test-WWelalg-out.pgn",
            "lgbarn_pgn-extract-go__testdata_golden_test-WWhalg-out.pgn",
            "lgbarn_pgn-extract-go__testdata_golden_test-WWlalg-out.pgn",
            "lgbarn_pgn-extract-go__testdata_golden_test-WWxlalg-out.pgn",
            "lgbarn_pgn-extract-go__testdata_golden_test-Wdeutsch-out.pgn",
            "lgbarn_pgn-extract-go__testdata_golden_test-Welalg-out.pgn",
            "lgbarn_pgn-extract-go__testdata_golden_test-Whalg-out.pgn",
            "lgbarn_pgn-extract-go__testdata_golden_test-addhashcode-out.pgn",
            "lgbarn_pgn-extract-go__testdata_golden_test-f-out.pgn",
            "lgbarn_pgn-extract-go__testdata_golden_test-fencomments-out.pgn",
            "lgbarn_pgn-extract-go__testdata_golden_test-linenumbers-out.pgn",
            "lgbarn_pgn-extract-go__testdata_golden_test-nochecks-out.pgn",
            "lgbarn_pgn-extract-go__testdata_golden_test-noresults-out.pgn",
            "lgbarn_pgn-extract-go__testdata_golden_test-notags-out.pgn",
            "lgbarn_pgn-extract-go__testdata_golden_test-plycount-out.pgn",
            "lgbarn_pgn-extract-go__testdata_golden_test-plylimit-out.pgn",
            "lgbarn_pgn-extract-go__testdata_golden_test-w1000-out.pgn",
            "lgbarn_pgn-extract-go__testdata_golden_test-w60-out.pgn",
            "lgbarn_pgn-extract-go__testdata_golden_test-w75-out.pgn",
            "lgbarn_pgn-extract-go__testdata_infiles_barnes-horton.pgn",
            "lgbarn_pgn-extract-go__testdata_infiles_test-C.pgn",
            "lgbarn_pgn-extract-go__testdata_infiles_test-F.pgn",
            "lgbarn_pgn-extract-go__testdata_infiles_test-N.pgn",
            "lgbarn_pgn-extract-go__testdata_infiles_test-Ta.pgn",
            "lgbarn_pgn-extract-go__testdata_infiles_test-V.pgn",
            "lgbarn_pgn-extract-go__testdata_infiles_test-checkmate.pgn",
            "lgbarn_pgn-extract-go__testdata_infiles_test-f1.pgn",
            "lgbarn_pgn-extract-go__testdata_infiles_test-fencomments.pgn",
            "lgbarn_pgn-extract-go__testdata_infiles_test-nochecks.pgn",
            "lgbarn_pgn-extract-go__testdata_infiles_test-nomovenumbers.pgn",
            "lgbarn_pgn-extract-go__testdata_infiles_test-noresults.pgn",
            "lgbarn_pgn-extract-go__testdata_infiles_test-notags.pgn",
            "lgbarn_pgn-extract-go__testdata_infiles_test-plycount.pgn",
            "lgbarn_pgn-extract-go__testdata_infiles_test-plylimit.pgn",
            "lgbarn_pgn-extract-go__testdata_infiles_test-stalemate.pgn",
            "lgbarn_pgn-extract-go__testdata_infiles_test-ucW.pgn",
            "lgbarn_pgn-extract-go__testdata_infiles_test-w.pgn",
            "peteschaefer_jose__doc_annotations.pgn",
        ],
    },
    PeerException {
        reason: "a result ends a game also where no empty line follows",
        files: &[
            "kentdjb_pgn-extract__test_infiles_test-fuzzydepth.pgn",
            "kentdjb_pgn-extract__test_infiles_vvars.txt",
            "lgbarn_pgn-extract-go__testdata_infiles_vvars.txt",
        ],
    },
    PeerException {
        reason: "text before the first game or behind the last one is no game",
        files: &[
            "lgbarn_pgn-extract-go__testdata_eco.pgn",
            "mcostalba_scoutfish__pgn_d00_chess_informant.pgn",
            "mcostalba_scoutfish__pgn_human_computer.pgn",
            "own_html_tail.pgn",
            "own_mail_head.pgn",
        ],
    },
    PeerException {
        reason: "lists of moves in the notation of engines below positions: one long text, and no games",
        files: &[
            "lichess-org_scalachess__test-kit_src_test_resources_snapshot_moveorder_antichess.txt",
            "lichess-org_scalachess__test-kit_src_test_resources_snapshot_moveorder_atomic.txt",
            "lichess-org_scalachess__test-kit_src_test_resources_snapshot_moveorder_crazyhouse.txt",
            "lichess-org_scalachess__test-kit_src_test_resources_snapshot_moveorder_horde.txt",
            "lichess-org_scalachess__test-kit_src_test_resources_snapshot_moveorder_racingkings.txt",
            "lichess-org_scalachess__test-kit_src_test_resources_snapshot_moveorder_random.txt",
            "lichess-org_scalachess__test-kit_src_test_resources_snapshot_moveorder_threecheck.txt",
            "lichess-org_scalachess__test-kit_src_test_resources_snapshot_moveorder_tricky.txt",
        ],
    },
    PeerException {
        reason: "peers stop at a line end, a line or a charset that they do not know; every game is read",
        files: &[
            "lichess-org_scalachess__test-kit_src_test_resources_FWWRC.pgn",
            "lichess-org_scalachess__test-kit_src_test_resources_uzchesscup.pgn",
            "own_cr_only.pgn",
            "own_tag_multiline.pgn",
        ],
    },
];

/// The plies of these files are counted differently, though python-chess reports no error.
const PLIES: &[PeerException] = &[
    PeerException {
        reason: "python-chess reads nothing after a byte that is not UTF-8, a tag that it does not know or a carriage return",
        files: &[
            "benini_scid__gtest_res_gameLatin1.pgn",
            "kentdjb_pgn-extract__test_infiles_test-nobadresults.pgn",
            "own_cr_only.pgn",
            "own_tags_same_line.pgn",
            "own_utf16le.pgn",
        ],
    },
    PeerException {
        reason: "python-chess finds moves within the words of a text",
        files: &[
            "kentdjb_pgn-extract__test_infiles_nested-comment.pgn",
            "lgbarn_pgn-extract-go__testdata_golden_test-nestedcomments-out.pgn",
        ],
    },
    PeerException {
        reason: "the comment ends where the next game begins, which is read",
        files: &["own_unterminated_comment.pgn"],
    },
];

fn excused(table: &[PeerException], file: &str) -> Option<&'static str> {
    table
        .iter()
        .find(|exception| exception.files.contains(&file))
        .map(|exception| exception.reason)
}

#[test]
fn counts_are_those_of_others() {
    let Some(corpora) = tabiya_testing::shared("corpora") else {
        return;
    };
    let table = std::fs::read_to_string(corpora.join("nasty.tsv")).unwrap_or_default();
    let mut lines = table.lines();
    let names: Vec<_> = lines.next().unwrap_or_default().split('\t').collect();
    let mut wrong = Vec::new();
    let mut needless = Vec::new();
    let mut files = 0;
    for line in lines {
        let cells: Vec<_> = line.split('\t').collect();
        let cell = |name: &str| {
            let at = names.iter().position(|n| *n == name);
            at.and_then(|at| cells.get(at)).copied().unwrap_or("")
        };
        let file = cell("file");
        let bytes = std::fs::read(corpora.join("nasty").join(file)).unwrap_or_default();
        let counts = count(&bytes);
        files += 1;
        let (games, plies) = counts.as_ref().map_or((0, 0), |c| (c.games, c.plies));
        let peers = [cell("games_pgn-reader"), cell("games_python-chess")];
        let agree = peers[0] == peers[1];
        if agree && games.to_string() != peers[0] {
            if excused(GAMES, file).is_none() {
                wrong.push(format!("{file}: {games} games, others {}", peers[0]));
            }
        } else if excused(GAMES, file).is_some() {
            needless.push(file.to_owned());
        }
        let standard = counts.as_ref().is_some_and(|c| c.other_variants == 0);
        let theirs = cell("mainline_plies_python-chess");
        if standard && cell("errors_python-chess") == "0" && plies.to_string() != theirs {
            if excused(PLIES, file).is_none() {
                wrong.push(format!("{file}: {plies} plies, python-chess {theirs}"));
            }
        } else if excused(PLIES, file).is_some() {
            needless.push(file.to_owned());
        }
    }
    assert!(files > 500, "{files} files in the table");
    assert_eq!(wrong, [""; 0]);
    assert_eq!(needless, [""; 0], "exceptions that are none");
}

#[test]
fn games_depend_neither_on_blocks_nor_on_what_is_wanted() {
    let Some(corpora) = tabiya_testing::shared("corpora") else {
        return;
    };
    let mut paths: Vec<_> = std::fs::read_dir(corpora.join("nasty"))
        .map(|entries| entries.flatten().map(|e| e.path()).collect())
        .unwrap_or_default();
    paths.sort();
    assert!(paths.len() > 500);
    for path in paths {
        let bytes = std::fs::read(&path).unwrap_or_default();
        // Large files take long at the smallest sizes, and contain nothing that the small ones lack.
        let part = bytes.get(..bytes.len().min(30_000)).unwrap_or(&bytes);
        let checked = std::panic::catch_unwind(|| laws::check(part, &OpenOptions::default()));
        assert!(checked.is_ok(), "{}", path.display());
    }
}

#[test]
fn every_game_can_be_read_by_its_number() {
    let Some(corpora) = tabiya_testing::shared("corpora") else {
        return;
    };
    for file in [
        "mcostalba_scoutfish__pgn_perle.pgn",
        "own_mail_head.pgn",
        "own_no_tags.pgn",
        "own_utf16le.pgn",
        "own_bom.pgn",
        "own_cr_only.pgn",
    ] {
        let path = corpora.join("nasty").join(file);
        let bytes = std::fs::read(&path).unwrap_or_default();
        let all = laws::games(&bytes, &OpenOptions::default(), GameNeeds::ALL, 1 << 20);
        let all = all.unwrap_or_else(|kind| panic!("{kind:?}"));
        let options = OpenOptions::default();
        let open = super::super::FORMAT
            .open
            .unwrap_or_else(|| panic!("cannot be opened"));
        let database = open(&path, &options).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(database.len().ok(), Some(all.len() as u64), "{file}");
        let mut game = Game::default();
        for (number, expected) in (1..).zip(&all) {
            let read = database.read(number, GameNeeds::ALL, &mut game);
            assert!(read.is_ok(), "{file} {number}");
            assert!(&game == expected, "{file} {number}");
        }
    }
}
