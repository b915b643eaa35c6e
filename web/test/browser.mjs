// Opens an empty page beside the engine in headless Chromium, for the tests in this folder.
//
// Needs `npm ci` in `web`, and Chromium: that of the variable CHROMIUM, or /usr/bin/chromium.

import fs from "node:fs";
import http from "node:http";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const here = path.dirname(fileURLToPath(import.meta.url));
export const root = path.resolve(here, "../..");

const TYPES = { ".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm", ".html": "text/html" };

// Serves the worker, the engine (`wasm`, a file) and `client.js`; returns the address.
async function serve(wasm) {
  const files = {
    "/worker.js": path.join(root, "web/worker.js"),
    "/client.js": path.join(here, "client.js"),
    "/few-stacks.js": path.join(here, "few-stacks.js"),
    "/ez.wasm": wasm,
  };
  const server = http.createServer((request, response) => {
    const name = new URL(request.url, "http://localhost").pathname;
    const file = files[name];
    if (name === "/") return response.setHeader("Content-Type", "text/html").end("<!doctype html><title>EZ</title>");
    if (!file) return response.writeHead(404).end();
    response.setHeader("Content-Type", TYPES[path.extname(file)]);
    fs.createReadStream(file).pipe(response);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { server, address: `http://127.0.0.1:${server.address().port}/` };
}

// Starts the browser. What ends a test from outside, as a time limit does, ends it too: that is told, since it looks as
// if the browser had crashed.
export function launch() {
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => console.error(`ended from outside, by ${signal}`));
  return chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
}

// Calls `work` with a page in which the functions of `client.js` are defined.
export async function withPage(wasm, work) {
  const { server, address } = await serve(path.resolve(wasm));
  const browser = await launch();
  try {
    const page = await browser.newPage();
    page.on("pageerror", (error) => console.error("page:", error));
    await page.goto(address);
    await page.addScriptTag({ url: "/client.js" });
    return await work(page, browser);
  } finally {
    await browser.close();
    server.close();
  }
}
