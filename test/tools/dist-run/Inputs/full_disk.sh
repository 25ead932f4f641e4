# full_disk.sh FOLDER COMMAND...: runs COMMAND, which trains in FOLDER/disk, on a disk with room for two checkpoints, on one that cannot be
# written, and on one with room enough. In a mount namespace of its own.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
folder=$1
shift
left() {
  echo "status $1:" $(ls -A "$folder/disk/run/checkpoints")
}
mount -t tmpfs -o size=512k none "$folder/disk" || exit 1
"$@" --save-checkpoints-steps 10
left $?
mount -o remount,ro "$folder/disk" || exit 1
"$@"
left $?
mount -o remount,rw,size=16m "$folder/disk" || exit 1
"$@" --save-checkpoints-steps 20 --keep-checkpoint-max 1 --save "$folder/disk.safetensors"
left $?
