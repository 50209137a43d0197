// A GL context without a window, ready for the engine. The command, the tests, and the examples run on it.
#pragma once

#include <memory>

#include "sightglass/device.h"
#include "sightglass/gl_api.h"
#include "sightglass/interop/egl_context.h"
#include "sightglass/status.h"

namespace sightglass {

// The context is current on the thread that created it until it is destroyed there.
class HeadlessGl {
 public:
  static Result<std::unique_ptr<HeadlessGl>> create(interop::GlFlavour flavour = interop::GlFlavour::kEs31);

  const interop::Context& context() const { return *context_; }
  const GlApi& gl() const { return gl_; }
  const DeviceInfo& device() const { return device_; }

 private:
  HeadlessGl() = default;

  std::unique_ptr<interop::Context> context_;
  std::unique_ptr<interop::ScopedMakeCurrent> current_;
  GlApi gl_;
  DeviceInfo device_;
};

}  // namespace sightglass
