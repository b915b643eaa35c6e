import { strict as assert } from "node:assert";
import { test } from "../harness.mjs";

test("a program is written and run", async (ez) => {
  await ez.writeMain('    println("one")\n    eprintln("two")\n    print("three")');
  await ez.run();
  assert.equal(await ez.printed(), "one\ntwo\nthree");
  await ez.says("The program has ended.");
});

test("errors are at their place, with help and an explanation", async (ez) => {
  await ez.writeMain('    temp n int = "five"\n    println(n)');
  // While it is written, without being run.
  await ez.page.locator(".cm-lintRange-error").waitFor();
  await ez.page.getByRole("tab", { name: "Problems (1)" }).click();
  await ez.page.locator("#problems").getByRole("button", { name: "Line 4" }).or(ez.page.locator("#problems").getByRole("button", { name: /line 4/ })).click();
  await ez.page.locator("#problems").getByRole("button", { name: /Explain E\d+/ }).click();
  await ez.page.getByRole("dialog").getByText("Right:").waitFor();
  await ez.press("Close");
  await ez.run();
  await ez.says("has errors");
  await ez.log.locator(".report").waitFor();
  // It goes when it is mended.
  await ez.writeMain('    println("fine")');
  await ez.page.getByRole("tab", { name: "Problems", exact: true }).waitFor();
  assert.equal(await ez.page.locator(".cm-lintRange-error").count(), 0);
});

test("a program with errors is not said to have unreachable breakpoints", async (ez) => {
  await ez.writeMain('    temp n int = "five"\n    println(n)');
  await ez.clickGutter(5);
  await ez.page.keyboard.press("F5");
  await ez.says("has errors");
  await ez.log.locator(".report").waitFor();
  await ez.page.waitForTimeout(50);
  assert.equal(await ez.notice.isVisible(), false);
});

test("help names nothing that only a terminal has", async (ez) => {
  await ez.write('import @std, @uuid\nusing std\ndo main() {\n    println(uuid.something_else())\n}\n');
  await ez.run();
  const report = await ez.log.locator(".report").first().textContent();
  assert.match(report, /Help: the module has create, /);
  assert.doesNotMatch(report, /ez man|--/);
});

test("a run-time error is at its place", async (ez) => {
  await ez.writeMain("    temp a [int] = {1, 2}\n    println(a[5])");
  await ez.run();
  await ez.log.locator(".report").getByText("index out of bounds").waitFor();
  await ez.isAt(5);
  await ez.page.locator(".beside.error").waitFor();
  await ez.says("exit code 1");
  await ez.editor.click();
  await ez.page.keyboard.type(" ");
  await ez.page.locator(".execution").waitFor({ state: "detached" });
});

test("input is asked for, entered and ended", async (ez) => {
  await ez.writeMain('    temp line string = input()\n    println("got ${line}")\n    line = input()\n    println("then [${line}]")');
  await ez.press("Run");
  await ez.says("waits for input");
  await ez.enter("é🙂");
  await ez.log.getByText("got é🙂").waitFor();
  await ez.says("waits for input");
  await ez.press("End of input");
  await ez.log.locator(".ending").waitFor();
  assert.match(await ez.printed(), /got é🙂\nthen \[\]\n$/);
});

test("input can be entered early", async (ez) => {
  await ez.writeMain('    temp i int = 0\n    as_long_as i < 3000000 { i += 1 }\n    temp line string = input()\n    println("got ${line}")');
  await ez.press("Run");
  const input = ez.page.getByRole("textbox", { name: "Input" });
  await input.fill("early");
  await ez.page.waitForFunction(() => document.querySelector("[aria-label=Stop]").getAttribute("aria-disabled") === "false");
  await input.press("Enter");
  await ez.log.locator(".ending").waitFor();
  assert.match(await ez.printed(), /got early/);
});

/** A test of a page whose engine is served when `open` is called, or not at all, once `close` is called. */
function testBeforeEngine(what, action) {
  test(what, async (_, profile) => {
    const fresh = profile.other();
    await fresh.prepare();
    const engine = "**/ez.wasm*";
    const serve = {};
    const served = new Promise((resolve) => Object.assign(serve, { open: () => resolve("continue"), close: () => resolve("abort") }));
    await fresh.context.route(engine, async (route) => route[await served]());
    await action(await fresh.open(), { ...serve, reopen: () => fresh.context.unroute(engine) });
    fresh.check();
    await fresh.close();
  });
}

testBeforeEngine("input can be entered before the engine is there", async (ez, { open }) => {
  await ez.writeMain('    temp line string = input()\n    temp more string = input()\n    println("got ${line}, ${more}")');
  await ez.press("Run");
  await ez.enter("one");
  await ez.enter("two");
  open();
  await ez.log.getByText("got one, two").waitFor();
});

const aboutInput = (ez, text) => ez.page.locator("#about-input").getByText(text).waitFor();

testBeforeEngine("input that is entered for a program with errors is for the next one", async (ez, { open }) => {
  await ez.writeMain("    println(unknown)");
  await ez.press("Run");
  await ez.enter("one");
  open();
  await ez.says("has errors");
  await aboutInput(ez, "The program reads “one” first.");
  await ez.writeMain('    println("got ${input()}")\n    println("got ${input()}")');
  await ez.press("Run");
  await ez.log.getByText("got one").waitFor();
  await ez.enter("two");
  await ez.log.getByText("got two").waitFor();
});

testBeforeEngine("input that is entered before it is known that there is no engine is for the next program", async (ez, { close, reopen }) => {
  await ez.writeMain('    println("got ${input()}")');
  await ez.press("Run");
  await ez.enter("one");
  close();
  await ez.says("The engine cannot be loaded");
  await aboutInput(ez, "The program reads “one” first.");
  await reopen();
  await ez.press("Run");
  await ez.log.getByText("got one").waitFor();
});

testBeforeEngine("input that is entered for a program that is stopped while it is loaded is for no other one", async (ez, { open }) => {
  await ez.writeMain('    println("got ${input()}")');
  await ez.press("Run");
  await ez.enter("one");
  await ez.press("Stop");
  await ez.says("was stopped");
  open();
  await ez.press("Run");
  await ez.says("waits for input");
  await ez.enter("two");
  await ez.log.getByText("got two").waitFor();
});

testBeforeEngine("nothing can be entered after the end of input", async (ez, { open }) => {
  const input = ez.page.getByRole("textbox", { name: "Input" });
  await ez.writeMain('    println("got [${input()}]")\n    loop {}');
  await ez.press("Run");
  await ez.press("End of input");
  assert.ok(!(await input.isEditable()));
  open();
  await ez.log.getByText("got []").waitFor();
  assert.ok(!(await input.isEditable()));
  for (const key of ["Enter", "Control+d"]) await input.press(key);
  assert.equal(await ez.log.locator(".typed").count(), 0);
  await ez.press("Restart");
  await ez.says("waits for input");
  await ez.enter("one");
  await ez.log.getByText("got [one]").waitFor();
});

/** Pastes a text, or drops it, where the focus is. */
const give = (ez, text, type = "paste") => ez.page.evaluate(([text, type]) => {
  const data = new DataTransfer();
  data.setData("text/plain", text);
  const init = { bubbles: true, cancelable: true };
  document.activeElement.dispatchEvent(type === "paste" ? new ClipboardEvent(type, { ...init, clipboardData: data }) : new DragEvent(type, { ...init, dataTransfer: data }));
}, [text, type]);

test("several lines that are pasted into the input are as many lines", async (ez) => {
  const input = ez.page.getByRole("textbox", { name: "Input", exact: true });
  await ez.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await ez.writeMain("    temp n int = cast(input(), int)\n    for i in range(0, n) { println(\"got [${input()}]\") }");
  await ez.press("Run");
  await ez.says("waits for input");
  await ez.page.evaluate(() => navigator.clipboard.writeText("3\r\n1\n  2\nrest"));
  await input.fill("0|8");
  for (const key of ["Home", "ArrowRight", "Shift+ArrowRight", "Control+v"]) await input.press(key);
  await ez.log.getByText("got [  2]").waitFor();
  assert.deepEqual(await input.evaluate(({ value, selectionStart }) => [value, selectionStart]), ["rest8", 4]);
  await input.press("Enter");
  await ez.log.getByText("got [rest8]").waitFor();
  await ez.says("The program has ended");
  assert.equal(await ez.log.locator(".typed").evaluateAll((all) => all.map((one) => one.textContent).join("")), "03\n1\n  2\nrest8\n");
  // Before a program runs, they are for it.
  await input.fill("2");
  await input.focus();
  await give(ez, "\none\ntw", "drop");
  await aboutInput(ez, "The program reads “2”, “one” first.");
  await input.fill("two");
  await input.press("Enter");
  await ez.press("Run");
  await ez.log.getByText("got [two]").waitFor();
  // However many they are, there is room for what else is there.
  await ez.says("The program has ended");
  await input.focus();
  await give(ez, "line\n".repeat(50_000) + `${"long ".repeat(1000)}\n`);
  await aboutInput(ez, "“line”, “line”, 49,993 more lines first.");
  await ez.press("Clear");
  // What follows the end of the input is refused.
  await ez.writeMain("    loop {}");
  await ez.press("Run");
  await ez.press("End of input");
  await input.focus();
  await give(ez, "1\n2\n");
  assert.equal(await ez.log.locator(".typed").count(), 0);
  assert.equal(await input.inputValue(), "");
});

/** Presses Stop, and tells how long it took until the program was stopped, in milliseconds. */
const stopping = (ez) => ez.page.evaluate(() => new Promise((resolve) => {
  const began = performance.now();
  const happened = document.querySelector("#happened");
  new MutationObserver((_, observer) => {
    if (!happened.textContent.includes("was stopped")) return;
    observer.disconnect();
    resolve(performance.now() - began);
  }).observe(happened, { childList: true, subtree: true, characterData: true });
  document.querySelector("[aria-label=Stop]").click();
}));

/** The longest time between two pictures during a second, in milliseconds. */
const longestFrame = (ez) => ez.page.evaluate(() => new Promise((resolve) => {
  const began = performance.now();
  let [last, longest] = [began, 0];
  requestAnimationFrame(function frame(now) {
    longest = Math.max(longest, now - last);
    last = now;
    if (now - began > 1000) resolve(longest);
    else requestAnimationFrame(frame);
  });
}));

const ENDLESS = {
  "computes for ever": "    temp i int = 0\n    loop { i += 1 }",
  "prints for ever": '    loop { println("again and again") }',
  "prints for ever without a line end": '    loop { print("again and again ") }',
  "prints empty lines for ever": '    loop { println("") }',
};

/** A program with another import. */
const SLEEPS = 'import @std\nimport @time\nusing std\ndo main() {\n    println("begin")\n    time.sleep(1000)\n}\n';

for (const [what, body] of [...Object.entries(ENDLESS), ["sleeps", ""]]) {
  test(`a program that ${what} is stopped at once, and the page never freezes`, async (ez) => {
    if (body) await ez.writeMain(body);
    else await ez.write(SLEEPS);
    await ez.press("Run");
    await ez.says("The program runs");
    if (what.includes("prints")) await ez.log.locator(".stdout").first().waitFor({ state: "attached" });
    const frame = await longestFrame(ez);
    const time = await stopping(ez);
    // What this machine does besides counts as well: it has two cores, and the program one of them.
    console.log(`        stopped after ${Math.round(time)} ms, a picture each ${Math.round(frame)} ms at most`);
    assert.ok(time < 250, `${time} ms until it was stopped`);
    assert.ok(frame < 500, `${frame} ms without a picture`);
    // Another program runs at once.
    await ez.writeMain('    println("next")');
    await ez.run();
    assert.equal(await ez.printed(), "next\n");
  });
}

test("long output is kept as far as it can be read", async (ez) => {
  await ez.writeMain('    for i in range(0, 30000) { println("line ${i}") }');
  await ez.run();
  await ez.log.getByText("earlier lines are not shown").waitFor();
  const lines = (await ez.printed()).trimEnd().split("\n");
  assert.equal(lines.at(-1), "line 29999");
  assert.ok(lines.length >= 4000 && lines.length < 5000, `${lines.length} lines`);
  const dropped = Number((await ez.log.locator(".dropped").textContent()).replace(/\D/g, ""));
  assert.equal(dropped + lines.length, 30000);
});

test("the program that is started is the one that is written", async (ez) => {
  await ez.writeMain('    println("first")');
  await ez.run();
  await ez.writeMain('    println("second")');
  await ez.page.keyboard.press("Control+Enter");
  await ez.log.getByText("second").waitFor();
  assert.equal((await ez.printed()).includes("first"), false);
});

test("places are right behind characters of several units", async (ez) => {
  await ez.writeMain('    /* 🙂é */ temp n int = "🙂🙂" // 🙂');
  const marked = ez.page.locator(".cm-lintRange-error");
  await marked.first().waitFor();
  assert.equal((await marked.allTextContents()).join(""), "n");
});

test("warnings do not keep a program from running", async (ez) => {
  await ez.write('import @std, @math\nusing std\ndo main() {\n    println("runs")\n}\n');
  await ez.page.locator(".cm-lintRange-warning").waitFor();
  await ez.run();
  assert.equal(await ez.printed(), "runs\n");
});
