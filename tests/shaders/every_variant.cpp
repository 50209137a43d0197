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

std::vector<ShaderKey> every_variant() {
  std::vector<ShaderKey> keys = all_shader_variants();
  for (const ShaderKey& key : gl_shader_variants()) keys.push_back(key);
  for (const ShaderKey& key : segment_shader_variants()) keys.push_back(key);
  for (const ShaderKey& key : figure::figure_shader_variants()) keys.push_back(key);
  for (const ShaderKey& key : meta_shader_variants()) keys.push_back(key);
  for (const ShaderKey& key : pose_shader_variants()) keys.push_back(key);
  for (const ShaderKey& key : export_shader_variants()) keys.push_back(key);
  for (const ShaderKey& key : detect_shader_variants()) keys.push_back(key);
  for (const ShaderKey& key : infer_shader_variants()) keys.push_back(key);
  for (const ShaderKey& key : draw_shader_variants()) keys.push_back(key);
  return keys;
}

ShaderSources every_source() { return {engine_shaders(), element_shaders(), figure_shaders()}; }

}  // namespace sightglass::test
