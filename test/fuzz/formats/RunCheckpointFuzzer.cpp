// Bytes as rank 0's file of a checkpoint in a run directory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/rundir/Restore.h"
#include "test/fuzz/formats/Input.h"

#include <filesystem>
#include <fstream>

using namespace tutti::runtime;
using worker::Placement;

namespace {

worker::Variable variable(const char *name, const char *kind, Placement placement,
                          std::vector<int64_t> shape) {
  worker::Variable made;
  made.name = name;
  made.kind = kind;
  made.type = TUTTI_F32;
  made.placement = placement;
  made.shape = std::move(shape);
  if (placement == Placement::shard)
    made.whole = {2, 3};
  return made;
}

/// Two ranks: what is whole, a part, and each rank's own.
worker::Manifest program() {
  worker::Manifest manifest;
  manifest.ranks = 2;
  manifest.variables = {variable("weight", "trainable", Placement::replicate, {2, 3}),
                        variable("moment", "state", Placement::shard, {3}),
                        variable("local", "trainable", Placement::per_rank, {2, 3})};
  return manifest;
}

} // namespace

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static tutti::fuzz::ScratchFile scratch("unused");
  static const worker::Manifest manifest = program();
  rundir::Folder folder(scratch.folder() + "/run");
  std::filesystem::create_directories(folder.checkpoints());
  std::ofstream(folder.part({1, 0, 1}), std::ios::binary) << tutti::fuzz::textOf(data, size);
  auto checkpoint = rundir::WholeCheckpoint::open(folder, 1);
  if (!checkpoint)
    return 0;
  (void)checkpoint->verify(); // what follows must hold although it fails
  float weight[6], moment[3], local[6];
  worker::Buffers buffers;
  buffers.variables = {weight, moment, local};
  std::vector<std::string> notes;
  std::vector<rundir::Averaged> averaged;
  for (int64_t rank : {0, 1})
    (void)rundir::restore(*checkpoint, manifest, buffers, rank, notes, averaged);
  (void)rundir::FileMeans::open(*checkpoint, averaged, 0, 1);
  const rundir::RunState &state = checkpoint->state();
  (void)worker::check_same_run(state.record, state.is_record_partial, {{"seed", "7"}}, {"data"},
                               notes);
  return 0;
}
