#!/bin/sh
# Make .venv and install the requirements file given, unless it holds just that already.
set -eu
cd "$(dirname "$0")/.."
requirements=$1

usable() {
    "$1" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null
}

find_python() {
    for name in ${PYTHON:-} python3.11 python3.12 python3.13 python3; do
        if usable "$name"; then
            echo "$name"
            return
        fi
    done
    echo "Reaffirm needs Python 3.11, 3.12 or 3.13. None was found; PYTHON=/path/to/python makes it use that one." >&2
    return 1
}

check_libraries() {
    "$1" - <<'PYTHON'
import ctypes, os, platform, sys

if platform.system() != "Linux":
    sys.exit()
missing = []
for library, package in (("libgomp.so.1", "libgomp1"), ("libssl.so.3", "libssl3"), ("libstdc++.so.6", "libstdc++6")):
    try:
        ctypes.CDLL(library)
    except OSError:
        missing.append(package)
if missing:
    sys.exit(f"The embedded graph server needs {' and '.join(missing)}. On Debian: apt-get install {' '.join(missing)}")
name, _, version = (os.confstr("CS_GNU_LIBC_VERSION") or "").partition(" ")
if tuple(int(part) for part in version.split(".")[:2] if part.isdigit()) < (2, 35):
    sys.exit(f"The embedded graph server needs glibc 2.35 or newer (Debian 12, Ubuntu 22.04); this is {name} {version}.")
PYTHON
}

# requirements-dev.txt holds everything that requirements.txt does, so its stamp serves both.
stamp_of() {
    cksum <"$1" | tr -d ' '
}
if [ -x .venv/bin/python ] && usable .venv/bin/python; then
    for file in "$requirements" requirements-dev.txt; do
        if [ -f ".venv/installed-$(stamp_of "$file")" ]; then
            exit 0
        fi
    done
else
    rm -rf .venv
    python=$(find_python)
    check_libraries "$python"
    if ! "$python" -m venv .venv; then
        rm -rf .venv
        echo "Making .venv failed. On Debian: apt-get install python3-venv" >&2
        exit 1
    fi
fi
check_libraries .venv/bin/python
echo "Installing $requirements into .venv"
.venv/bin/python -m pip install --quiet --disable-pip-version-check --requirement "$requirements"
rm -f .venv/installed-*
touch ".venv/installed-$(stamp_of "$requirements")"
