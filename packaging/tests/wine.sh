#!/usr/bin/env bash
# Tests the results of `cargo xtask dist windows` under Wine: the archive and the installer.
#
#   packaging/tests/wine.sh [program] [large] [browser] [kills] [writers] [installer]
#
# program    the main jobs, changes in place of a si5 and a cbf, the app, an engine that analyses
# large      a large database is converted, indexed, searched and edited, and every answer and byte is the same as from the program for Linux
# browser    the app serves its pages to a browser of this system
# kills      50 kills of a change at any moment: the database is the old or the new one
# writers    two programs that change one database at the same time
# installer  installed, used, removed
#
# The default is all of them. TABIYA_DIST is the folder with the results (target/dist), TABIYA_ENGINE an engine for Windows,
# TABIYA_CBH a ChessBase database, TABIYA_LARGE a large database of any format, TABIYA_NATIVE the program for Linux (from the archive).
set -euo pipefail
cd "$(dirname "$0")/../.."
here=$PWD
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
dist=$(realpath -m "${TABIYA_DIST:-$target/dist}")
parts=("$@")
[ ${#parts[@]} -gt 0 ] || parts=(program large browser kills writers installer)

say() { printf 'wine: %s\n' "$*" >&2; }
fail() { say "$*"; exit 1; }
skip() { printf 'skipped: %s\n' "$*" >&2; exit 0; }

command -v wine >/dev/null || skip "everything for Windows: wine is not installed"
archive=$(echo "$dist"/tabiya-*-x86_64-windows.zip)
[ -e "$archive" ] || fail "no archive in $dist: run cargo xtask dist materials windows"
export WINEPREFIX=${TABIYA_WINE:-$target/wine} WINEDEBUG=-all
packaging/tests/wine_prefix.sh "$WINEPREFIX"
room=$(mktemp -d)
# The stand-in for a site, while there is one.
site=
trap 'rm -rf "$room"; [ -z "$site" ] || kill "$site"' EXIT
unzip -q "$archive" -d "$room/unpacked"
tabiya=$(echo "$room"/unpacked/*/tabiya.exe)
cd "$room"
cp "$here/docs/samples/classics.pgn" classics.pgn

# run COMMAND…: the output of a Windows program, with the line ends of this system.
run() { wine "$@" 2>&1 </dev/null | tr -d '\r'; }
# has TEXT COMMAND…: the output of the command contains the text, and no path in the syntax of the Windows kernel.
has() {
    local wanted=$1 said
    shift
    said=$(run "$@") || true
    case $said in *"$wanted"*) ;; *) fail "$* did not print \"$wanted\" but: $said" ;; esac
    case $said in *'\\?\'*) fail "$* prints a path in the syntax of the kernel: $said" ;; esac
}

# Starts the app, and sets its port and its token.
starts() {
    local program=$1
    shift
    served=$(basename "$program")
    : >serve.log
    wine "$program" serve --no-open "$@" >serve.log 2>&1 </dev/null &
    server=$!
    port=
    for _ in $(seq 300); do
        port=$(tr -d '\r' <serve.log | sed -n 's|.*http://127.0.0.1:\([0-9]*\)/.*|\1|p')
        [ -n "$port" ] && break
        sleep 0.1
    done
    [ -n "$port" ] || fail "the server printed no address: $(cat serve.log)"
    token=$(tr -d '\r' <serve.log | sed -n 's|.*token=\([0-9a-f]*\).*|\1|p')
}

ends() {
    wine taskkill /f /im "$served" >/dev/null 2>&1 || kill "$server"
    wait "$server" 2>/dev/null || true
}

serves() {
    local port token cookie answer server served
    starts "$@"
    ask() {
        exec 3<>"/dev/tcp/127.0.0.1/$port"
        printf 'GET %s HTTP/1.1\r\nHost: 127.0.0.1:%s\r\n%sConnection: close\r\n\r\n' "$1" "$port" "$2" >&3
        tr -d '\r' <&3
    }
    cookie=$(ask "/?token=$token" '' | sed -n 's/^set-cookie: \([^;]*\);.*/\1/p')
    answer=$(ask / "Cookie: $cookie"$'\r\n' | sed -n 1p)
    ends
    case $answer in *" 200 "*) ;; *) fail "the app answers: $answer" ;; esac
}

# A stand-in for Lichess with the games of one account; its address is in site.log.
site_starts() {
    : >site.log
    python3 "$here/packaging/tests/site.py" "$here/corpus/lichess/ok/games.ndjson" >site.log &
    site=$!
    for _ in $(seq 300); do
        [ -s site.log ] && break
        sleep 0.1
    done
}

site_ends() {
    kill "$site"
    site=
}

try_program() {
    has "37 games read, 37 written, nothing lost" "$tabiya" convert classics.pgn classics.si5 --verify
    has "5 games" "$tabiya" search classics.si5 'ends:mate eco:C'
    has "games" "$tabiya" explore classics.si5 --line '1.e4'
    has "37" "$tabiya" check classics.si5
    has "37 games" "$tabiya" index classics.si5
    # Again, over an existing index.
    has "37 games" "$tabiya" index classics.si5 --rebuild
    has "1" "$tabiya" edit classics.si5 flag 1 --set W
    has "1" "$tabiya" edit classics.si5 delete 2
    has "" "$tabiya" edit classics.si5 undo
    has "" "$tabiya" edit classics.si5 undo
    has "no difference" "$tabiya" diff classics.pgn classics.si5
    has "already exists" "$tabiya" convert classics.pgn classics.si5
    has "nothing lost" "$tabiya" convert classics.pgn classics.si5 --force
    # A device is not a database, and lower and upper case are the same name.
    has "CON.pgn" "$tabiya" info CON.pgn
    has "37 games read" "$tabiya" convert CLASSICS.PGN upper.si5
    # ChessBase's current format is only read; that of the DOS program is also edited.
    has "37 written" "$tabiya" convert classics.pgn classics.cbf
    has "1 game" "$tabiya" edit classics.cbf delete 1
    has "" "$tabiya" edit classics.cbf undo
    if [ -e "${TABIYA_CBH:-}" ]; then
        cp "${TABIYA_CBH%.*}".* .
        local base
        base=$(basename "${TABIYA_CBH%.*}").cbh
        has "games" "$tabiya" info "$base" --full
        has "written" "$tabiya" convert "$base" from_cbh.si5
    else
        say "skipped: a ChessBase database (set TABIYA_CBH)"
    fi
    if [ -e "${TABIYA_ENGINE:-}" ]; then
        cp "$TABIYA_ENGINE" engine.exe
        has "37" "$tabiya" analyse classics.pgn -o analysed.pgn --engine ./engine.exe --nodes 100
        grep -q '%eval' analysed.pgn || fail "the engine evaluated nothing"
    else
        say "skipped: an engine for Windows (set TABIYA_ENGINE)"
    fi
    if command -v python3 >/dev/null; then
        site_starts
        has "samplerook: 5 new" "$tabiya" fetch lichess SampleRook -o mine.si5 --host "lichess=$(cat site.log)"
        has "samplerook: 0 new" "$tabiya" fetch --all mine.si5 --host "lichess=$(cat site.log)"
        site_ends
        has "2" "$tabiya" search mine.si5 result:1-0 --count
    else
        say "skipped: fetching games, because python3 is not installed"
    fi
    serves "$tabiya" .
    left=$(find . -maxdepth 1 -name '*tabiya-*' ! -name '*-index' ! -name '*-history')
    [ -z "$left" ] || fail "these files are left: $left"
    say "the program does its main jobs"
}

# same COMMAND…: both programs have the same output.
same() {
    local here there
    here=$("$native" "$@" 2>&1 </dev/null) || true
    there=$(run "$tabiya" "$@") || true
    [ "$here" = "$there" ] || fail "$*: $(diff <(echo "$here") <(echo "$there"))"
}

try_large() {
    local native=${TABIYA_NATIVE:-}
    [ -n "$native" ] || native=$(echo "$dist"/stage/archive/*/files/bin/tabiya)
    if [ ! -e "${TABIYA_LARGE:-}" ]; then
        say "skipped: a large database (set TABIYA_LARGE)"
        return
    fi
    if [ ! -x "$native" ]; then
        say "skipped: a large database, because there is no program for Linux to compare with (set TABIYA_NATIVE)"
        return
    fi
    mkdir large here
    "$native" convert "$TABIYA_LARGE" here/large.si5 2>/dev/null || [ $? -eq 3 ] || fail "the large database cannot be converted"
    run "$tabiya" convert "$TABIYA_LARGE" large/large.si5 >converted || true
    local file
    for file in here/*; do
        cmp "$file" "large/$(basename "$file")" || fail "the two systems write different bytes: $(tail -n 3 converted)"
    done
    cd large
    same info large.si5 --full
    same search large.si5 'white:Carlsen'
    same search large.si5 'material:KRPvKR' --count
    same search large.si5 '1.e4 c5 2.Nf3 d6 3.d4 cxd4 4.Nxd4 Nf6 5.Nc3 a6' --count
    same explore large.si5 --line '1.e4 c5' --json
    has "games" "$tabiya" index large.si5
    # Now with the index, again in both programs.
    same search large.si5 '1.e4 c5 2.Nf3 d6 3.d4 cxd4 4.Nxd4 Nf6 5.Nc3 a6' --count
    same explore large.si5 --line '1.e4 c5' --json
    has "2" "$tabiya" edit large.si5 delete 7,100000
    [ "$(run "$tabiya" search large.si5 'flag:deleted' --count)" = "$("$native" search large.si5 'flag:deleted' --count)" ] ||
        fail "the programs count deleted games differently"
    case $(run "$tabiya" search large.si5 'flag:deleted' --count) in *2*) ;; *) fail "the two deleted games were not found" ;; esac
    has "37 games" "$tabiya" edit large.si5 append ../classics.pgn
    same info large.si5 --full
    has "" "$tabiya" edit large.si5 undo
    has "" "$tabiya" edit large.si5 undo
    same ls large.si5 1-20
    "$native" diff large.si5 ../here/large.si5 >/dev/null || fail "the database differs after an edit and its undo"
    cd ..
    rm -r large here
    say "the large database is converted to the same bytes as on Linux, searched with the same answers, edited and undone"
}

try_browser() {
    local port token server served said settings
    command -v python3 >/dev/null && python3 -c 'import playwright' 2>/dev/null && command -v chromium >/dev/null || {
        say "skipped: a browser, because chromium or playwright is not installed"
        return
    }
    mkdir pages
    cp classics.pgn pages
    # The app asks the site that the configuration file names.
    settings=$(echo "$WINEPREFIX"/drive_c/users/*/AppData/Roaming)/tabiya/tabiya.conf
    site_starts
    mkdir -p "$(dirname "$settings")"
    printf '[fetch]\n--host lichess=%s\n' "$(cat site.log)" >"$settings"
    starts "$tabiya" pages
    said=$(python3 "$here/packaging/tests/page.py" "http://127.0.0.1:$port/?token=$token" 2>&1) && ends || {
        ends
        rm "$settings"
        fail "the browser does not show the app: $said"
    }
    rm "$settings"
    site_ends
    grep -q 'A note of the browser' pages/classics.pgn || fail "the comment from the browser is not in the database"
    say "the app serves its pages to a browser: $said"
}

try_kills() {
    has "" "$tabiya" convert classics.pgn killed.si5 --force
    local round old new seen_old=0 seen_new=0 state
    for round in $(seq 50); do
        rm -rf one
        mkdir one
        cp killed.* one
        # From nothing done to everything done, at any speed of the machine.
        wine "$tabiya" edit one/killed.si5 delete 1-10 >/dev/null 2>&1 </dev/null &
        sleep "0.$(printf '%03d' $((round * 13 % 700)))"
        wine taskkill /f /im tabiya.exe >/dev/null 2>&1 || true
        wait
        state=$(run "$tabiya" info one/killed.si5 --full) || true
        case $state in
            *'damaged games'*0*) ;;
            *) fail "after a kill: $state" ;;
        esac
        case $(run "$tabiya" search one/killed.si5 'flag:deleted' --count) in
            *10*) seen_new=$((seen_new + 1)) ;;
            *) seen_old=$((seen_old + 1)) ;;
        esac
        has "" "$tabiya" edit one/killed.si5 delete 11
        left=$(find one -name '*tabiya-*' ! -name '*-history')
        [ -z "$left" ] || fail "after a kill and one more change, these files are left: $left"
    done
    say "50 kills: the old database $seen_old times, the new one $seen_new times"
}

try_writers() {
    has "" "$tabiya" convert classics.pgn both.si5 --force
    local game
    for game in 1 2 3 4 5 6 7 8 9 10; do
        wine "$tabiya" edit both.si5 delete "$game" >"a$game" 2>&1 </dev/null &
        wine "$tabiya" edit both.si5 delete "$((game + 10))" >"b$game" 2>&1 </dev/null &
        wait
    done
    local wanted=0 has
    for said in a? a10 b? b10; do
        if grep -q "is being changed by" "$said"; then continue; fi
        wanted=$((wanted + 1))
    done
    has=$(run "$tabiya" search both.si5 'flag:deleted' --count | tail -n 1) || true
    [ "$has" = "$wanted" ] || fail "two writers reported $wanted deleted games, but $has are deleted: $(cat a? b?)"
    say "two writers: $wanted changes of 20 were made, the others were refused with the name of the other writer"
}

try_installer() {
    local setup folder
    setup=$(echo "$dist"/tabiya-*-x86_64-windows-setup.exe)
    [ -e "$setup" ] || fail "no installer in $dist"
    folder=$(echo "$WINEPREFIX"/drive_c/users/*/AppData/Local/Programs/Tabiya)
    wine "$setup" /S
    for file in tabiya.exe tabiya-app.exe tabiya-fetch.exe tabiya.ico LICENSE.txt NOTICES.txt uninstall.exe; do
        [ -e "$(echo "$WINEPREFIX"/drive_c/users/*/AppData/Local/Programs/Tabiya/$file)" ] || fail "the installer did not install $file"
    done
    folder=$(echo "$WINEPREFIX"/drive_c/users/*/AppData/Local/Programs/Tabiya)
    ls "$WINEPREFIX"/drive_c/users/*/AppData/Roaming/Microsoft/Windows/'Start Menu'/Programs/Tabiya.lnk >/dev/null
    has "Tabiya" reg query 'HKCU\Software\Microsoft\Windows\CurrentVersion\Uninstall\Tabiya'
    has "tabiya-app.exe" reg query 'HKCU\Software\Classes\Tabiya.Database\shell\open\command'
    has "Tabiya.Database" reg query 'HKCU\Software\Classes\.si5\OpenWithProgids'
    has "37 games read, 37 written, nothing lost" "$folder/tabiya.exe" convert classics.pgn installed.si5 --verify
    serves "$folder/tabiya.exe" .
    wine "$setup" /S || fail "the installer cannot be run over an installed program"
    wine "$folder/uninstall.exe" /S '_?='"$(winepath -w "$folder")"
    # With this option it waits, and cannot remove itself.
    rm -f "$folder/uninstall.exe"
    rmdir "$folder" || fail "the uninstaller leaves these files: $(ls "$folder")"
    for key in 'HKCU\Software\Microsoft\Windows\CurrentVersion\Uninstall\Tabiya' 'HKCU\Software\Classes\Tabiya.Database' \
        'HKCU\Software\Tabiya'; do
        if wine reg query "$key" >/dev/null 2>&1; then fail "the uninstaller leaves $key"; fi
    done
    if run reg query 'HKCU\Software\Classes' /s | grep -i tabiya; then fail "the uninstaller leaves these registry keys"; fi
    if ls "$WINEPREFIX"/drive_c/users/*/AppData/Roaming/Microsoft/Windows/'Start Menu'/Programs/Tabiya.lnk 2>/dev/null; then
        fail "the uninstaller leaves the start menu entry"
    fi
    say "the installer installs, and its uninstaller leaves nothing"
}

for part in "${parts[@]}"; do
    case $part in
        program | large | browser | kills | writers | installer) "try_$part" ;;
        *) fail "no such part: $part; parts are program, large, browser, kills, writers, installer" ;;
    esac
done
wineserver -k 2>/dev/null || true
