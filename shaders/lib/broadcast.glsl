// Position of an output element in an operand that broadcasts to its shape. Along rows, columns and channels an operand
// has the output size or size 1. A batch combines two dimensions of this kind: the batch of the operand moves by
// `steps` along each of them, and the second has size `inner` in the output.
int broadcast_index(Tensor t, ivec2 steps, int inner, Tensor shape, int layer, int pixel) {
  int whole = quotient(layer, shape.place.y), outer = quotient(whole, inner);
  int batch = outer * steps.x + (whole - outer * inner) * steps.y;
  ivec2 at = min(column_row(pixel, shape.size.x), t.size.xy - 1);
  return tensor_index(t, batch, min(layer - whole * shape.place.y, t.place.y - 1), at.y, at.x);
}

// The same for one batch, and an operand of the output height and width or of one pixel: without integer division.
int picture_index(Tensor t, int layer, int pixel) {
  return t.place.x + min(layer, t.place.y - 1) * t.place.z + (t.place.z == 1 ? 0 : pixel);
}
