// Runs a model on LiteRT, in the WebAssembly that its package for browsers has, and prints a line of JSON.
//   litert.mjs PACKAGE_FOLDER MODEL builtin|xnnpack RUNS OUTPUT_PREFIX OUTPUT_SHAPES INPUT.raw…
// Inputs and outputs are in the order of the file. Writes the outputs of the last run to OUTPUT_PREFIX.outK.raw.
import {readFileSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {dirname, join, resolve} from 'node:path';
import {setFlagsFromString} from 'node:v8';

import {BYTES, closeShapes, readModel} from './model_file.mjs';

// Older versions of Node have these instructions behind a flag.
if (Number(process.versions.node.split('.')[0]) < 22) setFlagsFromString('--experimental-wasm-relaxed-simd');
globalThis.navigator ??= {};

function readNumber(bytes, place) {
  let value = 0, shift = 1, byte;
  do {
    byte = bytes[place++];
    value += (byte & 0x7f) * shift;
    shift *= 128;
  } while (byte & 0x80);
  return [value, place];
}

// The address in memory of the byte at `offset` of a WebAssembly file: walks its sections to the data.
function addressOf(bytes, offset) {
  let place = 8;
  while (place < bytes.length) {
    const section = bytes[place];
    let size, count, base;
    [size, place] = readNumber(bytes, place + 1);
    const end = place + size;
    if (section === 11) {
      [count, place] = readNumber(bytes, place);
      for (; count > 0; --count) {
        if (bytes[place] !== 0 || bytes[place + 1] !== 0x41) break;  // not "at a constant address"
        [base, place] = readNumber(bytes, place + 2);
        [size, place] = readNumber(bytes, place + 1);
        if (offset >= place && offset < place + size) return base + offset - place;
        place += size;
      }
    }
    place = end;
  }
  throw new Error('this version of LiteRT has its options elsewhere');
}

// The options of the CPU are a text, which the library prints into from a format with only the number of threads. The
// built-in kernels need one more line in it: it takes the place of the next format, and the code learns its length.
function withBuiltinKernels(bytes) {
  const found = bytes.indexOf('\0num_threads = %d\n\0weight_cache_file_descriptor = %d\n\0', 0, 'latin1');
  if (found < 0) throw new Error('this version of LiteRT has other options');
  const text = 'num_threads = %d\nkernel_mode = "builtin"\n';
  const address = addressOf(bytes, found + 1), old = 'num_threads = %d\n'.length;
  bytes.write(text + '\0', found + 1, 'latin1');
  // i32.const LENGTH, i32.store, local.get, i32.const ADDRESS
  const code = Buffer.from([0x41, old, 0x36, 0x02]);
  let patched = 0;
  for (let at = bytes.indexOf(code); at >= 0; at = bytes.indexOf(code, at + 1)) {
    let value, place;
    [, place] = readNumber(bytes, at + 4);
    if (bytes[place] !== 0x20) continue;
    [, place] = readNumber(bytes, place + 1);
    if (bytes[place] !== 0x41) continue;
    [value] = readNumber(bytes, place + 1);
    if (value !== address) continue;
    bytes[at + 1] = text.length;
    ++patched;
  }
  if (patched !== 1) throw new Error(`the length of the options of LiteRT is in ${patched} places`);
  return bytes;
}

async function load(folder, kernels, log) {
  const glue = join(resolve(folder), 'node_modules/@litertjs/core/wasm/litert_wasm_internal.js');
  const module = {exports: {}};
  // A CommonJS script in a package that declares modules.
  new Function('module', 'exports', 'require', '__filename', '__dirname', readFileSync(glue, 'utf8'))(
      module, module.exports, createRequire(glue), glue, dirname(glue));
  const bytes = readFileSync(glue.replace(/js$/, 'wasm'));
  const print = line => log.push(line);
  const wasm = await module.exports(
      {print, printErr: print, wasmBinary: kernels === 'builtin' ? withBuiltinKernels(bytes) : bytes});
  wasm.setupLogging();
  return wasm;
}

const list = vector => Array.from({length: vector.size()}, (_, i) => vector.get(i));

// Signatures list the tensors in an order of their own: the place in the file of each.
function places(names, ends, signature) {
  return names.map((name, i) => {
    const named = signature?.find(entry => entry.name === name);
    const place = ends.findIndex(end => named ? end.index === named.index : end.name === name);
    return place >= 0 ? place : i;
  });
}

async function run([folder, path, kernels, runs, prefix, shapes, ...inputFiles], log) {
  const wasm = await load(folder, kernels, log);
  const bytes = readFileSync(path);
  closeShapes(bytes, JSON.parse(shapes));  // otherwise LiteRT has outputs without memory
  const file = readModel(bytes);
  const environment = wasm.LiteRtEnvironment.create(null);
  const place = wasm._malloc(bytes.length);
  if (!place) throw new Error('out of memory');
  wasm.HEAPU8.set(bytes, place);
  const model = wasm.loadModel(environment, place, bytes.length);
  const compiled = await wasm.compileModel(environment, model, {
    accelerator: 'wasm',
    environment: {liteRtEnvironment: environment},
    cpuOptions: {numThreads: 1},
    gpuOptions: {precision: 'fp32'},
  });
  const signature = model.getSignature(0), modes = wasm.LiteRtTensorBufferLockMode;
  const inputAt = places(list(signature.inputNames()), file.inputs, file.signature?.inputs);
  const outputAt = places(list(signature.outputNames()), file.outputs, file.signature?.outputs);
  const buffers = inputAt.map((at, i) => {
    const contents = readFileSync(inputFiles[at]);
    const type = model.getInputTensorType(0, i);
    const memory = wasm.LiteRtTensorBufferType.HOST_MEMORY;
    const buffer = wasm.LiteRtTensorBuffer.createManaged(environment, memory, type, contents.length);
    wasm.HEAPU8.set(contents, buffer.lock(modes.WRITE));
    buffer.unlock();
    return buffer;
  });
  const times = [];
  for (let left = Number(runs); left > 0; --left) {
    const start = performance.now();
    const made = await compiled.run(0, buffers);
    times.push(performance.now() - start);
    (Array.isArray(made) ? made : list(made)).forEach((buffer, i) => {
      const {type, shape} = file.outputs[outputAt[i]];
      const size = Math.min(buffer.size(), shape.reduce((a, b) => a * b, 1) * BYTES[type]);
      const at = buffer.lock(modes.READ);
      if (left === 1) writeFileSync(`${prefix}.out${outputAt[i]}.raw`, wasm.HEAPU8.slice(at, at + size));
      buffer.unlock();
      buffer.delete();
    });
  }
  // Some failures are only in the log, and the outputs are zeros.
  const bad = log.find(line => /failed to (allocate|prepare|invoke)|unresolved custom op/i.test(line));
  if (bad) throw new Error(bad);
  times.sort((a, b) => a - b);
  return {milliseconds: times[times.length >> 1]};
}

const log = [];
try {
  console.log(JSON.stringify(await run(process.argv.slice(2), log)));
} catch (error) {
  const cause = log.find(line => line.startsWith('ERROR: '))?.slice('ERROR: '.length);
  console.log(JSON.stringify({error: String(cause ?? error?.message ?? error)}));
}
process.exit(0);
