// The programs of segmentation, in one list: what the element builds is what the tests check.
#pragma once

#include <string>
#include <vector>

#include "gpu_engine/frame_kind.h"
#include "gpu_engine/shader_library.h"
#include "segment/mask_refiner.h"

namespace sightglass {

// What reads the frame, for frames of one kind.
inline ShaderKey frame_shader(ShaderKey key, FrameKind kind) {
  if (const char* define = frame_define(kind)) key.defines.push_back({define, "1"});
  return key;
}
// What turns mask and colours into opacity (shaders/segment/opacity.glsl).
inline ShaderDefine refine_define(Refine refine) { return {"REFINE", std::to_string(static_cast<int>(refine))}; }
inline ShaderKey blur_first_shader(FrameKind kind, Refine refine) {
  return frame_shader({"segment/blur_down.comp", {{"WEIGHTED", "1"}, refine_define(refine)}}, kind);
}
inline ShaderKey guide_shader(FrameKind kind) { return frame_shader({"segment/guide.comp", {}}, kind); }
inline const ShaderKey kSmoothShader{"segment/smooth.comp", {}};
inline const ShaderKey kGuidedFitShader{"segment/guided_fit.comp", {}};
inline const ShaderKey kGuidedMeanShader{"segment/guided_mean.comp", {}};
inline const ShaderKey kBlurDownShader{"segment/blur_down.comp", {}};
inline const ShaderKey kBlurGaussShader{"segment/blur_gauss.comp", {}};
inline const ShaderKey kFullscreenShader{"segment/fullscreen.vert", {}};
inline ShaderKey copy_shader(FrameKind kind) { return frame_shader({"segment/copy_frame.frag", {}}, kind); }
inline const ShaderKey kWriteMaskShader{"segment/write_mask.frag", {}};
// What lies behind the foreground is a define: drivers that execute both sides of a branch fetch for one background
// alone.
inline constexpr int kColorComposite = 0, kPictureComposite = 1, kBlurComposite = 2, kMaskComposite = 3;
inline constexpr int kComposites = 4;
inline ShaderKey composite_shader(int background, FrameKind kind, Refine refine) {
  return frame_shader({"segment/composite.frag", {{"BACKGROUND", std::to_string(background)}, refine_define(refine)}},
                      kind);
}

inline std::vector<ShaderKey> segment_shader_variants() {
  std::vector<ShaderKey> keys{kBlurDownShader,  kBlurGaussShader,  kFullscreenShader, kWriteMaskShader,
                              kGuidedFitShader, kGuidedMeanShader, kSmoothShader};
  for (const FrameKind kind : kFrameKinds) {
    keys.push_back(guide_shader(kind));
    keys.push_back(copy_shader(kind));
    for (const Refine refine : {Refine::kNone, Refine::kBilateral, Refine::kGuided}) {
      keys.push_back(blur_first_shader(kind, refine));
      for (int background = 0; background < kComposites; ++background) {
        keys.push_back(composite_shader(background, kind, refine));
      }
    }
  }
  return keys;
}

}  // namespace sightglass
