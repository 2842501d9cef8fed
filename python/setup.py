import os
import shutil

from setuptools import Extension, setup
from setuptools.command.sdist import sdist

# The header is the one that C programs use. In the repository it is in the folder beside this
# one, and an sdist has a copy of its own.
HERE = os.path.dirname(os.path.abspath(__file__))
HEADER = os.path.join("seam", "ring.h")
include = next((i for i in (os.path.join(HERE, "include"), os.path.join(HERE, os.pardir, "include")) if os.path.exists(os.path.join(i, HEADER))), None)
if include is None:
    raise SystemExit("seam/ring.h is missing: build from the repository, or from an sdist")


class SelfContained(sdist):
    def make_release_tree(self, base_dir, files):
        super().make_release_tree(base_dir, files)
        to = os.path.join(base_dir, "include", HEADER)
        os.makedirs(os.path.dirname(to), exist_ok=True)
        shutil.copy(os.path.join(include, HEADER), to)


setup(
    cmdclass={"sdist": SelfContained},
    ext_modules=[
        Extension(
            "seam_ring._ring",
            ["seam_ring/_ring.c"],
            include_dirs=[include],
            # A path outside of the folder would be followed into the sdist.
            depends=[],
            extra_compile_args=["-O2", "-std=c11"],
        )
    ],
)
