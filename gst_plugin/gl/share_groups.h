// The share groups of GL contexts that elements of one process have in common, for as long as one of them holds them.
// Any thread.
#pragma once

#include <gst/gl/gl.h>

#include <memory>
#include <string>

#include "gpu_engine/share_group.h"

namespace sightglass {

// The group of `context`: one for all contexts that can share with it. `gl` are its entry points; `cache_folder` is
// where the first element of the group wants programs kept, empty for nowhere.
std::shared_ptr<ShareGroup> share_group_of(GstGLContext* context, const GlApi& gl, const std::string& cache_folder);

}  // namespace sightglass
