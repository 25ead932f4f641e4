"""Runs programs that convert-collective-to-mpi made with stock tools on one MPI: a stock mlir-opt lowers them, stock tools
of LLVM make a library of the result, and a stock mlir-runner on each rank calls it.

    run_mpi.py LLVM_TOOLS openmpi|mpich WORK_FOLDER collectives|others|training

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import pathlib
import re
import subprocess
import sys

import numpy

import collective_cases
import other_cases

LOWER = ["--convert-linalg-to-loops", "--convert-scf-to-cf", "--expand-strided-metadata", "--lower-affine",
         "--convert-to-llvm", "--reconcile-unrealized-casts"]
BUFFERIZE = "--one-shot-bufferize=bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map"
MPIS = {
    "openmpi": ("OpenMPI", "libmpi.so", ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe"], "OMPI_COMM_WORLD_RANK"),
    "mpich": ("MPICH", "libmpich.so", ["mpiexec.hydra"], "PMI_RANK"),
}
DRIVER = "func.func private @run()\nfunc.func @main() {\n  mpi.init\n  call @run() : () -> ()\n  mpi.finalize\n  return\n}\n"


def output_of(command, text=None):
    run = subprocess.run([str(word) for word in command], input=text, capture_output=True, text=True, check=False, timeout=600)
    if run.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))[:300]}: {run.returncode}\n{run.stderr[-3000:]}{run.stdout[-1000:]}")
    return run.stdout


class Mpi:
    """One MPI and a folder to work in."""

    def __init__(self, tools, name, work):
        self.tools = tools
        self.implementation, library, self.launcher, self.rank_variable = MPIS[name]
        self.library = output_of(["g++", f"-print-file-name={library}"]).strip()
        self.work = work
        self.work.mkdir(parents=True, exist_ok=True)

    def lower(self, text, passes=()):
        """Text of the LLVM dialect, as mlir-runner reads it: without the name of the MPI, which has done its work."""
        options = f"implementation={self.implementation} ranks-per-node=2"
        converted = output_of(["dist-opt", "-", *passes, f"--convert-collective-to-mpi={options}"], text)
        lowered = output_of([self.tools / "mlir-opt", "-", *LOWER], converted)
        return re.sub(r" attributes \{dlti[^}]*\}", "", lowered)

    def compile(self, text):
        """A shared library, so that not every rank compiles a program of many functions."""
        code = self.work / "program.ll"
        code.write_text(output_of([self.tools / "mlir-translate", "-", "--mlir-to-llvmir"], self.lower(text)), encoding="utf-8")
        output_of([self.tools / "llc", "-O1", "-filetype=obj", "-relocation-model=pic", code, "-o", self.work / "program.o"])
        output_of(["g++", "-shared", self.work / "program.o", "-o", self.work / "libprogram.so"])
        return self.work / "libprogram.so"

    def run(self, text, ranks, libraries=()):
        """What each of the ranks prints, when they run @main of a text of the LLVM dialect."""
        program = self.work / "program.mlir"
        program.write_text(text, encoding="utf-8")
        of_llvm = [self.tools.parent / f"lib/libmlir_{name}_utils.so" for name in ("runner", "c_runner", "float16")]
        names = ",".join(str(library) for library in (*of_llvm, self.library, *libraries))
        runner = f"{self.tools}/mlir-runner {program} -e main --entry-point-result=void --shared-libs={names}"
        output_of([*self.launcher, "-n", ranks, "bash", "-c", f"{runner} > {self.work}/out.${self.rank_variable}"])
        return [(self.work / f"out.{rank}").read_text(encoding="utf-8") for rank in range(ranks)]


def printed_memrefs(text):
    return [numpy.array([float(word) if "." in word or "e" in word else int(word) for word in row.split(",")])
            for row in re.findall(r"data =\s*\[([^\]]*)\]", text)]


def run_cases(mpi, text, ranks):
    outputs = mpi.run(mpi.lower(DRIVER), ranks, [mpi.compile(text)])
    return [printed_memrefs(output) for output in outputs]


def check_collectives(mpi):
    cases = collective_cases.all_cases()
    got = run_cases(mpi, collective_cases.program(cases), collective_cases.RANKS)
    wrong = 0
    for rank, rows in enumerate(got):
        if len(rows) != len(cases):
            sys.exit(f"rank {rank} printed {len(rows)} of {len(cases)} results")
        for case, row in zip(cases, rows):
            expected = case.expected(rank)
            nan = numpy.isnan(expected) if case.element in collective_cases.FLOATS else numpy.zeros(len(expected), bool)
            bits = collective_cases.bits_of(expected, case.element)
            if len(row) != len(bits) or not (nan | (row == bits)).all() or (nan & (row == 0)).any():
                wrong += 1
                print(f"{case.name()}, rank {rank}: expected {bits}, got {row}")
    if wrong:
        sys.exit(f"{wrong} wrong")
    print(f"{len(cases)} collectives on {collective_cases.RANKS} ranks, bit for bit what numpy says")


def check_others(mpi):
    got = run_cases(mpi, other_cases.PROGRAM, other_cases.RANKS)
    for rank, rows in enumerate(got):
        expected = other_cases.expected(rank)
        if len(rows) != len(expected):
            sys.exit(f"rank {rank} printed {len(rows)} of {len(expected)} results")
        for (what, values), row in zip(expected, rows):
            if list(values) != list(row):
                sys.exit(f"{what}, rank {rank}: expected {values}, got {row}")
    print(f"{len(expected)} other uses on {other_cases.RANKS} ranks as expected")


def check_training(mpi):
    source = pathlib.Path(__file__).parents[3] / "docs/examples/least_squares.mlir"
    planes = {}
    for ranks in (1, 2, 4):
        passes = ["--distribute", f"--specialize-world=ranks={ranks}", "--lower-train", "--canonicalize", BUFFERIZE]
        outputs = mpi.run(mpi.lower(source.read_text(encoding="utf-8"), passes), ranks)
        (planes[ranks],) = printed_memrefs(outputs[0])
    for ranks, plane in planes.items():
        difference = abs(plane - planes[1]).max()
        if len(plane) != 5 or difference > 2e-5 or abs(plane - [1, -2, 3, -4, 0.5]).max() > 1e-4:
            sys.exit(f"{ranks} ranks trained {plane}, one rank {planes[1]}")
    print("1, 2 and 4 ranks trained the same plane")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tools", type=pathlib.Path)
    parser.add_argument("mpi", choices=MPIS)
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("what", choices=["collectives", "others", "training"])
    arguments = parser.parse_args()
    mpi = Mpi(arguments.tools, arguments.mpi, arguments.work)
    {"collectives": check_collectives, "others": check_others, "training": check_training}[arguments.what](mpi)


if __name__ == "__main__":
    main()
