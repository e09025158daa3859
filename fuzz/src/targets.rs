//! The list of targets. A new one is one entry here: name, folder, extensions, words and a function.

use crate::{BUDGET, Target};

/// Everything that reads bytes of strangers.
pub const TARGETS: &[Target] = &[];

/// Targets that fail on purpose: the tests of the drivers prove with them that failures are seen.
pub const TRAPS: &[Target] = &[
    Target {
        name: "trap-panic",
        run: |parts| assert!(!parts.concat().contains(&b'!'), "the trap has sprung"),
        ..TRAP
    },
    Target {
        name: "trap-hang",
        run: |parts| {
            while parts.concat().contains(&b'!') {
                std::hint::spin_loop();
            }
        },
        ..TRAP
    },
    Target {
        name: "trap-memory",
        run: |parts| {
            if parts.concat().contains(&b'!') {
                std::hint::black_box(vec![1_u8; 2 * BUDGET]);
            }
        },
        ..TRAP
    },
    Target {
        name: "trap-stack",
        run: |parts| {
            if parts.concat().contains(&b'!') {
                std::hint::black_box(descend(10_000_000));
            }
        },
        ..TRAP
    },
    Target {
        name: "trap-never",
        run: |parts| assert_eq!(parts.len(), 2, "both files are there, empty or not"),
        files: &["a", "b"],
        ..TRAP
    },
];

const TRAP: Target = Target {
    name: "",
    folder: "trap",
    files: &["txt"],
    words: &["!"],
    budget: BUDGET,
    run: |_| {},
};

fn descend(depth: u64) -> u64 {
    if depth == 0 {
        0
    } else {
        std::hint::black_box(descend(std::hint::black_box(depth - 1))) + 1
    }
}
