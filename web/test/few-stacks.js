// The worker, in a browser that has at most 100 stacks for WebAssembly, as Firefox.
"use strict";

const promising = WebAssembly.promising;
let stacks = 0;
WebAssembly.promising = (exported) => {
  const call = promising(exported);
  return (...values) => {
    if (stacks === 100) throw new InternalError("too many stacks");
    stacks++;
    return call(...values).finally(() => stacks--);
  };
};

class InternalError extends Error {}

importScripts("/worker.js");
