// Cells of a model's grid, each with what it says of every point.
#include "gl/compute.h"

layout(std140, binding = kParamsBinding) uniform Decoder {
  vec4 u_place[2];  // rows of the map from the model's input to the upright frame; both in fractions
  vec4 u_score;     // x: of a person, the least; y: of a point that a person may begin with; z: pixels within which two
                    // points of a kind are the same one's, squared; w: 1 where scores are logits
  vec4 u_input;     // of the model's input: width and height in pixels; pixels from cell to cell, x and y
  ivec4 u_grid;     // columns, rows, points, the most persons
};

float sigmoid(float x) { return 1.0 / (1.0 + exp(-x)); }
// Pixels are counted by their centres.
vec2 to_fractions(vec2 pixel) { return (pixel + 0.5) / u_input.xy; }
int cell_index(ivec2 cell, int point) { return (cell.y * u_grid.x + cell.x) * u_grid.z + point; }
