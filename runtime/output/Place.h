// Where a path leads, found before anything is written there.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_OUTPUT_PLACE_H
#define TUTTI_RUNTIME_OUTPUT_PLACE_H

#include "runtime/support/Error.h"

#include <string>
#include <sys/stat.h>

namespace tutti::runtime::output {

/// A descriptor that is closed at the end.
class Descriptor {
public:
  explicit Descriptor(int number = -1) : number(number) {}
  Descriptor(Descriptor &&other) noexcept : number(other.release()) {}
  Descriptor &operator=(Descriptor &&other) noexcept;
  ~Descriptor();

  int get() const { return number; }
  int release();
  explicit operator bool() const { return number >= 0; }

private:
  int number;
};

enum class PlaceKind {
  file,      ///< a regular file, or none yet: a new file takes the name when it is whole
  in_place,  ///< a regular file that no other can replace, because something is mounted on it
  device,    ///< a device, a socket, or a file behind one of this process's own descriptors
  named_pipe ///< opening it waits for a reader
};

/// Where a path leads. Links are followed as cp does: to the file that is there in the end; one
/// that leads to nothing is an error.
struct Place {
  PlaceKind kind = PlaceKind::file;
  int descriptor = -1; ///< of this process, if the path stands for one; not owned
  Descriptor folder;   ///< holds `name`, if it is a file
  std::string name;    ///< in `folder`
  std::string path;    ///< the file's own, after all links
  bool exists = false; ///< then `status` is the file's
  struct stat status = {};

  /// "-" is standard output. Fails if nothing can be written there, and says why.
  static Result<Place> find(const std::string &path);
};

/// "cannot write 'path': reason" with the reason that errno tells.
Error cannot_write(const std::string &path, int number);

} // namespace tutti::runtime::output

#endif // TUTTI_RUNTIME_OUTPUT_PLACE_H
