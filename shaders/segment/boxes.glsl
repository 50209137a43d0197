// Boxes with their minimum in xy and their maximum in zw.
const vec4 kNowhere = vec4(2.0, 2.0, -1.0, -1.0);

vec4 united(vec4 a, vec4 b) { return vec4(min(a.xy, b.xy), max(a.zw, b.zw)); }
float area(vec4 box) { return (box.z - box.x) * (box.w - box.y); }
bool is_somewhere(vec4 box) { return box.x < box.z && box.y < box.w; }
