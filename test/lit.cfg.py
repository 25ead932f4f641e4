"""How lit runs the text tests of Tutti: *.mlir and *.test files with RUN lines, in the rooms beside this file."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import shutil
import signal
import subprocess
import time

import lit.formats
import lit.util
from lit.llvm import llvm_config
from lit.llvm.subst import FindTool, ToolSubst

config.name = "TUTTI"
config.test_format = lit.formats.ShTest(not llvm_config.use_lit_shell)
config.suffixes = [".mlir", ".test"]
config.excludes = ["data", "models", "benchmarks", "Inputs", "CMakeLists.txt"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.tutti_build, "test")

# A job in the background of a script ignores SIGINT, and one of nohup SIGHUP; what tests start begins as in a terminal.
for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):
    if signal.getsignal(number) == signal.SIG_IGN:
        signal.signal(number, signal.SIG_DFL)

# A FileCheck variable lives until the next CHECK-LABEL, so that two functions of one test can't lean on each other.
config.environment["FILECHECK_OPTS"] = "-enable-var-scope --dump-input-filter=all"
llvm_config.with_system_environment(
    ["HOME", "TMPDIR", "TMP", "TEMP", "ASAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS"])

# Features that tests ask for with REQUIRES and UNSUPPORTED.
sanitizers = [word for word in config.tutti_sanitizer.split(",") if word]
config.available_features.update({"address": "asan", "undefined": "ubsan", "thread": "tsan"}[word] for word in sanitizers)
if "undefined" in sanitizers:
    config.environment.setdefault("UBSAN_OPTIONS", "print_stacktrace=1")
if "address" in sanitizers:
    # LLVM's arenas poison what they have not given out; the part of them in Debian's libraries does not know.
    config.environment.setdefault("ASAN_OPTIONS", "allow_user_poisoning=0")
if "thread" in sanitizers:
    # Debian's LLVM hands over by atomics that the sanitizer does not see.
    races = os.path.join(config.tutti_source, "test", "sanitizers", "races.supp")
    config.environment.setdefault("TSAN_OPTIONS", f"ignore_noninstrumented_modules=1 die_after_fork=0 suppressions={races}")

# Tests verify the program after each pass. With TUTTI_TEST_ROUNDTRIP=1 every dist-opt of every test also proves that what it read prints and parses again.
round_trip = os.environ.get("TUTTI_TEST_ROUNDTRIP", "0") == "1"
dist_opt_arguments = ["--verify-each"] + (["--verify-roundtrip"] if round_trip else [])

tools_of_tutti = os.path.join(config.tutti_build, "bin")
llvm_config.add_tool_substitutions(
    [
        ToolSubst("dist-opt", FindTool("dist-opt"), extra_args=dist_opt_arguments, unresolved="ignore"),
        ToolSubst("foreign-opt", FindTool("foreign-opt"), unresolved="ignore"),
        ToolSubst("dist-lsp-server", FindTool("dist-lsp-server"), unresolved="ignore"),
        ToolSubst("dist-reduce", FindTool("dist-reduce"), unresolved="ignore"),
        ToolSubst("dist-run", FindTool("dist-run"), unresolved="ignore"),
        ToolSubst("dist-worker", FindTool("dist-worker"), unresolved="ignore"),
    ],
    [tools_of_tutti],
)
llvm_config.add_tool_substitutions(
    [ToolSubst(name, FindTool(name), unresolved="fatal") for name in ("FileCheck", "not", "split-file")],
    [config.llvm_tools],
)
# A stock mlir-opt knows no sanitizer: the one of our plug-in must be loaded before it.
mlir_opt = os.path.join(config.llvm_tools, "mlir-opt")
preloads = {"address": "libasan.so", "thread": "libtsan.so"}
for library in (preloads[word] for word in sanitizers if word in preloads):
    found = subprocess.check_output([config.cxx, f"-print-file-name={library}"], text=True).strip()
    mlir_opt = f"env LD_PRELOAD={found} {mlir_opt}"
llvm_config.add_tool_substitutions([ToolSubst("mlir-opt", mlir_opt)])
llvm_config.with_environment("PATH", tools_of_tutti, append_path=True)

# Launchers of ranks. A backend whose library is absent has no plug-in, and no tests.
launchers = {"openmpi": "mpirun.openmpi", "mpich": "mpiexec.hydra", "gloo": None}
for backend, launcher in launchers.items():
    plug_in = os.path.join(config.tutti_build, "lib", f"libtutti_backend_{backend}.so")
    if os.path.exists(plug_in) and (launcher is None or shutil.which(launcher)) and not config.tutti_sanitizer:
        config.available_features.add(backend)
daemons = ["munged", "slurmctld", "slurmd", "srun"]
if all(shutil.which(daemon, path="/usr/sbin:" + os.environ["PATH"]) for daemon in daemons) and not config.tutti_sanitizer:
    config.available_features.add("slurm")
elif not config.tutti_sanitizer:
    lit_config.note("nobody starts ranks in Slurm: its daemons are not there (Debian: slurm-wlm)")
# OpenMPI leaves its shared memory behind when a rank ends early, as some tests make it. Not in /dev/shm, which others watch.
segments = os.path.join(config.tutti_build, "test", "openmpi-segments")
os.makedirs(segments, exist_ok=True)
for segment in os.scandir(segments):
    if time.time() - segment.stat().st_mtime > 3600:
        os.remove(segment.path)
config.environment["OMPI_MCA_btl_vader_backing_directory"] = segments
config.substitutions.append(("%mpirun", "mpirun.openmpi --allow-run-as-root --oversubscribe"))
config.substitutions.append(("%mpiexec", "mpiexec.hydra"))


def can_link_namespaces(*options):
    """Whether this user, on this kernel, can join two network namespaces so; says why not."""
    link = os.path.join(config.tutti_source, "test", "network", "link.py")
    probe = subprocess.run([config.python, link, "--probe", *options], capture_output=True, text=True, check=False,
                           env={**os.environ, "PATH": config.environment["PATH"]})
    if probe.returncode != 0:
        lit_config.note(f"no tests over a link{' '.join(['', *options])}: {probe.stderr.strip()}")
    return probe.returncode == 0


if can_link_namespaces():
    config.available_features.add("network-namespaces")
    if can_link_namespaces("--rate", "1000", "--delay", "1"):
        config.available_features.add("slow-link")

# A disk of any size, for tests of full ones.
mount = ["unshare", "--mount", "--map-root-user", "mount", "-t", "tmpfs", "-o", "size=64k", "none", "/tmp"]
if shutil.which("unshare") and subprocess.run(mount, capture_output=True, check=False).returncode == 0:
    config.available_features.add("mount-namespaces")

# A package for benchmarks; docs/from-pytorch.md is run where it is installed.
find_torch = "import importlib.util, sys; sys.exit(importlib.util.find_spec('torch') is None)"
if subprocess.run([config.python, "-c", find_torch], capture_output=True).returncode == 0:
    config.available_features.add("torch")

# What npm brings for the page of a report (./dev does), and a browser to look at it.
if os.path.exists(os.path.join(config.tutti_source, "tools/report/node_modules/uplot/LICENSE")):
    config.available_features.add("report-charts")
if os.path.exists(os.path.join(config.tutti_source, "tools/report/node_modules/axe-core/axe.min.js")):
    config.available_features.add("axe")
elif not config.tutti_sanitizer:
    lit_config.note("nobody looks for what keeps people from reading reports: axe-core is not there ('npm ci' in tools/report)")
if shutil.which("chromium"):
    config.available_features.add("chromium")
elif not config.tutti_sanitizer:
    lit_config.note("no look at reports in a browser: chromium is not installed")



def can_limit_memory():
    """Whether this user may make cgroups that limit memory."""
    memory = "/sys/fs/cgroup/memory"
    group = os.path.join(memory if os.path.isdir(memory) else "/sys/fs/cgroup", f"tutti-lit-{os.getpid()}")
    try:
        os.mkdir(group)
        has_peak = any(os.path.exists(os.path.join(group, name)) for name in ("memory.max_usage_in_bytes", "memory.peak"))
        os.rmdir(group)
        return has_peak
    except OSError:
        return False


if can_limit_memory():
    config.available_features.add("memory-cgroup")
elif not config.tutti_sanitizer:
    lit_config.note("no rank is held to its memory by the kernel: this user cannot make memory cgroups")

for name, folder in (
    ("%models", "test/models"),
    ("%data", "test/data"),
    ("%hostile", "test/data/hostile/refuse_hostile.py"),
    ("%link", "test/network/link.py"),
    ("%compare-checkpoints", "tools/checkpoints/compare_checkpoints.py"),
):
    config.substitutions.append((name, os.path.join(config.tutti_source, folder)))
config.substitutions.append(("%python", config.python))
config.substitutions.append(("%cxx", config.cxx))
config.substitutions.append(("%plugin", os.path.join(config.tutti_build, "lib", "libTuttiPlugin.so")))
config.substitutions.append(("%tools", tools_of_tutti))
config.substitutions.append(("%foreign", os.path.join(tools_of_tutti, "foreign-opt")))
config.substitutions.append(("%llvm-tools", config.llvm_tools))
config.substitutions.append(("%lib", os.path.join(config.tutti_build, "lib")))
config.substitutions.append(("%source", config.tutti_source))
config.substitutions.append(("%build", config.tutti_build))
