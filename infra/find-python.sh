#!/bin/sh
# Print the path of a Python of the version $1 that runs, be it on the PATH, pyenv's or uv's (the program $2), or fail.
# A name on the PATH is not enough: pyenv puts a shim there for each version, which fails while that version is not on.
version=$1
uv=$2
for python in "python$version" "${PYENV_ROOT:-$HOME/.pyenv}/versions/$version".*/bin/python \
    "$("$uv" python find --managed-python --no-project --no-python-downloads "$version" 2> /dev/null)" python3; do
    if found=$("$python" -c "import sys; print(sys.executable); sys.exit('%d.%d' % sys.version_info[:2] != '$version')" \
        2> /dev/null); then
        echo "$found"
        exit
    fi
done
exit 1
