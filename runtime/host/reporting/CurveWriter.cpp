// Keeping a curve small, and its file whole.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/reporting/CurveWriter.h"

#include "runtime/support/Json.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iterator>

namespace tutti::runtime::worker {
namespace {

using nlohmann::json;

/// Seconds between two writings of the file.
constexpr double seconds_between = 2;

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

bool is_numbers(const json &list, size_t count) {
  return list.is_array() && list.size() == count &&
         std::all_of(list.begin(), list.end(),
                     [](const json &value) { return value.is_number() || value.is_null(); });
}

std::vector<double> numbers_of(const json &list) {
  std::vector<double> numbers;
  for (const json &value : list)
    numbers.push_back(value.is_null() ? std::nan("") : value.get<double>());
  return numbers;
}

} // namespace

void CurveWriter::Point::add(const Point &other) {
  last = other.last;
  for (size_t i = 0; i < sums.size(); ++i) {
    sums[i] += other.sums[i];
    least[i] = std::min(least[i], other.least[i]);
    largest[i] = std::max(largest[i], other.largest[i]);
  }
}

void CurveWriter::add(Point point) {
  if (!points.empty() && points.back().last - points.back().first + 1 < steps_a_point)
    points.back().add(point);
  else
    points.push_back(std::move(point));
  if (points.size() <= most_points)
    return;
  std::vector<Point> fewer;
  for (size_t i = 0; i < points.size(); ++i)
    if (i % 2 == 0)
      fewer.push_back(std::move(points[i]));
    else
      fewer.back().add(points[i]);
  points = std::move(fewer);
  steps_a_point *= 2;
}

void CurveWriter::record(const StepRecord &record) {
  if (path.empty())
    return;
  std::vector<double> values = record.metrics;
  values.push_back(record.samples_per_second);
  add({record.step, record.step, values, values, values});
  if (!record.evaluation.empty())
    record_evaluation(record);
  if (seconds_now() - last_flush > seconds_between)
    flush();
}

void CurveWriter::record_evaluation(const StepRecord &record) {
  if (path.empty())
    return;
  json values = json::object();
  for (const auto &[name, value] : record.evaluation)
    values[name] = value;
  if (!evaluations.empty() && evaluations.back().first == record.step)
    evaluations.pop_back();
  evaluations.push_back({record.step, std::move(values)});
  if (evaluations.size() <= most_points)
    return;
  size_t kept = 0;
  for (size_t i = 0; i < evaluations.size(); i += 2)
    evaluations[kept++] = std::move(evaluations[i]);
  evaluations.resize(kept);
}

json CurveWriter::to_json() const {
  json told = json::array();
  for (const Point &point : points) {
    std::vector<double> means = point.sums;
    for (double &mean : means)
      mean /= double(point.last - point.first + 1);
    told.push_back({point.first, point.last, means, point.least, point.largest});
  }
  json evaluated = json::array();
  for (const auto &[step, values] : evaluations)
    evaluated.push_back({{"step", step}, {"values", values}});
  return {{"format", 1},
          {"names", names},
          {"steps_a_point", steps_a_point},
          {"points", std::move(told)},
          {"evaluations", std::move(evaluated)}};
}

void CurveWriter::go_on_after(int64_t step) {
  if (path.empty() || step == 0)
    return;
  std::ifstream file(path);
  std::string content{std::istreambuf_iterator<char>(file), {}};
  Result<json> older = parse_json_object(content, TUTTI_INVALID_ARGUMENT);
  if (older && older->value("names", json()) == json(names))
    read(*older, step);
}

void CurveWriter::read(const json &older, int64_t step) {
  for (const json &point : older.value("points", json::array())) {
    size_t count = names.size() + 1;
    bool is_point = point.is_array() && point.size() == 5 && point[0].is_number_integer() &&
                    point[1].is_number_integer() && is_numbers(point[2], count) &&
                    is_numbers(point[3], count) && is_numbers(point[4], count);
    if (!is_point || point[1] > step || point[0] > point[1])
      continue;
    Point kept = {point[0], point[1], numbers_of(point[2]), numbers_of(point[3]),
                  numbers_of(point[4])};
    for (double &sum : kept.sums)
      sum *= double(kept.last - kept.first + 1);
    steps_a_point = std::max(steps_a_point, kept.last - kept.first + 1);
    points.push_back(std::move(kept));
  }
  for (const json &evaluation : older.value("evaluations", json::array()))
    if (evaluation.is_object() && evaluation.value("step", json()).is_number_integer() &&
        evaluation["step"] <= step)
      evaluations.push_back({evaluation["step"], evaluation.value("values", json::object())});
}

void CurveWriter::flush() {
  if (path.empty() || has_failed)
    return;
  last_flush = seconds_now();
  Result<output::OutputFile> file = output::OutputFile::open(path);
  if (file)
    file->write(to_json().dump(-1, ' ', false, json::error_handler_t::replace));
  Error error = file ? file->commit() : file.error();
  has_failed = bool(error);
  if (has_failed)
    std::fprintf(stderr, "warning: the curve for reports: %s; training goes on without it\n",
                 error.message.c_str());
}

} // namespace tutti::runtime::worker
