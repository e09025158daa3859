//! Targets that fail on purpose: the tests of the driver prove with them that it sees failures.

use crate::{BUDGET, FuzzFunction, FuzzTarget};

/// Targets that are named in tests alone.
pub fn targets() -> Vec<FuzzTarget> {
    let springs = |parts: &[&[u8]]| parts.concat().contains(&b'!');
    vec![
        trap(
            "trap-panic",
            Box::new(move |parts| assert!(!springs(parts), "the trap has sprung")),
        ),
        trap(
            "trap-hang",
            Box::new(move |parts| {
                while springs(parts) {
                    std::hint::spin_loop();
                }
            }),
        ),
        trap(
            "trap-memory",
            Box::new(move |parts| {
                if springs(parts) {
                    std::hint::black_box(vec![1_u8; 2 * BUDGET]);
                }
            }),
        ),
        trap(
            "trap-stack",
            Box::new(move |parts| {
                if springs(parts) {
                    std::hint::black_box(descend(10_000_000));
                }
            }),
        ),
        FuzzTarget {
            suffixes: vec![".txt".to_owned(), ".other".to_owned()],
            ..trap(
                "trap-never",
                Box::new(|parts| assert_eq!(parts.len(), 2, "both files are there, empty or not")),
            )
        },
    ]
}

fn trap(name: &str, run: FuzzFunction) -> FuzzTarget {
    FuzzTarget {
        words: &["!"],
        ..FuzzTarget::new(name, "trap", ".txt", run)
    }
}

fn descend(depth: u64) -> u64 {
    if depth == 0 {
        0
    } else {
        std::hint::black_box(descend(std::hint::black_box(depth - 1))) + 1
    }
}
