// Reads the lessons of a folder: `NUMBER-NAME.md`, and the cases of its exercise in `NUMBER-NAME.cases`, as `ez test`
// has them. What is wrong in one is an error that names file and line.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import markdown from "markdown-it";

/** What the buttons in a text are called; those that are not here take an argument. */
const BUTTONS = { run: "Run", step: "Step", into: "Into", out: "Out", back: "Back", reverse: "Reverse", continue: "Continue", picture: "Picture", unfold: "How is it computed?" };
const KNOWN = new Set(["part", "panes", "new", "words"]);
const PANES = "code,state,output";

/** A button: what it does, its argument, and what stands on it. */
function button(text) {
  if (BUTTONS[text]) return { does: text, argument: "", label: BUTTONS[text] };
  const breakpoint = /^break (\d+)(?: if (.+))?$/.exec(text);
  if (breakpoint) {
    const [, line, condition] = breakpoint;
    return { does: "break", argument: condition ? `${line} ${condition}` : line, line: Number(line), label: `Stop in line ${line}${condition ? ` if ${condition}` : ""}` };
  }
  const watched = /^watch (.+)$/.exec(text);
  return watched && { does: "watch", argument: watched[1], label: `Watch ${watched[1]}` };
}

const md = markdown({ html: false, typographer: true });
md.inline.ruler.before("link", "button", (state, silent) => {
  const found = /^\[\[([^\]]*)\]\]/.exec(state.src.slice(state.pos));
  if (!found) return false;
  if (!silent) state.push("button", "button", 0).content = found[1];
  state.pos += found[0].length;
  return true;
});
md.renderer.rules.button = (tokens, at) => {
  const { does, argument, label } = button(tokens[at].content);
  const escaped = md.utils.escapeHtml;
  return `<button type="button" data-does="${does}" data-argument="${escaped(argument)}">${escaped(label)}</button>`;
};
// Headings of a lesson are below that of the page.
md.renderer.rules.heading_open = (tokens, at) => `<h${Number(tokens[at].tag[1]) + 1}>`;
md.renderer.rules.heading_close = (tokens, at) => `</h${Number(tokens[at].tag[1]) + 1}>\n`;

/** The lessons in their order. @param {string} folder */
export function readLessons(folder) {
  const names = readdirSync(folder).filter((name) => /^\d+-.*\.md$/.test(name)).sort();
  const lessons = names.map((name) => readLesson(folder, name));
  for (const [at, { id }] of lessons.entries()) {
    if (lessons.findIndex((one) => one.id === id) !== at) throw new Error(`${names[at]}: there is another lesson "${id}"`);
  }
  if (!lessons[0]?.part) throw new Error(`${names[0] ?? folder}: the first lesson begins no part`);
  return lessons;
}

function readLesson(folder, name) {
  const text = readFileSync(join(folder, name), "utf8");
  const wrong = (why, line) => { throw new Error(`${name}${line === undefined ? "" : `:${line}`}: ${why}`); };
  const head = /^---\n(.*?)\n---\n/s.exec(text);
  if (!head) wrong("it does not begin with what the lesson introduces, between two lines ---", 1);
  const fields = Object.fromEntries(head[1].split("\n").map((line, at) => {
    const [, key, value] = /^(\w+):\s*(.*)$/.exec(line) ?? wrong(`"${line}" is no field`, at + 2);
    return KNOWN.has(key) ? [key, value] : wrong(`there is no field "${key}"`, at + 2);
  }));
  const before = head[0].split("\n").length - 1;
  const tokens = md.parse(text.slice(head[0].length), {});
  const lineOf = ({ map }) => (map ? map[0] + 1 + before : undefined);
  const at = (heading) => tokens.findIndex(({ type, content }, here) => type === "inline" && tokens[here - 1].type === "heading_open" && content === heading);
  if (tokens[0]?.tag !== "h1") wrong("it has no heading", before + 1);
  const solutionAt = at("Solution");
  const main = solutionAt < 0 ? tokens : tokens.slice(0, solutionAt - 1);
  const programs = (list) => list.filter(({ type, info }) => type === "fence" && /^ez( |$)/.test(info));
  const files = programs(main).map((token) => ({ name: token.info.slice(3) || "main.ez", text: token.content, line: lineOf(token) }));
  const [program, ...more] = files.filter((file) => file.name === "main.ez");
  if (!program) wrong("it has no program");
  if (more.length) wrong("it has a second program", more[0].line);
  const lines = program.text.trimEnd().split("\n").length;
  for (const token of tokens.flatMap((token) => (token.children ?? []).map((child) => ({ ...child, map: token.map })))) {
    if (token.type !== "button") continue;
    const known = button(token.content) ?? wrong(`there is no button [[${token.content}]]`, lineOf(token));
    if (known.line > lines || known.line < 1) wrong(`[[${token.content}]]: the program has ${lines} lines`, lineOf(token));
  }
  const stem = name.replace(/\.md$/, "");
  const cases = readCases(join(folder, `${stem}.cases`));
  const solutions = solutionAt < 0 ? [] : programs(tokens.slice(solutionAt));
  if ((at("Exercise") >= 0) !== cases.length > 0) wrong(cases.length ? "there are cases, but no exercise" : `the exercise has no cases in ${stem}.cases`);
  if (solutions.length !== (cases.length ? 1 : 0)) wrong(`there are ${solutions.length} solutions`);
  return {
    id: stem.replace(/^\d+-/, ""), title: main[1].content, part: fields.part, panes: fields.panes ?? PANES,
    files: files.map(({ name, text }) => ({ name, text })), cases, solution: solutions[0]?.content,
    // The program is in the editor.
    text: md.renderer.render(main.filter(({ type }) => type !== "fence"), md.options, {}),
  };
}

/** The cases in a folder, by name. */
function readCases(folder) {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".out")).sort() : [];
  const read = (name) => (existsSync(join(folder, name)) ? readFileSync(join(folder, name), "utf8") : "");
  return names.map((name) => ({ input: read(name.replace(/out$/, "in")), output: read(name) }));
}

/**
 * The page of all lessons: the template with them in it.
 * @param {string} template @param {string} policy What it may load. @param {ReturnType<typeof readLessons>} lessons
 */
export function tourPage(template, policy, lessons) {
  const escaped = md.utils.escapeHtml;
  const pre = (kind, text, name = "") => `<pre class="${kind}" data-name="${escaped(name)}">${escaped(text)}</pre>`;
  const parts = [];
  for (const [at, lesson] of lessons.entries()) {
    if (lesson.part && lesson.part !== parts.at(-1)?.name) parts.push({ name: lesson.part, lessons: [] });
    parts.at(-1).lessons.push({ ...lesson, number: at + 1 });
  }
  const contents = parts.map(({ name, lessons }) => `<h2>${escaped(name)}</h2>\n<ol start="${lessons[0].number}">\n${
    lessons.map(({ id, title }) => `<li><a href="#${id}">${md.renderInline(title)}</a></li>`).join("\n")}\n</ol>`);
  const articles = parts.flatMap(({ lessons }) => lessons).map(({ id, panes, files, cases, solution, text }) => `<article id="${id}" data-panes="${panes}">
${text}
${files.map(({ name, text }) => pre("program", text, name)).join("\n")}
${cases.map(({ input, output }) => `<div class="case" hidden>${pre("input", input)}${pre("output", output)}</div>`).join("\n")}
${cases.length ? '<p><button type="button" class="check">Check my program</button> <button type="button" class="reveal" aria-expanded="false">Show a solution</button></p>\n<div class="told" role="status"></div>' : ""}
${solution ? pre("solution", solution) : ""}
</article>`);
  return template.replace("<!-- policy -->", () => policy).replace("<!-- contents -->", () => contents.join("\n")).replace("<!-- lessons -->", () => articles.join("\n"));
}
