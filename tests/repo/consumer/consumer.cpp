#include <sightglass/interop/egl_context.h>
#include <sightglass/model.h>
#include <sightglass/plan.h>

#include <cstdio>

// Links the engine and interop, and fails correctly on a model that does not exist.
int main() {
  const auto context = sightglass::interop::Context::create_headless();
  const auto model = sightglass::Model::load("none.tflite");
  std::printf("context: %s\nmodel: %s\n", context.ok() ? "ok" : context.status().message().c_str(),
              model.ok() ? "ok" : model.status().message().c_str());
  return context.ok() && !model.ok() ? 0 : 1;
}
