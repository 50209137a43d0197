// A model that is prepared while frames flow: the first one, or one that replaces another. It is loaded and compiled on
// a separate thread and GL context, so that no frame waits for the compiler.
#pragma once

#include <gst/gl/gl.h>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "element/frame_processor.h"
#include "gl/gl_bridge.h"

namespace sightglass {

// A model that can take over between two frames. Any thread except GL threads may destroy it.
struct ReadyModel {
  ReadyModel() = default;
  ReadyModel(ReadyModel&&) = default;
  ReadyModel& operator=(ReadyModel&&) = delete;
  ~ReadyModel();

  std::shared_ptr<const LoadedModel> model;
  std::unique_ptr<FrameProcessor> processor;  // for frames of `kind` and `size`, on `context`
  ContextRef context;
  FrameKind kind = FrameKind::kRgba;
  FrameSize size;
  uint64_t prepared_ns = 0;  // how long loading and compiling took
};

class ModelChange {
 public:
  struct Place {
    ContextRef context;  // of the frames
    FrameKind kind;
    FrameSize size;
    TuningMode tuning;
    std::string cache_folder;
  };
  using Load = std::function<Result<std::shared_ptr<const LoadedModel>>()>;

  // `name` is the value of the property. `load` runs on the separate thread.
  ModelChange(std::optional<std::string> name, Load load, Place place);
  // Waits until the thread has finished its current step. Not on a GL thread.
  ~ModelChange();
  ModelChange(const ModelChange&) = delete;
  ModelChange& operator=(const ModelChange&) = delete;

  const std::optional<std::string>& name() const { return name_; }
  const char* shown_name() const { return name_ ? name_->c_str() : "(none)"; }
  const Place& place() const { return place_; }
  bool is_done() const { return done_; }
  // Call once, after is_done().
  Result<ReadyModel> take();

 private:
  Result<ReadyModel> prepare(const Load& load) const;

  const std::optional<std::string> name_;
  const Place place_;
  std::atomic<bool> done_ = false, abandoned_ = false;
  std::optional<Result<ReadyModel>> result_;  // belongs to the thread until done_
  std::thread thread_;
};

}  // namespace sightglass
