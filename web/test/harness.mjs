// Serves the built page, opens it in Chromium, and runs tests, each in a browser profile of its own.
import { strict as assert } from "node:assert";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join, normalize } from "node:path";
import { launch } from "./browser.mjs";

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".json": "application/json", ".svg": "image/svg+xml", ".wasm": "application/wasm" };

/** How long something may take that a test waits for, in milliseconds; longer where much else is done besides. */
const LONGEST = Number(process.env.EZ_LONGEST ?? 15_000);

const tests = [];

/** Declares a test. Its action gets an opened page, and what else is there to make some. */
export function test(name, action) {
  tests.push({ name, action });
}

/** Serves other texts in place of files, as files of this version: the service worker keeps no others. */
export function serveInstead({ folder, replaced }, texts) {
  Object.assign(replaced, texts);
  const sums = Object.entries(texts).map(([path, text]) => [path.slice(1), createHash("sha256").update(text).digest("hex")]);
  const worker = (replaced["/sw.js"] ?? readFileSync(join(folder, "sw.js"), "utf8")).toString();
  replaced["/sw.js"] = sums.reduce((text, [name, sum]) => text.replace(new RegExp(`("${name}":)"\\w+"`), `$1"${sum}"`), worker);
}

/** Serves the page as if it were of another version. */
export function serveVersion({ server }, version) {
  const text = (name) => (server.replaced[`/${name}`] ?? readFileSync(join(server.folder, name), "utf8")).toString();
  const [, old] = /VERSION = "([0-9a-f]{12})"/.exec(text("sw.js"));
  server.replaced["/sw.js"] = text("sw.js").replaceAll(old, version);
  serveInstead(server, Object.fromEntries(["index.html", "page.js"].map((name) => [`/${name}`, text(name).replaceAll(old, version)])));
}

/** For the page: what it would wait for so many milliseconds comes after others. */
export const hasten = ([time, other]) => {
  const { setTimeout } = window;
  window.setTimeout = (action, asked, ...more) => setTimeout(action, asked === time ? other : asked, ...more);
};

/** Waits until the page is kept by its service worker. */
export async function isKept(ez) {
  await ez.page.evaluate(() => navigator.serviceWorker.ready);
  await ez.page.waitForFunction(() => navigator.serviceWorker.controller);
}

/** Loads a newer version, once the page has told that there is one. */
export async function loadVersion(ez) {
  await ez.page.evaluate(() => navigator.serviceWorker.getRegistration().then((known) => known.update()));
  await ez.button("Load it").waitFor();
  // Nobody waits for an answer that takes as long as one of a program that is stopped.
  const loaded = ez.page.waitForEvent("load", { timeout: 8000 });
  await ez.press("Load it");
  await loaded;
}

/** Serves a folder; returns its address. */
async function serve(folder) {
  /** What is served instead of some files, until the test is over. */
  const replaced = {};
  const server = createServer((request, answer) => {
    const { pathname } = new URL(request.url, "http://localhost");
    // The page is in other folders, too.
    const path = normalize(decodeURIComponent(pathname)).replace(/^\/course-\w+\//, "/").replace(/\/$/, "/index.html");
    try {
      const content = replaced[path] ?? readFileSync(join(folder, path));
      answer.writeHead(200, { "Content-Type": TYPES[extname(path)] ?? "application/octet-stream" }).end(content);
    } catch {
      answer.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { address: `http://127.0.0.1:${server.address().port}/`, folder, replaced, close: () => new Promise((resolve) => { server.closeAllConnections(); server.close(resolve); }) };
}

/**
 * Runs the tests whose name has `filter` in it.
 * @param {string} where A folder, or the address of a page that is served already.
 */
export async function run(where, filter) {
  const server = where.startsWith("http") ? { address: where, replaced: {}, close: async () => {} } : await serve(where);
  const browser = await launch();
  const failed = [];
  const wanted = tests.filter(({ name }) => name.includes(filter));
  for (const { name, action } of wanted) {
    const began = performance.now();
    const profile = new Profile(browser, server);
    try {
      await action(await profile.open(), profile);
      profile.check();
      console.log(`ok      ${name} (${Math.round(performance.now() - began)} ms)`);
    } catch (error) {
      failed.push(name);
      console.log(`FAILED  ${name}\n${error.stack}\n${profile.wrong.join("\n")}`);
      await profile.picture(join(tmpdir(), `page-${failed.length}.png`));
    } finally {
      for (const path of Object.keys(server.replaced)) delete server.replaced[path];
      await profile.close();
    }
  }
  await browser.close();
  await server.close();
  console.log(`${wanted.length - failed.length} of ${wanted.length} tests have passed.`);
  return failed.length === 0;
}

/** A profile of the browser, in which nothing of other tests is known. */
class Profile {
  /** What should not happen in a page: violations of its policy, errors of its scripts. */
  wrong = [];
  /** Whether the page is seen for the first time. */
  isNew = false;

  constructor(browser, server) {
    this.browser = browser;
    this.server = server;
  }

  get address() {
    return this.server.address;
  }

  /**
   * Opens the page, with what follows its address, in the same profile; `replaced` is the text of each file that is
   * another one than what is served.
   */
  async open(rest = "", options = {}, replaced = {}) {
    await this.prepare(options);
    for (const [name, body] of Object.entries(replaced)) {
      await this.context.route(`**/${name}*`, (route) => route.fulfill({ contentType: TYPES[extname(name)], body }));
    }
    const page = await this.context.newPage();
    this.page = page;
    page.on("pageerror", (error) => this.wrong.push(`script: ${error.stack}`));
    page.on("dialog", (dialog) => { this.wrong.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
    await page.goto(this.address + rest);
    await page.locator("#actions button").first().waitFor();
    return new Page(page);
  }

  /** Makes the profile, with options of Playwright, if there is none yet. */
  async prepare(options = {}) {
    if (this.context) return;
    this.context = await this.browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
    this.context.setDefaultTimeout(LONGEST);
    await this.context.exposeBinding("violated", (_, text) => { this.wrong.push(`policy: ${text}`); });
    // Who is new is offered the tour.
    if (!this.isNew) await this.context.addInitScript(() => { try { localStorage.setItem(`ez:${new URL(".", location.href).pathname}:visited`, "yes"); } catch { /* denied */ } });
    await this.context.addInitScript(() => {
      document.addEventListener("securitypolicyviolation", (event) => {
        // Where typing replaces coloured text, Chromium itself would keep the colour by an attribute.
        if (event.violatedDirective === "style-src-attr" && !event.sourceFile && event.composedPath()[0].closest?.(".cm-content")) return;
        window.violated(`${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`);
      });
    });
  }

  /** A profile of its own besides this one. */
  other() {
    return new Profile(this.browser, this.server);
  }

  check() {
    assert.deepEqual(this.wrong, []);
  }

  async picture(path) {
    await this.page?.screenshot({ path }).then(() => console.log(`        ${path}`), () => {});
  }

  async close() {
    await this.context?.close();
  }
}

/** The page as a user has it. */
export class Page {
  constructor(page) {
    this.page = page;
    this.log = page.getByRole("log", { name: "Output" });
    this.editor = page.locator(".cm-content");
    this.happened = page.locator("#happened");
    this.notice = page.locator("#notice");
  }

  button(name) {
    return this.page.getByRole("button", { name, exact: true });
  }

  async press(name) {
    await this.button(name).click();
  }

  /** Replaces the text that is shown. */
  async write(text) {
    await this.editor.click();
    await this.page.keyboard.press("ControlOrMeta+a");
    await this.page.keyboard.insertText(text);
  }

  /** Writes a body for `main`, in line 4 and after it. */
  async writeMain(body) {
    await this.write(`import @std\nusing std\ndo main() {\n${body}\n}\n`);
  }

  /** Waits until the sentence about the program has a text. */
  async says(text) {
    await this.happened.filter({ hasText: text }).waitFor();
  }

  /** Waits for the end of a program that is debugged, and lets it end. */
  async atEnd() {
    await this.says("Continue lets it end");
    await this.press("Continue");
    await this.says("The program has ended.");
    await this.page.locator(".execution").waitFor({ state: "detached" });
  }

  async run() {
    await this.press("Run");
    await this.log.locator(".ending").waitFor();
  }

  /** Starts the program by the key of *Debug*, and waits until it is stopped at this line. */
  async debug(line) {
    await this.page.keyboard.press("F5");
    await this.isAt(line);
  }

  /** Enters a line of input. */
  async enter(text) {
    const input = this.page.getByRole("textbox", { name: "Input" });
    await input.fill(text);
    await input.press("Enter");
  }

  /** What the program has printed, as far as it is shown. */
  printed() {
    return this.log.locator(".stdout, .stderr").evaluateAll((lines) => lines.map((line) => line.textContent).join(""));
  }

  /** The line that is marked, once it is this one. */
  async isAt(line) {
    await this.page.waitForFunction((line) => {
      const content = document.querySelector("#editor").shadowRoot.querySelector(".cm-content");
      const marked = content.querySelector(".execution");
      return marked && [...content.querySelectorAll(".cm-line")].indexOf(marked) + 1 === line;
    }, line);
  }

  /** Clicks beside a line's number. */
  async clickGutter(line) {
    const number = this.page.locator(".cm-lineNumbers .cm-gutterElement").filter({ hasText: new RegExp(`^${line}$`) });
    const box = await number.boundingBox();
    await this.page.mouse.click(box.x - 10, box.y + box.height / 2);
  }

  variable(name) {
    return this.page.locator("#variables .row").filter({ has: this.page.locator(".name", { hasText: new RegExp(`^${name.replace(/[[\]\\]/g, "\\$&")}$`) }) });
  }

  async hasValue(name, value) {
    await this.variable(name).locator(".value").filter({ hasText: value }).waitFor();
  }

  /** Chooses something of the menu of a variable. */
  async choose(name, choice) {
    await this.variable(name).getByRole("button").click();
    await this.page.getByRole("menuitem", { name: choice }).click();
  }
}
