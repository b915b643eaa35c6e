// The page's service worker: it makes the page work without a connection, brings it up to date, and lets workers ask the
// page.

import { ownScript } from "../base/trusted.js";

/** How long a service worker may take to serve this page, in milliseconds. */
const LONGEST = 5000;

/** After how many milliseconds the workers that wait are let go again, until a newer version has taken over. */
const LET_GO = 250;

/** @type {Promise<ServiceWorkerRegistration | undefined> | undefined} */
let registering;

const register = () => (async () => navigator.serviceWorker.register(ownScript("sw.js")))().catch(() => undefined);

/** There is none in some private windows and frames: then the page needs a connection. */
function registered() {
  const asked = (registering ??= register());
  // It may be possible later.
  asked.then((found) => { if (!found && registering === asked) registering = undefined; });
  return asked;
}

/**
 * @param {(update: () => void) => void} outdated Called when a newer version waits; `update` loads it.
 */
export async function workOffline(outdated) {
  const registration = await registered();
  if (!registration) return;
  const container = navigator.serviceWorker;
  const isFirst = !container.controller;
  const told = (/** @type {ServiceWorker | null} */ waiting) => {
    if (!waiting || isFirst) return;
    outdated(() => {
      // Another tab may have let it take over.
      if (registration.waiting !== waiting) return location.reload();
      container.addEventListener("controllerchange", () => location.reload(), { once: true });
      waiting.postMessage("take over");
      // It cannot as long as workers wait for an answer of the present one, as those of stopped programs always do.
      setInterval(() => registration.active?.postMessage("let go"), LET_GO);
    });
  };
  told(registration.waiting);
  registration.addEventListener("updatefound", () => {
    const { installing } = registration;
    installing?.addEventListener("statechange", () => { if (installing.state === "installed") told(registration.waiting); });
  });
}

/** What serves this page, if anything does; waits until that is known. @returns {Promise<ServiceWorkerRegistration | undefined>} */
export async function servedBy() {
  const before = await registered();
  if (!before) return undefined;
  const container = navigator.serviceWorker;
  // The user, or the browser, may have removed it.
  const isKept = Boolean(await container.getRegistration().catch(() => undefined));
  if (!isKept) registering = undefined;
  const registration = await registered();
  if (!registration) return undefined;
  if (isKept && container.controller) return registration;
  const served = new Promise((resolve) => container.addEventListener("controllerchange", () => resolve(registration), { once: true }));
  await isInstalled(registration);
  // It cannot be installed if a file of the page is missing.
  if (!registration.active) return undefined;
  // One that is registered again before it has ended goes on.
  if (container.controller === registration.active) return registration;
  // After a reload past the cache, it does not serve the page unless it is told.
  registration.active.postMessage("serve all");
  const late = new Promise((resolve) => setTimeout(() => resolve(undefined), LONGEST));
  return /** @type {Promise<ServiceWorkerRegistration | undefined>} */ (Promise.race([served, late]));
}

/** Resolves when a worker is active, or none can become so. @param {ServiceWorkerRegistration} registration */
async function isInstalled({ active, installing, waiting }) {
  const coming = installing ?? waiting;
  // Beside an active one, a newer one may wait for long.
  if (active || !coming) return;
  const isOver = () => coming.state === "activated" || coming.state === "redundant";
  await new Promise((resolve) => {
    coming.addEventListener("statechange", () => { if (isOver()) resolve(undefined); });
    if (isOver()) resolve(undefined);
  });
}
