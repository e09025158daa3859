//! Targets that hold readers to their laws: what a reader promises beyond not failing.

use tabiya_formats::pgn::NESTED_COMMENTS;
use tabiya_formats::{format::OpenOptions, pgn::laws};
use tabiya_model::charset::detect::CharsetDetector;

use crate::FuzzTarget;

/// Inputs for the laws are shorter: they are read many times over.
const LONGEST: usize = 8192;

const WORDS: &[&str] = &[
    "[Event \"a\"]\n",
    "\n\n[White \"b\"]\n\n",
    "[FEN \"4k3/P7/8/8/8/8/8/R3K2R w KQ - 0 1\"]\n",
    "[Variant \"Atomic\"]\n",
    "1. e4 ",
    "1... e5 ",
    "Nf3",
    "0-0",
    "e8(Q)",
    "1-0\n",
    "1/2-1/2",
    " *\n\n",
    "(",
    ")",
    "{",
    "}",
    "; c\n",
    "\n% e\n",
    "$14",
    "!?",
    "+/-",
    "\r\n",
    "\r",
    "\u{feff}",
    "\u{bd}-\u{bd}",
    "--",
];

/// The targets of the laws.
pub fn targets() -> Vec<FuzzTarget> {
    vec![
        FuzzTarget {
            words: WORDS,
            ..FuzzTarget::new(
                "pgn-laws",
                "pgn",
                ".pgn",
                Box::new(|parts| {
                    let mut bytes = parts.concat();
                    bytes.truncate(LONGEST);
                    let mut options = OpenOptions::default();
                    if bytes.len() % 2 == 1 {
                        options
                            .settings
                            .set(&NESTED_COMMENTS, "")
                            .expect("a switch takes no value");
                    }
                    laws::check(&bytes, &options);
                }),
            )
        },
        FuzzTarget::new(
            "charset-detector",
            "text",
            ".txt",
            Box::new(|parts| {
                let mut detector = CharsetDetector::new();
                for line in parts.concat().split(|&byte| byte == b'\n') {
                    detector.push(line);
                }
                let guess = detector.guess();
                assert!((0.0..=1.0).contains(&guess.confidence));
                let legacy = detector.guess_legacy();
                assert!((0.0..=1.0).contains(&legacy.confidence));
            }),
        ),
    ]
}
