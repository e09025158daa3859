#!/bin/bash
# How long it takes from the start of the program until the app has answered its first page, in milliseconds: the least and the middle
# of some runs. A program for Windows runs under Wine, in the folder WINEPREFIX.
#
#   bench/first_page.sh PROGRAM [RUNS]
set -euo pipefail
tabiya=$(realpath "$1")
runs=${2:-15}
start=("$tabiya")
[[ $tabiya != *.exe ]] || start=(env WINEDEBUG=-all wine "$tabiya")
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cp "$(dirname "$0")/../docs/samples/classics.pgn" "$room"
cd "$room"
now() { echo $(($(date +%s%N) / 1000000)); }
for _ in $(seq "$runs"); do
    : >serve.log
    begin=$(now)
    "${start[@]}" serve --no-open . 2>serve.log >&2 &
    server=$!
    until address=$(sed -n 's|.*http://127.0.0.1:\([0-9]*\)/?token=\([0-9a-f]*\).*|\1 \2|p' serve.log) && [ -n "$address" ]; do :; done
    read -r port token <<<"$address"
    ask() {
        exec 3<>"/dev/tcp/127.0.0.1/$port"
        printf 'GET %s HTTP/1.1\r\nHost: 127.0.0.1:%s\r\n%sConnection: close\r\n\r\n' "$1" "$port" "$2" >&3
        tr -d '\r' <&3
    }
    cookie=$(ask "/?token=$token" '' | sed -n 's/^set-cookie: \([^;]*\);.*/\1/p')
    answer=$(ask / "Cookie: $cookie"$'\r\n' | sed -n 1p)
    end=$(now)
    kill "$server"
    wait "$server" 2>/dev/null || true
    case $answer in *" 200 "*) ;; *) echo "the app answers: $answer" >&2; exit 1 ;; esac
    echo $((end - begin))
done | sort -n | awk '{ all[NR] = $1 } END { print "least " all[1] " ms, middle " all[int((NR + 1) / 2)] " ms" }'
