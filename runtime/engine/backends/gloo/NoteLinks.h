// The connections along which ranks pass notes on, and by which they notice that a neighbour has
// died: its connections close before it has announced its end.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_ENGINE_BACKENDS_GLOO_NOTELINKS_H
#define TUTTI_RUNTIME_ENGINE_BACKENDS_GLOO_NOTELINKS_H

#include "runtime/engine/backends/gloo/meeting/Socket.h"
#include "runtime/engine/backends/plugin/NoteSpread.h"

#include <functional>
#include <map>
#include <mutex>
#include <thread>

namespace tutti::runtime::gloo_backend {

/// Serves the connections on a thread of its own.
class NoteLinks : public plugin::NoteBoard {
public:
  /// `links`: a connection to each neighbour of the spread.
  NoteLinks(plugin::NoteSpread spread, std::map<int32_t, Socket> links);
  /// Sends what has not left yet, announces its end and closes.
  ~NoteLinks() override;

  /// Starts the thread, once. It calls `on_death` with a rank that has died, maybe at once: what
  /// that uses, this object among it, must be in its place.
  void start(std::function<void(int32_t)> on_death);

  void post(const plugin::Note &note) override;
  std::vector<plugin::Note> notes() override;

private:
  struct Link {
    Socket socket;
    std::string received, unsent;
    bool has_left = false;
  };
  void run();
  bool write_news(int32_t peer, Link &link);
  bool read(int32_t peer, Link &link);
  std::vector<int32_t> serve(const std::map<int32_t, bool> &readable);

  std::function<void(int32_t)> on_death;
  int wake;

  std::mutex mutex; ///< of what follows
  plugin::NoteSpread spread;
  std::map<int32_t, Link> links;
  bool is_ending = false;

  std::thread thread;
};

} // namespace tutti::runtime::gloo_backend

#endif // TUTTI_RUNTIME_ENGINE_BACKENDS_GLOO_NOTELINKS_H
