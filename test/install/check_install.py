"""Uses an installed Tutti as strangers do: check_install.py CHECK --build BUILD --work FOLDER.

`tree` installs into FOLDER/prefix, through another folder, so that nothing can hold on to where it was installed first. The
other checks use that prefix: `headers`, `stages` (what the linker takes for one), `components`, `embed` (which
runs docs/embedding.md), `forms` (one program in three dialects), `c` (the C API, from C and Python), `python`
(the package), `lit` and `plugin`. `packages` makes the Debian packages and installs them into a root in FOLDER."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]
LLVM = pathlib.Path("/usr/lib/llvm-22/bin")


def fail(text):
    sys.exit(f"error: {text}")


def run(*command, status=0, **options):
    """The output of a command that must end with `status`."""
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", check=False, **options)
    if done.returncode != status:
        fail(f"{' '.join(str(word) for word in command)} ended with {done.returncode}, not {status}:\n{done.stdout}")
    return done.stdout


def expect(text, *patterns):
    for pattern in patterns:
        if not re.search(pattern, text):
            fail(f"no '{pattern}' in:\n{text}")


class Checks:
    def __init__(self, build, work):
        self.build = pathlib.Path(build).resolve()
        self.work = pathlib.Path(work).resolve()
        self.prefix = self.work / "prefix"

    def project(self, folder, target):
        """The program `target` of the CMake project in `folder`, built against the prefix."""
        build = self.work / folder.name
        launcher = ["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
        run("cmake", "-S", folder, "-B", build, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={self.prefix}",
            "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CXX_FLAGS_RELEASE=-O1", *launcher)
        run("cmake", "--build", build)
        return build / target

    def tree(self):
        for folder in (self.prefix, self.work / "elsewhere"):
            shutil.rmtree(folder, ignore_errors=True)
        run("cmake", "--install", self.build, "--prefix", self.work / "elsewhere")
        (self.work / "elsewhere").rename(self.prefix)
        expect(run(self.prefix / "bin/dist-opt", "--version"), "LLVM")
        self.run_model("-n", 2)
        self.run_served()

    def train(self, model, data, keys, *options):
        """Where it is installed, with nothing of the build folder on any path."""
        out = run(self.prefix / "bin/dist-run", *options, SOURCE / "test/models" / model,
                  "--train=loss=softmax-cross-entropy optimizer=sgd learning-rate=0.1 global-batch=64", f"--distribute={keys}",
                  "--dataset", SOURCE / "test/data" / data, "--steps", "3", env={"PATH": "/usr/bin:/bin", "HOME": str(self.work)})
        expect(out, "loss")

    def run_model(self, *options):
        self.train("digits_mlp.onnx", "digits_train.npz", "", *options)

    def run_served(self):
        """With tables on servers, which a shared object of its own holds."""
        self.train("clicks.onnx", "clicks_train.npz", "serve=user.weight,item.weight", "-n", 2)

    def headers(self):
        """What headers include is installed too, and nothing says where it was built."""
        include = self.prefix / "include"
        for header in include.rglob("*"):
            if not header.is_file():
                continue
            for name in re.findall(r'include "((?:tutti|tutti-c)/[^"]+)"', header.read_text()):
                if not (include / name).exists() and name not in header.name:
                    fail(f"{header.relative_to(include)} includes {name}, which is not installed")
            for name in re.findall(r'include "((?:dialects|lib|passes|runtime)/[^"]+)"', header.read_text()):
                fail(f"{header.relative_to(include)} includes {name}, which only the build folder has")
        for file in [*include.rglob("*"), *(self.prefix / "lib/cmake").rglob("*")]:
            if file.is_file() and (str(SOURCE) in file.read_text() or str(self.build) in file.read_text()):
                fail(f"{file} names the folder it was built from")
        # What an embedder includes first needs no other header before it.
        for header in ("dialects/interfaces/All.h", "dialects/interfaces/ranks/Communication.h", "dialects/interfaces/Determinism.h",
                       "dialects/interfaces/Optimizer.h", "passes/Embedding.h"):
            run("c++", "-std=c++17", "-fsyntax-only", "-x", "c++", "-isystem", LLVM.parent / "include", "-I", include,
                include / "tutti" / header)

    def stages(self):
        """The communication stage takes neither ONNX, nor protobuf, nor the runtime; its headers know no training programs."""
        program = self.project(SOURCE / "test/install/communication", "only-communication")
        expect(run(program), "all_reduce sum %arg0, %arg1")
        taken = set(re.findall(r"lib(Tutti\w+|tutti\w*)\.a", (program.parent / "map.txt").read_text()))
        allowed = {"TuttiAnalysis", "TuttiOptions", "TuttiCollective", "TuttiCommunicationPasses", "TuttiInterfaces", "TuttiProgram",
                   "TuttiKernel", "TuttiPs", "TuttiTrain"}
        if not {"TuttiCommunicationPasses", "TuttiCollective"} <= taken <= allowed:
            fail(f"the linker took {sorted(taken)}; expected are {sorted(allowed)} or some of them")
        read = run("c++", "-std=c++17", "-M", "-I", self.prefix / "include", "-isystem", LLVM.parent / "include",
                   "-x", "c++", "-include", "tutti/passes/communication/Passes.h", "-include", "tutti/passes/registration/Register.h", "/dev/null")
        if found := re.findall(r"tutti/(?:dialects|lib)/\S+|\S*(?:onnx|protobuf)\S*", read):
            fail(f"the headers of the stage include {found}")
        loaded = run("ldd", program)
        for name in ("libonnx", "libprotobuf", "libtutti", "libdnnl", "librocksdb", "libgrpc"):
            if name in loaded:
                fail(f"the program loads {name}:\n{loaded}")

    def components(self):
        """What find_package says of components that there are not, and of the runtime alone."""
        for components, status, says in (("nonsense", 1, "Tutti has no component 'nonsense'; there are interfaces"),
                                         ("runtime", 0, "MLIR is not looked for")):
            folder = self.work / "components"
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            (folder / "CMakeLists.txt").write_text(
                "cmake_minimum_required(VERSION 3.20)\nproject(p LANGUAGES C)\n"
                f"find_package(Tutti REQUIRED COMPONENTS {components})\n"
                "if(NOT MLIR_FOUND)\nmessage(STATUS \"MLIR is not looked for\")\nendif()\n"
                "add_executable(p ${PROGRAM})\ntarget_link_libraries(p PRIVATE Tutti::runtime)\n")
            out = run("cmake", "-S", folder, "-B", folder / "build", f"-DCMAKE_PREFIX_PATH={self.prefix}",
                      f"-DPROGRAM={SOURCE}/docs/examples/all_reduce.c", status=status)
            expect(re.sub(r"\s+", " ", out), says)
        run("cmake", "--build", folder / "build")
        expect(run(folder / "build/p"), r"rank 3: 1 \+ 2 \+ 3 \+ 4 = 10")
        symbols = run("nm", "-D", "--defined-only", self.prefix / "lib/libtutti.so")
        version = re.search(r"TUTTI_ABI_VERSION (\d+)", (self.prefix / "include/tutti/context.h").read_text())[1]
        expect(symbols, rf"tutti_all_reduce@@TUTTI_{version}\b")
        expect(run("readelf", "-d", self.prefix / "lib/libtutti.so"), rf"SONAME.*\[libtutti.so.{version}\]")

    def embed(self):
        """What docs/embedding.md shows works; its compiler, with a dialect of its own, trains on one rank as on two."""
        page = self.work / "page"
        ccache = {"CMAKE_CXX_COMPILER_LAUNCHER": "ccache"} if shutil.which("ccache") else {}
        out = run(sys.executable, SOURCE / "test/docs/run_page.py", SOURCE / "docs/embedding.md", SOURCE, self.build, page,
                  env={**os.environ, "CMAKE_GENERATOR": "Ninja", **ccache})
        for ranks in (1, 2):
            lines = re.findall(rf"rank \d of {ranks}: (.* a .*)", out)
            if lines != ["2.0000 a + 3.0000 b + 4.0000, 1.0000 a + -1.0000 b + -2.0000"] * ranks:
                fail(f"{ranks} ranks find {lines}")
        compiler, step = page / "embed/tiny-compiler", SOURCE / "examples/embed/step.mlir"
        expect(run(compiler, step, 3, status=1), "usage")
        self.errors_of_embedder(compiler, step.read_text())
        size = sum(len(file.read_text().splitlines()) for file in step.parent.iterdir() if file.suffix in (".h", ".cpp", ".td"))
        if size > 450:
            fail(f"examples/embed has {size} lines; docs/embedding.md promises 450")
        self.parts_of_embedder(out)

    @staticmethod
    def parts_of_embedder(out):
        """Two neighbours have the halves of two layers that one rank has: columns of the first, rows of the second."""
        found = re.findall(r"rank (\d) of (\d):((?: -?\d+\.\d+)+)\n", out)
        of = {(int(ranks), int(rank)): [float(number) for number in text.split()] for rank, ranks, text in found}
        if set(of) != {(1, 0), (2, 0), (2, 1)}:
            fail(f"no numbers of one rank and of two in:\n{out}")
        first = [number for row in range(3) for rank in (0, 1) for number in of[2, rank][2 * row:2 * row + 2]]
        joined = first + of[2, 0][6:] + of[2, 1][6:]
        if len(of[1, 0]) != 16 or max(abs(a - b) for a, b in zip(of[1, 0], joined)) > 1e-4:
            fail(f"one rank finds {of[1, 0]}, neighbours {joined}")

    def errors_of_embedder(self, compiler, step):
        """What a program lacks is said where it is."""
        file = self.work / "step.mlir"
        for old, new, says in (("@step(", "@other(", "has no func.func @step to give roles to"),
                               ("%rate: tensor<f32>", "%rate: tensor<f32>, %more: tensor<f32>", "@step has 7 arguments, but there are 6"),
                               ("tiny.ranks @world", "tiny.ranks @world 3", "has 3 ranks already")):
            file.write_text(step.replace(old, new))
            expect(run(compiler, file, 2, status=1), says)

    def forms(self):
        """One program in the dialect collective, in StableHLO and in that of examples/embed: equal buckets, verdicts, plans."""
        folder = SOURCE / "test/install/forms"
        tiny_opt = self.project(folder, "tiny-opt")
        expect(run(sys.executable, folder / "compare_forms.py", self.prefix / "bin/dist-opt", tiny_opt), "equal buckets")
        # Neighbours find the pair of products of a dialect that says its rules: one sum forward, one backward.
        cut = run(tiny_opt, folder / "layers.tiny.mlir", "--distribute=mesh=dp:2,tp:2", "--specialize-world=ranks=4")
        expect(cut, r"tiny.ranks @tp 2", r'"w1", trainable, shard<5x8>', r'"w2", trainable, shard<8x1>', r'tensor<3x5xf32> {train.variable = #train.variable<"w0", trainable>')
        step = cut[cut.index("func.func @step"):]
        sums = re.findall(r'tiny.exchange \{group = @tp, kind = "(\w+)", reduction = "(\w+)"\} .* -> tensor<(\S+)xf32>', step)
        if sums != [("all_reduce", "sum", "?x1"), ("all_reduce", "sum", "?x5")] or re.search(r"\bonnx\.|collective\.\w", cut):
            fail(f"the sums over neighbours are {sums}:\n{cut}")

    def c(self):
        """A program in C, alone and beside MLIR's own C API, and one in Python use the installed library."""
        program = self.project(SOURCE / "examples/c", "print-plan")
        model, library = SOURCE / "examples/program.mlir", self.prefix / "lib/libTuttiC.so"
        plan = run(self.prefix / "bin/dist-opt", model, "--distribute=overlap=true", "--specialize-world=ranks=2", "--plan=-")
        out = run(program, model, 2)
        plan, out = (text[text.find('{\n  "plan"'):] for text in (plan, out))  # after the warnings
        if out != plan or '"all_reduce"' not in plan:
            fail(f"the plan in C is\n{out}\nbut that of dist-opt\n{plan}")
        self.errors_of(program, model)
        out = run(self.project(SOURCE / "test/install/mlir-c", "with-mlir-c"), model, 2)
        expect(out, r"step is found\nstep is found", "collective.all_reduce mean")
        self.from_python()
        # MLIR's C API is not in it: those who link it would have it twice.
        symbols = run("nm", "-D", "--defined-only", library)
        if found := re.findall(r" T (mlir[A-Z]\w*)", symbols):
            fail(f"the library has functions of mlir-c: {', '.join(found[:5])}")
        version = re.search(r"project\(tutti VERSION (\d+\.\d+)", (SOURCE / "CMakeLists.txt").read_text())[1]
        expect(run("readelf", "-d", library), rf"SONAME.*\[libTuttiC.so.{re.escape(version)}\]")
        header = (self.prefix / "include/tutti-c/Tutti.h").read_text()
        declared = set(re.findall(r"\b(tutti[A-Z]\w*)\(", re.sub(r"/\*.*?\*/", "", header, flags=re.DOTALL)))
        exported = set(re.findall(rf" T (tutti[A-Z]\w*)@@TUTTI_C_{re.escape(version)}\n", symbols))
        if not declared or declared != exported:
            fail(f"the header declares {sorted(declared)}, the library has {sorted(exported)}")

    def from_python(self):
        expect(run("/usr/bin/python3", SOURCE / "examples/python/print_plan.py", self.prefix / "lib/libTuttiC.so",
                   SOURCE / "examples/program.mlir", 2), "2 ranks: 1 calls a step, 16 bytes")

    def errors_of(self, program, model):
        """What goes wrong in the C API is said through its callbacks."""
        expect(run(program, model, 2, "buckets=auto", status=1), "error: buckets=auto needs to know the machines")
        expect(run(program, model, 2, "overlap=perhaps", status=1), "error: overlap=perhaps must be true or false")
        expect(run(program, model, 2, "overlaps=true", status=1), "error: .*'overlaps'; did you mean overlap?")
        expect(run(program, model, 3, status=1), r"program.mlir:3:3: error: .*which 3 ranks do not divide.*\n.*3:3: note: drop trains on 63")
        expect(run(program, self.work / "absent.mlir", 2, status=1), "error: cannot open input file")

    def lit(self):
        """Tests that lie outside this repository run with the installed dist-opt."""
        out = run(sys.executable, LLVM / "lit", "-v",
                  "--param", f"tutti={self.prefix}", "--param", f"output={self.work / 'lit'}", SOURCE / "examples/lit")
        expect(out, r"Passed: \d+")

    def plugin(self):
        """A stock mlir-opt loads the installed plug-in."""
        plugin = self.prefix / "lib/tutti/libTuttiPlugin.so"
        out = run(LLVM / "mlir-opt", f"--load-dialect-plugin={plugin}", f"--load-pass-plugin={plugin}",
                  SOURCE / "examples/program.mlir", "--pass-pipeline=builtin.module(distribute,specialize-world{ranks=2})")
        expect(out, "collective.all_reduce mean")

    def python(self):
        """The Python package finds the programs beside it, and is called as the project is."""
        folder = self.prefix / "lib/python3/dist-packages"
        version = re.search(r"project\(tutti VERSION ([\d.]+)", (SOURCE / "CMakeLists.txt").read_text())[1]
        code = f"""
import importlib.metadata, tutti
assert tutti.__file__.startswith({str(folder)!r}), tutti.__file__
assert tutti.__version__ == importlib.metadata.version("tutti") == {version!r}, tutti.__version__
result = tutti.train({str(SOURCE / 'test/models/digits_mlp.onnx')!r}, {str(SOURCE / 'test/data/digits_train.npz')!r}, ranks=2, steps=3, progress=False,
                     loss="softmax-cross-entropy", global_batch=64, save={str(self.work / 'python.safetensors')!r})
assert result.command[0] == {str(self.prefix / 'bin/dist-run')!r}, result.command
print(len(result.losses), "losses")
"""
        expect(run("/usr/bin/python3", "-B", "-c", code, env={"PATH": "/usr/bin:/bin", "HOME": str(self.work), "PYTHONPATH": str(folder)}), "3 losses")

    def packages(self):
        """The Debian packages name what they need, and work where dpkg puts them, in a root of their own."""
        folder, root = self.work / "packages", self.work / "root"
        for old in (folder, root):
            shutil.rmtree(old, ignore_errors=True)
        run("cpack", "--config", self.build / "CPackConfig.cmake", "-B", folder, "-D", "CPACK_DEBIAN_COMPRESSION_TYPE=gzip")
        packages = {run("dpkg-deb", "-f", file, "Package").strip(): file for file in folder.glob("*.deb")}
        needs = {"tutti": ["libmlir", "libonnx", "libprotobuf", "libdnnl", "libgrpc", "librocksdb"],
                 "libtutti-dev": [r"tutti \(= ", "libmlir-22-dev"],
                 "python3-tutti": [r"tutti \(= ", "python3-numpy", "python3-onnx"],
                 "tutti-backend-mpi": [r"tutti \(= ", "libopenmpi|libmpich"], "tutti-backend-gloo": [r"tutti \(= ", "libgloo"]}
        built = {re.sub("openmpi|mpich", "mpi", file.stem.removeprefix("libtutti_backend_"))
                 for file in (self.build / "lib").glob("libtutti_backend_*.so")}
        wanted = {"tutti", "libtutti-dev", "python3-tutti"} | {f"tutti-backend-{name}" for name in built}
        if set(packages) != wanted:
            fail(f"packages are {sorted(packages)}, not {sorted(wanted)}")
        for name, file in packages.items():
            expect(run("dpkg-deb", "-f", file, "Depends"), *needs[name])
        for part in ("info", "updates", "triggers"):
            (root / "var/lib/dpkg" / part).mkdir(parents=True)
        (root / "var/lib/dpkg/status").touch()
        # What they need is in the root of this machine, not in that one.
        run("dpkg", f"--root={root}", "--force-not-root", "--force-depends", "--force-script-chrootless", "-i", *packages.values(),
            env={**os.environ, "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"})
        self.prefix = root / "usr"
        self.run_model("-n", 2)
        self.run_served()
        if "gloo" in built:
            self.run_model("-n", 2, "--backend", "gloo")
        self.plugin()
        self.from_python()
        self.python()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("check")
    parser.add_argument("--build", required=True)
    parser.add_argument("--work", required=True)
    arguments = parser.parse_args()
    getattr(Checks(arguments.build, arguments.work), arguments.check)()


if __name__ == "__main__":
    main()
