// What is said is said as long as it is so; the focus stays in the page.
import { strict as assert } from "node:assert";
import { test } from "../harness.mjs";

const PROGRAM = `import @std
using std
do twice(n int) -> int {
    println("computed", n)
    return n * 2
}
do main() {
    temp total int = 1
    total += twice(total)
    println(total)
}
`;

/** The program, stopped in line 9. */
async function stopped(ez) {
  await ez.write(PROGRAM);
  await ez.debug(8);
  await ez.press("Step over");
  await ez.isAt(9);
}

/** Evaluates something in the console. */
async function evaluate(ez, expression) {
  await ez.page.getByRole("tab", { name: "Console" }).click();
  await ez.page.getByRole("combobox", { name: "Evaluate" }).fill(expression);
  await ez.page.keyboard.press("Enter");
}

test("what is said about a breakpoint is over when that is, or the program", async (ez) => {
  const { notice } = ez;
  await stopped(ez);
  await ez.page.getByRole("button", { name: "Stop at a function …" }).click();
  await ez.page.getByRole("dialog").getByLabel("Function").fill("nothing");
  await ez.press("Set");
  await notice.getByText("The breakpoint of nothing is never hit").waitFor();
  await ez.page.getByRole("button", { name: "Remove the breakpoint of nothing" }).click();
  await notice.waitFor({ state: "hidden" });
  await ez.clickGutter(11);
  await notice.getByText("The breakpoint in line 11 is never hit").waitFor();
  await ez.press("Stop");
  await ez.says("was stopped");
  await notice.waitFor({ state: "hidden" });
});

test("where a program has several files, it is said in which a breakpoint is never hit", async (ez) => {
  await ez.press("New file");
  await ez.page.getByRole("dialog").getByLabel("Name").fill("b.ez");
  await ez.press("Add");
  await ez.write("// 1\ndo other() {}\n");
  await ez.clickGutter(2);
  await ez.press("hello.ez");
  await ez.write(PROGRAM);
  await ez.clickGutter(9);
  await ez.debug(9);
  const said = ez.notice.getByText("The breakpoint in line 2 of b.ez is never hit: the program does not use this file");
  await said.waitFor();
  await ez.clickGutter(9);
  await ez.press("Stop");
  await ez.says("was stopped");
  // One that is never hit does not keep the program from stopping at its first statement.
  await ez.debug(8);
  await said.waitFor();
  await ez.page.locator("#files button", { hasText: "b.ez" }).click();
  await ez.page.locator(".breakpoint.unverified").waitFor();
});

test("what is said about the text is over when it is as it was, or the program has ended", async (ez) => {
  const { notice } = ez;
  await stopped(ez);
  const changed = notice.getByText("The program has been changed since it was started");
  await ez.editor.click();
  await ez.page.keyboard.press("Control+End");
  await ez.page.keyboard.type("// more");
  await ez.page.keyboard.press("F10");
  await changed.waitFor();
  for (let time = 0; time < 20 && (await notice.isVisible()); time++) await ez.page.keyboard.press("Control+z");
  await notice.waitFor({ state: "hidden" });
  await ez.page.keyboard.type("// more");
  await ez.press("Back");
  await changed.waitFor();
  await ez.press("Stop");
  await ez.says("was stopped");
  await notice.waitFor({ state: "hidden" });
});

test("what is said about an answer is over with the stop, about a link or an example with the text", async (ez, profile) => {
  const { notice } = ez;
  await stopped(ez);
  await ez.press("Step over");
  await ez.isAt(10);
  await ez.page.getByRole("tab", { name: "Output" }).click();
  await ez.log.getByText("computed 1").click();
  await notice.getByText("Line 4 of hello.ez has written this").waitFor();
  await ez.page.keyboard.press("F10");
  await notice.waitFor({ state: "hidden" });
  await ez.press("Stop");
  await ez.press("Examples");
  await ez.page.getByRole("menuitem", { name: "fizzbuzz" }).click();
  await notice.getByText("The program is “fizzbuzz” now.").waitFor();
  await ez.editor.click();
  await ez.page.keyboard.type("// mine");
  await notice.waitFor({ state: "hidden" });
  const other = await profile.open("#ez1=%%%");
  await other.notice.getByText("broken").waitFor();
  await other.run();
  await other.notice.waitFor({ state: "hidden" });
});

test("a file that cannot be read is told until another one is opened", async (ez) => {
  const open = async (name, buffer) => {
    const choosing = ez.page.waitForEvent("filechooser");
    await ez.press("Open");
    await (await choosing).setFiles({ name, mimeType: "text/plain", buffer });
  };
  await open("picture.ez", Buffer.from([0xff, 0xfe, 0]));
  await ez.notice.getByText("picture.ez cannot be read").waitFor();
  await open("text.ez", Buffer.from("do main() {}\n"));
  await ez.page.locator("#files .shown", { hasText: "text.ez" }).waitFor();
  await ez.notice.waitFor({ state: "hidden" });
});

test("what an evaluation prints is in the console, and marked in the output", async (ez) => {
  await stopped(ez);
  await evaluate(ez, "twice(4)");
  const results = ez.page.getByRole("log", { name: "Results" });
  await results.locator(".result", { hasText: "8" }).waitFor();
  assert.deepEqual(await results.locator("pre").allTextContents(), ["twice(4)", "computed 4\n", "8"]);
  await ez.page.getByRole("tab", { name: "Variables" }).click();
  await ez.choose("total", "Set value …");
  await ez.page.getByRole("dialog").getByLabel("Value").fill("twice(5)");
  await ez.press("Set");
  await ez.hasValue("total", "10");
  assert.match(await results.textContent(), /computed 5/);
  await ez.press("Step over");
  await ez.isAt(10);
  await ez.page.getByRole("tab", { name: "Output" }).click();
  await ez.log.getByText("computed 10").waitFor();
  assert.equal(await ez.printed(), "computed 10\n");
  assert.deepEqual(await ez.log.locator(".evaluated").allTextContents(), ["computed 4\n", "computed 5\n"]);
  // It counts for who has written what.
  await ez.log.getByText("computed 10").click();
  await ez.notice.getByText("Line 4 of hello.ez has written this").waitFor();
});

/** Waits until the focus is at something, and not at nothing. */
const hasFocus = (ez, selector) => ez.page.waitForFunction((selector) => document.activeElement.matches(selector), selector);

test("the focus stays in the page when what has it disappears or is disabled", async (ez) => {
  const { page } = ez;
  await stopped(ez);
  await ez.clickGutter(10);
  await ez.clickGutter(9);
  for (const [line, next] of [[9, "#breakpoints li *"], [10, "#breakpoints button"]]) {
    await page.getByRole("button", { name: new RegExp(`^Remove the breakpoint in .* line ${line}$`) }).focus();
    await page.keyboard.press("Enter");
    await hasFocus(ez, next);
  }
  // What is disabled.
  await page.getByRole("slider", { name: "Time" }).focus();
  await page.keyboard.press("Shift+F5");
  await ez.says("was stopped");
  await hasFocus(ez, "#actions button");
  await ez.writeMain('    temp a string = input()\n    println("got", a)');
  await ez.press("Run");
  await ez.says("waits for input");
  await page.getByRole("button", { name: "End of input" }).focus();
  await page.keyboard.press("Enter");
  await ez.says("has ended");
  await hasFocus(ez, "#input *");
  // What is hidden.
  await page.evaluate(() => { location.hash = "#ez1=%%%"; });
  await page.getByRole("button", { name: "Close the message" }).focus();
  await page.keyboard.press("Enter");
  await ez.notice.waitFor({ state: "hidden" });
  await page.waitForFunction(() => document.activeElement !== document.body);
  // What has opened a menu.
  await ez.press("New file");
  await ez.press("Add");
  await page.getByRole("button", { name: /More about/ }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("menuitem", { name: "Remove from the program" }).click();
  await page.waitForFunction(() => document.activeElement.closest("#files"));
});

test("who puts the focus nowhere is left alone", async (ez) => {
  await stopped(ez);
  await ez.page.getByRole("slider", { name: "Time" }).focus();
  await ez.page.locator("h1").click();
  assert.equal(await ez.page.evaluate(() => document.activeElement === document.body), true);
  await ez.press("Stop");
  await ez.page.locator("h1").click();
  await ez.press("Run");
  await ez.log.locator(".ending").waitFor();
  assert.equal(await ez.page.evaluate(() => document.activeElement.getAttribute("aria-label")), "Run");
});
