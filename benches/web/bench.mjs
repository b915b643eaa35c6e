// Measures the engine in a worker of headless Chromium beside the native one: how long the programs of benches/programs
// take in a debug session, how long a cold and a warm start take, and a step.
//
//   node benches/web/bench.mjs EZ.WASM [NAME ...]
//
// Needs what web/test/browser.mjs needs, and the native binary: target/release/ez, or the variable EZ.

import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import readline from "node:readline";
import { root, withPage } from "../../web/test/browser.mjs";

const EZ = process.env.EZ ?? path.join(root, "target/release/ez");
const ROUNDS = 3;

const message = (command, params = {}) => ({ type: "command", command, params });
const hasEnded = (line) => line.includes('"event":"exited"');

// Milliseconds from `continue` to the end of a program, natively.
async function native(file) {
  const child = spawn(EZ, ["debugserver", file], { stdio: ["pipe", "pipe", "ignore"] });
  const send = (...messages) => child.stdin.write(messages.map((it) => `${JSON.stringify(it)}\n`).join(""));
  let began = 0;
  send(message("initialize", { file }), message("start"));
  for await (const line of readline.createInterface({ input: child.stdout })) {
    if (line.includes('"event":"stopped"')) {
      began = performance.now();
      send(message("continue"));
    }
    if (hasEnded(line)) break;
  }
  const time = performance.now() - began;
  child.kill();
  return time;
}

// The same in the page.
function inPage(page, text) {
  return page.evaluate(async (text) => {
    const message = (command, params = {}) => ({ type: "command", command, params });
    window.client ??= await Client.loaded();
    const { client } = window;
    client.start({ "/main.ez": text }, "/main.ez");
    client.send(message("initialize", { file: "/main.ez" }), message("start"));
    await client.until(() => client.lines.some((line) => line.includes('"event":"stopped"')));
    const began = performance.now();
    client.send(message("continue"));
    await client.until(() => client.lines.some((line) => line.includes('"event":"exited"')), 120000);
    const time = performance.now() - began;
    client.close();
    await client.until(() => client.ended);
    return time;
  }, text);
}

const PROGRAM = `import @std
using std
do add(a int, b int) -> int {
    temp c int = a + b
    return c
}
do main() {
    temp sum int = 0
    for i in range(0, 100000) {
        sum = add(sum, i)
    }
}
`;

// Milliseconds until a program has stopped for the first time, the engine not loaded before or loaded; microseconds for
// a step, and for a step with stack and variables.
function steps(page) {
  return page.evaluate(async (text) => {
    const message = (command, params = {}) => ({ type: "command", command, params });
    const started = async (client) => {
      client.start({ "/main.ez": text }, "/main.ez");
      client.send(message("initialize", { file: "/main.ez", protocolVersion: 2 }), message("start"));
      await client.until(() => client.lines.some((line) => line.includes('"event":"stopped"')));
    };
    const told = async (client, event) => {
      const at = client.lines.length;
      await client.until(() => client.lines.slice(at).some((line) => line.includes(`"event":"${event}"`)));
    };
    let began = performance.now();
    const client = await Client.loaded();
    await started(client);
    const cold = performance.now() - began;
    client.close();
    await client.until(() => client.ended);
    began = performance.now();
    await started(client);
    const warm = performance.now() - began;
    const each = async (count, events, ...messages) => {
      const began = performance.now();
      for (let i = 0; i < count; i++) {
        const answered = told(client, events);
        client.send(...messages);
        await answered;
      }
      return ((performance.now() - began) * 1000) / count;
    };
    await each(500, "stopped", message("stepInto"));
    const step = await each(1000, "stopped", message("stepInto"));
    const shown = await each(300, "variables", message("stepInto"), message("getStackTrace"), message("getVariables"));
    client.end();
    return { cold, warm, step, shown };
  }, PROGRAM);
}

const [wasm, ...wanted] = process.argv.slice(2);
const folder = path.join(root, "benches/programs");
const names = fs.readdirSync(folder).filter((name) => name.endsWith(".ez")).map((name) => name.slice(0, -3))
  .filter((name) => wanted.length === 0 || wanted.includes(name));
await withPage(wasm, async (page) => {
  const { cold, warm, step, shown } = await steps(page);
  console.log(`first stop: ${cold.toFixed(0)} ms cold, ${warm.toFixed(0)} ms warm`);
  console.log(`a step: ${step.toFixed(0)} µs; with stack and variables ${shown.toFixed(0)} µs (as the page sees it)`);
  let product = 1;
  for (const name of names) {
    const file = path.join(folder, `${name}.ez`);
    const least = async (run) => {
      let time = Infinity;
      for (let round = 0; round < ROUNDS; round++) time = Math.min(time, await run());
      return time;
    };
    const [one, other] = [await least(() => native(file)), await least(() => inPage(page, fs.readFileSync(file, "utf8")))];
    product *= other / one;
    console.log(`${name.padEnd(12)} native ${one.toFixed(0).padStart(6)} ms   page ${other.toFixed(0).padStart(6)} ms   ${(other / one).toFixed(2)}`);
  }
  console.log(`mean ratio ${(product ** (1 / names.length)).toFixed(2)}`);
});
