// The engine of EZ in a worker: lines of the debug protocol in, lines out.
//
// Messages from the page:
//   {type: "load", url, sum, ask, lock}
//                                  load the engine (the URL of ez.wasm); once, first; sum: what its section `ez` has to
//                                  say, if anything; ask: see below; lock: a name for a lock, held while the worker
//                                  lives
//   {type: "start", files, main, seed, explains}
//                                  start a session; files: {path: text}, main: the path of the program (/main.ez);
//                                  seed: a number that decides about its random numbers, if anything does;
//                                  explains: it gets one line, and sends one (src/web/explain.rs)
//   {type: "line", text}           a line of the protocol, without line end
//   {type: "received", bytes}      so many bytes of output were received
//   {type: "files", path}          tell the files that the program has written, and what is in the one with this path
//   {type: "remove", path}         remove such a file
//   {type: "close"}                no more lines will come
// to the page:
//   {type: "held"}                 the lock is held
//   {type: "ready", way}           the engine is loaded; how it waits: see below
//   {type: "lines", text, bytes}   whole lines of the protocol, and how many bytes the page is to confirm
//   {type: "files", files}         [{path, size, bytes}]
//   {type: "ended", status, files} the session has ended; the files with their bytes
//   {type: "failed", message}      the engine has failed: the session is over, or could not begin
//   {type: "unsupported", message} this browser cannot run it
//
// A session runs in an instance of its own, and its past in others. How the engine waits depends on the browser:
//   suspend   `read` and `grow` suspend an instance (JavaScript Promise Integration), so that this worker receives
//             messages while the engine waits;
//   ask       this worker receives none while a session runs, but asks the page for them by requests to the address
//             `ask`, which the page's service worker passes on (page/engine/asked.js); the page also runs the instances
//             of the past, each in another worker ({type: "past"}, {type: "endPast"}, {type: "startPast"});
//   given     neither is possible: `start` has all `lines`, after which the session ends as soon as it waits.
"use strict";

// While so many bytes of output are not confirmed, the engine waits; it goes on at half of that.
const MOST_UNCONFIRMED = 1 << 20;

// So many bytes are posted before the engine waits.
const MOST_AT_ONCE = 1 << 18;

// How fast output may come where the page cannot confirm it, in bytes each millisecond.
const MOST_RATE = 4096;

// How often a program that runs asks the page for messages, and how long a request lasts at most, in milliseconds.
const BETWEEN_REQUESTS = 50;
const LONGEST_REQUEST = 10_000;

// So long the page may leave requests without an answer, and so long nobody may pass them on, in milliseconds.
const LONGEST_SILENCE = 30_000;
const LONGEST_UNSERVED = 3000;

// What must be left of the stack for all that is no call of the program, in bytes, where there is only one.
const SPARE_STACK = 1 << 17;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

let loaded = null; // A promise of the module.
let way = ""; // How the engine waits.
let ask = null; // Where the page is asked.
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
  stacks = []; // Stacks for deep recursion,
  idle = []; // and those that have nothing to do.
  problem = ""; // Why the engine has ended.
  failure = ""; // Why it was ended.

  // `write` gets the output, `beforeWait` is called before the engine waits. `seed`: of its random bytes, which are secure
  // without it.
  constructor(write, beforeWait = () => {}, seed = undefined) {
    this.write = write;
    this.beforeWait = beforeWait;
    this.random = seed === undefined ? secure : repeatable(seed);
  }

  async create(module) {
    this.wasm = (await WebAssembly.instantiate(module, { ez: { ...this.imports(), ...this.waits() } })).exports;
  }

  // Runs the engine until it ends, and then gives back its stacks: browsers do so with those of an instance that is not
  // used any more, but much later, and some have few.
  async live(name, ...values) {
    try {
      return await this.run(name, ...values);
    } finally {
      for (const stack of this.idle) stack.begin(0);
      for (const number of this.pasts.keys()) this.endPast(number);
    }
  }

  // Ends the engine when it waits the next time, or now, if it does.
  drop() {
    this.isOver = true;
    this.poke();
  }

  // Calls a function that waits; a promise of what it returns.
  async run(name, ...values) {
    return way === "suspend" ? WebAssembly.promising(this.wasm[name])(...values) : this.wasm[name](...values);
  }

  // A view of the memory, which may have grown since the last one.
  memory(at, count) { return new Uint8Array(this.wasm.memory.buffer, at, count); }

  imports() {
    return {
      write: (at, count) => this.write(this.memory(at, count)),
      log: (at, count) => { this.problem = decoder.decode(this.memory(at, count)); },
      monotonic: () => performance.now(),
      time_of_day: () => Date.now(),
      random: (at, count) => this.random(this.memory(at, count)),
      past_write: (number, at, count) => this.sendToPast(number, this.memory(at, count).slice()),
      past_read: (number, at, most) => this.pasts.get(number)?.output.take(this.memory(at, most)) ?? 0,
      past_end: (number) => this.endPast(number),
      written: (path, pathCount, at, count) => this.shown?.(decoder.decode(this.memory(path, pathCount)), this.memory(at, count)),
      has_stacks: () => Number(way === "suspend"),
    };
  }

  // The imports that wait.
  waits() {
    if (way === "suspend") {
      return {
        read: new WebAssembly.Suspending((at, most, wait) => this.read(at, most, wait)),
        grow: new WebAssembly.Suspending((work) => this.onOtherStack(work)),
        next_work: new WebAssembly.Suspending((number) => this.nextWork(number)),
      };
    }
    const grow = (work, bytes) => (hasRoom(bytes + SPARE_STACK) ? this.wasm.ez_on_this_stack(work) : 0);
    const read = way === "ask" ? this.readByRequest : this.readGiven;
    return { grow, next_work: () => 0, read: (at, most, wait) => read.call(this, at, most, wait) };
  }

  // Has work done on a stack that has none; resolves with 1 when it is done, with 0 if the browser has no further stack
  // (Firefox has 100).
  onOtherStack(work) {
    if (this.idle.length === 0) {
      const stack = { begin: null, finish: null, fail: null };
      const number = this.stacks.push(stack) - 1;
      // It asks for work before this returns.
      this.run("ez_stack", number).catch((error) => stack.fail?.(error));
    }
    const stack = this.idle.pop();
    if (stack === undefined) return Promise.resolve(0);
    return new Promise((resolve, reject) => {
      Object.assign(stack, { finish: resolve, fail: reject });
      stack.begin(work);
    });
  }

  // A stack has done its work; resolves with the next one, 0 if there is none any more.
  nextWork(number) {
    const stack = this.stacks[number];
    return new Promise((resolve) => {
      stack.begin = resolve;
      this.idle.push(stack);
      stack.finish?.(1);
    });
  }

  // Waits for input at most `wait` milliseconds (negative: without limit); returns the number of bytes read, 0 if
  // there is something else to look at or the time is over, -1 at the end of the input (once).
  async read(at, most, wait) {
    this.beforeWait();
    if (wait === 0) await nextTurn();
    while (this.unconfirmed > MOST_UNCONFIRMED && this.input.isEmpty && !this.hasEnded && !this.isOver) {
      await this.sleep(-1);
    }
    if (wait !== 0 && !this.hasCome() && !this.isOver) await this.sleep(wait);
    // Which ends all that is in progress on its stacks.
    if (this.isOver) throw new Error("it is not wanted any more");
    return this.take(at, most);
  }

  // The same, by requests.
  readByRequest(at, most, wait) {
    this.beforeWait();
    while (this.unconfirmed > MOST_UNCONFIRMED && this.input.isEmpty && !this.hasEnded) receive(-1);
    if (!this.hasCome() && (wait !== 0 || performance.now() - lastRequest >= BETWEEN_REQUESTS)) receive(wait);
    return this.take(at, most);
  }

  // The same, where nothing comes any more.
  readGiven(at, most, wait) {
    this.beforeWait();
    this.hasEnded = true;
    if (this.unconfirmed > MOST_UNCONFIRMED) {
      // The page cannot say that it is ready for more.
      idle(MOST_UNCONFIRMED / MOST_RATE);
      this.unconfirmed = 0;
    }
    if (wait > 0 && this.input.isEmpty) idle(wait);
    return wait < 0 || !this.input.isEmpty ? this.take(at, most) : 0;
  }

  // Whether there is something for `read`.
  hasCome() { return !this.input.isEmpty || this.news || (this.hasEnded && !this.knowsEnd); }

  // What `read` returns now.
  take(at, most) {
    this.news = false;
    const count = this.input.take(this.memory(at, most));
    if (count === 0 && this.hasEnded && !this.knowsEnd) {
      this.knowsEnd = true;
      return -1;
    }
    return count;
  }

  // The files that the program has written, with the contents of those that are wanted.
  files(isWanted) {
    const files = [];
    this.shown = (path, bytes) => files.push({ path, size: bytes.length, bytes: isWanted(path) ? bytes.slice() : undefined });
    this.wasm.ez_written();
    this.shown = undefined;
    return files;
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
    if (way !== "suspend") {
      if (!past) this.pasts.set(number, { output: new Bytes() });
      return postMessage({ type: "past", number, bytes });
    }
    if (!past) {
      past = new Instance((bytes) => { past.output.add(bytes.slice()); this.news = true; this.poke(); });
      this.pasts.set(number, past);
      loaded
        .then((module) => past.create(module))
        .then(() => past.live("ez_past"))
        .catch((error) => this.lose(past, error));
    }
    past.give(bytes);
  }

  // An instance of the past has failed, for which the engine would wait for ever.
  lose(past, error) {
    if (past.isOver || this.isOver) return;
    this.failure = `The past has failed: ${reasonOf(past, error)}`;
    this.drop();
  }

  endPast(number) {
    const past = this.pasts.get(number);
    this.pasts.delete(number);
    if (way === "suspend") past?.drop();
    else postMessage({ type: "endPast", number });
  }

  // Bytes of an instance of the past that is in another worker.
  hear(number, bytes) {
    this.pasts.get(number)?.output.add(bytes);
    this.news = true;
  }
}

let lastRequest = 0; // When the page was asked last,
let requests = 0; // and how often.

// Fills a buffer with secure random bytes.
function secure(bytes) {
  const most = 65536; // of the function
  for (let done = 0; done < bytes.length; done += most) crypto.getRandomValues(bytes.subarray(done, done + most));
}

// What fills buffers with random bytes, the same for the same seed (the generator mulberry32).
const repeatable = (seed) => (bytes) => {
  for (let at = 0; at < bytes.length; at++) {
    seed = (seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(seed ^ (seed >>> 15), seed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    bytes[at] = (mixed ^ (mixed >>> 14)) >>> 24;
  }
};

// Asks the page for messages, and waits for some so many milliseconds (negative: for some time); takes them.
function receive(wait) {
  requests++;
  const most = Math.min(wait < 0 ? LONGEST_REQUEST : Math.ceil(wait), LONGEST_REQUEST);
  const began = performance.now();
  let unserved = 0; // When nobody passed the request on for the first time.
  for (;;) {
    // A request that was lost is asked again, and has the same answer.
    const answer = requested(requests, most);
    const now = performance.now();
    if (Array.isArray(answer)) {
      lastRequest = now;
      return answer.forEach(handle);
    }
    unserved = answer === "unserved" ? unserved || now : 0;
    if (unserved && now - unserved > LONGEST_UNSERVED) {
      throw new Error("the browser does not keep the page's service worker any more: load the page again");
    }
    if (now - began > LONGEST_SILENCE) throw new Error("the page does not answer: load it again");
    idle(50);
  }
}

// The messages that answer a request; "late" if the page has not answered, "unserved" if nobody has asked it.
function requested(number, wait) {
  try {
    const request = new XMLHttpRequest();
    request.open("GET", `${ask}&number=${number}&wait=${wait}`, false);
    request.timeout = wait + 5000;
    request.send();
    if (request.status === 504) return "late"; // of the service worker
    const answer = JSON.parse(request.responseText);
    return answer.number === number ? answer.messages : "late";
  } catch (error) {
    return error.name === "TimeoutError" ? "late" : "unserved";
  }
}

// Waits, where there is no other way to do so.
function idle(milliseconds) {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

const decoded = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

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

// A module whose function `f` calls the import `a.b` and returns.
const CALLING = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 2, 7, 1, 1, 97, 1, 98, 0, 0, 3, 2, 1, 0,
  7, 5, 1, 1, 102, 0, 1, 10, 6, 1, 4, 0, 16, 0, 11);

// Whether this browser can suspend an instance.
async function canSuspend() {
  try {
    const b = new WebAssembly.Suspending(() => Promise.resolve());
    const { instance } = await WebAssembly.instantiate(CALLING, { a: { b } });
    await WebAssembly.promising(instance.exports.f)();
    return true;
  } catch {
    return false;
  }
}

// A module whose function `f` calls itself as often as its parameter says. Each call takes a frame of at least
// `FRAME` bytes: so many values are read from memory before the call, and added up after it.
const FRAME = 1024;
const recursing = (() => {
  const count = FRAME / 8;
  const number = (n) => (n < 128 ? [n] : [(n & 127) | 128, n >> 7]);
  const section = (id, ...bytes) => [id, ...number(bytes.length), ...bytes];
  const locals = Array.from({ length: count }, (_, at) => at + 1);
  const before = locals.flatMap((local) => [0x41, 0, 0x29, 3, ...number(8 * local), 0x21, ...number(local)]);
  const after = locals.flatMap((local) => [0x20, ...number(local), 0x7c]);
  const body = [1, ...number(count), 0x7e, 0x20, 0, 0x45, 0x04, 0x40, 0x42, 0, 0x0f, 0x0b, ...before,
    0x20, 0, 0x41, 1, 0x6b, 0x10, 0, ...after, 0x0b];
  return Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0, ...section(1, 1, 0x60, 1, 0x7f, 1, 0x7e), ...section(3, 1, 0),
    ...section(5, 1, 0, 1), ...section(7, 1, 1, 102, 0, 0), ...section(10, 1, ...number(body.length), ...body));
})();
let recurse = null;

// Whether the stack has so many bytes left.
function hasRoom(bytes) {
  try {
    recurse(Math.ceil(bytes / FRAME));
    return true;
  } catch {
    return false;
  }
}

// Holds a lock until this worker ends, however it ends.
function hold(lock) {
  const held = () => {
    postMessage({ type: "held" });
    return new Promise(() => {});
  };
  if (lock) navigator.locks?.request(lock, held).catch(() => {});
}

async function load({ url, sum, ask: address, lock }) {
  if (typeof WebAssembly !== "object") return postMessage({ type: "unsupported", message: "This browser has no WebAssembly, which EZ needs." });
  hold(lock);
  try {
    loaded = compile(url, sum);
    loaded.catch(() => {});
    ask = address;
    way = (await canSuspend()) ? "suspend" : ask && Array.isArray(requested(0, 0)) ? "ask" : "given";
    if (way !== "suspend") recurse = (await WebAssembly.instantiate(recursing)).instance.exports.f;
    await loaded;
    postMessage({ type: "ready", way });
  } catch (error) {
    loaded = null;
    fail(`The engine cannot be loaded: ${error.message ?? error}`);
  }
}

// What is served in place of the engine.
class WrongFile extends Error {}

async function compile(url, sum) {
  try {
    return await compiled(url, sum, "default");
  } catch (error) {
    // What the browser has kept may be wrong, and what the server has by now right.
    if (error instanceof WrongFile) return compiled(url, sum, "reload");
    throw error;
  }
}

async function compiled(url, sum, cache) {
  const name = url.split("?")[0];
  const response = await fetch(url, { cache }).catch(() => {
    throw new Error(`there is no connection to the server, and ${name} is not kept here. Load the page again when there is one.`);
  });
  const again = "Load the page again; if that does not help, all files of the page have to be put on the server again.";
  if (!response.ok) throw new Error(`the server gives no ${name} (status ${response.status}). ${again}`);
  const wrong = () => new WrongFile(`what the server gives as ${name} is not the engine of this page. ${again}`);
  const module = await moduleOf(response).catch(() => { throw wrong(); });
  const told = WebAssembly.Module.customSections(module, "ez").map((section) => decoder.decode(section));
  if (sum && !told.includes(sum)) throw wrong();
  return module;
}

// Servers that do not know the file's type get no compilation while it arrives.
async function moduleOf(response) {
  return response.headers.get("Content-Type")?.startsWith("application/wasm")
    ? WebAssembly.compileStreaming(response)
    : WebAssembly.compile(await response.arrayBuffer());
}

async function start({ files, main, seed, explains, lines: given = [] }) {
  if (!loaded) return fail("The engine is not loaded.");
  if (session) return fail("A session runs already.");
  const instance = new Instance((bytes) => lines.add(bytes), () => lines.post(), seed);
  const lines = new Lines(instance);
  session = instance;
  try {
    await instance.create(await loaded);
    for (const [path, text] of Object.entries(files)) instance.wasm.ez_file(...instance.pass(path), ...instance.pass(text));
    for (const text of given) instance.give(encoder.encode(`${text}\n`));
    const status = await instance.live(explains ? "ez_explain" : "ez_session", ...instance.pass(main));
    session = null;
    lines.post();
    tell({ type: "ended", status, files: instance.files(() => true) });
  } catch (error) {
    session = null;
    lines.post();
    fail(instance.failure || `The engine has failed: ${reasonOf(instance, error)}`);
  }
}

// Why an instance has ended.
function reasonOf({ problem }, error) {
  if (problem) return problem;
  // There are several errors for it.
  const isDeep = error instanceof RangeError || /recursion|stack/i.test(error.message);
  return isDeep ? "the program is nested more deeply than this browser has room for" : error.message || String(error);
}

// Runs the past of a session that another worker has.
async function startPast() {
  const instance = new Instance((bytes) => postMessage({ type: "past", bytes: bytes.slice() }));
  session = instance;
  try {
    await instance.create(await loaded);
    await instance.live("ez_past");
  } catch (error) {
    fail(`The past has failed: ${reasonOf(instance, error)}`);
  }
}

// Sends a message with files, whose bytes are not copied.
const tell = (message) => postMessage(message, message.files.flatMap(({ bytes }) => bytes?.buffer ?? []));

// Takes a message of the page.
function handle(data) {
  switch (data.type) {
    case "load": load(data); break;
    case "start": start(data); break;
    case "startPast": startPast(); break;
    case "line": session?.give(encoder.encode(`${data.text}\n`)); break;
    case "bytes": session?.give(decoded(data.bytes)); break;
    case "past": session?.hear(data.number, decoded(data.bytes)); break;
    case "received": session?.confirm(data.bytes); break;
    case "files": tell({ type: "files", files: session?.files((path) => path === data.path) ?? [] }); break;
    case "remove": session?.wasm.ez_remove(...session.pass(data.path)); break;
    case "close": session?.end(); break;
    default: fail(`There is no message of type ${data.type}.`);
  }
}

onmessage = ({ data }) => handle(data);
