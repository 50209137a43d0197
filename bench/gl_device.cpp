// Prints as JSON which OpenGL ES device this machine offers without a window, and facts about the machine. Measures
// nothing, so that a script learns within a second or so on what it would run.
#include <array>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>

#include "common/headless_gl.h"
#include "machine.h"
#include "standard_output.h"

namespace {

// Names of renderers that compute on the CPU.
constexpr std::array<const char*, 5> kSoftwareRenderers{"llvmpipe", "softpipe", "swrast", "SwiftShader", "lavapipe"};

bool is_software(const std::string& renderer) {
  for (const char* name : kSoftwareRenderers) {
    if (strcasestr(renderer.c_str(), name) != nullptr) return true;
  }
  return false;
}

}  // namespace

int main() {
  const auto headless = sightglass::HeadlessGl::create();
  if (!headless.ok()) {
    std::fprintf(stderr, "gl_device: %s\n", headless.status().message().c_str());
    return 1;
  }
  const sightglass::DeviceInfo& device = (*headless)->device();
  const nlohmann::ordered_json facts{{"gl",
                                      {{"vendor", device.vendor},
                                       {"renderer", device.renderer},
                                       {"version", device.version},
                                       {"display", (*headless)->context().display().name()},
                                       {"software", is_software(device.renderer)}}},
                                     {"machine", sightglass::bench::describe_machine()}};
  std::printf("%s\n", facts.dump(1).c_str());
  return sightglass::finish_output("gl_device", 0);
}
