// Keeps the page's own files, so that it works without a connection. It answers for nothing else.

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

self.addEventListener("message", ({ data }) => { if (data === "take over") self.skipWaiting(); });

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { scope } = self.registration;
  if (request.method !== "GET" || !request.url.startsWith(scope)) return;
  const file = new URL(request.url).pathname.slice(new URL(scope).pathname.length) || "index.html";
  if (!FILES.includes(file)) return;
  event.respondWith(caches.open(CACHE).then(async (cache) => (await cache.match(file)) ?? fetch(request)));
});
