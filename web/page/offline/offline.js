// The page's service worker: it makes the page work without a connection, brings it up to date, and lets workers ask the
// page.

import { ownScript } from "../base/trusted.js";

/** How long a service worker may take to serve this page, in milliseconds. */
const LONGEST = 5000;

/** @type {Promise<ServiceWorkerRegistration | undefined> | undefined} */
let registering;

/** There is none in some private windows and frames: then the page needs a connection. */
function registered() {
  registering ??= (async () => navigator.serviceWorker.register(ownScript("sw.js")))().catch(() => undefined);
  return registering;
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
      container.addEventListener("controllerchange", () => location.reload(), { once: true });
      waiting.postMessage("take over");
    });
  };
  told(registration.waiting);
  registration.addEventListener("updatefound", () => {
    const { installing } = registration;
    installing?.addEventListener("statechange", () => { if (installing.state === "installed") told(registration.waiting); });
  });
}

/** Whether a service worker serves this page; waits until that is so. @returns {Promise<boolean>} */
export async function isServed() {
  const registration = await registered();
  if (!registration) return false;
  const container = navigator.serviceWorker;
  if (container.controller) return true;
  const served = new Promise((resolve) => container.addEventListener("controllerchange", () => resolve(true), { once: true }));
  const { installing } = registration;
  if (installing) {
    const isOver = () => installing.state === "activated" || installing.state === "redundant";
    await new Promise((resolve) => {
      installing.addEventListener("statechange", () => { if (isOver()) resolve(undefined); });
      if (isOver()) resolve(undefined);
    });
  }
  // After a reload past the cache, it does not serve the page unless it is told.
  registration.active?.postMessage("serve all");
  const late = new Promise((resolve) => setTimeout(() => resolve(false), LONGEST));
  return /** @type {Promise<boolean>} */ (Promise.race([served, late]));
}
