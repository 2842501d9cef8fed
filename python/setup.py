import os

from setuptools import Extension, setup

# The header is the one that C programs use, beside this folder. pip builds in place.
include = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "include")

setup(
    ext_modules=[
        Extension(
            "seam_ring._ring",
            ["seam_ring/_ring.c"],
            include_dirs=[include],
            depends=[os.path.join(include, "seam", "ring.h")],
            extra_compile_args=["-O2", "-std=c11"],
        )
    ]
)
