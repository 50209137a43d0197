#include "every_variant.h"

#include "detect/shaders.h"
#include "dmabuf_export/shaders.h"
#include "draw/shaders.h"
#include "figure/shaders.h"
#include "gl/shaders.h"
#include "infer/shaders.h"
#include "meta/shaders.h"
#include "ops/registry.h"
#include "pose/shaders.h"
#include "segment/shaders.h"

namespace sightglass::test {

namespace {

// Of the elements, without those that figure_programs() combines.
std::vector<ShaderKey> element_variants() {
  std::vector<ShaderKey> keys;
  for (const auto& variants :
       {gl_shader_variants(), segment_shader_variants(), meta_shader_variants(), pose_shader_variants(),
        export_shader_variants(), detect_shader_variants(), infer_shader_variants(), draw_shader_variants()}) {
    keys.insert(keys.end(), variants.begin(), variants.end());
  }
  return keys;
}

}  // namespace

std::vector<ShaderKey> every_variant() {
  std::vector<ShaderKey> keys = all_shader_variants();
  for (const ShaderKey& key : element_variants()) keys.push_back(key);
  for (const ShaderKey& key : figure::figure_shader_variants()) keys.push_back(key);
  return keys;
}

std::vector<ProgramKey> element_programs() {
  std::vector<ProgramKey> programs = figure::figure_programs();
  programs.push_back(kOverlayProgram);
  for (const ShaderKey& key : element_variants()) {
    if (key.shader.ends_with(".comp")) programs.push_back({key});
    if (key.shader.ends_with(".frag") && key != kOverlayProgram.back()) programs.push_back({kFullscreenShader, key});
  }
  return programs;
}

ShaderSources every_source() { return {engine_shaders(), element_shaders(), figure_shaders()}; }

}  // namespace sightglass::test
