#include "headless_gl.h"

#include <utility>

namespace sightglass {

Result<std::unique_ptr<HeadlessGl>> HeadlessGl::create(interop::GlFlavour flavour) {
  std::unique_ptr<HeadlessGl> headless(new HeadlessGl);
  auto context = interop::Context::create_headless(flavour);
  if (!context.ok()) return device_error(context.status().message());
  headless->context_ = std::move(context).value();
  headless->current_ = std::make_unique<interop::ScopedMakeCurrent>(*headless->context_);
  if (!headless->current_->ok()) return device_error(headless->current_->error());
  SIGHTGLASS_ASSIGN_OR_RETURN(headless->gl_, GlApi::load(&interop::Context::get_proc_address));
  SIGHTGLASS_ASSIGN_OR_RETURN(headless->device_, query_device(headless->gl_));
  return headless;
}

}  // namespace sightglass
