// Inputs, outputs, and signatures of a .tflite file, and random numbers for its inputs.

const TYPES = [
  'float32', 'float16', 'int32', 'uint8', 'int64', 'string', 'bool', 'int16', 'complex64', 'int8', 'float64',
  'complex128', 'uint64', 'resource', 'variant', 'uint32', 'uint16', 'int4', 'bfloat16',
];
export const BYTES = {float32: 4, int32: 4, uint8: 1, int64: 8, bool: 1, int16: 2, int8: 1};

// A table of a FlatBuffer. Fields are numbered as in gpu_engine/tflite/schema.fbs.
class Table {
  constructor(view, place) {
    Object.assign(this, {view, place});
  }
  field(id) {
    const layout = this.place - this.view.getInt32(this.place, true), entry = 4 + 2 * id;
    if (entry >= this.view.getUint16(layout, true)) return 0;
    const offset = this.view.getUint16(layout + entry, true);
    return offset ? this.place + offset : 0;
  }
  number(id, read = 'getInt32') {
    const at = this.field(id);
    return at ? this.view[read](at, true) : 0;
  }
  list(id, bytes, read) {
    const at = this.field(id);
    if (!at) return [];
    const start = at + this.view.getUint32(at, true);
    return Array.from({length: this.view.getUint32(start, true)}, (_, i) => read(start + 4 + i * bytes));
  }
  integers(id) {
    return this.list(id, 4, at => this.view.getInt32(at, true));
  }
  floats(id) {
    return this.list(id, 4, at => this.view.getFloat32(at, true));
  }
  tables(id) {
    return this.list(id, 4, at => new Table(this.view, at + this.view.getUint32(at, true)));
  }
  table(id) {
    const at = this.field(id);
    return at ? new Table(this.view, at + this.view.getUint32(at, true)) : null;
  }
  text(id) {
    return new TextDecoder().decode(Uint8Array.from(this.list(id, 1, at => this.view.getUint8(at))));
  }
}

const rootOf = bytes => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return new Table(view, view.getUint32(0, true));
};

// Gives dimensions that the file leaves open the size that it supposes, in place; those of outputs the sizes in
// `outputs`, because files suppose wrong ones.
export function closeShapes(bytes, outputs) {
  const graphs = rootOf(bytes).tables(2), ends = graphs[0].integers(2);
  graphs.forEach((graph, g) => graph.tables(0).forEach((tensor, index) => {
    const known = g === 0 ? outputs[ends.indexOf(index)] : undefined;
    const places = tensor.list(0, 4, at => at), open = tensor.list(7, 4, at => at);
    if (open.length !== places.length || !tensor.list(7, 4, at => tensor.view.getInt32(at, true)).includes(-1)) return;
    const shape = known?.length === places.length ? known : tensor.integers(0);
    shape.forEach((size, i) => {
      tensor.view.setInt32(places[i], size, true);
      tensor.view.setInt32(open[i], size, true);
    });
  }));
}

// Of the first subgraph: {inputs, outputs: [{index, name, type, shape, scales}], signature, quantized}.
export function readModel(bytes) {
  if (bytes.length < 8 || new TextDecoder().decode(bytes.subarray(4, 8)) !== 'TFL3') throw new Error('not a TFL3 file');
  const model = rootOf(bytes);
  const graphs = model.tables(2), tensors = graphs[0].tables(0);
  const typeOf = tensor => TYPES[tensor.number(1, 'getInt8')];
  const ends = id => graphs[0].integers(id).map(index => {
    const tensor = tensors[index];
    const scales = tensor.table(4)?.floats(2) ?? [];
    return {index, name: tensor.text(3), type: typeOf(tensor), shape: tensor.integers(0), scales};
  });
  const names = list => list.map(entry => ({name: entry.text(0), index: entry.number(1)}));
  const signature = model.tables(7).find(entry => entry.number(4) === 0);
  return {
    inputs: ends(1),
    outputs: ends(2),
    signature: signature ? {inputs: names(signature.tables(0)), outputs: names(signature.tables(1))} : null,
    quantized: tensors.some(t => ['int8', 'uint8', 'int16'].includes(typeOf(t)) && (t.table(4)?.floats(2).length ?? 0)),
  };
}

// Numbers of one stream (splitmix64) for a tensor: floats in [0,1), the whole range of 8 and 16 bits, small integers.
export function randomTensor(state, {type, shape}) {
  const mask = (1n << 64n) - 1n, count = shape.reduce((a, b) => a * b, 1);
  const next = () => {
    state.seed = (state.seed + 0x9e3779b97f4a7c15n) & mask;
    let z = state.seed;
    z = ((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n) & mask;
    z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & mask;
    return z ^ (z >> 31n);
  };
  const write = {
    float32: (b, i, z) => b.writeFloatLE(Number(z >> 40n) * 2 ** -24, i),
    uint8: (b, i, z) => b.writeUInt8(Number(z >> 56n), i),
    int8: (b, i, z) => b.writeInt8(Number(z >> 56n) - 128, i),
    int16: (b, i, z) => b.writeInt16LE(Number(z >> 48n) - 32768, i),
    int32: (b, i, z) => b.writeInt32LE(Number((z >> 33n) % 8n), i),
    int64: (b, i, z) => b.writeBigInt64LE((z >> 33n) % 8n, i),
    bool: (b, i, z) => b.writeUInt8(Number(z >> 63n), i),
  }[type];
  if (!write || shape.some(size => size < 1)) throw new Error(`no random numbers of ${type} ${shape.join('x')}`);
  const bytes = Buffer.alloc(count * BYTES[type]);
  for (let i = 0; i < count; ++i) write(bytes, i * BYTES[type], next());
  return bytes;
}
