// Progress of long commands on the terminal: a bar, and downloads of models by name.
#pragma once

#include <cstdio>
#include <string>

#include "fetch_model.h"
#include "known_models.h"
#include "model_store.h"
#include "sightglass/status.h"

namespace sightglass {

// A progress bar on stderr for long commands. Draws nothing if stderr is not a terminal.
class Progress {
 public:
  Progress();
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Shows `done` of `total` units of work. Redraws only if the bar changes.
  void show(const std::string& what, int done, int total);
  // Shows a line of text instead of a bar, for work without a known end.
  void show(std::string line);
  // Removes the bar, so that other output can be written.
  void clear();

 private:
  bool visible_;
  std::string line_;
};

// Downloads models by name, with progress and reports on the terminal.

// fetch_model() with a progress bar, from the server in SIGHTGLASS_MODEL_MIRROR if it is set. Prints to `report` what
// was stored, and to standard error when a source fails and the next one is tried. `options` has the time limits. While
// it runs, a server that hangs up does not end the process.
Status fetch_with_progress(const ModelStore& store, const KnownModel& model, FetchOptions options, std::FILE* report);

}  // namespace sightglass
