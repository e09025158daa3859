#!/bin/sh
# Installs Tabiya for one user, into ~/.local or the given folder; --remove uninstalls it.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
remove=
if [ "${1:-}" = --remove ]; then
    remove=yes
    shift
fi
to=${1:-$HOME/.local}
cd "$here/files"
if [ -n "$remove" ]; then
    find . -type f | while IFS= read -r file; do rm -f "$to/$file"; done
    # Remove empty folders too, the deepest first.
    find . -depth -mindepth 1 -type d | while IFS= read -r folder; do rmdir "$to/$folder" 2>/dev/null || true; done
    echo "Tabiya was removed from $to"
else
    find . -type f | while IFS= read -r file; do
        mkdir -p "$to/$(dirname "$file")"
        # A running program is not overwritten: the new one takes its name.
        cp -p "$file" "$to/$file.new"
        mv -f "$to/$file.new" "$to/$file"
    done
    echo "Tabiya was installed as $to/bin/tabiya"
    case ":$PATH:" in
        *":$to/bin:"*) ;;
        *) echo "Add $to/bin to your PATH to run it as tabiya." ;;
    esac
fi
# Desktops keep their own lists of these.
command -v update-mime-database >/dev/null && update-mime-database "$to/share/mime" 2>/dev/null || true
command -v update-desktop-database >/dev/null && update-desktop-database "$to/share/applications" 2>/dev/null || true
