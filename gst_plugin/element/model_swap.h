// Models that are prepared while frames flow: the first one, or one that replaces another. They are loaded and compiled
// on a separate thread and GL context, so that no frame waits for the compiler.
#pragma once

#include <gst/gl/gl.h>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "element/gl_attachment.h"
#include "element/loaded_model.h"

namespace sightglass {

// One model on its way.
class ModelChange {
 public:
  using Load = std::function<Result<std::shared_ptr<const LoadedModel>>()>;

  // `name` is the value of the property. `load` runs on the separate thread.
  ModelChange(std::optional<std::string> name, Load load, FramePlace place);
  // Waits until the thread has finished its current step. Not on a GL thread.
  ~ModelChange();
  ModelChange(const ModelChange&) = delete;
  ModelChange& operator=(const ModelChange&) = delete;

  const std::optional<std::string>& name() const { return name_; }
  const char* shown_name() const { return name_ ? name_->c_str() : "(none)"; }
  const FramePlace& place() const { return place_; }
  bool is_done() const { return done_; }
  // Call once, after is_done().
  Result<ReadyModel> take();

 private:
  Result<ReadyModel> prepare(const Load& load) const;

  const std::optional<std::string> name_;
  const FramePlace place_;
  std::atomic<bool> done_ = false, abandoned_ = false;
  std::optional<Result<ReadyModel>> result_;  // belongs to the thread until done_
  std::thread thread_;
};

// Outcome of an attempt to prepare a model while frames flow.
struct ModelNews {
  bool changed = false;               // the new model may need other caps
  std::vector<std::string> warnings;  // for the application
  Status failure;                     // the first model cannot be used: the stream ends
};

// Streaming thread.
class ModelSwap {
 public:
  // `element` outlives this.
  explicit ModelSwap(ModelElement& element) : element_(element) {}

  // Before caps are negotiated for a frame. If the first model is not ready or another one was set, begins to prepare
  // it, or lets it take over once it is ready.
  ModelNews follow();
  // Begins to prepare the model that an interim effect stands in for.
  void begin_start();
  // Call when the streaming thread has ended, before its GL context is destroyed: waits for a model that is being
  // prepared. If contexts that share a program end while it is compiled or deleted, Mesa leaks parts of it.
  void cancel();

 private:
  void begin_change(const std::shared_ptr<const ElementSettings>& wanted);
  ModelNews end_start(ModelChange& change);
  ModelNews end_change(ModelChange& change);

  ModelElement& element_;
  std::unique_ptr<ModelChange> change_;  // in progress
  bool starts_ = false;                  // it prepares the first model
};

}  // namespace sightglass
