# Brings a Debian machine to the point where the project builds. Sourced by `try` and `check`.
# Every function says aloud what it installs and what it has to leave out.

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }

# Runs a command as root where that is possible, and fails quietly where it is not.
as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
        sudo "$@"
    else
        return 1
    fi
}

may_install() {
    command -v apt-get >/dev/null && as_root true
}

# Programs from Debian's games packages are not on everybody's PATH.
PATH="$PATH:/usr/games:/usr/sbin"
[ -d "$HOME/.cargo/bin" ] && PATH="$HOME/.cargo/bin:$PATH"
export PATH

apt_updated=
apt_update() {
    [ -z "$apt_updated" ] || return 0
    as_root apt-get update -qq </dev/null || say "the package lists could not be renewed, going on with the old ones"
    apt_updated=yes
}

apt_install() {
    apt_update
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" </dev/null >&2
}

# need_programs PROGRAM=PACKAGE… installs the packages whose programs are missing. Where that is
# impossible it says so; the caller decides with `command -v` whether it can do without.
need_programs() {
    local pair packages=()
    for pair in "$@"; do
        command -v "${pair%%=*}" >/dev/null || packages+=("${pair#*=}")
    done
    [ ${#packages[@]} -eq 0 ] && return 0
    if ! may_install; then
        say "missing here, and only root may install it: apt-get install ${packages[*]}"
        return 0
    fi
    say "installing ${packages[*]}"
    if ! apt_install "${packages[@]}"; then
        # One package that cannot be had must not keep the others away.
        local package
        for package in "${packages[@]}"; do
            apt_install "$package" || say "could not be installed: $package"
        done
    fi
}

# What to do when something could not be downloaded: nothing that is there already is fetched again.
download_failed() {
    say "could not be downloaded: $1"
    say "look at the network or its proxy (https_proxy), and run ./${0##*/} again: it goes on where it stopped"
    [ -z "${2:-}" ] || say "$2"
}

# Runs cargo after it has fetched what Cargo.lock names, so that a failed download is told from a failed build.
fetch_crates() {
    # A bare system trusts no site until this is there.
    [ -e /etc/ssl/certs/ca-certificates.crt ] || need_programs no-such-program=ca-certificates
    cargo fetch --locked </dev/null || {
        download_failed "the crates that Cargo.lock names" \
            "crates come from the registry of crates; a mirror can be set in ~/.cargo/config.toml"
        exit 1
    }
}

# is_enough WANTED HAVE: whether a version is the wanted one or a later one.
is_enough() {
    [ -n "$2" ] && [ "$(printf '%s\n' "$1" "$2" | sort -V | head -n 1)" = "$1" ]
}

# The version of a package that the distribution has, without what it adds to it.
version_of_package() {
    apt-cache policy "$1" 2>/dev/null | sed -n 's/^  Candidate: \([0-9.]*\).*/\1/p'
}

# Installs the distribution's own Rust, where it has one that is new enough: it is signed, and asks no other site.
# Debian keeps a second, newer one for its browsers.
need_rust_of_distribution() {
    local wanted=$1 names
    may_install || return 1
    apt_update
    for names in cargo:rustc:rust-clippy:rustfmt cargo-web:rustc-web:rust-web-clippy:rustfmt-web; do
        local cargo rustc clippy rustfmt package
        IFS=: read -r cargo rustc clippy rustfmt <<<"$names"
        is_enough "$wanted" "$(version_of_package "$cargo")" && is_enough "$wanted" "$(version_of_package "$rustc")" || continue
        say "installing $cargo and $rustc"
        apt_install "$cargo" "$rustc" || continue
        # Only the checks want these.
        for package in "$clippy" "$rustfmt"; do
            is_enough "$wanted" "$(version_of_package "$package")" && apt_install "$package" ||
                say "could not be installed: $package"
        done
        hash -r
        return 0
    done
    return 1
}

# Finds a Rust toolchain that is new enough, or brings one: the distribution's, else one by rustup.
need_rust() {
    local wanted have
    wanted=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
    have=$(cargo --version 2>/dev/null | cut -d ' ' -f 2 || true)
    ! is_enough "$wanted" "$have" || return 0
    say "Rust $wanted or newer is needed, found: ${have:-none}"
    if command -v rustup >/dev/null; then
        rustup toolchain install stable --profile minimal --component clippy --component rustfmt || {
            download_failed "Rust" "any Rust from $wanted on will do, from wherever it comes: cargo has to be on the PATH"
            exit 1
        }
        export RUSTUP_TOOLCHAIN=stable
        return 0
    fi
    ! need_rust_of_distribution "$wanted" || return 0
    need_programs curl=curl
    [ -e /etc/ssl/certs/ca-certificates.crt ] || need_programs no-such-program=ca-certificates
    say "installing Rust with rustup into $HOME/.cargo"
    curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs |
        sh -s -- -y --no-modify-path --profile minimal --component clippy --component rustfmt || {
        download_failed "Rust" "any Rust from $wanted on will do, from wherever it comes: cargo has to be on the PATH"
        exit 1
    }
    PATH="$HOME/.cargo/bin:$PATH"
}
