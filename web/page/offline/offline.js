// Makes the page work without a connection, and brings it up to date.

import { ownScript } from "../base/trusted.js";

/**
 * @param {(update: () => void) => void} outdated Called when a newer version waits; `update` loads it.
 */
export async function workOffline(outdated) {
  let container, registration;
  try {
    container = navigator.serviceWorker;
    registration = await container.register(ownScript("sw.js"));
  } catch {
    // There is none in some private windows and frames: then the page needs a connection, and that is all.
    return;
  }
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
