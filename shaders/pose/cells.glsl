// Cells of a model grid, each with the score and position of every point.
#include "gl/compute.h"

layout(std140, binding = kParamsBinding) uniform Decoder {
  vec4 u_place[2];  // rows of the transform from the model input to the upright frame; both in fractions
  vec4 u_score;     // x: minimum score of a person; y: minimum score of a point that starts a person; z: squared
                    // distance in pixels below which two points of a kind are the same; w: 1 if scores are logits
  vec4 u_input;     // width and height of the model input in pixels; distance between cells in pixels, x and y
  ivec4 u_grid;     // columns, rows, points, maximum number of people
};

float sigmoid(float x) { return 1.0 / (1.0 + exp(-x)); }
// Integer coordinates are pixel centers.
vec2 to_fractions(vec2 pixel) { return (pixel + 0.5) / u_input.xy; }
int cell_index(ivec2 cell, int point) { return (cell.y * u_grid.x + cell.x) * u_grid.z + point; }
