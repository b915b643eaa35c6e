// Exercises in links and frames: cases, the text of the exercise, and what the page around a frame is told.
import { strict as assert } from "node:assert";
import { createServer } from "node:http";
import { begin, dialog, EXERCISE, fill, fragmentOf, programOf, RIGHT, row, runAll, tab } from "../case-list.mjs";
import { test } from "../harness.mjs";

test("a link and a frame have the cases and the text of the exercise, as a plain text", async (ez, profile) => {
  await begin(ez, RIGHT, ["two", "2\n", "4"]);
  await ez.press("Exercise …");
  await fill(ez, { "What the program has to do": "Double the <b id=injected>number</b>.\nThen print it." });
  await ez.press("Keep it");
  const task = ez.page.getByRole("note", { name: "Exercise" });
  assert.equal(await task.textContent(), "Double the <b id=injected>number</b>.\nThen print it.");
  await ez.press("Share");
  const link = await ez.page.getByRole("textbox", { name: "Link" }).inputValue();
  await ez.press("Close");
  const shared = await profile.other().open(new URL(link).hash);
  await shared.page.getByRole("note", { name: "Exercise" }).getByText("Double the <b id=injected>number</b>").waitFor();
  await tab(shared).click();
  await runAll(shared, "1 of 1 case passed.");
  assert.equal(await shared.page.locator("#injected").count(), 0);
  await shared.page.context().close();
  // Taken away, it is not shown.
  await ez.press("Exercise …");
  await fill(ez, { "What the program has to do": " " });
  await ez.press("Keep it");
  assert.equal(await task.isVisible(), false);
});

test("a link with cases that cannot be read says why", async (_, profile) => {
  const cases = (count, one) => Array.from({ length: count }, (_, at) => ({ name: `${at}`, input: "", output: "", ...one?.(at) }));
  for (const [rest, why] of [
    [{ cases: "x" }, "Its cases cannot be read."], [{ cases: [null] }, "Its cases cannot be read."], [{ cases: cases(1, () => ({ output: 1 })) }, "Its cases cannot be read."],
    [{ task: { a: 1 } }, "Its exercise is no text."], [{ cases: cases(201) }, "There can be 200 cases at most."], [{ cases: cases(2, () => ({ name: "a" })) }, "There are two cases a."],
    [{ cases: cases(1, () => ({ name: "../x" })) }, "cannot be the name of a case"], [{ cases: cases(1, () => ({ name: "" })) }, "cannot be the name of a case"],
    [{ cases: cases(3, () => ({ input: "x".repeat(1 << 20) })) }, "It is too long"], [{ task: "x".repeat(3 << 20) }, "It is too long"],
  ]) {
    const ez = await profile.open(fragmentOf({ files: [{ name: "main.ez", text: "", ...rest }], main: "main.ez" }));
    await ez.notice.getByText(why).waitFor();
    await ez.page.close();
  }
});

test("what cases have in them stays text, and what is shown can be entered again", async (ez, profile) => {
  const odd = "'\"${x} <b id=injected> \u202eabc 🙂 \u0007";
  const other = await profile.other().open(fragmentOf({ files: [{ name: "main.ez", text: programOf('    println("🙂🙂x")'), cases: [{ name: `a ${"<b id=injected>ü🙂\u202e"}`, input: odd, output: odd }, { name: "emoji", input: "", output: "🙂🙂y" }] }], main: "main.ez" }));
  await tab(other).click();
  await runAll(other, "0 of 2 cases passed.");
  // Columns are characters.
  await row(other, "emoji").getByText("column 3, “y” is expected, and “x” was printed").waitFor();
  assert.deepEqual(await row(other, "emoji").locator(".told pre").allTextContents(), ["🙂🙂y", "🙂🙂x"]);
  assert.equal(await other.page.locator("#injected").count(), 0);
  assert.ok(!(await other.page.locator("#cases").textContent()).includes("\u202e"));
  // Looking at it changes nothing.
  await other.page.getByRole("button", { name: /^More about case a/ }).click();
  await other.page.getByRole("menuitem", { name: "Change …" }).click();
  assert.equal(await dialog(other).getByLabel("What the program reads").inputValue(), odd);
  await other.press("Keep it");
  await runAll(other, "0 of 2 cases passed.");
  await other.page.context().close();
  assert.ok(ez);
});

/** Serves a page around a frame; what it is told is in `told`. */
async function around(profile, query, origin = "127.0.0.1") {
  const server = createServer((_request, answer) => answer.writeHead(200, { "Content-Type": "text/html" })
    .end(`<script>told = []; onmessage = ({ data, origin }) => told.push({ ...data, from: origin });</script><iframe src="${profile.address}?embed${query(`http://${origin}:${server.address().port}`)}${fragmentOf(EXERCISE)}" width="1000" height="700"></iframe>`));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const page = await profile.context.newPage();
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
  const frame = page.frameLocator("iframe");
  return { page, frame, told: () => page.evaluate("told"), close: () => { server.closeAllConnections(); server.close(); } };
}

async function runIn({ frame }, summary) {
  await frame.getByRole("tab", { name: /^Cases/ }).click();
  await frame.getByRole("button", { name: "Run all" }).click();
  await frame.locator("#cases [role=status]", { hasText: summary }).waitFor();
}

test("a frame tells the page around it how many cases have passed, and those of the exercise stay what they are", async (_, profile) => {
  const host = await around(profile, (origin) => `&tell=${encodeURIComponent(origin)}`);
  const { frame, page } = host;
  await frame.getByRole("note", { name: "Exercise" }).getByText("Double the <b>number</b>.").waitFor();
  await runIn(host, "1 of 2 cases passed.");
  const from = new URL(profile.address).origin;
  await page.waitForFunction("told.length");
  assert.deepEqual(await host.told(), [{ type: "ez-cases", passed: 1, of: 2, from }]);
  // None of them can be changed; one's own do not count.
  assert.equal(await frame.getByRole("button", { name: /^More about case/ }).count(), 0);
  for (const name of ["Exercise …", "Save all"]) assert.equal(await frame.getByRole("button", { name }).count(), 0);
  await frame.getByRole("button", { name: "Add a case …" }).click();
  await frame.getByLabel("Name").fill("two");
  await frame.getByRole("button", { name: "Keep it" }).click();
  await frame.getByText("There are two cases two.").waitFor();
  await frame.getByLabel("Name").fill("own");
  await frame.getByLabel("What it has to print").fill("nothing of the kind");
  await frame.getByRole("button", { name: "Keep it" }).click();
  await frame.locator(".cm-content").click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.insertText(programOf(RIGHT));
  await runIn(host, "2 of 3 cases passed.");
  await page.waitForFunction("told.length > 1");
  assert.deepEqual((await host.told())[1], { type: "ez-cases", passed: 2, of: 2, from });
  // At the next visit all is there again.
  await page.waitForTimeout(600);
  await page.reload();
  await frame.locator(".cm-line", { hasText: "n * 2" }).waitFor();
  await runIn(host, "2 of 3 cases passed.");
  await frame.getByRole("button", { name: "Begin again" }).click();
  await frame.getByRole("tab", { name: "Cases (2)" }).waitFor();
  await frame.getByRole("button", { name: "Undo" }).click();
  await frame.getByRole("tab", { name: "Cases (3)" }).or(frame.getByRole("tab", { name: "Cases (2 of 3)" })).waitFor();
  host.close();
});

test("no page of another origin is told, and what is no origin is said", async (_, profile) => {
  for (const [query, why] of [
    [() => "&tell=*", "tell=* is no origin"], [() => "&tell=null", "tell=null is no origin"], [() => "&tell=", "tell= is no origin"],
    [(origin) => `&tell=${origin}/`, "is no origin"], [(origin) => `&tell=${origin}/path`, "is no origin"], [() => "&tell=javascript:alert(1)", "is no origin"], [() => "&tell=data:,x", "is no origin"],
    [(origin) => `&tell=${origin}&tell=https://a.example`, "is no origin"], [() => "&tell=https://a.example", "and https://a.example is to be told"], [(origin) => `&tell=${origin.replace("127.0.0.1", "localhost")}`, "is to be told"],
    [() => "&tell=<b id=injected>", "is no origin"], [() => "", undefined],
  ]) {
    const host = await around(profile, query);
    if (why) await host.frame.locator("#notice", { hasText: why }).waitFor();
    await runIn(host, "1 of 2 cases passed.");
    if (!why) assert.equal(await host.frame.locator("#notice").isVisible(), false);
    assert.deepEqual(await host.told(), [], why);
    assert.equal(await host.frame.locator("#injected").count(), 0);
    host.close();
    await host.page.close();
  }
  // Without a page around it, nobody is told.
  const alone = await profile.open(`?embed&tell=${new URL(profile.address).origin}${fragmentOf(EXERCISE)}`);
  await tab(alone).click();
  await runAll(alone, "1 of 2 cases passed.");
});

test("a frame that can only be run, or not be changed, has the cases", async (_, profile) => {
  const run = await profile.open(`?embed&mode=run${fragmentOf(EXERCISE)}`);
  await tab(run).click();
  await runAll(run, "1 of 2 cases passed.");
  assert.equal(await run.page.getByRole("button", { name: /^Show where/ }).count(), 0);
  const readOnly = await profile.open(`?embed&readonly${fragmentOf(EXERCISE)}`);
  await tab(readOnly).click();
  assert.equal(await readOnly.button("Add a case …").count(), 0);
  // Nor by a file that is dropped; the browser does not show that instead.
  assert.equal(await readOnly.page.evaluate(() => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File(["// DROPPED"], "main.ez"));
    return document.body.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
  }), false);
  await runAll(readOnly, "1 of 2 cases passed.");
  assert.equal(await readOnly.page.locator(".cm-line", { hasText: "DROPPED" }).count(), 0);
});
