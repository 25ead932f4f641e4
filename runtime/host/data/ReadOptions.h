// How files are read that do not say it themselves.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_DATA_READOPTIONS_H
#define TUTTI_RUNTIME_HOST_DATA_READOPTIONS_H

#include <cstdint>
#include <string>

namespace tutti::runtime::data {

/// The keys of --read. All files of a run are read by the same.
struct ReadOptions {
  std::string tokens = "u16"; ///< type of the numbers in a file of tokens: u16 or u32
  int64_t length = 0;         ///< tokens of a sample; 0: nobody has said

  // Files of comma- or tab-separated values:
  bool header = true;          ///< the first line has the names of the columns
  std::string separator = "";  ///< comma, tab or semicolon; empty: as the file's ending says
  std::string columns = "";    ///< "x:a,b;y:c": which make the array of an input
  std::string categories = ""; ///< "a,b": columns of words, which have numbers in a vocabulary
  std::string hash = "";       ///< "a:1000": columns of text, and the numbers that it is hashed to
  std::string missing = "";    ///< stands in place of an empty field; empty: that is an error
  std::string vocabulary = ""; ///< file of it; empty: nobody keeps it

  // Folders of pictures:
  std::string resize = "";     ///< "256": the shorter edge; "224x224": height and width
  std::string crop = "";       ///< "224" or "224x224": what is kept
  bool random_crop = false;    ///< of a random place in training; else of the centre
  int64_t padding = 0;         ///< black pixels around, before it is cropped at random
  bool flip = false;           ///< in training every second picture, at random
  std::string normalize = "";  ///< see docs/data.md; empty: as its type says
  std::string layout = "nchw"; ///< nchw or nhwc
  uint64_t seed = 0;           ///< of what is drawn. No key

  /// The training data, by its path: where no vocabulary is kept, their words make it. No key.
  std::string training = "";
};

} // namespace tutti::runtime::data

#endif // TUTTI_RUNTIME_HOST_DATA_READOPTIONS_H
