"""Runs the example in Python behind `libMLIR.so`: load_mlir_first.py local|global FOLDER_OF_EXAMPLE ARGUMENT..."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import ctypes
import sys

mode, folder, *sys.argv[1:] = sys.argv[1:]
ctypes.CDLL("/usr/lib/llvm-22/lib/libMLIR.so", mode={"local": ctypes.RTLD_LOCAL, "global": ctypes.RTLD_GLOBAL}[mode])
sys.path.insert(0, folder)
sys.dont_write_bytecode = True
import print_plan  # noqa: E402, the library must be there first

print_plan.main()
