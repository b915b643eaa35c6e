import { strict as assert } from "node:assert";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { readLessons } from "../../tour/lessons.mjs";
import { test } from "../harness.mjs";

const FOLDER = fileURLToPath(new URL("../../tour/", import.meta.url));
const LESSONS = readLessons(FOLDER);
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** The tour in a tab of its own. */
class Tour {
  constructor(page) {
    this.page = page;
    this.frame = page.frameLocator("#program");
    this.editor = this.frame.locator(".cm-content");
    this.happened = this.frame.locator("#happened");
    this.told = page.locator("#told");
    this.lesson = page.locator("article.shown");
  }

  static async open(profile, rest = "", size = { width: 1400, height: 900 }) {
    const page = await profile.context.newPage();
    page.on("pageerror", (error) => profile.wrong.push(`script: ${error.stack}`));
    await page.setViewportSize(size);
    await page.goto(`${profile.address}tour.html${rest}`);
    const tour = new Tour(page);
    await tour.frame.locator("#actions button").first().waitFor();
    return tour;
  }

  /** Waits until the program of a lesson is shown. */
  async shows(lesson) {
    await this.page.locator(`article#${lesson.id}.shown`).waitFor();
    const last = lesson.files[0].text.trimEnd().split("\n").at(-2);
    await this.page.waitForFunction(([text]) => {
      const content = document.querySelector("#program").contentDocument?.querySelector("#editor")?.shadowRoot?.querySelector(".cm-content");
      return content?.innerText.includes(text);
    }, [last.trim()]);
  }

  async write(text) {
    await this.editor.click();
    await this.page.keyboard.press("ControlOrMeta+a");
    await this.page.keyboard.insertText(text);
  }

  text() {
    return this.page.evaluate(() => document.querySelector("#program").contentDocument.querySelector("#editor").shadowRoot.querySelector(".cm-content").innerText);
  }

  /** Answers the program, if it waits for input, until it does something else. */
  async settled() {
    for (;;) {
      const state = await this.page.waitForFunction(() => {
        const { contentDocument } = document.querySelector("#program");
        const text = contentDocument.querySelector("#happened").textContent;
        return /runs …|loaded …/.test(text) ? undefined : text;
      }).then((handle) => handle.jsonValue());
      if (!state.includes("waits for input")) return state;
      const input = this.frame.getByRole("textbox", { name: "Input" });
      await input.fill("3");
      await input.press("Enter");
      await this.page.waitForFunction(() => !document.querySelector("#program").contentDocument.querySelector("#happened").textContent.includes("waits"));
    }
  }

  async check(text) {
    await this.lesson.locator(".check").click();
    await this.lesson.locator(".told", { hasText: text }).waitFor();
  }
}

for (const width of [1400, 375]) {
  test(`all lessons of the tour are walked with the keyboard, at ${width} pixels`, async (_, profile) => {
    const tour = await Tour.open(profile, `#${LESSONS[0].id}`, { width, height: 800 });
    for (const [at, lesson] of LESSONS.entries()) {
      await tour.shows(lesson);
      assert.equal(await tour.page.locator("#number").textContent(), `${at + 1} of ${LESSONS.length}`);
      for (const button of await tour.lesson.locator("button[data-does]").all()) {
        await button.focus();
        await tour.page.keyboard.press("Enter");
        await tour.settled();
        assert.equal(await tour.told.isVisible(), false, `${lesson.id}: ${await tour.told.textContent()}`);
      }
      const wide = await tour.page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(wide <= width, `${lesson.id} is ${wide} pixels wide`);
      if (at === LESSONS.length - 1) break;
      await tour.page.locator("#after").focus();
      await tour.page.keyboard.press("Enter");
    }
    assert.equal(await tour.page.locator("#after").isVisible(), false);
  });
}

test("the tour has no serious fault of accessibility", async (_, profile) => {
  const tour = await Tour.open(profile);
  for (const { id } of [LESSONS[0], LESSONS[26], LESSONS[42]]) {
    await tour.page.goto(`${profile.address}tour.html#${id}`);
    await tour.shows(LESSONS.find((one) => one.id === id));
    await tour.page.evaluate(AXE);
    const { violations } = await tour.page.evaluate(() => window.axe.run(document, { iframes: false }));
    assert.deepEqual(violations.filter(({ impact }) => impact === "serious" || impact === "critical").map(({ id, nodes }) => `${id}: ${nodes[0].html}`), []);
  }
});

test("exercises of the tour are right with their solutions, and not before", async (_, profile) => {
  const tour = await Tour.open(profile, `#${LESSONS[0].id}`);
  for (const lesson of LESSONS.filter(({ solution }) => solution)) {
    await tour.page.goto(`${profile.address}tour.html#${lesson.id}`);
    await tour.shows(lesson);
    await tour.lesson.locator(".check").click();
    await tour.lesson.locator(".told:not(.right) p", { hasText: /Not yet|Line|errors/ }).first().waitFor();
    await tour.write(lesson.solution);
    await tour.lesson.locator(".check").click();
    await tour.lesson.locator(".told.right").waitFor();
    assert.equal(await tour.page.locator(`#contents a[href="#${lesson.id}"].done`).count(), 1, lesson.id);
  }
});

test("a solution of the tour is shown when it is asked for twice", async (_, profile) => {
  const lesson = LESSONS.find(({ solution }) => solution);
  const tour = await Tour.open(profile, `#${lesson.id}`);
  await tour.lesson.locator(".reveal").click();
  await tour.told.waitFor();
  assert.equal(await tour.lesson.locator(".solution").isVisible(), false);
  await tour.lesson.locator(".reveal").click();
  assert.equal((await tour.lesson.locator(".solution").textContent()).trim(), lesson.solution.trim());
});

test("what is written in a lesson of the tour is there again, in each lesson its own", async (_, profile) => {
  const tour = await Tour.open(profile, "#variables");
  await tour.write("import @std\nusing std\ndo main() {\n    println(4711)\n}\n");
  await tour.page.locator("#after").click();
  await tour.shows(LESSONS[4]);
  await tour.page.locator("#before").click();
  await tour.page.waitForFunction(() => document.querySelector("#program").contentDocument.querySelector("#editor").shadowRoot.querySelector(".cm-content").innerText.includes("4711"));
  await tour.page.reload();
  await tour.frame.locator(".cm-content", { hasText: "4711" }).waitFor();
  // Nor is it the program of the page.
  const other = await profile.open();
  assert.ok(!(await other.editor.textContent()).includes("4711"));
  // The original comes back, and can be taken back.
  await tour.page.bringToFront();
  await tour.frame.getByRole("button", { name: "Begin again" }).click();
  await tour.frame.locator(".cm-content", { hasText: "apples" }).waitFor();
  await tour.frame.getByRole("button", { name: "Undo" }).click();
  await tour.frame.locator(".cm-content", { hasText: "4711" }).waitFor();
});

test("two tabs of the tour keep what is written in both", async (_, profile) => {
  const [one, two] = [await Tour.open(profile, "#hello"), await Tour.open(profile, "#order")];
  await one.write("// from one\n");
  await two.write("// from two\n");
  for (const text of ["from one", "from two"]) {
    await one.page.waitForFunction((text) => Object.values(localStorage).some((kept) => kept.includes(text)), text);
  }
  for (const [id, text] of [["hello", "from one"], ["order", "from two"]]) {
    const tour = await Tour.open(profile, `#${id}`);
    await tour.frame.locator(".cm-content", { hasText: text }).waitFor();
  }
});

test("what is said of a program of the tour is of its present text, and each tab's ticks are kept", async (_, profile) => {
  const lesson = LESSONS.find(({ id }) => id === "input");
  const tour = await Tour.open(profile, "#input");
  await tour.shows(lesson);
  const check = tour.lesson.getByRole("button", { name: "Check my program" });
  const verdict = tour.lesson.locator(".told");
  await tour.write("import @std\nusing std\ndo main() {\n    loop { temp i int = 1 }\n}\n");
  await check.click();
  await verdict.filter({ hasText: "It is run" }).waitFor();
  // That check is ended.
  await tour.write(lesson.solution);
  await verdict.filter({ hasNotText: "It is run" }).waitFor({ state: "attached" });
  await check.click();
  await verdict.filter({ hasText: "Right" }).waitFor();
  await tour.frame.getByRole("button", { name: "Begin again" }).click();
  await verdict.filter({ hasNotText: "Right" }).waitFor({ state: "attached" });
  await tour.write(lesson.solution);
  await check.click();
  await verdict.filter({ hasText: "Right" }).waitFor();
  // What is written in another lesson says nothing of this one.
  await tour.page.evaluate(() => { location.hash = "#or"; });
  await tour.shows(LESSONS.find(({ id }) => id === "or"));
  await tour.write("import @std\n");
  await tour.page.evaluate(() => { location.hash = "#input"; });
  await tour.frame.locator(".cm-content", { hasText: lesson.solution.trim().split("\n").at(-2).trim() }).waitFor();
  assert.match(await verdict.textContent(), /Right/);
  await tour.write("import @std\n");
  await verdict.filter({ hasNotText: "Right" }).waitFor({ state: "attached" });
  const other = await Tour.open(profile, "#hello");
  await other.page.evaluate(() => document.querySelector("a#after").click());
  await tour.page.locator("#contents-button").click();
  await tour.page.locator('#contents a[href="#maps"]').click();
  const third = await Tour.open(profile, "#maps");
  await third.page.locator('#contents a.done[href="#input"]').waitFor({ state: "attached" });
  // There is a way back to the first lesson, also if it had no name.
  const fresh = await Tour.open(profile);
  const first = new URL(fresh.page.url()).hash;
  await fresh.page.evaluate(() => document.querySelector("a#after").click());
  await fresh.page.waitForFunction((first) => location.hash !== first, first);
  await fresh.page.goBack();
  await fresh.page.locator(`article${first}.shown`).waitFor();
});

test("a lesson of the tour that does not exist is told", async (_, profile) => {
  const tour = await Tour.open(profile, "#no-such-lesson");
  await tour.page.locator("#told", { hasText: "There is no lesson “no-such-lesson”" }).waitFor();
  await tour.shows(LESSONS[0]);
  await tour.page.locator("#contents-button").click();
  await tour.page.locator('#contents a[href="#maps"]').click();
  await tour.shows(LESSONS.find(({ id }) => id === "maps"));
  assert.equal(await tour.told.isVisible(), false);
});

test("an address of the tour that is no text is that of no lesson", async (_, profile) => {
  for (const fragment of ["#%", "#%E0%A4", "#program", "#__proto__"]) {
    const tour = await Tour.open(profile, fragment);
    await tour.page.locator("#told", { hasText: "There is no lesson" }).waitFor();
    await tour.shows(LESSONS[0]);
  }
});

test("a frame that may be guided works in a page that is not of its folder", async (ez, profile) => {
  const other = createServer((_request, answer) => answer.writeHead(200, { "Content-Type": "text/html" }).end(`<iframe src="${profile.address}?embed&guided" width="900" height="600"></iframe>`));
  await new Promise((resolve) => other.listen(0, "127.0.0.1", resolve));
  await ez.page.goto(`http://localhost:${other.address().port}/`);
  const frame = ez.page.frameLocator("iframe");
  await frame.getByRole("button", { name: "Run" }).click();
  await frame.locator(".ending").waitFor();
  other.closeAllConnections();
  other.close();
});

test("the tour works where nothing can be kept", async (_, profile) => {
  await profile.context.addInitScript(() => Object.defineProperty(window, "localStorage", { get() { throw new DOMException("denied", "SecurityError"); } }));
  const tour = await Tour.open(profile, "#counting");
  await tour.write(LESSONS.find(({ id }) => id === "counting").solution);
  await tour.check("Right");
});

test("an exercise of the tour that never ends, or prints for ever, is told", async (_, profile) => {
  const tour = await Tour.open(profile, "#counting");
  const main = (body) => `import @std\nusing std\ndo main() {\n    loop { ${body} }\n}\n`;
  await tour.write(main("temp _ = 1"));
  await tour.check("has not ended after 5 seconds");
  await tour.write(main("println(1)"));
  await tour.check("In line 1 of the output, column 2, a space is expected");
  await tour.write(main("println(\"\")").replace("    loop", '    for i in range(1, 11) { println("${i} times 7 is ${i * 7}") }\n    loop'));
  await tour.check("prints more and more");
  await tour.write("do main( {\n");
  await tour.check("Line 1:");
});

test("an exercise of the tour leads to the statement that has printed something else", async (_, profile) => {
  const tour = await Tour.open(profile, "#counting");
  await tour.write(LESSONS.find(({ id }) => id === "counting").solution.replace("i * 7", "i + 6"));
  await tour.check("In line 2 of the output, column 14");
  await tour.lesson.getByRole("button", { name: "Show where it was printed" }).click();
  await tour.frame.locator("#notice", { hasText: "This statement prints it." }).waitFor();
  await tour.frame.locator(".execution", { hasText: "println" }).waitFor();
});

test("buttons of the tour say what they cannot do", async (_, profile) => {
  const tour = await Tour.open(profile, "#order");
  await tour.lesson.locator('[data-does="back"]').click();
  await tour.page.locator("#told", { hasText: "does not run yet" }).waitFor();
  await tour.page.goto(`${profile.address}tour.html#if`);
  await tour.shows(LESSONS.find(({ id }) => id === "if"));
  await tour.write("do main() {\n}\n");
  await tour.lesson.locator('[data-does="break"]').click();
  await tour.page.locator("#told", { hasText: "has no line 7 any more" }).waitFor();
});

test("the tour is offered once, to who is new", async (_, known) => {
  const profile = Object.assign(known.other(), { isNew: true });
  const ez = await profile.open();
  await ez.page.getByRole("button", { name: "Start the tour" }).waitFor();
  const again = await profile.open();
  await again.press("Run");
  await again.log.locator(".ending").waitFor();
  assert.equal(await again.button("Start the tour").count(), 0);
  await ez.press("Start the tour");
  await ez.page.waitForURL(/tour\.html/);
  profile.check();
  await profile.close();
});

test("going through the tour does not fill the memory", async (_, profile) => {
  const tour = await Tour.open(profile, `#${LESSONS[0].id}`);
  const used = async () => {
    const session = await profile.context.newCDPSession(tour.page);
    await session.send("HeapProfiler.collectGarbage");
    const { usedSize } = await session.send("Runtime.getHeapUsage");
    await session.detach();
    return usedSize;
  };
  const walk = async () => {
    for (const lesson of LESSONS) {
      await tour.page.goto(`${profile.address}tour.html#${lesson.id}`);
      await tour.shows(lesson);
    }
    return used();
  };
  const first = await walk();
  const second = await walk();
  assert.ok(second < first * 1.3 + 2e6, `${first} bytes, then ${second}`);
});
