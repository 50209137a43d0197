// A progress bar on stderr for long commands. Draws nothing if stderr is not a terminal.
#pragma once

#include <string>

namespace sightglass {

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

}  // namespace sightglass
