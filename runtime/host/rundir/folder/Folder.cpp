// Names of checkpoints, to text and back.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/rundir/folder/Folder.h"

#include "runtime/host/rundir/folder/OwnerRecord.h"
#include "runtime/output/OutputFile.h"
#include "runtime/support/Numbers.h"

#include <filesystem>

namespace tutti::runtime::rundir {
namespace {

constexpr std::string_view first_word = "step-", rank_word = ".rank-", server_word = ".server-",
                           of_word = "-of-", ending = ".safetensors";

/// Takes `word` from the beginning of `text`, or from its end.
bool take_front(std::string_view &text, std::string_view word) {
  bool is_there = text.substr(0, word.size()) == word;
  text.remove_prefix(is_there ? word.size() : 0);
  return is_there;
}
bool take_back(std::string_view &text, std::string_view word) {
  bool is_there = text.size() >= word.size() && text.substr(text.size() - word.size()) == word;
  text.remove_suffix(is_there ? word.size() : 0);
  return is_there;
}

/// A number as PartName writes it: "007" is none.
bool is_number(std::string_view word, int64_t low, int64_t &out) {
  auto number = parse_integer<int64_t>(word, low);
  out = number ? *number : 0;
  return number && std::to_string(out) == word;
}

} // namespace

std::string PartName::text() const {
  std::string name = std::string(first_word) + std::to_string(step);
  if (rank > 0 || is_server)
    name += std::string(is_server ? server_word : rank_word) + std::to_string(rank) +
            std::string(of_word) + std::to_string(ranks);
  return name + std::string(ending);
}

std::optional<PartName> PartName::parse(const std::string &name) {
  std::string_view rest = name;
  PartName part;
  if (!take_front(rest, first_word) || !take_back(rest, ending))
    return std::nullopt;
  part.is_server = rest.find(server_word) != rest.npos;
  std::string_view word = part.is_server ? server_word : rank_word;
  size_t dot = rest.find(word);
  if (!is_number(rest.substr(0, dot), 0, part.step))
    return std::nullopt;
  if (dot == rest.npos)
    return part;
  rest.remove_prefix(dot + word.size());
  size_t of = rest.find(of_word);
  if (of == rest.npos || !is_number(rest.substr(0, of), part.is_server ? 0 : 1, part.rank) ||
      !is_number(rest.substr(of + of_word.size()), part.rank + 1, part.ranks))
    return std::nullopt;
  return part;
}

Error Folder::prepare() const {
  std::error_code problem;
  std::filesystem::create_directories(checkpoints(), problem);
  if (problem)
    return Error::make(TUTTI_SYSTEM_ERROR, "cannot make the folder '", checkpoints(),
                       "': ", problem.message());
  for (const std::string &file : {metrics(), part({})})
    if (Error error = output::OutputFile::check(file))
      return error;
  return Error::success();
}

void Folder::forget_flight() const {
  std::error_code ignored;
  std::filesystem::remove_all(flight(), ignored);
}

std::string Folder::owner() const { return root + "/" + owner_name; }

Error Folder::tell_finished(int64_t steps) const {
  Result<output::OutputFile> file = output::OutputFile::open(finished());
  if (!file)
    return file.error();
  file->write("{\"steps\": " + std::to_string(steps) + "}\n");
  return file->commit();
}

void Folder::forget_finished() const {
  std::error_code problem; // then it says so still, which a new last step corrects
  std::filesystem::remove(finished(), problem);
}

bool Folder::is_finished() const {
  std::error_code problem;
  return std::filesystem::is_regular_file(finished(), problem);
}

Result<std::map<int64_t, std::vector<PartName>>> Folder::parts() const {
  std::map<int64_t, std::vector<PartName>> found;
  std::error_code problem;
  std::filesystem::directory_iterator entry(checkpoints(), problem), end;
  for (; !problem && entry != end; entry.increment(problem))
    if (std::optional<PartName> part = PartName::parse(entry->path().filename().string()))
      found[part->step].push_back(*part);
  if (problem && problem != std::errc::no_such_file_or_directory)
    return Error::make(TUTTI_SYSTEM_ERROR, "cannot list '", checkpoints(),
                       "': ", problem.message());
  return found;
}

} // namespace tutti::runtime::rundir
