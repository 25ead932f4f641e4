// Listing folders.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/data/images/ImageList.h"

#include "runtime/support/Crc32c.h"

#include <algorithm>
#include <filesystem>
#include <set>

namespace tutti::runtime::data {
namespace {

namespace fs = std::filesystem;

Error cannot_list(const fs::path &folder, const std::error_code &code) {
  return Error::make(TUTTI_BAD_DATA, "cannot list '", folder.string(), "': ", code.message());
}

std::string lower_ending(const fs::path &path) {
  std::string ending = path.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return char(std::tolower(c)); });
  return ending;
}

/// The names in a folder, sorted: of folders, or of what else is there.
struct Listed {
  std::vector<std::string> folders, files;
};

Result<Listed> list(const fs::path &folder) {
  Listed found;
  std::error_code code;
  for (fs::directory_iterator at(folder, code), end; !code && at != end; at.increment(code)) {
    std::error_code none; // what cannot be looked at is a file that cannot be read
    auto &kind = fs::is_directory(at->path(), none) ? found.folders : found.files;
    kind.push_back(at->path().filename().string());
  }
  if (code)
    return cannot_list(folder, code);
  std::sort(found.folders.begin(), found.folders.end());
  std::sort(found.files.begin(), found.files.end());
  return found;
}

/// All folders of `top`, itself among them, as paths in `root`, sorted as texts.
Result<std::vector<std::string>> folders_under(const fs::path &root, const std::string &top) {
  std::vector<std::string> all{top};
  std::set<std::string> visited; // links may lead in circles
  for (size_t i = 0; i < all.size(); ++i) {
    std::error_code code;
    std::string real = fs::canonical(root / all[i], code).string();
    if (code)
      return cannot_list(root / all[i], code);
    if (!visited.insert(real).second)
      return Error::make(TUTTI_BAD_DATA, "'", (root / all[i]).string(),
                         "' is a link to a folder that is there already");
    Result<Listed> listed = list(root / all[i]);
    if (!listed)
      return listed.error();
    for (const std::string &name : listed->folders)
      all.push_back(all[i] + "/" + name);
  }
  std::sort(all.begin(), all.end());
  return all;
}

/// Whether a file is a picture; an error if it is one that nobody here reads.
Result<bool> is_picture(const fs::path &path) {
  static const std::set<std::string> read = {".jpg", ".jpeg", ".png"},
                                     other = {".ppm", ".bmp", ".pgm", ".tif", ".tiff", ".webp"};
  std::string ending = lower_ending(path);
  if (other.count(ending))
    return Error::make(TUTTI_BAD_DATA, "'", path.string(),
                       "' is neither JPEG nor PNG; convert it, or take it away");
  return read.count(ending) > 0;
}

Error add_class(ImageList &images, const std::string &name, Crc32c &sum) {
  Result<std::vector<std::string>> folders = folders_under(images.folder, name);
  if (!folders)
    return folders.error();
  size_t before = images.files.size();
  for (const std::string &folder : *folders) {
    Result<Listed> listed = list(fs::path(images.folder) / folder);
    if (!listed)
      return listed.error();
    for (const std::string &file : listed->files) {
      fs::path path = fs::path(images.folder) / folder / file;
      Result<bool> is_one = is_picture(path);
      if (!is_one)
        return is_one.error();
      if (!*is_one)
        continue;
      std::error_code none; // whoever reads it says why that cannot be done
      images.files.push_back(folder + "/" + file);
      images.labels.push_back(int64_t(images.classes.size()));
      sum.add(text(images.files.back(), '\n', fs::file_size(path, none), '\n'));
    }
  }
  images.classes.push_back(name);
  if (images.files.size() > before)
    return Error::success();
  return Error::make(TUTTI_BAD_DATA, "its sub-folder '", name,
                     "' is a class without a .jpg, .jpeg or .png");
}

} // namespace

Result<ImageList> ImageList::find(const std::string &folder) {
  ImageList images;
  images.folder = folder;
  Result<Listed> listed = list(folder);
  if (!listed)
    return listed.error();
  Crc32c sum;
  for (const std::string &name : listed->folders)
    if (Error error = add_class(images, name, sum))
      return Error::make(error.status, "dataset '", folder, "': ", error.message);
  images.fingerprint = text(images.files.size(), " files ", sum.value());
  return images;
}

} // namespace tutti::runtime::data
