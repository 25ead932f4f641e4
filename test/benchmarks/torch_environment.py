"""How PyTorch is run as a peer: one thread a rank.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import os
import pathlib


def torch_environment(tuned=False):
    """Tuned: glibc keeps freed memory, and OpenBLAS uses its AVX-512 kernels where the processor has them."""
    environment = dict(os.environ, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    if tuned:
        environment.update(MALLOC_TRIM_THRESHOLD_="-1", MALLOC_MMAP_THRESHOLD_="4294967296")
        if "avx512f" in pathlib.Path("/proc/cpuinfo").read_text():
            environment["OPENBLAS_CORETYPE"] = "SkylakeX"
    return environment
