// Runs models on LiteRT and on this engine, with the same inputs, and prints how far the results are apart.
//   compare.mjs SIGHTGLASS PACKAGE_FOLDER WORK_FOLDER [--runs N] [--seconds N] MODEL…
// Exit status: 0 if every model that both run meets its criterion, 1 if one misses it or none runs. The criteria are those of
// docs/models.md for outputs of which nothing else is known.
import {spawnSync} from 'node:child_process';
import {mkdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {basename, dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';

import {BYTES, randomTensor, readModel} from './model_file.mjs';

const FLOAT_LIMIT = 1e-3;   // of the range of an output
const EQUAL_LIMIT = 0.995;  // share of unquantized integers
const STEP_LIMIT = 0.99;    // share of values of quantized models within one step

const here = dirname(fileURLToPath(import.meta.url));

function numbersOf(file, type) {
  const bytes = readFileSync(file);
  const count = bytes.length / BYTES[type];
  const read = {
    float32: i => bytes.readFloatLE(4 * i),
    int32: i => bytes.readInt32LE(4 * i),
    int64: i => Number(bytes.readBigInt64LE(8 * i)),
    int16: i => bytes.readInt16LE(2 * i),
    int8: i => bytes.readInt8(i),
    uint8: i => bytes[i],
    bool: i => bytes[i],
  }[type];
  return Float64Array.from({length: count}, (_, i) => read(i));
}

// How far two lists of numbers are apart, in the range of the second one.
function distance(ours, theirs) {
  const result = {worst: 0, squares: 0, sum: 0, equal: 0, low: Infinity, high: -Infinity, within: step => 0};
  if (ours.length !== theirs.length) return {...result, worst: Infinity, squares: Infinity};
  const apart = new Float64Array(ours.length);
  ours.forEach((value, i) => {
    const other = theirs[i];
    const same = Object.is(value, other) || value === other;
    apart[i] = same ? 0 : Math.abs(value - other);
    if (Number.isNaN(apart[i])) apart[i] = Infinity;
    result.worst = Math.max(result.worst, apart[i]);
    result.squares += apart[i] ** 2;
    if (same) ++result.equal;
    if (!Number.isFinite(other)) return;
    result.sum += other ** 2;
    result.low = Math.min(result.low, other);
    result.high = Math.max(result.high, other);
  });
  result.equal /= Math.max(ours.length, 1);
  result.range = Math.max(result.high - result.low, 0);
  result.relative = result.squares === 0 ? 0 : Math.sqrt(result.squares / result.sum);
  result.within = step => apart.filter(value => value <= step).length / Math.max(ours.length, 1);
  return result;
}

const percent = share => `${(Math.floor(share * 1e4) / 100).toFixed(2)}%`;
const digits = number => number === 0 || !Number.isFinite(number) ? String(number) : number.toExponential(1);

// Judges one output: {text, meets, badness}. `apart` is our distance from LiteRT, `own` that of its two kinds of kernels.
function judge(output, quantizedModel, apart, own) {
  const {type} = output, isFloat = type === 'float32';
  const quantized = !isFloat && output.scales.length === 1;
  const ofRange = apart.worst === 0 ? 0 : apart.worst / (apart.range || 1);
  if (!isFloat && !quantized) {
    return {text: `${percent(apart.equal)} equal`, meets: apart.equal >= EQUAL_LIMIT, badness: 1 - apart.equal};
  }
  if (!quantizedModel) return {text: `${digits(ofRange)} of the range`, meets: ofRange <= FLOAT_LIMIT, badness: ofRange};
  // A float output of a quantized model: steps are those of 8 bits over its range.
  const step = quantized ? 1 : apart.range / 255;
  const close = apart.within(step), relative = digits(apart.relative);
  const meets = close >= STEP_LIMIT || (own !== null && apart.relative <= own.relative) || ofRange <= FLOAT_LIMIT;
  const text = quantized ? `${percent(apart.equal)} equal, ${percent(close)} within a step, L2 ${relative}`
                         : `${digits(ofRange)} of the range, L2 ${relative}`;
  return {text, meets, badness: apart.relative};
}

function run(command, words, seconds) {
  const ended = spawnSync(command, words, {encoding: 'utf8', timeout: seconds * 1000, maxBuffer: 1 << 28});
  if (ended.error?.code === 'ETIMEDOUT') return {error: `no result after ${seconds} s`};
  try {
    return JSON.parse(ended.stdout);
  } catch {
    // Progress comes first; a list of operators is indented below its message.
    const lines = `${ended.error ?? ''}\n${ended.stderr}`.trim().split('\n');
    const last = lines.findLastIndex(line => !line.startsWith('  '));
    const text = lines.slice(last, last + 2).map(line => line.trim()).join(' ');
    return {error: text.replace(/^\S+: \S+\.tflite: /, '') || `ended with status ${ended.status}`};
  }
}

class Comparison {
  constructor(sightglass, packages, work, options) {
    Object.assign(this, {sightglass, packages, work}, options);
    this.rows = [];
    this.counts = {meets: 0, misses: 0, none: 0, 'not run': 0};
  }

  row(name, kernels, error, verdict, theirs = '', ours = '') {
    const milliseconds = time => typeof time === 'number' ? time.toFixed(time < 10 ? 2 : 1) : time;
    const cells = [name, kernels, error.replaceAll('|', '/'), verdict, milliseconds(theirs), milliseconds(ours)];
    console.log(`| ${cells.join(' | ')} |`);
    ++this.counts[verdict];
  }

  compare(path) {
    const name = basename(path, '.tflite');
    const folder = join(this.work, 'run');
    rmSync(folder, {recursive: true, force: true});
    mkdirSync(folder, {recursive: true});
    let model;
    const inputs = [];
    try {
      model = readModel(readFileSync(path));
      const state = {seed: 1n};
      model.inputs.forEach((input, i) => {
        inputs.push(join(folder, `in${i}.raw`));
        writeFileSync(inputs[i], randomTensor(state, input));
      });
    } catch (error) {
      this.row(name, '', error.message, 'not run');
      return;
    }
    const ours = run(this.sightglass, [
      'run', path, '--json', '--runs', String(this.runs - 1), '--output-prefix', join(folder, 'ours'), '--run-limit',
      '3600', '--dispatch-limit', '3600', ...inputs.flatMap(file => ['--input', file]),
    ], this.seconds);
    this.renderer ??= ours.gl?.renderer;
    if (ours.error) {
      this.row(name, '', `Sightglass: ${ours.error}`, 'not run');
      return;
    }
    const results = Object.fromEntries(['builtin', 'xnnpack'].map(kernels => {
      const words = [join(here, 'litert.mjs'), this.packages, path, kernels, String(this.runs), join(folder, kernels)];
      const shapes = JSON.stringify(ours.outputs.map(output => output.shape));
      return [kernels, run(process.execPath, [...words, shapes, ...inputs], this.seconds)];
    }));
    for (const [kernels, label] of [['builtin', 'built-in'], ['xnnpack', 'XNNPACK']]) {
      const theirs = results[kernels];
      if (theirs.error) {
        this.row(name, label, `LiteRT: ${theirs.error}`, 'not run', '', ours.run_ms.median);
        continue;
      }
      const other = results[kernels === 'builtin' ? 'xnnpack' : 'builtin'].error === undefined
          ? (kernels === 'builtin' ? 'xnnpack' : 'builtin') : null;
      const judged = model.outputs.map((output, i) => {
        const read = which => numbersOf(join(folder, `${which}.out${i}.raw`), output.type);
        const reference = read(kernels);
        const own = other === null ? null : distance(read(other), reference);
        return judge(output, model.quantized, distance(read('ours'), reference), own);
      });
      judged.sort((a, b) => Number(a.meets) - Number(b.meets) || b.badness - a.badness);
      // XNNPACK rounds quantized models in its own way.
      const counts = !model.quantized || kernels === 'builtin' || results.builtin.error !== undefined;
      const verdict = !counts ? 'none' : judged[0].meets ? 'meets' : 'misses';
      this.row(name, label, judged[0].text, verdict, theirs.milliseconds, ours.run_ms.median);
    }
  }
}

const [sightglass, packages, work, ...rest] = process.argv.slice(2);
const options = {runs: 6, seconds: 600};
while (rest[0]?.startsWith('--')) {
  const name = rest.shift().slice(2), value = Number(rest.shift());
  if (!(name in options) || !(value >= 1)) {
    console.error(`compare.mjs: --${name} ${value} is no option`);
    process.exit(2);
  }
  options[name] = value;
}
const version = JSON.parse(readFileSync(join(packages, 'node_modules/@litertjs/core/package.json'), 'utf8')).version;
const comparison = new Comparison(sightglass, packages, work, options);
console.log(`LiteRT ${version} (npm package @litertjs/core, WebAssembly, one thread), Node ${process.versions.node}; ` +
            `random inputs, run ${options.runs} of each\n`);
console.log('| model | kernels of LiteRT | error of the worst output | verdict | LiteRT (ms) | Sightglass (ms) |');
console.log('|---|---|---|---|---:|---:|');
for (const path of rest) comparison.compare(path);
const {meets, misses} = comparison.counts;
console.log(`\n${meets} of ${meets + misses} comparisons meet the criteria of docs/models.md; ` +
            `${comparison.counts['not run']} were not possible. OpenGL ES: ${comparison.renderer ?? 'unknown'}`);
process.exit(misses > 0 || meets === 0 ? 1 : 0);
