"""Runs every line of docs/api-map.md that says it can be run: C on four ranks, IR through dist-opt, $ in a shell.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys

C_FRAME = """
static int run(int rank, const char *connection) {
  tutti_context_options options = {.struct_bytes = sizeof options, .backend = tutti_backend_shm(),
                                   .connection = connection, .rank = rank, .size = 4};
  tutti_context *context = 0, *another = 0;
  tutti_meeting *meeting = 0;
  tutti_context_create(&options, &context);
  options.backend = tutti_backend_self();
  options.rank = 0;
  options.size = 1;
%s
  int status = tutti_context_status(context);
  if (status)
    fprintf(stderr, "rank %%d: %%s\\n", rank, tutti_context_message(context));
  tutti_context_destroy(context);
  tutti_meeting_destroy(meeting);
  return status;
}

int main(void) {
  tutti_meeting *place;
  if (tutti_meeting_create(tutti_backend_shm(), 4, 1 << 20, &place))
    return 1;
  for (int rank = 1; rank < 4; ++rank)
    if (fork() == 0)
      return run(rank, tutti_meeting_connection(place));
  int failed = run(0, tutti_meeting_connection(place)), status;
  while (wait(&status) > 0)
    failed |= status;
  tutti_meeting_destroy(place);
  return failed != 0;
}
"""

GROUPS = """collective.group @world {size = 4 : i64}
collective.group @pairs members(#collective.ranks<[[0, 1], [2, 3]]>)
collective.group @node members(#collective.per_node)
collective.group @cross members(#collective.across_nodes)
collective.group @later members(#collective.at_run_time)
"""
ARGUMENTS = {"x": "tensor<8xf32>", "m": "tensor<4x4xf32>", "k": "tensor<4xi64>", "i": "index", "j": "index"}


def lines_of(page, kind):
    return re.findall(r"`" + re.escape(kind) + r"` `([^`]+)`", page)


def run(command, **options):
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, **options)
    if done.returncode != 0:
        sys.exit(f"{command}\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}")


def run_c(lines, options):
    source = options.work / "api_map.c"
    prelude = options.source / "docs/examples/api_map_prelude.h"
    source.write_text(f'#include "{prelude}"\n' + C_FRAME % "\n".join("  " + line for line in lines))
    program = options.work / "api_map"
    run(["cc", "-std=c11", "-D_GNU_SOURCE", "-Wall", "-Wno-unused-value", "-Werror", f"-I{options.source}/include",
         str(source), "-o", str(program), f"-L{options.lib}", "-ltutti", f"-Wl,-rpath,{options.lib}"])
    run([str(program)])


def run_ir(lines, options):
    functions = []
    for number, line in enumerate(lines):
        arguments = ", ".join(f"%{name}: {type}" for name, type in ARGUMENTS.items())
        functions.append(f"func.func @line_{number}({arguments}) {{\n  {line}\n  return\n}}\n")
    module = options.work / "api_map.mlir"
    module.write_text(GROUPS + "".join(functions))
    run([options.tools / "dist-opt", str(module)])


def run_shell(lines, options):
    shutil.copy(options.source / "test/models/digits_mlp.onnx", options.work / "model.onnx")
    shutil.copy(options.source / "test/data/digits_train.npz", options.work / "data.npz")
    for line in lines:
        run(f'PATH="{options.tools}:$PATH"; {line}', shell=True, cwd=options.work)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("source", "tools", "lib", "work"):
        parser.add_argument(f"--{name}", type=lambda text: pathlib.Path(text).resolve(), required=True)
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    page = (options.source / "docs/api-map.md").read_text()
    for kind, runner in (("C", run_c), ("IR", run_ir), ("$", run_shell)):
        lines = lines_of(page, kind)
        if not lines:
            sys.exit(f"the page has no {kind} lines: its form has changed")
        runner(lines, options)
        print(f"{len(lines)} {kind} lines ran")


if __name__ == "__main__":
    main()
