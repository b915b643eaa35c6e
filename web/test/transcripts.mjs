// Plays the scenarios of testdata/transcripts in a worker of headless Chromium, and compares what it tells line by line
// with the snapshots of tests/server/transcripts.rs.
//
//   node transcripts.mjs EZ.WASM [PART OF A NAME]
//
// Those that differ are named; it fails if one does that is not in `elsewhere.mjs`, or one there does not.

import fs from "node:fs";
import path from "node:path";
import { root, withPage } from "./browser.mjs";
import { transcripts as expectedDifferences } from "./elsewhere.mjs";
import { parse } from "./scenario.mjs";

const folder = path.join(root, "testdata/transcripts");
const snapshots = path.join(root, "tests/server/snapshots");

// The texts of all files, as if the folder were the root.
function programs(directory = folder, prefix = "/") {
  const found = {};
  for (const entry of fs.readdirSync(directory, { withFileTypes: true })) {
    const inner = path.join(directory, entry.name);
    if (entry.isDirectory()) Object.assign(found, programs(inner, `${prefix}${entry.name}/`));
    else found[prefix + entry.name] = fs.readFileSync(inner, "utf8");
  }
  return found;
}

// Plays steps in the page; gives what was told, and why it ended early.
async function playInPage([files, steps]) {
  const client = await Client.loaded();
  const told = [];
  let at = 0;
  const ANSWERS = ["initialized", "stopped", "exited", "variables", "stackTrace", "evaluateResult", "breakpointSet",
    "breakpointCleared", "terminated"];
  // Takes events until one is wanted; false if there are no more.
  const next = async (wanted) => {
    for (;;) {
      await client.until(() => at < client.lines.length || client.ended, 8000);
      if (at === client.lines.length) return false;
      const line = client.lines[at++];
      const { event, id, data } = JSON.parse(line);
      // Whether a journey is long enough for it depends on the machine.
      if (event.startsWith("progress")) continue;
      told.push(line);
      // That a breakpoint was wrong when the program was loaded answers nothing.
      const isLate = data?.breakpointId !== undefined && id === undefined;
      const failed = event === "error" && data.command !== undefined && !isLate;
      // What lets the program run is answered by the stop.
      const isNumbered = id !== undefined && !["started", "restarted", "paused"].includes(event);
      if (wanted(event, failed || isNumbered || ANSWERS.includes(event))) return true;
    }
  };
  const reference = (value, name) => {
    if (value === null || typeof value !== "object") return undefined;
    const isNamed = value.reference && ["name", "expression", "function"].some((key) => value[key] === name);
    if (isNamed) return value.reference;
    return Object.values(value).map((inner) => reference(inner, name)).find(Boolean);
  };
  // Replaces `$name` by the reference that was told last of what has that name.
  const referring = (value) => {
    if (typeof value === "string" && value.startsWith("$")) {
      return told.toReversed().map((line) => reference(JSON.parse(line), value.slice(1))).find(Boolean);
    }
    if (Array.isArray(value)) return value.map(referring);
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, referring(inner)]));
  };
  try {
    client.start(files, "");
    for (const step of steps) {
      if (step.send) {
        client.send(...step.send.map(referring));
        for (const _ of step.isAnswered ? step.send : []) await next((_, isAnswer) => isAnswer);
      } else if (step.raw !== undefined) {
        client.send(step.raw);
        await next((event) => event === "error");
      } else if (step.wait) await next((event) => event === step.wait);
      else client.close();
    }
    client.close();
    await next(() => false);
    return { told, failed: null };
  } catch (error) {
    return { told, failed: error.message };
  } finally {
    client.end();
  }
}

// As in the snapshots: files without the folder, and no number of the version.
const plain = (line) => line.replace(/(?<=["'\s(])\/(?=[\w./]*\.ez\b)/g, "")
  .replace(/"version":"\d+\.\d+\.\d+"/, '"version":"VERSION"');

const [wasm, part = ""] = process.argv.slice(2);
const files = programs();
const names = fs.readdirSync(folder).filter((name) => name.endsWith(".txt")).map((name) => name.slice(0, -4))
  .filter((name) => name.includes(part));
const began = Date.now();
const differences = new Map();
let lines = 0;
await withPage(wasm, async (page) => {
  for (const name of names) {
    const text = fs.readFileSync(path.join(folder, `${name}.txt`), "utf8");
    const { steps } = parse(text, `${name}.ez`, files);
    const snapshot = fs.readdirSync(snapshots).find((file) => file.endsWith(`transcripts__${name}.snap`));
    const wanted = fs.readFileSync(path.join(snapshots, snapshot), "utf8").split("\n")
      .filter((line) => line.startsWith("< ")).map((line) => plain(line.slice(2)));
    const { told, failed } = await page.evaluate(playInPage, [files, steps]);
    const got = told.map(plain);
    lines += got.length;
    const at = [...wanted, ""].findIndex((_, at) => got[at] !== wanted[at]);
    if (at >= 0) {
      differences.set(name, `${failed ?? ""}\n  got    ${got[at]?.slice(0, 500)}\n  wanted ${wanted[at]?.slice(0, 500)}`);
    }
  }
});

const known = new Map(Object.entries(expectedDifferences).flatMap(([why, names]) => names.map((name) => [name, why])));
const surprises = [...differences].filter(([name]) => !known.has(name));
const same = [...known.keys()].filter((name) => name.includes(part) && !differences.has(name));
console.log(`${names.length - differences.size} of ${names.length} transcripts are the same (${lines} lines, ${(Date.now() - began) / 1000} s)`);
for (const [name, why] of known) if (differences.has(name)) console.log(`${name} differs: ${why}`);
for (const [name, what] of surprises) console.log(`${name} differs: ${what}`);
for (const name of same) console.log(`${name} is the same, though it is listed`);
process.exitCode = surprises.length + same.length > 0 ? 1 : 0;
