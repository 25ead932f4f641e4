#!/usr/bin/python3
"""Walks the documentation as somebody does who has just built Tutti: own models, own data, by what the pages say alone.

    walk.py BUILD [--write docs/walk.md] [--only PART]
    walk.py BUILD --root FOLDER [--clone [--ccache FOLDER]] [--write docs/walk.md]
    walk.py BUILD --compare NEW.md docs/walk.md

Works in a folder that is removed afterwards, and needs PyTorch, Pillow and lit. Each part follows one page, is timed, and checks what came of it; what was typed
and said becomes a page, with the words of programs shortened and without the places of this machine. A part for which a program is missing (Slurm) is skipped,
which is said; what the page has of it stays.

--root walks one of the last two parts of the page, by hand and as root, and leaves all else of it: FOLDER is a bare Debian (`debootstrap --variant=minbase bookworm
FOLDER`, with the security updates among its sources). In it the packages that `./dev package` wrote are installed and used, or with --clone what is committed
here is cloned and built, with nothing of this machine but devices, network and, with --ccache, a folder of compiled files, which makes hours minutes.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

INTRODUCTION = """# A walk by the pages alone

What somebody types who has just built Tutti and reads what each part names, with own models and own data; `test/docs/walk.py` types it, checks what comes of
it, and wrote this page. Times are those of two cores, without building; long output is shortened (`...`). `$TUTTI` is the folder of the repository.

```sh
export PATH="$TUTTI/build/bin:$PATH" PYTHONPATH="$TUTTI/tools/python"
```
"""


class File:
    """A file that is written before the commands."""

    def __init__(self, name, text):
        self.name, self.text = name, text.lstrip("\n")


class Command:
    """`shows`: regular expressions that must be found in what it says; the lines that have one are shown, with the first and the last."""

    def __init__(self, text, *shows, fails=False, beside=None, seconds=300):
        """`beside`: words before the command that start what it talks to, and are not typed; `seconds`: the longest that it takes."""
        self.text, self.shows, self.fails, self.beside, self.seconds = text, shows, fails, beside or [], seconds


class Part:
    def __init__(self, name, title, page, says, *steps, needs=()):
        """`needs`: programs without which nobody can walk it."""
        self.name, self.title, self.page, self.says, self.steps, self.needs = name, title, page, says, steps, needs

    def missing(self):
        places = os.environ["PATH"] + ":/usr/sbin"
        return [program for program in self.needs if not shutil.which(program, path=places)]


PARTS = [
    Part("pytorch", "A PyTorch model", "python.md", "Two arms of a spiral and one class each, told apart by a small network.",
         File("spiral.py", """
import numpy, torch, tutti
from torch import nn

rng = numpy.random.default_rng(1)
label = rng.integers(0, 2, 4000)
turn = rng.uniform(0.5, 3, 4000)
point = numpy.stack([turn * numpy.cos(3 * turn + 3.14 * label), turn * numpy.sin(3 * turn + 3.14 * label)], 1)
point += rng.normal(0, 0.05, point.shape)
numpy.savez("train.npz", point=point[:3200].astype("f4"), label=label[:3200])
numpy.savez("test.npz", point=point[3200:].astype("f4"), label=label[3200:])

torch.manual_seed(1)
net = nn.Sequential(nn.Linear(2, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 2))
torch.save(net, "net.pt")
tutti.export(net, torch.zeros(2, 2), "spiral.onnx", inputs=["point"])
"""),
         Command("python3 spiral.py", r"exported spiral.onnx", r"train it"),
         Command("dist-opt --check spiral.onnx --train=\"loss=softmax-cross-entropy\"", r"nothing keeps it from being trained"),
         Command("dist-run --dry-run -n 2 spiral.onnx --dataset train.npz --train=\"loss=softmax-cross-entropy optimizer=adam global-batch=64\"", r"memory"),
         Command("dist-run -n 2 spiral.onnx --dataset train.npz --evaluate test.npz --epochs 20 --model-dir run --report report.html "
                 "--train=\"loss=softmax-cross-entropy optimizer=adam learning-rate=0.01 global-batch=64\" --export trained.onnx",
                 r"trained spiral", r"evaluation: .*accuracy (0\.9|1)", r"wrote the report"),
         File("use.py", """
import numpy, torch, tutti

net = torch.load("net.pt")
tutti.load_into(net, "trained.onnx")
test = numpy.load("test.npz")
found = net(torch.tensor(test["point"])).argmax(1).numpy()
print("right in PyTorch:", (found == test["label"]).mean())
"""),
         Command("python3 use.py", r"right in PyTorch: (0\.9|1)")),
    Part("csv", "A table in CSV", "data.md#values", "Prices of flats by district, rooms and area: one column of words, one to be predicted.",
         File("flats.py", """
import csv, random
import torch, tutti
from torch import nn

random.seed(1)
prices = {"harbour": 5.0, "hill": 4.0, "old town": 6.0, "station": 3.0}
for name, rows in (("flats.csv", 2000), ("new.csv", 200)):
    with open(name, "w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["district", "rooms", "area", "balcony", "price"])
        for _ in range(rows):
            district, rooms, area, balcony = random.choice(list(prices)), random.randint(1, 5), random.uniform(2, 12), random.random() < 0.5
            price = prices[district] * area / 10 + 0.2 * rooms + 0.3 * balcony + random.gauss(0, 0.05)
            table.writerow([district, rooms, f"{area:.2f}", str(balcony).lower(), f"{price:.3f}"])

class Price(nn.Module):
    def __init__(self):
        super().__init__()
        self.place, self.hidden, self.last = nn.Embedding(4, 4), nn.Linear(7, 32), nn.Linear(32, 1)

    def forward(self, district, facts):
        return self.last(torch.relu(self.hidden(torch.cat([self.place(district), facts], 1))))

tutti.export(Price(), {"district": torch.zeros(2, dtype=torch.long), "facts": torch.zeros(2, 3)}, "price.onnx")
"""),
         Command("python3 flats.py", r"exported price.onnx"),
         Command("head -n 3 flats.csv", r"district,rooms"),
         Command("dist-run -n 2 price.onnx --dataset flats.csv --evaluate new.csv --epochs 30 --model-dir flats "
                 "--read=\"columns=facts:rooms,area,balcony;label:price categories=district\" --train=\"loss=mse optimizer=adam learning-rate=0.01 global-batch=50\"",
                 r"trained price", r"evaluation: loss 0\.0"),
         Command("cat flats/vocabulary.json", r"old town")),
    Part("pictures", "A folder of pictures", "data.md#pictures", "Discs and squares, each in a folder of its kind.",
         File("shapes.py", """
import os, random
import torch, tutti
from PIL import Image, ImageDraw
from torch import nn

random.seed(1)
for part, count in (("shapes", 400), ("more", 60)):
    for i in range(count):
        kind = ("disc", "square")[i % 2]
        picture = Image.new("RGB", (40, 32), tuple(random.randrange(90) for _ in range(3)))
        x, y, size = random.randrange(6, 14), random.randrange(2, 10), random.randrange(14, 20)
        draw = ImageDraw.Draw(picture)
        (draw.ellipse if kind == "disc" else draw.rectangle)([x, y, x + size, y + size], fill=tuple(random.randrange(150, 256) for _ in range(3)))
        os.makedirs(f"{part}/{kind}", exist_ok=True)
        picture.save(f"{part}/{kind}/{i:03}.png")

net = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(4), nn.Conv2d(8, 16, 3, padding=1), nn.ReLU(),
                    nn.Flatten(), nn.Linear(576, 2))
tutti.export(net, torch.zeros(2, 3, 24, 24), "shapes.onnx", inputs=["image"])
"""),
         Command("python3 shapes.py", r"exported shapes.onnx"),
         Command("dist-run -n 2 shapes.onnx --dataset shapes --evaluate more --epochs 12 --model-dir shapes-run --read=\"resize=24 crop=24 flip=true normalize=0.5/0.25\" "
                 "--train=\"loss=softmax-cross-entropy optimizer=adam learning-rate=0.003 global-batch=40\"",
                 r"trained shapes", r"evaluation: .*accuracy (0\.9|1)")),
    Part("generator", "A generator in Python", "data.md#programs-that-make-samples", "Samples that no file holds: the spiral again, drawn anew in each epoch.",
         File("draw.py", """
import numpy, tutti

def epoch(number):
    rng = numpy.random.default_rng(number)
    for _ in range(3200):
        label, turn = rng.integers(0, 2), rng.uniform(0.5, 3)
        angle = 3 * turn + 3.14 * label
        yield {"point": numpy.array([turn * numpy.cos(angle), turn * numpy.sin(angle)], "f4"), "label": label}

tutti.serve(epoch, samples=3200)
"""),
         Command("dist-run -n 2 spiral.onnx --dataset \"exec:python3 draw.py\" --evaluate test.npz --epochs 12 "
                 "--train=\"loss=softmax-cross-entropy optimizer=adam learning-rate=0.01 global-batch=64\"", r"trained spiral", r"evaluation: .*accuracy (0\.[89]|1)")),
    Part("cluster", "A cluster by TF_CONFIG", "servers.md#several-machines", "A server and two workers, here all on one machine, as TensorFlow's tutorial starts them.",
         File("cluster.sh", """
cluster='{"ps": ["127.0.0.1:32701"], "worker": ["127.0.0.1:32702", "127.0.0.1:32703"]}'
start() {
  TF_CONFIG="{\\"cluster\\": $cluster, \\"task\\": {\\"type\\": \\"$1\\", \\"index\\": $2}}" dist-run "$TUTTI/test/models/clicks.onnx" \\
    --dataset "$TUTTI/test/data/clicks_train.npz" --steps 100 --distribute="serve=user.weight,item.weight" --model-dir clicks \\
    --train="loss=softmax-cross-entropy optimizer=adagrad learning-rate=0.1 global-batch=64" --interface lo
}
start ps 0 & start worker 1 & start worker 0
wait
"""),
         Command("bash cluster.sh", r"^ps 0 of a cluster of 2 workers, 1 ps", r"ps 0: listens at", r"trained clicks for 100 steps", r"^worker 1: ends after step 100", r"ps 0: ends")),
    Part("slurm", "A script for Slurm", "launching.md#under-slurm", "The spiral again, by a batch script. `test/tools/dist-run/slurm_cluster.py` has started a cluster of two nodes "
         "on this machine, in which it is typed.",
         File("job", """
#!/bin/bash
#SBATCH -n 2 -N 2 --requeue --open-mode=append
srun --mpi=pmi2 dist-run --backend gloo spiral.onnx --train="loss=softmax-cross-entropy optimizer=adam learning-rate=0.01 global-batch=64" \\
  --dataset train.npz --evaluate test.npz --epochs 20 --model-dir in-slurm
"""),
         Command("sbatch --wait -o slurm.log job && cat slurm.log", r"Submitted batch job", r"trained spiral for 1000 steps on 2 ranks", r"evaluation: .*accuracy (0\.9|1)",
                 beside=["python3", "$TUTTI/test/tools/dist-run/slurm_cluster.py", "slurm"]),
         Command("dist-run --report slurm.html --model-dir in-slurm", r"wrote the report"), needs=("sbatch", "slurmctld", "slurmd", "munged")),
    Part("stablehlo", "A step in StableHLO", "stablehlo.md", "What JAX prints with `print_generic_op_form=True`; here the repository's.",
         Command("dist-opt $TUTTI/test/models/stablehlo/mlp_sgd.mlir --allow-unregistered-dialect --stablehlo-import-roles --stablehlo-distribute=ranks=4 "
                 "--distribute-verify-replication --collective-verify-order --collective-fuse --convert-collective-to-stablehlo --stablehlo-export-roles -o four.mlir"),
         Command("grep -c all_reduce four.mlir", r"^[1-9]"),
         Command("dist-opt $TUTTI/test/models/stablehlo/mlp_sgd.mlir --allow-unregistered-dialect -o one.mlir && "
                 "python3 $TUTTI/test/equivalence/stablehlo/run_ranks.py one.mlir four.mlir --ranks 4", r"4 ranks, 5 steps: largest difference")),
    Part("lit", "A test outside of the repository", "testing.md#tests-outside-this-repository", "A folder with a configuration that is copied, and one text test.",
         File("tests/mine.mlir", """
// RUN: dist-opt %s --collective-fuse | FileCheck %s

// CHECK-LABEL: func.func @three
// CHECK: collective.all_reduce sum %{{.*}}, %{{.*}}, %{{.*}} on @world
// CHECK-NOT: collective.all_reduce
func.func @three(%a: tensor<4xf32>, %b: tensor<2xf32>, %c: tensor<8xf32>) -> (tensor<4xf32>, tensor<2xf32>, tensor<8xf32>) {
  %x = collective.all_reduce sum %a on @world : tensor<4xf32>
  %y = collective.all_reduce sum %b on @world : tensor<2xf32>
  %z = collective.all_reduce sum %c on @world : tensor<8xf32>
  return %x, %y, %z : tensor<4xf32>, tensor<2xf32>, tensor<8xf32>
}
collective.group @world
"""),
         Command("cp $TUTTI/examples/lit/lit.cfg.py tests"),
         Command("/usr/lib/llvm-22/bin/lit -v --param tutti=$TUTTI/build --param output=\"$PWD/outside\" tests", r"PASS: outside :: mine.mlir", r"Passed: 1")),
]


def shorten(said, shows):
    """Lines that were asked for, with the first and the last, and dots where some are left out."""
    lines = said.rstrip("\n").split("\n")
    kept = {0, len(lines) - 1} | {i for i, line in enumerate(lines) if any(re.search(show, line) for show in shows)}
    if len(lines) <= 8:
        kept = set(range(len(lines)))
    out, last = [], -1
    for i in sorted(kept):
        if i > last + 1:
            out.append("...")
        out.append(lines[i] if len(lines[i]) <= 160 else lines[i][:157] + "...")
        last = i
    return "\n".join(out)


class Walk:
    def __init__(self, build, folder):
        self.build, self.folder = pathlib.Path(build).resolve(), folder
        self.environment = dict(os.environ, TUTTI=str(ROOT), PATH=f"{self.build / 'bin'}:/usr/bin:{os.environ['PATH']}", PYTHONPATH=str(ROOT / "tools" / "python"))
        self.page, self.times = [INTRODUCTION], []

    def without_places(self, text):
        text = text.replace(str(self.folder), ".").replace(str(self.build), "$TUTTI/build").replace(str(ROOT), "$TUTTI")
        return re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", text)

    def execute(self, command):
        beside = [word.replace("$TUTTI", str(ROOT)) for word in command.beside]
        return subprocess.run([*beside, "bash", "-c", command.text.replace("$TUTTI/build", str(self.build))], cwd=self.folder, env=self.environment, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=command.seconds, check=False)

    def run(self, command):
        begin = time.monotonic()
        done = self.execute(command)
        seconds = time.monotonic() - begin
        said = self.without_places(done.stdout)
        assert (done.returncode != 0) == command.fails, f"{command.text} ended with {done.returncode}:\n{said}"
        for show in command.shows:
            assert re.search(show, said, re.MULTILINE), f"{command.text} did not say {show!r}:\n{said}"
        self.page.append(f"```text\n$ {command.text}\n{shorten(said, command.shows)}\n```" if said.strip() else f"```text\n$ {command.text}\n```")
        return seconds

    def follow(self, part):
        self.page.append(f"## {part.title}\n\nBy [{part.page.split('#')[0]}]({part.page}). {part.says}")
        place, seconds = len(self.page) - 1, 0.0
        for step in part.steps:
            if isinstance(step, File):
                path = self.folder / step.name
                path.parent.mkdir(exist_ok=True)
                path.write_text(step.text, encoding="utf-8")
                self.page.append(f"`{step.name}`:\n\n```text\n{step.text.rstrip()}\n```")
            else:
                seconds += self.run(step)
        self.times.append((part, seconds))
        self.page[place] += f" It took {seconds:.0f} s."
        print(f"{part.name}: {seconds:.1f} s", flush=True)

    def text(self):
        rows = ["| part | page | seconds |", "| --- | --- | --- |"]
        rows += [f"| {part.title} | [{part.page.split('#')[0]}]({part.page}) | {seconds:.0f} |" for part, seconds in self.times]
        return "\n\n".join([self.page[0].rstrip(), "\n".join(rows), *self.page[1:]]) + "\n"


START = "trained model for .* steps on 2 ranks", "evaluation: .*accuracy (0\\.9|1)", "wrote the report"
INSTALL = "DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends"


class BareWalk(Walk):
    """In a bare root; its folder is /walk there. `mounts`: folders of this machine by where they are in the root; `environment`: variables."""

    def __init__(self, build, root, mounts=None, environment=()):
        self.root, self.mounts, self.variables = pathlib.Path(root).resolve(), mounts or {}, environment
        super().__init__(build, self.root / "walk")
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()

    def execute(self, command):
        (self.folder / ".command").write_text(f"cd /walk\n{command.text}\n", encoding="utf-8")
        mount = 'mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev"'
        for place, folder in self.mounts.items():
            (self.root / place).mkdir(parents=True, exist_ok=True)
            mount += f' && mount --bind "{folder}" "$0/{place}"'
        mount += ' && exec chroot "$0" env -i HOME=/root ' + " ".join(self.variables or ["PATH=/usr/sbin:/usr/bin:/sbin:/bin"]) + " bash -e /walk/.command"
        return subprocess.run(["unshare", "--mount", "--pid", "--fork", "bash", "-c", mount, str(self.root)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, timeout=max(900, command.seconds), check=False)

    def text(self):
        return "\n\n".join(self.page[1:]) + "\n"


def installed_walk(build, root):
    """Where the packages are installed."""
    walk = BareWalk(build, root)
    shutil.copytree(walk.build / "packages", walk.folder / "packages", ignore=shutil.ignore_patterns("_*"))
    for name in ("test/models/digits_cnn.onnx", "test/data/digits_train.npz", "test/data/digits_test.npz"):
        (walk.folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, walk.folder / name)
    return walk


def cloned_walk(build, root, ccache):
    """Where the repository is cloned and built; the variables are those of the page's head."""
    variables = ["PATH=/walk/tutti/build/bin:/usr/sbin:/usr/bin:/sbin:/bin", "PYTHONPATH=/walk/tutti/tools/python"]
    if ccache:  # which compares the language of messages, too
        variables += [f"{name}={os.environ[name]}" for name in ("LANG", "LC_ALL", "LC_CTYPE", "LC_MESSAGES") if name in os.environ]
    walk = BareWalk(build, root, {"root/.cache/ccache": pathlib.Path(ccache).resolve()} if ccache else None, variables)
    subprocess.run(["git", "-c", "safe.directory=*", "clone", "-q", "--bare", "--no-local", str(ROOT), str(walk.folder / "tutti.git")], check=True)
    return walk


def start_commands(programs):
    """The commands of docs/start.md, with `programs` instead of build/bin/."""
    page = (ROOT / "docs" / "start.md").read_text(encoding="utf-8").partition("\n## Then")[0]
    blocks = [block.rstrip().replace("build/bin/", programs) for block in re.findall(r"```sh\n(.*?)```", page, re.DOTALL)]
    return [Command(block, *(START if "--report" in block else ())) for block in blocks]


# Of the model of PyTorch they have the file and the commands of the first part.
INSTALLED = Part("packages", "On a bare Debian 12, from the packages", "start.md",
                 "In a root that debootstrap has just made, with `packages/` from `./dev package`, `test/models` and `test/data`.",
                 Command(f"apt-get -qq update && {INSTALL} ./packages/tutti_*.deb ./packages/python3-tutti_*.deb python3-torch > installed.txt 2>&1"),
                 *start_commands(""), Command("mkdir start && mv run report.html trained.onnx train.npz test.npz start"), *PARTS[0].steps)
CLONED = Part("clone", "On a bare Debian 12, from git clone", "start.md", "In a root that debootstrap has just made, with `tutti.git`, the repository, and the variables of the head of this page. "
              "`./dev demo` installs what a build needs, and builds.",
              Command(f"apt-get -qq update && {INSTALL} git ca-certificates > installed.txt 2>&1"),
              Command("git clone -q tutti.git tutti"),
              Command("cd tutti && time ./dev demo > ../demo.txt 2>&1 && tail -n 1 ../demo.txt", r"largest relative difference", r"^real", seconds=4 * 3600),
              *(Command("cd tutti\n" + command.text, *command.shows) for command in start_commands("build/bin/")),
              Command(f"{INSTALL} python3-torch >> installed.txt 2>&1"), *PARTS[0].steps)
BARE = (INSTALLED, CLONED)


def sections(page):
    """The head of a page, and its parts by title."""
    head, *parts = re.split(r"^## ", page, flags=re.MULTILINE)
    return head, {part.split("\n")[0]: "## " + part.rstrip() + "\n" for part in parts}


def typed(part):
    """Files and commands of a part, without what was said."""
    blocks = re.findall(r"^```text\n(.*?)^```", part, re.MULTILINE | re.DOTALL)
    return [block.split("\n")[0] if block.startswith("$ ") else block for block in blocks]


def compare(new, kept):
    """Whether the page that is kept has the files and commands of a new one; of parts that could not be walked, and those in bare roots, it has its own."""
    new, kept = sections(new)[1], sections(kept)[1]
    assert set(kept) == {part.title for part in [*PARTS, *BARE]}, f"these parts are on the page: {', '.join(kept)}"
    assert set(new) >= {part.title for part in PARTS if not part.needs}, f"these parts were walked: {', '.join(new)}"
    for title, part in new.items():
        assert typed(part) == typed(kept[title]), f"'{title}' is not of this walk: walk.py BUILD --write docs/walk.md writes it anew"


def rows_of(head):
    """The rows of the table in the head, by title."""
    return {row.split(" | ")[0].lstrip("| "): row for row in re.findall(r"^\| .*\|$", head, re.MULTILINE)}


def write(path, walk):
    """Replaces the parts that were walked."""
    path = pathlib.Path(path)
    head, parts = sections(path.read_text(encoding="utf-8")) if path.exists() else ("", {})
    new_head, new_parts = sections(walk.text())
    if not isinstance(walk, BareWalk):
        rows, missing = rows_of(head), [part.title for part in PARTS if part.title not in new_parts]
        head = new_head.rstrip() + "\n" + "".join(rows[title] + "\n" for title in missing if title in rows) + "\n"
    parts.update(new_parts)
    order = [part.title for part in [*PARTS, *BARE]]
    path.write_text(head + "\n".join(parts[title] for title in order if title in parts), encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--write", help="the page")
    parser.add_argument("--root", help="a bare Debian, in which the packages of BUILD are walked")
    parser.add_argument("--clone", action="store_true", help="or the repository, cloned and built")
    parser.add_argument("--ccache", help="a folder of ccache for that")
    parser.add_argument("--only", action="append", choices=[part.name for part in PARTS])
    parser.add_argument("--compare", nargs=2, metavar=("NEW", "KEPT"), help="whether two pages have the same files and commands; walks nothing")
    options = parser.parse_args()
    if options.compare:
        compare(*(pathlib.Path(page).read_text(encoding="utf-8") for page in options.compare))
        return 0
    with tempfile.TemporaryDirectory() as folder:
        if options.ccache:
            CLONED.says += " Here ccache had all of an earlier build; [compiling](testing.md) comes on top of the time of `./dev demo`."
        if options.clone:
            walk, parts = cloned_walk(options.build, options.root, options.ccache), [CLONED]
        elif options.root:
            walk, parts = installed_walk(options.build, options.root), [INSTALLED]
        else:
            walk, parts = Walk(options.build, pathlib.Path(folder)), [part for part in PARTS if not options.only or part.name in options.only]
        for part in parts:
            if missing := part.missing():
                print(f"{part.name}: skipped, this machine has no {', '.join(missing)}")
            else:
                walk.follow(part)
    print(f"walked {len(walk.times)} parts in {sum(seconds for _, seconds in walk.times):.0f} s")
    if options.write:
        write(options.write, walk)
    return 0


if __name__ == "__main__":
    sys.exit(main())
