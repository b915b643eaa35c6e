// The reference of the language and the introduction to debugging as pages, where each example can be tried in the page
// at an address.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import markdown from "markdown-it";
import { fragmentOf } from "../page/files/share.js";

/** What a line of a program says if it needs nothing around it. */
const WHOLE = /^do main\(/m;

/** An example as a program, as docs/language/README.md says. @param {string} text */
function wholeProgram(text) {
  const head = /import |^module /m.test(text) ? "" : "import & use @std\n";
  if (WHOLE.test(text)) return head + text;
  const [, imports, body] = /^((?:import .*\n)*)(.*)$/s.exec(text);
  return `${head}${imports}do main() {\n${body}}\n`;
}

/** A heading's anchor. @param {string} text */
const anchor = (text) => text.toLowerCase().replace(/[^\w\- ]/g, "").replaceAll(" ", "-");

/** Where documents are that are not among the pages. */
const ELSEWHERE = "https://github.com/ez-debugger/ez-debugger/blob/main/docs/";

/**
 * Writes the pages into a folder.
 * @param {string} docs The folder of the documents. @param {string} folder @param {string} base The address of the page.
 */
export async function writeReference(docs, folder, base) {
  mkdirSync(join(folder, "language"), { recursive: true });
  const chapters = readdirSync(join(docs, "language")).filter((name) => name.endsWith(".md")).map((name) => `language/${name}`);
  const pages = [...chapters, "library.md", "debugging.md"];
  for (const name of pages) {
    writeFileSync(join(folder, page(name)), await chapter(readFileSync(join(docs, name), "utf8"), name, pages, base));
  }
}

const page = (/** @type {string} */ name) => name.replace(/\.md$/, ".html");

/** A document as a page. @param {string} text @param {string} name @param {string[]} pages All of them. @param {string} base */
async function chapter(text, name, pages, base) {
  const md = markdown({ html: false });
  const tokens = md.parse(text, {});
  let beside = [];
  for (const token of tokens) {
    if (token.type !== "fence" || !/^ez( |$)/.test(token.info)) continue;
    const file = token.info.slice(3);
    if (file && file !== "main.ez") beside.push({ name: file, text: token.content });
    else {
      const main = file ? token.content : wholeProgram(token.content);
      token.meta = new URL(await fragmentOf({ files: [{ name: "main.ez", text: main }, ...beside], main: "main.ez" }), base).href;
      beside = [];
    }
  }
  const { escapeHtml } = md.utils;
  md.renderer.rules.fence = (tokens, at) => {
    const { content, meta } = tokens[at];
    return `<pre>${escapeHtml(content)}</pre>\n${meta ? `<p><a href="${escapeHtml(meta)}">Try it</a></p>\n` : ""}`;
  };
  md.renderer.rules.heading_open = (tokens, at) => `<${tokens[at].tag} id="${anchor(tokens[at + 1].content)}">`;
  md.renderer.rules.link_open = (tokens, at, options, _, self) => {
    const [, target, rest] = /^([^#]*)(.*)$/s.exec(tokens[at].attrGet("href"));
    const found = join(dirname(name), target);
    if (target && !URL.canParse(target)) tokens[at].attrSet("href", pages.includes(found) ? page(target) + rest : ELSEWHERE + found + rest);
    return self.renderToken(tokens, at, options);
  };
  const title = escapeHtml(tokens[1].content);
  const root = name.includes("/") ? "../../" : "../";
  return `<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} – EZ</title>
<link rel="stylesheet" href="${root}tour.css">
<main id="reference">
${md.renderer.render(tokens, md.options, {})}</main>
</html>
`;
}
