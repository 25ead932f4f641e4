// Looking at every element once, before the first is used.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/data/Values.h"

#include "runtime/host/data/Cast.h"
#include "runtime/support/Names.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace tutti::runtime::data {
namespace {

/// NumPy's name of a type, for what the user may type.
std::string numpy_name(int32_t type) {
  std::string name = type_name(type);
  if (name == "bool")
    return "bool_";
  const std::map<char, std::string> words = {{'f', "float"}, {'i', "int"}, {'u', "uint"}};
  auto word = words.find(name[0]);
  return word == words.end() ? name : word->second + name.substr(1);
}

int64_t elements_of(const Array &array) {
  return *array_bytes(array.type, array.shape) / type_bytes(array.type);
}

/// "sample 3", or "sample 3, element 5" where a sample has several; "sample 3 (line 5)" of a source
/// that says so.
std::string place_of(int64_t element, const Array &array) {
  int64_t width = elements_of(array) / array.rows(), number = array.first + element / width;
  std::string origin = array.origin ? array.origin->place_of(number) : "";
  std::string sample = text("sample ", number, origin.empty() ? "" : " (" + origin + ")");
  return width == 1 ? sample : sample + text(", element ", element % width);
}

/// What the user may have meant by values from `least` to `most`.
std::string remedy(int64_t least, int64_t most, const IndexBounds &bounds) {
  if (!bounds.is_class)
    return "";
  if (least >= bounds.low + 1 && most == bounds.high + 1)
    return "; they seem to count from 1: subtract 1 from each";
  if (least < bounds.low && most <= bounds.high)
    return text("; give the loss an ignore_index where a sample has no class");
  return "";
}

std::string allowed(const IndexBounds &bounds) {
  std::string range = text(bounds.low, " to ", bounds.high);
  return bounds.ignored ? text(range, ", or ", *bounds.ignored, " to be ignored") : range;
}

/// Says what is wrong with element `bad`, having looked at all.
Error refuse(const Array &array, const InputSpec &input, const IndexBounds &bounds, int64_t bad) {
  int64_t least = INT64_MAX, most = INT64_MIN;
  for (int64_t i = 0; i < elements_of(array); ++i) {
    int64_t value = integer_element(array.type, array.data, i);
    if (value == bounds.ignored)
      continue;
    least = std::min(least, value);
    most = std::max(most, value);
  }
  const char *what = bounds.is_class ? "classes" : "entries";
  return Error::make(TUTTI_BAD_DATA, "array '", array.name, "' (input '", input.name,
                     "'): ", place_of(bad, array), " is ",
                     element_text(array.type, array.data, bad), ", but node '", bounds.node,
                     "' has the ", what, " ", allowed(bounds), "; the array has values from ",
                     least, " to ", most, remedy(least, most, bounds));
}

Error check_indices(const Array &array, const InputSpec &input) {
  for (const IndexBounds &bounds : input.indices)
    if (std::optional<int64_t> bad = first_outside(array.type, array.data, elements_of(array),
                                                   bounds.low, bounds.high, bounds.ignored))
      return refuse(array, input, bounds, *bad);
  return Error::success();
}

/// What values an array has, as labels of one of two classes.
struct Labels {
  double least = INFINITY, most = -INFINITY; ///< without those that are no number
  std::optional<int64_t> bad;                ///< the first that is neither 0, nor 1, nor between
};

Labels find_labels(const Array &array) {
  Labels found;
  Cast read = cast_of(array.type, TUTTI_F64);
  int64_t step = type_bytes(array.type);
  for (int64_t i = 0; i < elements_of(array); ++i) {
    double value;
    read(array.data + i * step, reinterpret_cast<char *>(&value), 1);
    found.least = std::fmin(found.least, value);
    found.most = std::fmax(found.most, value);
    if (!found.bad && !(value >= 0 && value <= 1))
      found.bad = i;
  }
  return found;
}

/// What the user may have meant by labels from `least` to `most`.
const char *remedy(const Labels &labels) {
  if (labels.least == -1 && labels.most == 1)
    return "; they seem to be -1 and 1: save (label + 1) / 2";
  if (labels.least == 1 && labels.most == 2)
    return "; they seem to count from 1: subtract 1 from each";
  return "";
}

Error check_labels(const Array &array, const InputSpec &input) {
  if (!input.holds_labels)
    return Error::success();
  Labels found = find_labels(array);
  if (!found.bad)
    return Error::success();
  return Error::make(TUTTI_BAD_DATA, "array '", array.name, "' (input '", input.name,
                     "'): ", place_of(*found.bad, array), " is ",
                     element_text(array.type, array.data, *found.bad),
                     ", but a label is 0 or 1, or a probability between them; the array has values "
                     "from ",
                     found.least, " to ", found.most, remedy(found));
}

/// The type of the input must have each value.
Error check_cast(const Array &array, const InputSpec &input) {
  std::optional<int64_t> changed =
      first_changed(array.type, input.type, array.data, elements_of(array));
  if (!changed)
    return Error::success();
  return Error::make(TUTTI_BAD_DATA, "array '", array.name, "' is ", type_name(array.type), ": ",
                     place_of(*changed, array), " is ",
                     element_text(array.type, array.data, *changed), ", which input '", input.name,
                     "' of type ", type_name(input.type),
                     " does not hold; if another value will do, save the array as "
                     "array.astype(numpy.",
                     numpy_name(input.type), ")");
}

Error check_part(const Array &array, const InputSpec &input) {
  // First as indices: that says more of a label that is far out of range.
  if (Error error = check_indices(array, input))
    return error;
  if (Error error = check_labels(array, input))
    return error;
  return check_cast(array, input);
}

} // namespace

Error check_values(const Array &array, const InputSpec &input) {
  if (array.source && !array.source->is_stored())
    return Error::success();
  return for_each_part(array, [&](const Array &part) { return check_part(part, input); });
}

Error check_read(const Array &part, const InputSpec &input) { return check_part(part, input); }

Error check_both_classes(const Array &array, const InputSpec &input) {
  if (array.source && !array.source->is_stored())
    return Error::success();
  Result<Array> whole = in_memory(array);
  if (!whole)
    return whole.error();
  Labels found = find_labels(*whole);
  if (found.least < 1 && found.most > 0)
    return Error::success();
  return Error::make(TUTTI_BAD_DATA, "array '", array.name, "' (input '", input.name, "'): all ",
                     elements_of(array), " labels are ", found.most,
                     "; the area under the ROC curve compares samples of both classes: evaluate on "
                     "data that has both");
}

} // namespace tutti::runtime::data
