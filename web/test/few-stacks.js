// The worker, in a browser that has at most 100 stacks for WebAssembly, as Firefox, or as many as its address says (?5);
// with ?0, in one that cannot suspend it and has one stack only.
"use strict";

const MOST = Number(location.search.slice(1) || 100);
if (MOST === 0) delete WebAssembly.Suspending;

const promising = WebAssembly.promising;
let stacks = 0;
WebAssembly.promising = (exported) => {
  const call = promising(exported);
  return (...values) => {
    if (stacks === MOST) throw new Error("too many stacks");
    stacks++;
    return call(...values).finally(() => stacks--);
  };
};

class InternalError extends Error {}

importScripts("/worker.js");
