// Functions between 513 points for all inputs of 16 bits, as in graph/tabulated_functions.h. The points are constants.

float tabulated_point(int table, int i) { return load_bias(table + i / 4)[i % 4]; }

int tabulated(int table, int x) {
  int interval = (x + 32768) >> 7;
  int low = int(tabulated_point(table, interval)), slope = int(tabulated_point(table, interval + 1)) - low;
  return low + ((slope * (x & 127) + 64) >> 7);
}

ivec4 tabulated(int table, ivec4 x) {
  return ivec4(tabulated(table, x.x), tabulated(table, x.y), tabulated(table, x.z), tabulated(table, x.w));
}
