#!/bin/bash
# The demo: one CNN, trained on 1 and on 4 ranks of this machine from the same start; the numbers are compared.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   demo.sh FOLDER_OF_TOOLS FOLDER_FOR_OUTPUT [EPOCHS]
set -euo pipefail

tools=${1:?"the folder of dist-opt and dist-run"}
output=${2:?"a folder for what the demo writes"}
epochs=${3:-10}
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
model=$root/test/models/digits_cnn.onnx
recipe="loss=softmax-cross-entropy optimizer=sgd learning-rate=0.2 global-batch=64"
many=4

step() { printf '\n-- %s\n\n' "$*"; }

show_import() {
  step "import: what dist-opt makes of $(basename "$model")"
  "$tools/dist-opt" "$model" --import-only --mlir-elide-elementsattrs-if-larger=4 -o "$output/imported.mlir"
  grep 'onnx\.' "$output/imported.mlir" | grep -v 'onnx.Constant' | cut -c1-150
}

# Every run starts from the model's own weights and takes the samples in the same shuffled order.
train() {
  local ranks=$1
  shift
  "$tools/dist-run" -n "$ranks" "$model" --train="$recipe" --distribute="sync-batch-norm=true" \
    --dataset "$root/test/data/digits_train.npz" --evaluate "$root/test/data/digits_test.npz" \
    --epochs "$epochs" --seed 7 --metrics "$output/ranks$ranks.jsonl" --save "$output/ranks$ranks.safetensors" "$@"
}

compare() {
  step "the loss of 1 rank beside that of $many ranks"
  /usr/bin/python3 "$root/tools/demo/show_losses.py" "$output/ranks1.jsonl" "$output/ranks$many.jsonl"
  step "the variables after training: norm of the difference over the norm"
  /usr/bin/python3 "$root/tools/checkpoints/compare_checkpoints.py" "$output/ranks1.safetensors" \
    "$output/ranks$many.safetensors"
}

mkdir -p "$output"
show_import
step "train on 1 rank"
train 1
step "train on $many ranks, with the plan of what they exchange"
train "$many" --plan
compare
