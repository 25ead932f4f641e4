"""Distributes a model in several ways with buckets=auto, and prints what collective-choose takes in each.

    choices.py DIST_OPT MODELS CLUSTERS
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import itertools
import re
import subprocess
import sys

TRAIN = "loss=softmax-cross-entropy optimizer=adam global-batch=64"


def choose(dist_opt, model, keys, ranks):
    command = [dist_opt, model, f"--train={TRAIN}", f"--distribute=buckets=auto hierarchy=auto {keys}", f"--specialize-world=ranks={ranks}",
               "--remarks=text", "--remarks-filter=collective-choose", "-o", "/dev/null"]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    return re.search(r"step: chose (.*) for \d+ ranks", said).group(1)


def main():
    dist_opt, models, clusters = sys.argv[1:]
    for name, cluster, ranks, more in itertools.product(("digits_mlp", "digits_cnn"), ("cluster", "far", "near"), (4, 8),
                                                        ("", "overlap=true", "compress=f16", "accumulate=2")):
        keys = f"cluster={clusters}/{cluster}.json {more}"
        print(f"{name} {cluster} {ranks} {more or '-'}: {choose(dist_opt, f'{models}/{name}.onnx', keys, ranks)}")


if __name__ == "__main__":
    main()
