#include "doctor/quirks.h"

#include "gpu_engine/device_family.h"

namespace sightglass::doctor {

std::vector<Quirk> quirks_of(const DeviceInfo& device) {
  const DeviceFamily& family = device_family(device.vendor, device.renderer);
  const bool mesa = device.version.find("Mesa") != std::string::npos;
  const std::string iterations =
      family.max_loop_iterations > 0 ? std::to_string(family.max_loop_iterations) + " iterations" : "a limit";
  return {
      {"loops end early",
       "the driver silently ends the loops of an invocation after " + iterations +
           "; kernels that need more are not selected",
       family.max_loop_iterations > 0},
      {"wrong buffer textures", "16-bit float buffer textures return wrong values; storage blocks replace them",
       !has_sound_buffer_textures(device.renderer)},
      {"external textures in compute shaders", "compute shaders misread them; they are first copied on the GPU",
       mesa && device.limits.external_textures},
      {"YUV images", "the driver converts imported multi-planar frames wrongly; import their planes separately",
       mesa && family.software},
  };
}

}  // namespace sightglass::doctor
