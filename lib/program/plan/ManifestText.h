// A manifest (tutti/manifest.h) as JSON.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_PROGRAM_PLAN_MANIFESTTEXT_H
#define TUTTI_LIB_PROGRAM_PLAN_MANIFESTTEXT_H

#include "tutti/manifest.h"

#include "llvm/Support/JSON.h"

namespace tutti::program {

/// The object of a structure of tutti/manifest.h.
template <typename Structure> llvm::json::Object toJson(const Structure &structure);

/// Visits the fields of a structure and writes them.
class ManifestText {
public:
  llvm::json::Object object;

  template <typename T>
  void value(llvm::StringRef name, const T &member, manifest::Presence presence = manifest::always,
             int64_t = 0) {
    if (presence != manifest::optional || !isInitial(member))
      object[name] = written(member);
  }
  template <typename T>
  void count(llvm::StringRef name, const T &member, manifest::Presence = manifest::always) {
    object[name] = counted(member);
  }
  void type(llvm::StringRef name, int32_t member) { object[name] = spell(member); }
  template <typename T, typename... Words>
  void word(llvm::StringRef name, T member, manifest::Presence presence, Words... words) {
    const char *all[] = {words...};
    if (presence != manifest::optional || member != T())
      object[name] = all[size_t(member)];
  }
  void either(llvm::StringRef name, bool member, const char *no, const char *yes) {
    object[name] = member ? yes : no;
  }

private:
  /// Whether a member may be left out where it is optional.
  template <typename T> static bool isInitial(const T &member) {
    if constexpr (std::is_arithmetic_v<T>)
      return member == T();
    else
      return isEmpty(member);
  }
  template <typename T> static bool isEmpty(const std::optional<T> &member) { return !member; }
  template <typename T> static bool isEmpty(const std::vector<T> &list) { return list.empty(); }
  template <typename T> static bool isEmpty(const std::map<std::string, T> &members) {
    return members.empty();
  }
  static bool isEmpty(const std::string &text) { return text.empty(); }
  template <typename T> static bool isEmpty(const T &structure) { return false; }

  static llvm::json::Value written(const std::string &text) { return llvm::json::fixUTF8(text); }
  static llvm::json::Value written(int64_t number) { return number; }
  static llvm::json::Value written(double number) { return number; }
  static llvm::json::Value written(bool truth) { return truth; }
  template <typename T> static llvm::json::Value written(const std::optional<T> &member) {
    return written(*member);
  }
  template <typename T> static llvm::json::Value written(const std::vector<T> &list) {
    llvm::json::Array array;
    for (const T &entry : list)
      array.push_back(written(entry));
    return array;
  }
  template <typename T> static llvm::json::Value written(const std::map<std::string, T> &members) {
    llvm::json::Object written_members;
    for (const auto &[name, member] : members)
      written_members[name] = written(member);
    return written_members;
  }
  template <typename... T> static llvm::json::Value written(const std::tuple<T...> &entries) {
    return std::apply([](const T &...entry) { return llvm::json::Array{written(entry)...}; },
                      entries);
  }
  template <typename T> static llvm::json::Value written(const T &structure) {
    return toJson(structure);
  }

  static llvm::json::Value counted(int64_t count) {
    return count < 0 ? llvm::json::Value(nullptr) : llvm::json::Value(count);
  }
  static llvm::json::Value counted(const std::vector<int64_t> &counts) {
    return llvm::json::Array(llvm::map_range(counts, [](int64_t count) { return counted(count); }));
  }

  static const char *spell(int32_t type) {
    switch (type) {
#define SPELL(constant, number, spelling, bytes)                                                   \
  case constant:                                                                                   \
    return spelling;
      TUTTI_FOR_EACH_TYPE(SPELL)
#undef SPELL
    }
    llvm_unreachable("tensors of a manifest have types of the runtime");
  }
};

template <typename Structure> llvm::json::Object toJson(const Structure &structure) {
  ManifestText text;
  Structure::fields(structure, text);
  return std::move(text.object);
}

} // namespace tutti::program

#endif // TUTTI_LIB_PROGRAM_PLAN_MANIFESTTEXT_H
