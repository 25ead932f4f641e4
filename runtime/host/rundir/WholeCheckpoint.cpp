// Opening what a run left, of which anything may be missing.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/rundir/WholeCheckpoint.h"

#include "runtime/host/rundir/folder/FileChecksum.h"
#include "runtime/output/Place.h"

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
  output::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
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

Error verify_part(const Part &part) {
  if (Error error = read_through(part.path))
    return error;
  FileChecksum sum(part.stored.metadata);
  for (const auto &[name, tensor] : part.stored.tensors)
    sum.add(name, tensor.type, tensor.shape, tensor.data);
  auto told = part.stored.metadata.find(checksum_key);
  if (told == part.stored.metadata.end() || told->second != sum.text())
    return bad(part.path, "its checksum is wrong");
  return Error::success();
}

Error of_another_launch(const std::string &path) {
  return bad(path, "it is of another launch than rank 0's file");
}

} // namespace

Result<WholeCheckpoint> WholeCheckpoint::open_first(const Folder &folder, int64_t step) {
  Result<Part> part = open_part(folder.part({step, 0, 1}));
  if (!part)
    return part.error();
  if (Error error = check_belongs(*part, part->state, step, 0))
    return error;
  return WholeCheckpoint(folder, std::move(*part));
}

Result<WholeCheckpoint> WholeCheckpoint::open(const Folder &folder, int64_t step,
                                              bool *out_lacks_part) {
  bool ignored = false;
  bool &lacks_part = out_lacks_part ? *out_lacks_part : ignored;
  Result<WholeCheckpoint> whole = open_first(folder, step);
  lacks_part = !whole && is_missing(folder.part({step, 0, 1}));
  if (!whole)
    return whole;
  for (int64_t rank = 1; rank < whole->files(); ++rank)
    if (Result<const Part *> part = whole->file(rank, lacks_part); !part)
      return part.error();
  if (Error error = whole->open_servers(lacks_part))
    return error;
  return whole;
}

Result<const Part *> WholeCheckpoint::file(int64_t rank) const {
  bool ignored = false;
  return file(rank, ignored);
}

Result<const Part *> WholeCheckpoint::file(int64_t rank, bool &out_lacks_part) const {
  if (rank == 0)
    return &first;
  auto opened = others.find(rank);
  if (opened != others.end())
    return &opened->second;
  std::string path = folder.part({state().step, rank, state().ranks});
  Result<Part> part = open_part(path);
  out_lacks_part = !part && is_missing(path);
  if (!part)
    return part.error();
  if (Error error = check_belongs(*part, state(), state().step, rank))
    return error;
  out_lacks_part = part->state.launch != state().launch;
  if (out_lacks_part)
    return of_another_launch(path);
  return &others.emplace(rank, std::move(*part)).first->second;
}

Result<ServerFile> WholeCheckpoint::open_server(int64_t server, bool &out_lacks_part) const {
  const RunState &run = state();
  std::string path = folder.part({run.step, server, run.servers, /*is_server=*/true});
  Result<ServerFile> file = open_server_file(path);
  out_lacks_part = !file && is_missing(path);
  if (!file)
    return file.error();
  const ServerPart &own = file->part;
  if (own.step != run.step || own.server != server || own.servers != run.servers)
    return bad(file->path, text("it is of server ", own.server, " of ", own.servers, " at step ",
                                own.step, ", as its name does not say"));
  out_lacks_part = own.launch != run.launch;
  if (out_lacks_part)
    return of_another_launch(path);
  return file;
}

Error WholeCheckpoint::open_servers(bool &out_lacks_part) {
  for (int64_t server = 0; server < state().servers; ++server) {
    Result<ServerFile> file = open_server(server, out_lacks_part);
    if (!file)
      return file.error();
    if (server > 0 && file->part.workers != of_servers.front().part.workers)
      return bad(file->path, "it has other pushes of the workers than that of server 0");
    of_servers.push_back(std::move(*file));
  }
  return Error::success();
}

Result<std::vector<std::string>> WholeCheckpoint::tables() const {
  std::vector<std::string> names;
  bool ignored = false;
  if (state().servers == 0)
    return names;
  Result<ServerFile> file = open_server(0, ignored); // each has a part of every table
  if (!file)
    return file.error();
  for (const auto &[name, table] : file->part.tables)
    names.push_back(name);
  return names;
}

Error WholeCheckpoint::verify() const {
  for (int64_t number = 0; number < all_files(); ++number)
    if (Error error = verify_file(number))
      return error;
  return Error::success();
}

Error WholeCheckpoint::verify_file(int64_t number) const {
  if (number < files()) {
    Result<const Part *> part = file(number);
    return part ? verify_part(**part) : part.error();
  }
  bool ignored = false;
  Result<ServerFile> opened = open_server(number - files(), ignored);
  if (!opened)
    return opened.error();
  if (Error error = read_through(opened->path))
    return error;
  return is_sum_right(opened->stored) ? Error::success()
                                      : bad(opened->path, "its checksum is wrong");
}

} // namespace tutti::runtime::rundir
