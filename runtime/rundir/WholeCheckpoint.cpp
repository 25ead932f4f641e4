// Opening what a run left, of which anything may be missing.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/rundir/WholeCheckpoint.h"

#include "runtime/output/Place.h"
#include "runtime/rundir/FileChecksum.h"

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

namespace tutti::runtime::rundir {
namespace {

using Part = WholeCheckpoint::Part;
using ServerFile = WholeCheckpoint::ServerFile;

Error bad(const std::string &path, const std::string &what) {
  return Error::make(TUTTI_BAD_DATA, "'", path, "': ", what);
}

bool is_missing(const std::string &path) {
  std::error_code problem;
  return !std::filesystem::exists(path, problem) && !problem;
}

/// Reads it once from beginning to end: what the device does not give is an error here, and the
/// end of the process where the mapping is read.
Error read_through(const std::string &path) {
  output::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::vector<char> piece(1 << 20);
  ssize_t bytes = file ? 1 : -1;
  while (bytes > 0 || (bytes < 0 && file && errno == EINTR))
    bytes = read(file.get(), piece.data(), piece.size());
  return bytes < 0 ? bad(path, system_message(errno)) : Error::success();
}

/// Maps the file of a rank or of a server, and reads its header.
template <typename File> Error open_file(const std::string &path, File &out) {
  out.path = path;
  auto file = MappedFile::open(path);
  if (!file)
    return file.error();
  out.file = std::move(*file);
  auto stored = checkpoint::parse_with_metadata(out.file->bytes());
  if (!stored)
    return bad(path, stored.error().message);
  out.stored = std::move(*stored);
  return Error::success();
}

Result<Part> open_part(const std::string &path) {
  Part part;
  if (Error error = open_file(path, part))
    return error;
  auto state = RunState::parse(part.stored.metadata);
  if (!state)
    return bad(path, state.error().message);
  part.state = std::move(*state);
  return Result<Part>(std::move(part));
}

Result<ServerFile> open_server_file(const std::string &path) {
  ServerFile file;
  if (Error error = open_file(path, file))
    return error;
  auto part = ServerPart::parse(file.stored.metadata);
  if (!part)
    return bad(path, part.error().message);
  file.part = std::move(*part);
  return Result<ServerFile>(std::move(file));
}

/// Whether the part is that of rank `rank` in the checkpoint that `first` begins.
Error check_belongs(const Part &part, const RunState &first, int64_t step, int64_t rank) {
  const RunState &own = part.state;
  if (own.step != step || own.rank != rank || own.ranks != first.ranks)
    return bad(part.path, text("it is of rank ", own.rank, " of ", own.ranks, " at step ", own.step,
                               ", as its name does not say"));
  return Error::success();
}

Error of_another_launch(const std::string &path) {
  return bad(path, "it is of another launch than rank 0's file");
}

} // namespace

Result<WholeCheckpoint> WholeCheckpoint::open(const Folder &folder, int64_t step,
                                              bool *out_lacks_part) {
  bool ignored = false;
  bool &lacks_part = out_lacks_part ? *out_lacks_part : ignored;
  WholeCheckpoint whole;
  int64_t files = 1, ranks = 1;
  for (int64_t rank = 0; rank < files; ++rank) {
    std::string path = folder.part({step, rank, ranks});
    Result<Part> part = open_part(path);
    lacks_part = !part && is_missing(path);
    if (!part)
      return part.error();
    if (rank == 0)
      files = part->state.files, ranks = part->state.ranks;
    const RunState &first = rank == 0 ? part->state : whole.state();
    if (Error error = check_belongs(*part, first, step, rank))
      return error;
    lacks_part = part->state.launch != first.launch;
    if (lacks_part)
      return of_another_launch(path);
    whole.parts.push_back(std::move(*part));
  }
  if (Error error = whole.open_servers(folder, lacks_part))
    return error;
  return Result<WholeCheckpoint>(std::move(whole));
}

Error WholeCheckpoint::open_servers(const Folder &folder, bool &out_lacks_part) {
  const RunState &first = state();
  for (int64_t server = 0; server < first.servers; ++server) {
    std::string path = folder.part({first.step, server, first.servers, /*is_server=*/true});
    Result<ServerFile> file = open_server_file(path);
    out_lacks_part = !file && is_missing(path);
    if (!file)
      return file.error();
    const ServerPart &own = file->part;
    if (own.step != first.step || own.server != server || own.servers != first.servers)
      return bad(file->path, text("it is of server ", own.server, " of ", own.servers, " at step ",
                                  own.step, ", as its name does not say"));
    out_lacks_part = own.launch != first.launch;
    if (out_lacks_part)
      return of_another_launch(path);
    if (server > 0 && own.workers != of_servers.front().part.workers)
      return bad(file->path, "it has other pushes of the workers than that of server 0");
    of_servers.push_back(std::move(*file));
  }
  return Error::success();
}

Error WholeCheckpoint::verify() const {
  for (const Part &part : parts) {
    if (Error error = read_through(part.path))
      return error;
    FileChecksum sum(part.stored.metadata);
    for (const auto &[name, tensor] : part.stored.tensors)
      sum.add(name, tensor.type, tensor.shape, tensor.data);
    auto told = part.stored.metadata.find(checksum_key);
    if (told == part.stored.metadata.end() || told->second != sum.text())
      return bad(part.path, "its checksum is wrong");
  }
  for (const ServerFile &file : of_servers) {
    if (Error error = read_through(file.path))
      return error;
    if (!is_sum_right(file.stored))
      return bad(file.path, "its checksum is wrong");
  }
  return Error::success();
}

} // namespace tutti::runtime::rundir
