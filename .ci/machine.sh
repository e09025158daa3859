# Prepares a Debian machine to build the project. Sourced by `try` and `check`.
# Every function prints what it installs and what it has to leave out.

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }

# Runs a command as root if possible, and otherwise fails without a message.
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
    as_root apt-get update -qq </dev/null || say "the package lists could not be updated; using the old ones"
    apt_updated=yes
}

apt_install() {
    apt_update
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" </dev/null >&2
}

# need_programs PROGRAM=PACKAGE… installs the packages whose programs are missing. If that is
# impossible, it prints a message; the caller decides with `command -v` whether it can continue without them.
need_programs() {
    local pair packages=()
    for pair in "$@"; do
        command -v "${pair%%=*}" >/dev/null || packages+=("${pair#*=}")
    done
    [ ${#packages[@]} -eq 0 ] && return 0
    if ! may_install; then
        say "missing packages, which only root can install: apt-get install ${packages[*]}"
        return 0
    fi
    say "installing ${packages[*]}"
    if ! apt_install "${packages[@]}"; then
        # A package that cannot be installed must not prevent the others.
        local package
        for package in "${packages[@]}"; do
            apt_install "$package" || say "could not install $package"
        done
    fi
}

# Help for a failed download; downloads that are complete are not repeated.
download_failed() {
    say "could not download $1"
    say "check the network and its proxy (https_proxy), and run ./${0##*/} again: it continues where it stopped"
    [ -z "${2:-}" ] || say "$2"
}

# Downloads the crates in Cargo.lock before cargo builds, so that a failed download is not mistaken for a failed build.
fetch_crates() {
    # A bare system trusts no site until this is installed.
    [ -e /etc/ssl/certs/ca-certificates.crt ] || need_programs no-such-program=ca-certificates
    cargo fetch --locked </dev/null || {
        download_failed "the crates in Cargo.lock" \
            "crates are downloaded from the crate registry; you can set a mirror in ~/.cargo/config.toml"
        exit 1
    }
}

# is_enough REQUIRED HAVE: whether a version is the required one or a later one.
is_enough() {
    [ -n "$2" ] && [ "$(printf '%s\n' "$1" "$2" | sort -V | head -n 1)" = "$1" ]
}

# The version of a package in the distribution, without the distribution's suffix.
version_of_package() {
    apt-cache policy "$1" 2>/dev/null | sed -n 's/^  Candidate: \([0-9.]*\).*/\1/p'
}

# Installs the distribution's own Rust if it is new enough: it is signed and needs no other site.
# Debian has a second, newer one for its browsers.
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
        # Only the checks need these.
        for package in "$clippy" "$rustfmt"; do
            is_enough "$wanted" "$(version_of_package "$package")" && apt_install "$package" ||
                say "could not install $package"
        done
        hash -r
        return 0
    done
    return 1
}

# Finds a Rust toolchain that is new enough, or installs one: the distribution's, otherwise with rustup.
need_rust() {
    local wanted have
    wanted=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
    have=$(cargo --version 2>/dev/null | cut -d ' ' -f 2 || true)
    ! is_enough "$wanted" "$have" || return 0
    say "Rust $wanted or newer is required; found: ${have:-none}"
    if command -v rustup >/dev/null; then
        rustup toolchain install stable --profile minimal --component clippy --component rustfmt || {
            download_failed "Rust" "any Rust from $wanted on works, from any source: cargo must be on the PATH"
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
        download_failed "Rust" "any Rust from $wanted on works, from any source: cargo must be on the PATH"
        exit 1
    }
    PATH="$HOME/.cargo/bin:$PATH"
}
