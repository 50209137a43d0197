// A rectangle for each tile of the frame of the kind TILE; those of other tiles are outside. Drawn without attributes.
#include "segment/matte.glsl"
#include "segment/shaders.h"

layout(binding = kTilesUnit) uniform sampler2D u_tiles;  // segment/sort_tiles.frag
out vec2 v_place;  // in the upright frame, (0,0) at the first row drawn

void main() {
  int tile = gl_VertexID / kTileVertices, corner = gl_VertexID % kTileVertices;
  int across = textureSize(u_tiles, 0).x;
  ivec2 position = ivec2(tile % across, tile / across);
  bool right = corner == 1 || corner == 4 || corner == 5, lower = corner == 2 || corner == 3 || corner == 5;
  // Tiles beside each other compute the same places.
  v_place = min(vec2(position + ivec2(right, lower)) * u_tile, 1.0);
  int kind = int(texelFetch(u_tiles, position, 0).r * float(kFrontTile) + 0.5);
  gl_Position = kind == TILE ? vec4(v_place * 2.0 - 1.0, 0.0, 1.0) : vec4(2.0, 2.0, 0.0, 1.0);
}
