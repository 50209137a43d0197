// The runs of sessions that make one run of an element's models on a frame.
#pragma once

#include <cstddef>

#include "gl/upright_frame.h"
#include "gpu_engine/session.h"
#include "gpu_engine/status.h"

namespace sightglass {

// One run of a session.
struct ModelStage {
  Session* session = nullptr;  // with its inputs set
  BufferRange flag;  // by which the GPU decides whether it runs (Session::run_if()); no buffer: it always does
  size_t model = 0;  // that the session runs: below kMostModels
};

// Stages follow each other: begin_stage(0), its session runs, end_stage(0), begin_stage(1), and so on. Other frames may
// be drawn in between. All calls need the context current; GL state after every call is as sessions leave it.
class ModelStages {
 public:
  virtual ~ModelStages() = default;
  // How many; the same from begin_stage(0) to the last end_stage().
  virtual size_t stages() const { return 1; }
  // Issues all work that comes before the session's run. All stages get the same frame.
  virtual Result<ModelStage> begin_stage(size_t stage, const UprightFrame& frame) = 0;
  // Issues all work that comes after it. The last stage makes the result; until then, the previous result is unchanged.
  virtual Status end_stage(size_t stage) = 0;
};

}  // namespace sightglass
