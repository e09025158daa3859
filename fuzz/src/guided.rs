//! libFuzzer on the target that `TABIYA_FUZZ_TARGET` names.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use tabiya_fuzz::{Target, find};

static TARGET: LazyLock<Option<&'static Target>> =
    LazyLock::new(|| find(&std::env::var("TABIYA_FUZZ_TARGET").ok()?));

fuzz_target!(|data: &[u8]| {
    let target = TARGET.expect("TABIYA_FUZZ_TARGET names a target");
    target.run(data);
});
