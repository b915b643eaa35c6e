// Bundles the language client into dist/client.js, with the licences of what is in it beside it.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const folder = dirname(fileURLToPath(import.meta.url));
const { metafile } = await build({
  absWorkingDir: folder,
  entryPoints: { client: "vscode-languageclient/node" },
  bundle: true,
  external: ["vscode"],
  legalComments: "none",
  metafile: true,
  minify: true,
  outdir: "dist",
  platform: "node",
  target: "node20",
});

const packages = new Set();
for (const input of Object.keys(metafile.inputs)) {
  const found = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input);
  if (found) {
    packages.add(found[1]);
  }
}
const texts = [...packages].sort().map((name) => {
  const { name: title, version, license } = JSON.parse(readFileSync(join(folder, name, "package.json"), "utf8"));
  const file = readdirSync(join(folder, name)).find((entry) => /^licen[cs]e/i.test(entry));
  if (!file) {
    throw new Error(`${title} has no licence text`);
  }
  const text = readFileSync(join(folder, name, file), "utf8").replaceAll("\r\n", "\n").trim();
  return `${title} ${version} (${license})\n\n${text}\n`;
});
writeFileSync(join(folder, "dist", "client.licenses.txt"), texts.join("\n----\n\n"));
