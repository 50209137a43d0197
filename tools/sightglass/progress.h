// A bar on stderr that says how far a long command is; nothing where stderr is no terminal.
#pragma once

#include <string>

namespace sightglass {

class Progress {
 public:
  Progress();
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // `done` of `total` pieces of work; drawn again only where it looks different.
  void show(const std::string& what, int done, int total);
  // Takes the bar away, so that other output can be written.
  void clear();

 private:
  bool visible_;
  std::string line_;
};

}  // namespace sightglass
