// One triangle that covers the viewport; drawn with three vertices and no attributes.
out vec2 v_place;  // in the upright frame, (0,0) at the first row drawn

void main() {
  v_place = vec2(float((gl_VertexID & 1) << 1), float(gl_VertexID & 2));
  gl_Position = vec4(v_place * 2.0 - 1.0, 0.0, 1.0);
}
