"""Builds package seam_ring with a C compiler alone, where there is no pip or setuptools.

    python3 build.py DIR [INCLUDE]

DIR is a folder for PYTHONPATH, and INCLUDE the one with seam/ring.h. CC is the compiler.
Exit code 3: something that it takes isn't here, and what is printed says what.
"""

import glob
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig

HERE = os.path.dirname(os.path.abspath(__file__))


def build(folder, include):
    headers = sysconfig.get_paths()["include"]
    compiler = shlex.split(os.environ.get("CC") or "cc")
    if not os.path.exists(os.path.join(headers, "Python.h")):
        missing("Python's headers aren't in %s: install python3-dev" % headers)
    if shutil.which(compiler[0]) is None:
        missing("there is no C compiler: %s" % compiler[0])
    package = os.path.join(folder, "seam_ring")
    os.makedirs(package, exist_ok=True)
    for module in glob.glob(os.path.join(HERE, "seam_ring", "*.py")):
        shutil.copy(module, package)
    subprocess.run(
        compiler
        + ["-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", "-I" + include, "-isystem", headers]
        + [os.path.join(HERE, "seam_ring", source) for source in ("_ring.c", "_publish.c")]
        + ["-o"]
        + [os.path.join(package, "_ring" + sysconfig.get_config_var("EXT_SUFFIX"))],
        check=True,
    )


def missing(what):
    print(what)
    sys.exit(3)


if __name__ == "__main__":
    build(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else os.path.join(HERE, os.pardir, "include"))
