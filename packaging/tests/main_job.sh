#!/bin/bash
# Tests an installed Tabiya: convert, search, check, edit, call a site, and answer a browser. Runs inside a bare system, so it needs only bash.
#
#   main_job.sh PROGRAM CLASSICS.PGN
set -euo pipefail
tabiya=$1
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cp "$2" "$room/classics.pgn"
cd "$room"

fail() { printf 'main job: %s\n' "$*" >&2; exit 1; }
# has TEXT COMMAND…: the output of the command contains the text.
has() {
    local wanted=$1 said
    shift
    said=$("$@" 2>&1) || fail "$*: $said"
    case $said in *"$wanted"*) ;; *) fail "$* did not print \"$wanted\" but: $said" ;; esac
}

has "tabiya " "$tabiya" --version
has "37 games read, 37 written, nothing lost" "$tabiya" convert classics.pgn classics.si5 --verify
has "5 games" "$tabiya" search classics.si5 'ends:mate eco:C'
has "37" "$tabiya" check classics.si5
"$tabiya" edit classics.si5 delete 1 >/dev/null 2>&1 || fail "edit delete"
"$tabiya" edit classics.si5 undo >/dev/null 2>&1 || fail "edit undo"
has "no difference" "$tabiya" diff classics.pgn classics.si5
# The program for sites is there and runs; nobody listens at this address.
if "$tabiya" fetch lichess SampleRook -o mine.si5 --host lichess=http://127.0.0.1:1 >fetch.log 2>&1; then fail "fetch: $(cat fetch.log)"; fi
grep -q "127.0.0.1:1: no answer" fetch.log || fail "fetch: $(cat fetch.log)"

# The token is exchanged for a cookie, which gives access to the page.
# The log is there before it is read for the first time.
: >serve.log
"$tabiya" serve --no-open . 2>>serve.log >&2 &
server=$!
trap 'kill "$server" 2>/dev/null || true; rm -rf "$room"' EXIT
port=
for _ in $(seq 300); do
    port=$(sed -n 's|.*http://127.0.0.1:\([0-9]*\)/.*|\1|p' serve.log)
    [ -n "$port" ] && break
    sleep 0.1
done
[ -n "$port" ] || fail "the server printed no address: $(cat serve.log)"
token=$(sed -n 's|.*token=\([0-9a-f]*\).*|\1|p' serve.log)
ask() {
    exec 3<>"/dev/tcp/127.0.0.1/$port"
    printf 'GET %s HTTP/1.1\r\nHost: 127.0.0.1:%s\r\n%sConnection: close\r\n\r\n' "$1" "$port" "$2" >&3
    tr -d '\r' <&3
}
cookie=$(ask "/?token=$token" '' | sed -n 's/^set-cookie: \([^;]*\);.*/\1/p')
answer=$(ask / "Cookie: $cookie"$'\r\n' | sed -n 1p)
kill "$server"
wait "$server" 2>/dev/null || true
case $answer in *" 200 "*) ;; *) fail "the app answers: $answer" ;; esac
echo "the main job is done, and the app serves its page"
