// Builds the page into a folder: `node build.mjs DIR [WORKER WASM] [--base URL]`, where WORKER is the script of the
// worker and WASM the engine. With the address at which the page will be, the reference of the language is built, too,
// with a link at each example that opens it there.
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { readLessons, tourPage } from "./tour/lessons.mjs";
import { writeReference } from "./tour/reference.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const { values: { base }, positionals: [folder, worker, engine] } = parseArgs({ options: { base: { type: "string" } }, allowPositionals: true });
if (!folder) throw new Error("usage: node build.mjs DIR [WORKER WASM] [--base URL]");
mkdirSync(folder, { recursive: true });

// The types of the protocol, and which events are divided.
await import("../examples/typescript/make.mjs");

writeFileSync(join(folder, "explain.json"), JSON.stringify(explanations(join(here, "../src/runtime/diagnostics/explain"))));
const { metafile } = await bundle({ entryPoints: [join(here, "page/main.js")], outfile: join(folder, "page.js") });
writeFileSync(join(folder, "licenses.txt"), licenses(Object.keys(metafile.inputs)));
await bundle({ entryPoints: [join(here, "page/style/page.css")], outfile: join(folder, "page.css") });
await bundle({ entryPoints: [join(here, "tour/tour.js")], outfile: join(folder, "tour.js") });
await bundle({ entryPoints: [join(here, "tour/tour.css")], outfile: join(folder, "tour.css") });
const read = (/** @type {string} */ name) => readFileSync(join(here, name), "utf8");
const [policy] = /<meta http-equiv="Content-Security-Policy".*>/.exec(read("page/index.html"));
writeFileSync(join(folder, "tour.html"), tourPage(read("tour/tour.html"), policy, readLessons(join(here, "tour"))));
for (const name of ["index.html", "icon.svg", "incomplete.js"]) cpSync(join(here, "page", name), join(folder, name));
cpSync(join(here, "page/offline/sw.js"), join(folder, "sw.js"));
if (base) await writeReference(join(here, "../docs"), join(folder, "reference"), base);
if (worker) cpSync(worker, join(folder, "worker.js"));
const wasm = engine && readFileSync(engine);
/** By which the page knows the engine. */
const engineSum = wasm ? sumOf(wasm).slice(0, 12) : "";
if (wasm) writeFileSync(join(folder, "ez.wasm"), withSection(wasm, engineSum));
mark(["index.html", "page.js", "tour.html", "tour.js", "sw.js"]);

/** An engine with a text in a section of its own, `ez`. @param {Buffer} wasm @param {string} text */
function withSection(wasm, text) {
  const name = Buffer.from("ez");
  const section = Buffer.concat([Buffer.from([name.length]), name, Buffer.from(text)]);
  return Buffer.concat([wasm, Buffer.from([0, section.length]), section]);
}

/** @param {Buffer} bytes */
function sumOf(bytes) {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Writes into these files which version they are of, and into the last one which files there are. @param {string[]} names */
function mark(names) {
  const files = readdirSync(folder).filter((name) => name !== "sw.js" && name !== "reference").sort();
  const hash = createHash("sha256");
  for (const name of [...files, "sw.js"]) hash.update(name).update("\0").update(readFileSync(join(folder, name)));
  const version = hash.digest("hex").slice(0, 12);
  for (const name of names) {
    const sums = () => JSON.stringify(Object.fromEntries(files.map((file) => [file, sumOf(readFileSync(join(folder, file)))])));
    const text = readFileSync(join(folder, name), "utf8").replaceAll("@@VERSION@@", version).replaceAll("@@ENGINE@@", engineSum);
    writeFileSync(join(folder, name), text.replace('"@@FILES@@"', sums));
  }
}

/** @param {import("esbuild").BuildOptions} options */
async function bundle(options) {
  const loader = { ".ez": "text" };
  return build({ bundle: true, minify: true, format: "esm", target: "es2023", metafile: true, loader, logLevel: "warning", ...options });
}

/** The licences of the libraries that are in the page. @param {string[]} inputs */
function licenses(inputs) {
  const packages = new Set(inputs.flatMap((input) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1] ?? []));
  const texts = [...packages].sort().map((folder) => {
    const { name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name));
    if (!file) throw new Error(`${name} has no licence`);
    return `${name} ${version}\n\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
  });
  return `The page has code of these libraries.\n\n${texts.join("\n" + "-".repeat(80) + "\n\n")}`;
}

/** The texts of `ez explain`, by code. */
function explanations(source) {
  const all = {};
  for (const file of readdirSync(source).sort()) {
    for (const section of readFileSync(join(source, file), "utf8").split(/^# /m).slice(1)) {
      const [code, ...lines] = section.split("\n");
      all[code.trim()] = blocks(lines.join("\n"));
    }
  }
  return all;
}

/** Paragraphs and programs. */
function blocks(text) {
  return text.split(/^```/m).flatMap((piece, at) => {
    if (at % 2 === 0) return piece.split(/\n\s*\n/).map((one) => ({ text: one.trim().replace(/\s*\n\s*/g, " ") })).filter((one) => one.text);
    const [kind, ...lines] = piece.split("\n");
    return [{ text: lines.join("\n").trimEnd(), program: kind.includes("right") ? "right" : "wrong" }];
  });
}
