// Runs the programs of testdata/programs in a worker of headless Chromium, in a debug session from start to end, and
// compares output, status and reports with the expectations beside them, as tests/programs does natively.
//
//   node corpus.mjs EZ.WASM [PART OF A NAME]
//
// Those that differ are named; it fails if one does that is not in `elsewhere.mjs`, or one there does not.

import fs from "node:fs";
import path from "node:path";
import { root, withPage } from "./browser.mjs";
import { programs as expectedDifferences } from "./elsewhere.mjs";

const folder = path.join(root, "testdata/programs");
const deviations = fs.readFileSync(path.join(root, "testdata/DEVIATIONS.md"), "utf8");

// All programs: each .ez file, or main.ez of a folder that has one.
function cases(directory = folder) {
  const main = path.join(directory, "main.ez");
  if (directory !== folder && fs.existsSync(main)) return [main];
  return fs.readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const inner = path.join(directory, entry.name);
    if (entry.isDirectory()) return cases(inner);
    return entry.name.endsWith(".ez") ? [inner] : [];
  });
}

// The files that a program sees: all in its folder.
function files(directory, prefix = "/") {
  const found = {};
  for (const entry of fs.readdirSync(directory, { withFileTypes: true })) {
    const inner = path.join(directory, entry.name);
    if (entry.isDirectory()) Object.assign(found, files(inner, `${prefix}${entry.name}/`));
    else found[prefix + entry.name] = fs.readFileSync(inner, "utf8");
  }
  return found;
}

// The files of a program that stands beside others: those others are not its.
function ownFiles(program) {
  if (path.basename(program) === "main.ez") return files(path.dirname(program));
  return { [`/${path.basename(program)}`]: fs.readFileSync(program, "utf8") };
}

// Repetitions once; only the first of syntax errors: what follows depends on recovery.
function settled(reports) {
  const once = reports.filter((report, at) => report !== reports[at - 1]);
  return /^\S+ E[12]\d{3} /.test(once[0] ?? "") ? once.slice(0, 1) : once;
}

function expectation(program) {
  const beside = (extension) => {
    const file = program.replace(/\.ez$/, extension);
    return fs.existsSync(file) ? fs.readFileSync(file, "utf8") : "";
  };
  const reports = beside(".diag").split("\n").filter((line) => /^(error|warning) /.test(line)).map((line) => {
    const [severity, code, place = ""] = line.split(" ");
    const [file = "?", row = "?"] = place.split(":");
    return `${severity} ${code} ${file}:${row}`;
  });
  return { stdout: beside(".stdout"), status: Number(beside(".exit").trim() || 0), reports: settled(reports), input: beside(".in") };
}

function report(problem) {
  const file = (problem.location?.file ?? "?").split("/").at(-1);
  return `${problem.severity ?? "?"} ${problem.code ?? "?"} ${file}:${problem.location?.line}`;
}

function outcome(lines) {
  const result = { stdout: "", status: 1, reports: [] };
  for (const { event, data } of lines.map((line) => JSON.parse(line))) {
    if (event === "output" && data.category === "stdout") result.stdout += data.text;
    if (event === "initialized") result.reports.push(...(data.warnings ?? []).map(report));
    if (event === "error" && data.command === undefined) result.reports.push(report(data));
    if (event === "exited") {
      result.status = data.exitCode;
      break;
    }
  }
  return { ...result, reports: settled(result.reports) };
}

function difference(wanted, got) {
  // A program that does not check is answered with its errors alone.
  const fails = got.stdout === "" && got.reports.every((line) => line.startsWith("error"));
  const reports = fails ? wanted.reports.filter((line) => line.startsWith("error")) : wanted.reports;
  const pairs = [["stdout", wanted.stdout, got.stdout], ["status", wanted.status, got.status], ["reports", reports, got.reports]];
  const found = pairs.find(([, one, other]) => JSON.stringify(one) !== JSON.stringify(other));
  return found && `${found[0]}: ${JSON.stringify(found[2]).slice(0, 300)}\n  wanted: ${JSON.stringify(found[1]).slice(0, 300)}`;
}

const [wasm, part = ""] = process.argv.slice(2);
const all = cases().map((program) => ({ program, name: path.relative(folder, program) }))
  .filter(({ name }) => name.includes(part) && !deviations.includes(`- ${name}:`));

const began = Date.now();
const differences = new Map();
await withPage(wasm, async (page) => {
  const run = (program, input) => page.evaluate(async ([files, file, input]) => {
    window.client ??= await Client.loaded();
    const { client } = window;
    const command = (command, params) => ({ type: "command", command, params });
    try {
      client.start(files, `/${file}`);
      client.send(command("initialize", { file }), command("input", input === "" ? { eof: true } : { text: input, eof: true }),
        command("start", {}), command("continue", {}));
      await client.until(() => client.lines.some((line) => /"event":"(exited|terminated)"/.test(line)) || client.ended);
      client.close();
      await client.until(() => client.ended);
      return { lines: client.lines };
    } catch (error) {
      client.end();
      window.client = null;
      return { lines: client.lines, failed: error.message };
    }
  }, [ownFiles(program), path.basename(program), input]);
  for (const { program, name } of all) {
    const wanted = expectation(program);
    const { lines, failed } = await run(program, wanted.input)
      .catch((error) => { throw new Error(`${name}: ${error.message}`, { cause: error }); });
    const differs = failed ?? difference(wanted, outcome(lines));
    if (differs) differences.set(name, differs);
  }
});

const known = Object.entries(expectedDifferences).flatMap(([why, names]) => names.map((name) => [name, why]));
const reasons = new Map(known);
const surprises = [...differences].filter(([name]) => !reasons.has(name));
const same = [...reasons.keys()].filter((name) => name.includes(part) && !differences.has(name));
console.log(`${all.length - differences.size} of ${all.length} programs are the same (${(Date.now() - began) / 1000} s)`);
for (const [why, names] of Object.entries(expectedDifferences)) {
  const found = names.filter((name) => differences.has(name));
  if (found.length > 0) console.log(`${found.length} differ: ${why}`);
}
for (const [name, what] of surprises) console.log(`${name} differs\n  ${what}`);
for (const name of same) console.log(`${name} is the same, though it is listed`);
process.exitCode = surprises.length + same.length > 0 ? 1 : 0;
