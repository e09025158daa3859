#!/usr/bin/env bash
# Builds the distributed files again, from a copy of the source in another folder, and compares their bytes with the first build.
#
#   packaging/tests/same_bytes.sh PROFILE PART…
#
# TABIYA_DIST is the folder of the first build (target/dist), with the same profile and from the same commit; it must have the files of
# these parts. If they are missing or from another commit, nothing can be compared, which is a failure.
set -euo pipefail
cd "$(dirname "$0")/../.."
dist=$(realpath -m "${TABIYA_DIST:-${CARGO_TARGET_DIR:-target}/dist}")
profile=$1
shift

say() { printf 'same bytes: %s\n' "$*" >&2; }
fail() { say "$*"; exit 1; }

[ -e "$dist/SHA256SUMS" ] || fail "nothing in $dist: run cargo xtask dist --profile $profile $*"
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
# Another path, of another length.
git clone -q . "$room/copy-of-the-source"
cd "$room/copy-of-the-source"
env -u CARGO_TARGET_DIR cargo xtask dist --profile "$profile" materials "$@" >"$room/made" 2>&1 || fail "$(tail -n 20 "$room/made")"
count=0
different=0
while read -r sum name; do
    first=$(cd "$dist" && sha256sum "$name" | cut -d ' ' -f 1) || fail "$name is not in the first build"
    if [ "$first" != "$sum" ]; then
        say "$name has different bytes: $(cmp "$dist/$name" "target/dist/$name" || true)"
        different=$((different + 1))
    fi
    count=$((count + 1))
done <target/dist/SHA256SUMS
[ "$count" -gt 0 ] || fail "nothing was built"
if [ "$different" -gt 0 ]; then
    # What was packed tells which program it is.
    (cd target/dist/stage && find . -type f | LC_ALL=C sort) | while read -r name; do
        cmp "$dist/stage/$name" "target/dist/stage/$name" >&2 || true
    done
    mv target/dist "$room.second"
    fail "$different of $count files have different bytes; the second build is in $room.second"
fi
say "$count files have the same bytes as in the first build: $(cut -d ' ' -f 3 target/dist/SHA256SUMS | tr '\n' ' ')"
