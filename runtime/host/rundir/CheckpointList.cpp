// The list as JSON: {"whole": [100, 200]}.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/rundir/CheckpointList.h"

#include "runtime/output/OutputFile.h"
#include "runtime/support/Json.h"
#include "runtime/support/system/MappedFile.h"

#include <filesystem>

namespace tutti::runtime::rundir {

CheckpointList CheckpointList::read(const Folder &folder) {
  CheckpointList list;
  std::error_code problem;
  bool is_there = std::filesystem::exists(folder.list(), problem);
  if (!is_there && !problem)
    return list;
  list.lists_all = true;
  auto file = MappedFile::open(folder.list());
  if (!file)
    return list;
  Result<nlohmann::json> parsed = parse_json_object((*file)->bytes(), TUTTI_BAD_DATA);
  if (!parsed)
    return list;
  try {
    for (int64_t step : parsed->at("whole").get<std::vector<int64_t>>())
      list.steps.insert(step);
    list.lists_all = false;
  } catch (const std::exception &) {
    list.steps.clear();
  }
  return list;
}

std::string CheckpointList::describe_last(const std::string &model_dir) {
  if (model_dir.empty())
    return "nothing";
  CheckpointList list = read(Folder(model_dir));
  return list.steps.empty()
             ? "nothing"
             : text("the checkpoint of step ", *list.steps.rbegin(), " in '", model_dir, "'");
}

Error CheckpointList::write(const Folder &folder) {
  Result<output::OutputFile> file = output::OutputFile::open(folder.list());
  if (!file)
    return file.error();
  file->write(nlohmann::json({{"whole", steps}}).dump() + "\n");
  if (Error error = file->commit())
    return error;
  lists_all = false;
  return Error::success();
}

Error CheckpointList::add(const Folder &folder, int64_t step) {
  return steps.insert(step).second ? write(folder) : Error::success();
}

Error CheckpointList::remove(const Folder &folder, int64_t step) {
  return steps.erase(step) > 0 ? write(folder) : Error::success();
}

Error CheckpointList::restrict_to(const Folder &folder, const std::set<int64_t> &there) {
  std::set<int64_t> left;
  for (int64_t step : there)
    if (has(step))
      left.insert(step);
  bool is_same = left == steps && !lists_all;
  steps = std::move(left);
  return is_same ? Error::success() : write(folder);
}

} // namespace tutti::runtime::rundir
