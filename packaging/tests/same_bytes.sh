#!/usr/bin/env bash
# Makes what people install once more, from a copy of the source in another folder, and compares the bytes with those of the first time.
#
#   packaging/tests/same_bytes.sh PROFILE PART…
#
# TABIYA_DIST is the folder of what was made the first time (target/dist), with the same profile and from the same commit; what of it the
# parts make must be there. Without it, or where a file was made of another commit, nothing can be compared, which is a failure.
set -euo pipefail
cd "$(dirname "$0")/../.."
dist=$(realpath -m "${TABIYA_DIST:-${CARGO_TARGET_DIR:-target}/dist}")
profile=$1
shift

say() { printf 'same bytes: %s\n' "$*" >&2; }
fail() { say "$*"; exit 1; }

[ -e "$dist/SHA256SUMS" ] || fail "there is nothing in $dist: cargo xtask dist --profile $profile $*"
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
# Another path, of another length.
git clone -q . "$room/copy-of-the-source"
cd "$room/copy-of-the-source"
env -u CARGO_TARGET_DIR cargo xtask dist --profile "$profile" materials "$@" >"$room/made" 2>&1 || fail "$(tail -n 20 "$room/made")"
count=0
while read -r sum name; do
    first=$(cd "$dist" && sha256sum "$name" | cut -d ' ' -f 1) || fail "$name was not made the first time"
    if [ "$first" != "$sum" ]; then
        fail "$name has other bytes: $(cmp "$dist/$name" "target/dist/$name" || true)"
    fi
    count=$((count + 1))
done <target/dist/SHA256SUMS
[ "$count" -gt 0 ] || fail "nothing was made"
say "$count files have the same bytes as those of the first time: $(cut -d ' ' -f 3 target/dist/SHA256SUMS | tr '\n' ' ')"
