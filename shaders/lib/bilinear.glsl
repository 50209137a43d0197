// Coordinates of bilinear interpolation. The input coordinate of an output pixel is (pixel + shift) * scale - shift, with
// shift 0.5 for half-pixel centers and 0 otherwise; the scale includes corner alignment.

// The pixels below and above a coordinate, and the share of the latter.
struct Between {
  int low, high;
  float share;
};

Between between(int at, float scale, float shift, int size) {
  float from = (float(at) + shift) * scale - shift;
  int low = min(max(int(floor(from)), 0), size - 1);
  int high = max(min(int(ceil(from)), size - 1), low);
  return Between(low, high, from - float(low));
}

#ifdef SOURCES
// One of a row of pixels. Registers have no variable index.
vec4 source(vec4 row[SOURCES], int i) {
  vec4 v = row[0];
  for (int j = 1; j < SOURCES; ++j) v = i >= j ? row[j] : v;
  return v;
}
#endif
