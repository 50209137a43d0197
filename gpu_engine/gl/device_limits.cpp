#include "sightglass/device_limits.h"

#include <algorithm>

namespace sightglass {

DeviceLimits DeviceLimits::typical() {
  DeviceLimits r;
  r.compute_storage_blocks = 8;
  r.storage_offset_alignment = 64;
  r.compute_image_units = 8;
  r.max_uniform_block_bytes = 65536;
  r.uniform_offset_alignment = 64;
  r.workgroup_invocations = 512;
  r.workgroup_size[0] = r.workgroup_size[1] = 512;
  r.shared_memory_bytes = 32768;
  r.max_texture_size = 8192;
  r.multiply_adds_per_second = 20e9;
  return r;
}

DeviceLimits DeviceLimits::clamped_to_minimum() const {
  const DeviceLimits minimum;
  DeviceLimits r = *this;
  r.compute_storage_blocks = std::min(compute_storage_blocks, minimum.compute_storage_blocks);
  r.max_storage_block_bytes = std::min(max_storage_block_bytes, minimum.max_storage_block_bytes);
  r.storage_offset_alignment = std::max(storage_offset_alignment, minimum.storage_offset_alignment);
  r.compute_image_units = std::min(compute_image_units, minimum.compute_image_units);
  r.max_uniform_block_bytes = std::min(max_uniform_block_bytes, minimum.max_uniform_block_bytes);
  r.uniform_offset_alignment = std::max(uniform_offset_alignment, minimum.uniform_offset_alignment);
  r.workgroup_invocations = std::min(workgroup_invocations, minimum.workgroup_invocations);
  for (int axis = 0; axis < 3; ++axis) {
    r.workgroup_size[axis] = std::min(workgroup_size[axis], minimum.workgroup_size[axis]);
    r.workgroup_count[axis] = std::min(workgroup_count[axis], minimum.workgroup_count[axis]);
  }
  r.shared_memory_bytes = std::min(shared_memory_bytes, minimum.shared_memory_bytes);
  r.max_texture_size = std::min(max_texture_size, minimum.max_texture_size);
  r.external_textures = false;
  r.max_buffer_texels = std::min(max_buffer_texels, minimum.max_buffer_texels);
  return r;
}

}  // namespace sightglass
