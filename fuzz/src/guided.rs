//! libFuzzer on the target that `TABIYA_FUZZ_TARGET` names.

#![no_main]

use std::{path::Path, sync::LazyLock};

use libfuzzer_sys::fuzz_target;
use tabiya_fuzz::{FuzzTarget, targets};

static TARGET: LazyLock<Option<FuzzTarget>> = LazyLock::new(|| {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus");
    targets::find(&corpus, &std::env::var("TABIYA_FUZZ_TARGET").ok()?)
});

fuzz_target!(|data: &[u8]| {
    let target = TARGET.as_ref().expect("TABIYA_FUZZ_TARGET names a target");
    target.run(data);
});
