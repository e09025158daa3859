//! The records that are checked as a sample of all.

/// How many runs of records are looked at of all, and how long each is.
const SAMPLE_RUNS: u64 = 16;
const SAMPLE_RUN: u64 = 64;

/// Numbers from 0 below a count: all of few, and runs of them spread over many.
pub(crate) fn sample(count: u64) -> impl Iterator<Item = u64> {
    let all = SAMPLE_RUNS * SAMPLE_RUN;
    let step = if count <= all {
        SAMPLE_RUN
    } else {
        count / SAMPLE_RUNS
    };
    (0..SAMPLE_RUNS)
        .flat_map(move |run| (0..SAMPLE_RUN).map(move |at| run * step + at))
        .filter(move |number| *number < count)
}
