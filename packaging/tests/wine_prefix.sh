#!/usr/bin/env bash
# Makes a Wine prefix in which Rust programs start; an existing one is not changed.
#
#   wine_prefix.sh FOLDER
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
export WINEPREFIX=$1 WINEDEBUG=-all
mkdir -p "$(dirname "$WINEPREFIX")"
[ -d "$WINEPREFIX/drive_c/windows/system32" ] || WINEDLLOVERRIDES='mscoree,mshtml=' wineboot -i >/dev/null 2>&1
system=$WINEPREFIX/drive_c/windows/system32
if [ ! -e "$system/bcryptprimitives.dll" ]; then
    # Wine 9 has it.
    x86_64-w64-mingw32-gcc -O2 -shared -s -o "$system/bcryptprimitives.dll" "$here/bcryptprimitives.c" -ladvapi32
fi
