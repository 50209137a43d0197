// The session runs that make up one run of an element's models on a frame.
#pragma once

#include <cstddef>

#include "gl/upright_frame.h"
#include "sightglass/session.h"
#include "sightglass/status.h"

namespace sightglass {

// One run of a session.
struct ModelStage {
  Session* session = nullptr;  // inputs are set
  BufferRange flag;            // decides on the GPU whether it runs (Session::run_if()); no buffer: always
  size_t model = 0;            // of the session, below kMostModels
};

// Call order: begin_stage(0), run its session, end_stage(0), begin_stage(1), and so on. Other frames may be drawn in
// between. All calls need the context current and leave GL state as sessions do.
class ModelStages {
 public:
  virtual ~ModelStages() = default;
  // Number of stages, constant from begin_stage(0) to the last end_stage().
  virtual size_t stages() const { return 1; }
  // Issues all work before the session run. All stages get the same frame.
  virtual Result<ModelStage> begin_stage(size_t stage, const UprightFrame& frame) = 0;
  // Issues all work after it. The last stage writes the result; until then, the previous result is unchanged.
  virtual Status end_stage(size_t stage) = 0;
};

}  // namespace sightglass
