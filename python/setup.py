import os
import shutil

from setuptools import Extension, setup
from setuptools.command.sdist import sdist

# The headers are those that C programs use. In the repository they are in the folder beside this
# one, and an sdist has copies of its own.
HERE = os.path.dirname(os.path.abspath(__file__))
HEADERS = [os.path.join("seam", name) for name in ("ring.h", "listen.h", "publish.h")]
include = next((i for i in (os.path.join(HERE, "include"), os.path.join(HERE, os.pardir, "include")) if all(os.path.exists(os.path.join(i, h)) for h in HEADERS)), None)
if include is None:
    raise SystemExit("seam/ring.h, listen.h or publish.h is missing: build from the repository, or from an sdist")


class SelfContained(sdist):
    def make_release_tree(self, base_dir, files):
        super().make_release_tree(base_dir, files)
        for header in HEADERS:
            to = os.path.join(base_dir, "include", header)
            os.makedirs(os.path.dirname(to), exist_ok=True)
            shutil.copy(os.path.join(include, header), to)


setup(
    cmdclass={"sdist": SelfContained},
    ext_modules=[
        Extension(
            "seam_ring._ring",
            ["seam_ring/_ring.c", "seam_ring/_publish.c"],
            include_dirs=[include],
            # Only what is in this folder: a path outside of it would be followed into the sdist.
            depends=["seam_ring/_ring.h"],
            extra_compile_args=["-O2", "-std=c11"],
        )
    ],
)
