#include "common/headless_gl.h"

#include <utility>

namespace sightglass {

Result<std::unique_ptr<HeadlessGl>> HeadlessGl::create(interop::GlFlavour flavour) {
  std::unique_ptr<HeadlessGl> headless(new HeadlessGl);
  SIGHTGLASS_ASSIGN_OR_RETURN(headless->context_, interop::Context::create_headless(flavour));
  headless->current_ = std::make_unique<interop::ScopedMakeCurrent>(*headless->context_);
  SIGHTGLASS_RETURN_IF_ERROR(headless->current_->status());
  SIGHTGLASS_ASSIGN_OR_RETURN(headless->gl_, GlApi::load(&interop::Context::get_proc_address));
  SIGHTGLASS_ASSIGN_OR_RETURN(headless->device_, query_device(headless->gl_));
  return headless;
}

}  // namespace sightglass
