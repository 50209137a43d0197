// The page of `sightglass serve`: picture, controls made from /api/properties, and a plot of /api/stats.

const element = (id) => document.getElementById(id);

// ---- Requests ----

async function request(path, options) {
  const response = await fetch(path, options);
  const text = await response.text();
  let body = null;
  try { body = JSON.parse(text); } catch { /* an error of a proxy is not JSON */ }
  if (!response.ok) throw new Error(body?.error ?? `${response.status} ${response.statusText}`);
  return body;
}

function show(message) {
  element("message").textContent = message;
  element("message").hidden = message === "";
}

// ---- Picture ----

const picture = element("picture"), video = element("video");
let peer = null, retry = 0;

function showOnly(shown, transport) {
  for (const one of [picture, video]) one.hidden = one !== shown;
  element("waiting").hidden = shown !== null;
  element("transport").textContent = transport;
}

function startMotionJpeg() {
  peer?.close();
  peer = null;
  video.srcObject = null;
  picture.onload = () => showOnly(picture, "Motion JPEG");
  picture.onerror = () => {
    showOnly(null, "");
    clearTimeout(retry);
    retry = setTimeout(startMotionJpeg, 2000);
  };
  // Some browsers report no load of a picture that never ends.
  setTimeout(() => { if (picture.naturalWidth > 0) showOnly(picture, "Motion JPEG"); }, 1500);
  picture.src = `/api/picture.mjpeg?${Date.now()}`;
  picture.hidden = false;
}

async function gathered(connection) {
  const deadline = Date.now() + 3000;
  while (connection.iceGatheringState !== "complete" && Date.now() < deadline) {
    await new Promise((done) => setTimeout(done, 30));
  }
}

async function startWebRtc() {
  const connection = new RTCPeerConnection();
  peer = connection;
  const playing = new Promise((done, failed) => {
    connection.ontrack = (event) => {
      video.srcObject = event.streams[0] ?? new MediaStream([event.track]);
      video.onloadeddata = done;
    };
    setTimeout(() => failed(new Error("no picture by WebRTC")), 8000);
  });
  playing.catch(() => {});
  connection.addTransceiver("video", {direction: "recvonly"});
  await connection.setLocalDescription(await connection.createOffer());
  await gathered(connection);
  const response = await fetch("/api/offer", {
    method: "POST", headers: {"Content-Type": "application/sdp"}, body: connection.localDescription.sdp,
  });
  if (!response.ok) throw new Error((await response.json()).error);
  await connection.setRemoteDescription({type: "answer", sdp: await response.text()});
  await playing;
  connection.onconnectionstatechange = () => {
    if (["failed", "disconnected", "closed"].includes(connection.connectionState) && peer === connection) startMotionJpeg();
  };
  showOnly(video, "WebRTC");
}

async function startPicture(webrtc) {
  const wanted = new URLSearchParams(location.search).get("picture");
  if (webrtc && wanted !== "mjpeg" && "RTCPeerConnection" in window) {
    try { return await startWebRtc(); } catch (error) { console.info(error.message); }
  }
  startMotionJpeg();
}

// ---- Properties ----

// Shown first, in this order, if the element has them.
const FIRST = ["model", "background", "blur-strength", "background-color", "framing", "people", "overlay-opacity", "draw",
  "threshold", "softness", "smoothing", "feather", "max-objects", "line-width", "point-size", "hud"];

// Some descriptions also say what only the command line can do.
const BLURBS = {model: "Models for this task that were on this machine at the start; `sightglass models fetch` downloads more"};

const controls = new Map();  // name → {update(value), busy()}
let pending = {}, sending = false;

async function send() {
  if (sending) return;
  sending = true;
  while (Object.keys(pending).length > 0) {
    const values = pending;
    pending = {};
    try {
      const body = await request("/api/properties", {
        method: "PUT", headers: {"Content-Type": "application/json"}, body: JSON.stringify(values),
      });
      show("");
      update(body.properties);
    } catch (error) {
      show(error.message);
      await refresh();
    }
  }
  sending = false;
}

function change(name, value) {
  pending[name] = value;
  send();
}

function update(properties) {
  for (const property of properties) {
    const control = controls.get(property.name);
    if (control && !(property.name in pending) && !control.busy()) control.update(property.value);
  }
}

async function refresh() {
  try { update((await request("/api/properties")).properties); } catch { /* the next one may succeed */ }
}

function make(tag, attributes) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name in made) made[name] = value; else made.setAttribute(name, value);
  }
  return made;
}

function niceStep(range) {
  const raw = range / 200, power = 10 ** Math.floor(Math.log10(raw));
  return power * ([1, 2, 5, 10].find((factor) => factor * power >= raw) ?? 10);
}

// Each maker returns the inputs of a property, the first of which gets the label, and how to show a value.
const makers = {
  switch(property) {
    const box = make("input", {type: "checkbox", role: "switch"});
    box.onchange = () => change(property.name, box.checked);
    return {inputs: [box], update: (value) => { box.checked = value; }};
  },
  choice(property) {
    const list = make("select", {});
    const note = make("span", {className: "wide quiet"});
    const explain = () => {
      const meaning = property.words.find(({word}) => word === list.value)?.meaning;
      note.textContent = meaning ? `${list.value}: ${meaning}` : "";
      note.hidden = !meaning;
    };
    for (const {word, meaning} of property.words) list.append(make("option", {value: word, textContent: word, title: meaning}));
    list.onchange = () => {
      explain();
      change(property.name, list.value);
    };
    const showWord = (value) => {
      if (![...list.options].some((option) => option.value === value)) {
        list.append(make("option", {value, textContent: value ?? "none", disabled: true}));
      }
      list.value = value;
      explain();
    };
    return {inputs: [list], note, update: showWord};
  },
  color(property) {
    const box = make("input", {type: "color"});
    let alpha = 255;
    box.oninput = () => change(property.name, alpha * 2 ** 24 + parseInt(box.value.slice(1), 16));
    return {inputs: [box], update: (value) => {
      alpha = Math.floor(value / 2 ** 24);
      box.value = `#${(value % 2 ** 24).toString(16).padStart(6, "0")}`;
    }};
  },
  number(property, whole = false) {
    const range = property.maximum - property.minimum;
    const step = whole ? Math.max(1, Math.round(niceStep(range))) : niceStep(range);
    const limits = {min: property.minimum, max: property.maximum};
    const box = make("input", {type: "number", ...limits, step: whole ? 1 : "any"});
    box.onchange = () => {
      if (box.value !== "") change(property.name, Number(box.value));
    };
    const plain = {inputs: [box], update: (value) => { box.value = value; }};
    if (!(range <= 20000)) return plain;  // a slider would be too coarse
    const slider = make("input", {type: "range", ...limits, step, className: "wide"});
    slider.oninput = () => {
      box.value = slider.value;
      change(property.name, Number(slider.value));
    };
    return {inputs: [box, slider], slider, update: (value) => {
      box.value = value;
      slider.value = value;
    }};
  },
  integer(property) { return makers.number(property, true); },
  text(property) {
    const box = make("input", {type: "text", className: "wide"});
    box.onchange = () => change(property.name, box.value);
    return {inputs: [box], update: (value) => { box.value = value ?? ""; }};
  },
};

function addControl(form, property) {
  const maker = (makers[property.type] ?? makers.text)(property);
  const id = `property-${property.name}`;
  const field = make("div", {className: "field"});
  const label = make("label", {htmlFor: id, textContent: property.nick});
  const blurb = make("p", {className: "blurb", id: `${id}-blurb`, textContent: BLURBS[property.name] ?? property.blurb});
  const [main, ...others] = maker.inputs;
  main.id = id;
  main.name = property.name;
  field.append(label, main, ...others, blurb);
  const described = [blurb.id];
  if (maker.note) {
    maker.note.id = `${id}-note`;
    field.append(maker.note);
    described.push(maker.note.id);
  }
  if (!property.live) {
    const reason = make("p", {className: "reason", id: `${id}-reason`, textContent: `Fixed: ${property.reason}.`});
    field.append(reason);
    described.push(reason.id);
  }
  for (const input of maker.inputs) {
    input.disabled = !property.live;
    input.setAttribute("aria-describedby", described.join(" "));
    if (input !== main) {
      input.id = `${id}-slider`;
      input.setAttribute("aria-label", property.nick);
    }
  }
  controls.set(property.name, {
    update: maker.update,
    busy: () => maker.inputs.some((input) => input === document.activeElement && input.type === "number"),
  });
  maker.update(property.value);
  form.append(field);
}

function build(properties) {
  const byName = new Map(properties.map((property) => [property.name, property]));
  const first = FIRST.filter((name) => byName.get(name)?.live);
  for (const name of first) addControl(element("first"), byName.get(name));
  for (const property of properties) {
    if (first.includes(property.name)) continue;
    const group = property.live ? "more" : "fixed";
    addControl(element(group), property);
    element(`${group}-box`).hidden = false;
  }
  for (const form of document.forms) form.onsubmit = (event) => event.preventDefault();
}

// ---- Statistics ----

const SAMPLES = 120, INTERVAL = 500;
const history = [];  // {frame, gpu, dropped} per interval
let lastDropped = null;

const milliseconds = (value) => value === undefined ? "–" : `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`;
const tickText = (value) => value >= 1000 ? `${value / 1000} s` : `${value} ms`;

function record(stats) {
  const dropped = lastDropped === null ? 0 : Math.max(0, stats.dropped - lastDropped);
  lastDropped = stats.dropped;
  history.push({frame: stats.ready ? stats.frame_ms : undefined, gpu: stats.gpu_ms_p50 ?? stats.gpu_ms, dropped});
  if (history.length > SAMPLES) history.shift();
}

function niceCeiling(value) {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 1)));
  return power * ([1, 1.5, 2, 3, 5, 10].find((factor) => factor * power >= value) ?? 10);
}

function plot() {
  const canvas = element("plot"), scale = window.devicePixelRatio || 1;
  const width = canvas.clientWidth, height = canvas.clientHeight;
  if (width === 0) return;
  if (canvas.width !== Math.round(width * scale)) canvas.width = Math.round(width * scale);
  if (canvas.height !== Math.round(height * scale)) canvas.height = Math.round(height * scale);
  const style = getComputedStyle(document.documentElement);
  const color = (name) => style.getPropertyValue(`--${name}`).trim();
  const context = canvas.getContext("2d");
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, width, height);
  const left = 56, bottom = 20, top = 8;
  const maximum = niceCeiling(Math.max(10, ...history.flatMap(({frame, gpu}) => [frame ?? 0, gpu ?? 0])));
  const x = (i) => left + (width - left - 4) * (i + SAMPLES - history.length) / (SAMPLES - 1);
  const y = (value) => top + (height - top - bottom) * (1 - value / maximum);
  context.font = "12px system-ui, sans-serif";
  context.textBaseline = "middle";
  context.lineWidth = 1;
  for (const share of [0, 0.5, 1]) {
    context.strokeStyle = color("line");
    context.beginPath();
    context.moveTo(left, y(share * maximum));
    context.lineTo(width, y(share * maximum));
    context.stroke();
    context.fillStyle = color("quiet");
    context.textAlign = "right";
    context.fillText(tickText(share * maximum), left - 6, y(share * maximum));
  }
  context.textAlign = "left";
  context.fillText("1 minute ago", left, height - 7);
  context.textAlign = "right";
  context.fillText("now", width - 4, height - 7);
  // Dropped frames are ticks that rise from the bottom line: eight pixels per frame, up to half the height.
  context.fillStyle = color("bad");
  history.forEach(({dropped}, i) => {
    if (dropped === 0) return;
    const tick = Math.min(dropped * 8, (height - top - bottom) / 2);
    context.fillRect(x(i) - 1.5, y(0) - tick, 3, tick);
  });
  for (const [series, name] of [["frame", "accent"], ["gpu", "gpu"]]) {
    context.strokeStyle = color(name);
    context.lineWidth = 2;
    context.lineJoin = "round";
    context.beginPath();
    let drawing = false;
    history.forEach((sample, i) => {
      if (sample[series] === undefined) { drawing = false; return; }
      if (drawing) context.lineTo(x(i), y(sample[series])); else context.moveTo(x(i), y(sample[series]));
      drawing = true;
    });
    context.stroke();
  }
}

function describe() {
  const known = history.map(({frame}) => frame).filter((value) => value !== undefined);
  if (known.length === 0) return "No frames yet.";
  const seconds = Math.round(history.length * INTERVAL / 1000);
  const dropped = history.reduce((sum, sample) => sum + sample.dropped, 0);
  return `Last ${seconds} s: frame time ${milliseconds(Math.min(...known))} to ${milliseconds(Math.max(...known))}, ` +
    `${dropped} frames dropped.`;
}

let spoken = 0;
function showStats(stats) {
  element("job").textContent = `${stats.task} · ${stats.input} · ${stats.width} × ${stats.height}`;
  const state = stats.ready ? "live" : stats.frames > 0 ? "stopped" : "starting";
  const words = stats.ready ? `live · ${stats.rate.toFixed(1)} per second` : stats.reason;
  element("state").dataset.state = state;
  if (element("state").textContent !== words) element("state").textContent = words;
  // A screen reader hears changes of the state, not every change of the rate.
  element("state").setAttribute("aria-live", stats.ready ? "off" : "polite");
  element("frame-time").textContent = milliseconds(stats.frame_ms);
  element("gpu-time").textContent = milliseconds(stats.gpu_ms_p50 ?? stats.gpu_ms);
  element("dropped").textContent = String(stats.dropped);
  if (stats.width > 0) element("screen").style.aspectRatio = `${stats.width} / ${stats.height}`;
  record(stats);
  plot();
  element("plot-text").textContent = describe();
  if (Date.now() - spoken > 5000) {
    element("plot").setAttribute("aria-label", `Plot of frame time, GPU time, and dropped frames. ${describe()}`);
    spoken = Date.now();
  }
}

function lost() {
  element("state").dataset.state = "stopped";
  element("state").textContent = "no connection to the server";
}

// ---- Start ----

async function poll() {
  try { showStats(await request("/api/stats")); } catch { lost(); }
  setTimeout(poll, document.hidden ? 5 * INTERVAL : INTERVAL);
}

async function start() {
  const [{properties}, stats] = await Promise.all([request("/api/properties"), request("/api/stats")]);
  build(properties);
  showStats(stats);
  startPicture(stats.webrtc);
  setTimeout(poll, INTERVAL);
  setInterval(() => { if (!document.hidden && !sending) refresh(); }, 3000);
  window.addEventListener("resize", plot);
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", plot);
}

start().catch((error) => { show(error.message); lost(); });
