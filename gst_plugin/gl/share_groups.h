// Share groups of GL contexts, common to the elements of a process and kept while an element holds them. Any thread.
#pragma once

#include <gst/gl/gl.h>

#include <memory>
#include <string>

#include "sightglass/share_group.h"

namespace sightglass {

// The group of `context`: one for all contexts that can share with it. `gl` holds its entry points. The first element
// of the group determines the program cache directory, `cache_folder` (empty = none).
std::shared_ptr<ShareGroup> share_group_of(GstGLContext* context, const GlApi& gl, const std::string& cache_folder);

}  // namespace sightglass
