// The engine of EZ in a worker: lines of the debug protocol in, lines out.
//
// Messages from the page:
//   {type: "load", url}            load the engine (the URL of ez.wasm); once, first
//   {type: "start", files, main}   start a session; files: {path: text}, main: the path of the program (/main.ez)
//   {type: "line", text}           a line of the protocol, without line end
//   {type: "received", bytes}      so many bytes of output were received
//   {type: "close"}                no more lines will come
// to the page:
//   {type: "ready"}                the engine is loaded
//   {type: "lines", text, bytes}   whole lines of the protocol, and how many bytes the page is to confirm
//   {type: "ended", status}        the session has ended
//   {type: "failed", message}      the engine has failed: the session is over, or could not begin
//   {type: "unsupported", message} this browser cannot run it
//
// A session runs in an instance of its own, and its past in others. `read` and `grow` suspend an instance
// (JavaScript Promise Integration), so that this worker receives messages while the engine waits.
"use strict";

// While so many bytes of output are not confirmed, the engine waits; it goes on at half of that.
const MOST_UNCONFIRMED = 1 << 20;

// So many bytes are posted before the engine waits.
const MOST_AT_ONCE = 1 << 18;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

let loaded = null; // A promise of the module.
let session = null; // The running session, an Instance.

// Resolves after the messages that are already waiting for this worker.
const nextTurn = (() => {
  const { port1, port2 } = new MessageChannel();
  const waiting = [];
  port1.onmessage = () => waiting.shift()?.();
  return () => new Promise((resolve) => { waiting.push(resolve); port2.postMessage(null); });
})();

// Chunks of bytes that are taken in pieces.
class Bytes {
  chunks = [];

  add(chunk) { this.chunks.push(chunk); }

  get isEmpty() { return this.chunks.length === 0; }

  // Moves bytes to the beginning of `target`; returns how many.
  take(target) {
    let count = 0;
    while (count < target.length && this.chunks.length > 0) {
      const part = this.chunks[0].subarray(0, target.length - count);
      target.set(part, count);
      count += part.length;
      if (part.length === this.chunks[0].length) this.chunks.shift();
      else this.chunks[0] = this.chunks[0].subarray(part.length);
    }
    return count;
  }
}

// An instance of the module: a session, or the past of one.
class Instance {
  input = new Bytes();
  hasEnded = false; // Whether the end of the input has come,
  knowsEnd = false; // and whether the engine has been told.
  unconfirmed = 0; // Bytes of output.
  wake = null; // Ends the present wait.
  news = false; // Whether an instance of the past has sent something since the last read.
  pasts = new Map(); // The instances of the past, by number.
  output = new Bytes(); // Of an instance of the past, for the other one.
  isOver = false; // Whether it is not wanted any more.
  problem = ""; // Why the engine has ended.

  // `write` gets the output, `beforeWait` is called before the engine waits.
  constructor(write, beforeWait = () => {}) {
    this.write = write;
    this.beforeWait = beforeWait;
  }

  async create(module) {
    const imports = this.imports();
    this.wasm = (await WebAssembly.instantiate(module, { ez: imports })).exports;
    this.onNewStack = WebAssembly.promising(this.wasm.ez_on_new_stack);
  }

  // A view of the memory, which may have grown since the last one.
  memory(at, count) { return new Uint8Array(this.wasm.memory.buffer, at, count); }

  imports() {
    return {
      read: new WebAssembly.Suspending((at, most, wait) => this.read(at, most, wait)),
      write: (at, count) => this.write(this.memory(at, count)),
      log: (at, count) => { this.problem = decoder.decode(this.memory(at, count)); },
      monotonic: () => performance.now(),
      time_of_day: () => Date.now(),
      random: (at, count) => {
        const most = 65536; // of the function
        for (let done = 0; done < count; done += most) {
          crypto.getRandomValues(this.memory(at + done, Math.min(most, count - done)));
        }
      },
      past_write: (number, at, count) => this.sendToPast(number, this.memory(at, count).slice()),
      past_read: (number, at, most) => this.pasts.get(number)?.output.take(this.memory(at, most)) ?? 0,
      past_end: (number) => this.endPast(number),
      grow: new WebAssembly.Suspending((work) => this.grow(work)),
    };
  }

  // Does work of the engine on a new stack. If the browser has no further one (Firefox has 100), the work, whose first
  // word tells whether it has begun, is left to the engine.
  async grow(work) {
    try {
      await this.onNewStack(work);
    } catch (error) {
      if (new DataView(this.wasm.memory.buffer).getUint32(work, true) !== 0) throw error;
    }
  }

  // Waits for input at most `wait` milliseconds (negative: without limit); returns the number of bytes read, 0 if
  // there is something else to look at or the time is over, -1 at the end of the input (once).
  async read(at, most, wait) {
    this.beforeWait();
    if (wait === 0) await nextTurn();
    if (this.isOver) await new Promise(() => {}); // It is dropped.
    while (this.unconfirmed > MOST_UNCONFIRMED && this.input.isEmpty && !this.hasEnded) {
      await this.sleep(-1);
    }
    const isOver = () => !this.input.isEmpty || this.news || (this.hasEnded && !this.knowsEnd);
    if (wait !== 0 && !isOver()) await this.sleep(wait);
    this.news = false;
    const count = this.input.take(this.memory(at, most));
    if (count === 0 && this.hasEnded && !this.knowsEnd) {
      this.knowsEnd = true;
      return -1;
    }
    return count;
  }

  // Waits until `poke` is called, or for so many milliseconds.
  sleep(milliseconds) {
    return new Promise((resolve) => {
      const timer = milliseconds < 0 ? null : setTimeout(() => this.poke(), Math.min(milliseconds, 2 ** 31 - 1));
      this.wake = () => { clearTimeout(timer); resolve(); };
    });
  }

  poke() {
    const wake = this.wake;
    this.wake = null;
    wake?.();
  }

  give(bytes) {
    this.input.add(bytes);
    this.poke();
  }

  end() {
    this.hasEnded = true;
    this.poke();
  }

  confirm(count) {
    this.unconfirmed -= count;
    if (this.unconfirmed <= MOST_UNCONFIRMED / 2) this.poke();
  }

  // Copies a text into the memory; returns address and length.
  pass(text) {
    const bytes = encoder.encode(text);
    const at = this.wasm.ez_buffer(bytes.length);
    this.memory(at, bytes.length).set(bytes);
    return [at, bytes.length];
  }

  // Sends bytes to an instance of the past, which is created if there is none with this number.
  sendToPast(number, bytes) {
    let past = this.pasts.get(number);
    if (!past) {
      past = new Instance((bytes) => { past.output.add(bytes.slice()); this.news = true; this.poke(); });
      this.pasts.set(number, past);
      loaded
        .then((module) => past.create(module))
        .then(() => WebAssembly.promising(past.wasm.ez_past)())
        .catch((error) => this.lose(past, error));
    }
    past.give(bytes);
  }

  // An instance of the past has failed, for which the engine would wait for ever.
  lose(past, error) {
    if (past.isOver || session !== this) return;
    session = null;
    fail(`The past has failed: ${past.problem || error.message || error}`);
  }

  endPast(number) {
    const past = this.pasts.get(number);
    this.pasts.delete(number);
    if (past) past.isOver = true;
  }
}

// Output to the page: what a session has written between two waits, in whole lines.
class Lines {
  chunks = []; // Texts,
  bytes = 0; // and their size.
  end = 0; // How many of them, and bytes, end with a line.
  endBytes = 0;
  decoder = new TextDecoder();

  constructor(instance) { this.instance = instance; }

  add(bytes) {
    this.chunks.push(this.decoder.decode(bytes, { stream: true }));
    this.bytes += bytes.length;
    if (bytes.at(-1) === 10) {
      this.end = this.chunks.length;
      this.endBytes = this.bytes;
    }
    if (this.endBytes > MOST_AT_ONCE) this.post();
  }

  post() {
    if (this.end === 0) return;
    const text = this.chunks.splice(0, this.end).join("");
    this.instance.unconfirmed += this.endBytes;
    postMessage({ type: "lines", text, bytes: this.endBytes });
    this.bytes -= this.endBytes;
    this.end = this.endBytes = 0;
  }
}

const fail = (message) => postMessage({ type: "failed", message });

// Why this browser cannot run the engine, or null.
function unsupported() {
  if (typeof WebAssembly !== "object") return "This browser has no WebAssembly, which EZ needs.";
  if (typeof WebAssembly.Suspending !== "function" || typeof WebAssembly.promising !== "function") {
    return "This browser cannot suspend WebAssembly (JavaScript Promise Integration), which EZ needs: it is in Chrome and Edge from 137 on, Firefox from 153 on, and Safari from 27 on.";
  }
  return null;
}

async function load(url) {
  const why = unsupported();
  if (why) return postMessage({ type: "unsupported", message: why });
  try {
    loaded = compile(url);
    await loaded;
    postMessage({ type: "ready" });
  } catch (error) {
    loaded = null;
    fail(`The engine cannot be loaded: ${error.message ?? error}`);
  }
}

async function compile(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} gives status ${response.status}`);
  // Servers that do not know the file's type get no compilation while it arrives.
  return response.headers.get("Content-Type")?.startsWith("application/wasm")
    ? WebAssembly.compileStreaming(response)
    : WebAssembly.compile(await response.arrayBuffer());
}

async function start(files, main) {
  if (!loaded) return fail("The engine is not loaded.");
  if (session) return fail("A session runs already.");
  const instance = new Instance((bytes) => lines.add(bytes), () => lines.post());
  const lines = new Lines(instance);
  session = instance;
  try {
    await instance.create(await loaded);
    for (const [path, text] of Object.entries(files)) instance.wasm.ez_file(...instance.pass(path), ...instance.pass(text));
    const status = await WebAssembly.promising(instance.wasm.ez_session)(...instance.pass(main));
    session = null;
    lines.post();
    postMessage({ type: "ended", status });
  } catch (error) {
    session = null;
    lines.post();
    fail(`The engine has failed: ${instance.problem || error.message || error}`);
  }
}

onmessage = ({ data }) => {
  switch (data.type) {
    case "load": load(data.url); break;
    case "start": start(data.files, data.main); break;
    case "line": session?.give(encoder.encode(`${data.text}\n`)); break;
    case "received": session?.confirm(data.bytes); break;
    case "close": session?.end(); break;
    default: fail(`There is no message of type ${data.type}.`);
  }
};
