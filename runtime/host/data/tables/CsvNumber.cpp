// Parsing numbers, independent of the locale.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/data/tables/CsvNumber.h"

#include "runtime/host/data/Cast.h"
#include "tutti/types.h"

#include <charconv>
#include <cmath>
#include <cstring>
#include <optional>

namespace tutti::runtime::data {
namespace {

bool is_float(int32_t type) {
  return type == TUTTI_F32 || type == TUTTI_F64 || type == TUTTI_F16 || type == TUTTI_BF16;
}

/// Without spaces around it, and a plus.
std::string_view bare(std::string_view text) {
  size_t first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t");
  if (first == text.npos)
    return {};
  text = text.substr(first, last - first + 1);
  bool has_plus = text.size() > 1 && text[0] == '+' && text[1] != '-';
  return has_plus ? text.substr(1) : text;
}

template <typename Number> std::optional<Number> whole_text(std::string_view text) {
  Number number;
  auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return number;
}

/// 1 and 0, as programs write them.
std::optional<int64_t> truth(std::string_view text) {
  if (text == "true" || text == "True" || text == "TRUE")
    return 1;
  if (text == "false" || text == "False" || text == "FALSE")
    return 0;
  return std::nullopt;
}

/// Also "3.0" and "1e3", as programs write that think of columns as floats.
std::optional<int64_t> parse_whole(std::string_view text) {
  constexpr double limit = 0x1p53; // of whole numbers that a double tells from each other
  if (auto whole = whole_text<int64_t>(text))
    return whole;
  auto number = whole_text<double>(text);
  if (number && std::fabs(*number) < limit && *number == std::floor(*number))
    return int64_t(*number);
  return truth(text);
}

template <typename Float> std::optional<Float> parse_float(std::string_view text) {
  auto number = whole_text<Float>(text);
  if (!number)
    if (auto wide = whole_text<double>(text); wide && std::fabs(*wide) < 1)
      number = Float(*wide); // it is too small for from_chars
  if (!number)
    if (auto one = truth(text))
      number = Float(*one);
  return number && std::isfinite(*number) ? number : std::nullopt;
}

/// Keeps an element of type `from` as one of type `to`, if that has it.
bool keep(int32_t from, int32_t to, const char *element, char *place) {
  if (first_changed(from, to, element, 1))
    return false;
  cast_of(from, to)(element, place, 1);
  return true;
}

bool parse_half(std::string_view text, int32_t type, char *to) {
  auto number = parse_float<float>(text);
  if (!number)
    return false;
  cast_of(TUTTI_F32, type)(reinterpret_cast<const char *>(&*number), to, 1);
  double stored;
  cast_of(type, TUTTI_F64)(to, reinterpret_cast<char *>(&stored), 1);
  return std::isfinite(stored);
}

template <typename Float> bool store(std::optional<Float> number, char *to) {
  if (number)
    std::memcpy(to, &*number, sizeof *number);
  return number.has_value();
}

} // namespace

bool store_number(int64_t number, int32_t type, char *to) {
  return keep(TUTTI_I64, type, reinterpret_cast<const char *>(&number), to);
}

bool parse_number(std::string_view text, int32_t type, char *to) {
  text = bare(text);
  if (type == TUTTI_F32)
    return store(parse_float<float>(text), to);
  if (type == TUTTI_F64)
    return store(parse_float<double>(text), to);
  if (is_float(type))
    return parse_half(text, type, to);
  std::optional<int64_t> whole = parse_whole(text);
  return whole && store_number(*whole, type, to);
}

const char *why_no_number(std::string_view text, int32_t type) {
  text = bare(text);
  auto number = whole_text<double>(text);
  bool is_infinite = !number || !std::isfinite(*number);
  if (is_infinite && !whole_text<int64_t>(text))
    return "no finite number";
  return is_float(type) || parse_whole(text) ? "out of range" : "no whole number";
}

} // namespace tutti::runtime::data
