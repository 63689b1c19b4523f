"""A plugin for pytest: cuda.bindings' own tests import helpers from `cuda.bindings` that are in its repository and not in its package."""

import pathlib

import cuda.bindings

# Tests are run in the repository's folder. What the package has comes first.
cuda.bindings.__path__.append(str(pathlib.Path.cwd() / "cuda_bindings/cuda/bindings"))
