//! The floor: touching every byte once.

use anyhow::Result;

use super::FLOOR;
use crate::task::{Contestant, FunctionInput, WorkCounts};

pub(crate) fn floor() -> Contestant {
    Contestant::function(
        FLOOR,
        "adds up the file in memory, eight bytes at a time",
        touch,
    )
}

fn touch(input: &FunctionInput) -> Result<WorkCounts> {
    // Eight bytes at a time, so that memory is the limit and not the addition.
    let (words, rest) = input.bytes.as_chunks::<8>();
    let sum = words
        .iter()
        .map(|word| u64::from_le_bytes(*word))
        .chain(rest.iter().map(|&byte| u64::from(byte)))
        .fold(0, u64::wrapping_add);
    std::hint::black_box(sum);
    Ok(WorkCounts::default())
}
