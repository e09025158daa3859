#!/usr/bin/env bash
# Tests the results of `cargo xtask dist` in bare Debian systems, as debootstrap makes them.
#
#   packaging/tests/chroots.sh [archive] [debian] [source]
#
# archive  install with install.sh, run and remove on Debian 11, 12 and 13
# debian   check the packages with lintian and their desktop files; install, use, upgrade and remove on Debian 12 and 13
# source   ./try on Debian 12 and 13, as root and as a user with sudo, with the distribution's Rust; TABIYA_FULL=1: also ./check
#
# The default is the first two. Needs root, debootstrap and a mirror, and reports what is missing. TABIYA_DIST is the folder with the
# results (target/dist), TABIYA_CHROOTS the folder where the systems are kept between runs (target/chroots); TABIYA_SUITES and TABIYA_WHO
# (root, user) choose systems and users.
set -euo pipefail
cd "$(dirname "$0")/../.."
target=${CARGO_TARGET_DIR:-target}
dist=$(realpath -m "${TABIYA_DIST:-$target/dist}")
chroots=$(realpath -m "${TABIYA_CHROOTS:-$target/chroots}")
parts=("$@")
[ ${#parts[@]} -gt 0 ] || parts=(archive debian)

say() { printf 'chroots: %s\n' "$*" >&2; }
fail() { say "$*"; exit 1; }
skip() { printf 'skipped: %s\n' "$*" >&2; exit 0; }

[ "$(id -u)" -eq 0 ] || skip "bare systems: only root can make them"
PATH=$PATH:/usr/sbin:/sbin
command -v debootstrap >/dev/null || skip "bare systems: debootstrap is not installed"

# A fresh copy of a bare system, as $root. Tests do not change the one that is kept.
fresh() {
    local suite=$1
    if [ ! -e "$chroots/$suite.done" ]; then
        rm -rf "${chroots:?}/$suite"
        mkdir -p "$chroots"
        say "making a bare $suite"
        debootstrap --variant=minbase "$suite" "$chroots/$suite" >"$chroots/$suite.log" 2>&1 ||
            fail "debootstrap $suite: $(tail -n 3 "$chroots/$suite.log")"
        touch "$chroots/$suite.done"
    fi
    root=$chroots/$suite-tried
    rm -rf "${root:?}"
    cp -a "$chroots/$suite" "$root"
    cp /etc/resolv.conf "$root/etc/resolv.conf"
    [ -z "${https_proxy:-}" ] || printf 'Acquire::https::Proxy "%s";\n' "$https_proxy" >"$root/etc/apt/apt.conf.d/proxy"
    [ -z "${http_proxy:-}" ] || printf 'Acquire::http::Proxy "%s";\n' "$http_proxy" >>"$root/etc/apt/apt.conf.d/proxy"
    mkdir -p "$root/trial"
    cp docs/samples/classics.pgn packaging/tests/main_job.sh "$root/trial"
    # If a proxy signs for all sites, its certificates are trusted instead of Debian's.
    certificates=()
    if [ -n "${SSL_CERT_FILE:-}" ]; then
        cp "$SSL_CERT_FILE" "$root/trial/certificates.crt"
        certificates=(SSL_CERT_FILE=/trial/certificates.crt CARGO_HTTP_CAINFO=/trial/certificates.crt)
    fi
}

# Runs a command in $root. Its processes and mounts end with it.
inside() {
    unshare --mount --pid --fork --kill-child bash -c '
        root=$1
        shift
        mount -t proc proc "$root/proc"
        [ -e "$root/dev/null" ] || mount --bind /dev "$root/dev"
        # Terminals, which every system has and a folder alone has not.
        mount -t devpts -o newinstance,ptmxmode=0666,mode=0620 devpts "$root/dev/pts"
        exec chroot "$root" /usr/bin/env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
            HOME="${TRIAL_HOME:-/root}" LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive ${https_proxy:+https_proxy="$https_proxy"} "$@"
    ' inside "$root" "${certificates[@]}" "$@"
}

# Every name in the system, except those that the package manager and the test write.
names() {
    (cd "$root" && find . \( -path ./proc -o -path ./sys -o -path ./dev -o -path ./trial -o -path ./tmp -o -path ./var/cache \
        -o -path ./var/lib/dpkg -o -path ./var/lib/apt -o -path ./var/log \) -prune -o -print | LC_ALL=C sort)
}

try_archive() {
    local archive suite
    archive=$(echo "$dist"/tabiya-*-x86_64-linux.tar.gz)
    [ -e "$archive" ] || fail "no archive in $dist: run cargo xtask dist materials archive"
    (cd "$dist" && sha256sum --quiet --ignore-missing -c SHA256SUMS) || fail "the checksums do not match the files"
    for suite in ${TABIYA_SUITES:-bullseye bookworm trixie}; do
        fresh "$suite"
        mkdir "$root/trial/unpacked"
        tar -xzf "$archive" -C "$root/trial/unpacked" --strip-components=1
        # In folders that other programs use too.
        inside sh -c "mkdir -p /root/.local/share /root/.local/bin && touch /root/.local/share/kept /root/.local/bin/kept"
        names >"$chroots/before"
        inside sh /trial/unpacked/install.sh
        inside bash /trial/main_job.sh /root/.local/bin/tabiya /trial/classics.pgn
        # Installing again is an upgrade.
        inside sh /trial/unpacked/install.sh >/dev/null
        inside sh /trial/unpacked/install.sh --remove
        names | diff "$chroots/before" - || fail "$suite: install.sh --remove leaves these files"
        say "the archive works on $suite"
    done
}

# A package of the same files with a higher revision.
higher_revision() {
    local work=$chroots/raised
    rm -rf "$work"
    dpkg-deb -R "$1" "$work"
    sed -i 's/^\(Version: .*\)/\1+1/' "$work/DEBIAN/control"
    dpkg-deb --root-owner-group -Znone -b "$work" "$2" >/dev/null
    rm -rf "$work"
}

try_debian() {
    local packages=("$dist"/tabiya_*_amd64.deb) suite package
    [ -e "${packages[0]}" ] || fail "no package in $dist: run cargo xtask dist materials debian"
    for package in "$dist"/tabiya-sql_*_amd64.deb; do
        [ -e "$package" ] && packages+=("$package") || say "skipped: tabiya-sql, which was not made"
    done
    if command -v lintian >/dev/null; then
        # Test builds have no maintainer.
        lintian --fail-on error,warning --suppress-tags bogus-mail-host-in-debian-changelog,bogus-mail-host,initial-upload-closes-no-bugs \
            "${packages[@]}" || fail "lintian reports problems"
    else
        say "skipped: lintian, which is not installed"
    fi
    for suite in ${TABIYA_SUITES:-bookworm trixie}; do
        fresh "$suite"
        cp "${packages[@]}" "$root/trial"
        higher_revision "${packages[0]}" "$root/trial/raised.deb"
        names >"$chroots/before"
        inside sh -c 'dpkg -i /trial/tabiya*_amd64.deb' >"$chroots/$suite.install" 2>&1 || fail "$suite: $(cat "$chroots/$suite.install")"
        inside bash /trial/main_job.sh tabiya /trial/classics.pgn
        if [ ${#packages[@]} -gt 1 ]; then
            local rows
            rows=$(inside tabiya sql "SELECT count(*) AS n FROM '/trial/classics.pgn'" 2>&1)
            case $rows in *37*) ;; *) fail "$suite: tabiya sql printed: $rows" ;; esac
        fi
        inside dpkg -i /trial/raised.deb >/dev/null
        [[ $(inside dpkg-query -W -f '${Version}' tabiya) == *+1 ]] || fail "$suite: the upgrade is not installed"
        inside bash /trial/main_job.sh tabiya /trial/classics.pgn
        inside sh -c 'dpkg -P $(dpkg-query -W -f "\${Package} " "tabiya*")' >/dev/null
        names | diff "$chroots/before" - || fail "$suite: removing the packages leaves these files"

        # With the lists of desktops: entries are valid, files are known, and no list has the program after its removal.
        inside sh -c 'apt-get update -qq && apt-get install -y -qq --no-install-recommends desktop-file-utils shared-mime-info appstream man-db' \
            >"$chroots/$suite.apt" 2>&1 || fail "$suite: $(tail -n 5 "$chroots/$suite.apt")"
        inside sh -c 'dpkg -i /trial/tabiya_*_amd64.deb' >/dev/null
        inside desktop-file-validate /usr/share/applications/tabiya.desktop
        inside sh -c 'appstreamcli validate --no-net --pedantic /usr/share/metainfo/*tabiya*.metainfo.xml' || fail "$suite: AppStream"
        inside grep -q 'application/x-scid-database=tabiya.desktop' /usr/share/applications/mimeinfo.cache
        for ending in pgn si5 si4 cbh 2cbh cbv cbf cdp jose fbk ctg abk epd; do
            inside grep -q ":\*\.$ending\$" /usr/share/mime/globs || fail "$suite: .$ending is not a known type of file"
        done
        inside sh -c 'man -w tabiya tabiya-search tabiya-query >/dev/null' || fail "$suite: manual pages"
        inside dpkg -P tabiya >/dev/null
        # (The cache of manual pages is renewed once a day.)
        if inside grep -rIl tabiya /usr/share /etc; then fail "$suite: these files still name the program"; fi
        say "the packages work on $suite"
    done
}

try_source() {
    local suite who
    for suite in ${TABIYA_SUITES:-bookworm trixie}; do
        for who in ${TABIYA_WHO:-root user}; do
            fresh "$suite"
            # A newer Rust is among the security updates, which every installed Debian uses.
            sed -i "p; s|^\(deb .*/debian\) $suite main.*|\1-security $suite-security main|" "$root/etc/apt/sources.list"
            mkdir -p "$root/trial/source"
            git archive HEAD | tar -x -C "$root/trial/source"
            local -a call=(bash -c 'cd /trial/source && time ./try')
            local trusted
            trusted=$(printf '%s ' "${certificates[@]}")
            if [ "$who" = user ]; then
                inside sh -c 'apt-get update -qq && apt-get install -y -qq --no-install-recommends sudo && useradd -m player &&
                    echo "player ALL=(ALL) NOPASSWD: ALL" >/etc/sudoers.d/player && chown -R player /trial' >/dev/null 2>&1
                call=(su player -c "cd /trial/source && env $trusted bash -c 'time ./try'")
            fi
            inside "${call[@]}" >"$chroots/$suite-$who.try" 2>&1 || fail "$suite, $who: $(tail -n 20 "$chroots/$suite-$who.try")"
            tail -n 4 "$chroots/$suite-$who.try"
            if [ "${TABIYA_FULL:-}" = 1 ] && [ "$who" = root ]; then
                inside bash -c 'cd /trial/source && time ./check' >"$chroots/$suite.check" 2>&1 || fail "$suite: $(tail -n 30 "$chroots/$suite.check")"
                grep '^skipped: ' "$chroots/$suite.check" || true
                tail -n 4 "$chroots/$suite.check"
            fi
            say "./try works on $suite as $who"
        done
    done
}

for part in "${parts[@]}"; do
    case $part in
        archive | debian | source) "try_$part" ;;
        *) fail "no such part: $part; parts are archive, debian, source" ;;
    esac
done
rm -rf "${root:?}"
