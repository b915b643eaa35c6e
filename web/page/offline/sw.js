// Keeps the page's own files, so that it works without a connection, and passes on what workers ask the page. It answers
// for nothing else.

/** @type {string[]} */
const FILES = "@@FILES@@";
const PREFIX = `ez ${self.registration.scope} `;
const CACHE = PREFIX + "@@VERSION@@";

self.addEventListener("install", (event) => {
  // All of one version: what the browser has is used only if it is what the server has.
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(FILES.map((file) => new Request(file, { cache: "no-cache" })))));
});

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
});

/** How long a page may take to answer after the time that it is to wait, and how long that is at most, in milliseconds. */
const LATE = 3000;
const LONGEST_WAIT = 20_000;

/** Passes what a worker asks on to its page (engine/asked.js), and the answer back. @param {URLSearchParams} asked */
function passOn(asked) {
  const number = Number(asked.get("number"));
  const wait = Math.min(Number(asked.get("wait")) || 0, LONGEST_WAIT);
  const channel = new BroadcastChannel(`ez ${self.registration.scope} ${asked.get("context")}`);
  return new Promise((resolve) => {
    const end = (/** @type {Response} */ response) => {
      clearTimeout(timer);
      channel.close();
      resolve(response);
    };
    const timer = setTimeout(() => end(new Response("", { status: 504 })), wait + LATE);
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
  if (!FILES.includes(file)) return;
  event.respondWith(caches.open(CACHE).then(async (cache) => (await cache.match(file)) ?? fetch(request)));
});
