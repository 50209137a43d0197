#include <sightglass/model.h>
#include <sightglass/plan.h>

#include <cstdio>

// Links the engine without interop and without a GL library.
int main() {
  const auto model = sightglass::Model::load("none.tflite");
  std::printf("model: %s\n", model.ok() ? "ok" : model.status().message().c_str());
  return model.ok() ? 1 : 0;
}
