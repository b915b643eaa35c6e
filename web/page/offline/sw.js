// Keeps the page's own files, so that it works without a connection, and passes on what workers ask the page. It answers
// for nothing else.

/** The files of this version, with their SHA-256. @type {Record<string, string>} */
const FILES = "@@FILES@@";
const VERSION = "@@VERSION@@";
const PREFIX = `ez ${self.registration.scope} `;
const CACHE = PREFIX + VERSION;

self.addEventListener("install", (event) => {
  // All of one version, or none: then the page asks for them again the next time.
  event.waitUntil(caches.open(CACHE).then((cache) => Promise.all(Object.keys(FILES).map((file) => fill(cache, file)))));
});

/** Keeps a file. @param {Cache} cache @param {string} file @throws If the server has another one in its place. */
async function fill(cache, file) {
  // What the browser has is used if the server says that it is the same, which it may be wrong about.
  for (const mode of /** @type {const} */ (["no-cache", "reload"])) {
    if (await keep(cache, file, await fetch(new Request(file, { cache: mode })))) return;
  }
  throw new Error(`${file} is not that of this version`);
}

/** Keeps a file if it is the right one. @param {Cache} cache @param {string} file @param {Response} response */
async function keep(cache, file, response) {
  const bytes = await response.clone().arrayBuffer();
  if (!response.ok || !(await isRight(file, bytes))) return false;
  // A page may not be shown if it comes from another address.
  await cache.put(file, response.redirected ? new Response(bytes, { headers: response.headers }) : response);
  return true;
}

/** @param {string} file @param {ArrayBuffer} bytes */
async function isRight(file, bytes) {
  // Some servers write something of theirs into pages.
  if (file === "index.html") return new TextDecoder().decode(bytes).includes(`page.js?v=${VERSION}`);
  const sum = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return FILES[file] === [...sum].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

self.addEventListener("activate", (event) => event.waitUntil(takeOver()));

async function takeOver() {
  for (const name of await caches.keys()) {
    if (name.startsWith(PREFIX) && name !== CACHE) await caches.delete(name);
  }
  await self.clients.claim();
}

self.addEventListener("message", (event) => {
  if (event.data === "take over") self.skipWaiting();
  else if (event.data === "serve all") event.waitUntil(self.clients.claim());
  else if (event.data === "let go") for (const letGo of waiting) letGo();
});

/** How long a page may take to answer after the time that it is to wait, and how long that is at most, in milliseconds. */
const LATE = 3000;
const LONGEST_WAIT = 20_000;

/** Ends each request that waits for an answer; the worker asks again soon. @type {Set<() => void>} */
const waiting = new Set();

/** Passes what a worker asks on to its page (engine/asked.js), and the answer back. @param {URLSearchParams} asked */
function passOn(asked) {
  const number = Number(asked.get("number"));
  const wait = Math.min(Number(asked.get("wait")) || 0, LONGEST_WAIT);
  const channel = new BroadcastChannel(`ez ${self.registration.scope} ${asked.get("context")}`);
  return new Promise((resolve) => {
    const end = (/** @type {Response} */ response) => {
      clearTimeout(timer);
      waiting.delete(late);
      channel.close();
      resolve(response);
    };
    const late = () => end(new Response("", { status: 504 }));
    const timer = setTimeout(late, wait + LATE);
    waiting.add(late);
    channel.onmessage = ({ data }) => { if (data.number === number) end(Response.json(data)); };
    channel.postMessage({ number, wait });
  });
}

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { scope } = self.registration;
  if (request.method !== "GET" || !request.url.startsWith(scope)) return;
  const file = new URL(request.url).pathname.slice(new URL(scope).pathname.length) || "index.html";
  if (file === "ask") return event.respondWith(passOn(new URL(request.url).searchParams));
  if (Object.hasOwn(FILES, file)) event.respondWith(answer(event, file));
});

/** What is kept; or else what the server has, which is kept. @param {any} event @param {string} file */
async function answer(event, file) {
  const cache = await caches.open(CACHE).catch(() => undefined);
  const known = await cache?.match(file);
  if (known) return known;
  const response = await fetch(event.request);
  if (cache && response.ok) event.waitUntil(keep(cache, file, response.clone()).catch(() => false));
  return response;
}
