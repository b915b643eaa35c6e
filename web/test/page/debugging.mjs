import { strict as assert } from "node:assert";
import { test } from "../harness.mjs";

const PROGRAM = `import @std
using std
const Point struct {
    x int
    y int
}
do twice(n int) -> int {
    temp result int = n * 2
    return result
}
do main() {
    temp p Point = Point{x: 1, y: 2}
    temp list [int] = {10, 20, 30}
    temp total int = 0
    for i in range(0, 3) {
        total += twice(list[i])
    }
    println(total, p.x)
}
`;

test("a breakpoint is set by a click, and the program stops there", async (ez) => {
  await ez.write(PROGRAM);
  await ez.clickGutter(16);
  await ez.debug(16);
  await ez.hasValue("total", "0");
  await ez.variable("list").click();
  await ez.hasValue("[1]", "20");
  await ez.page.locator(".beside", { hasText: "total = 0" }).waitFor();
  // What is open stays open.
  await ez.page.keyboard.press("F5");
  await ez.hasValue("total", "20");
  await ez.hasValue("[1]", "20");
  await ez.clickGutter(16);
  await ez.page.keyboard.press("F5");
  await ez.atEnd();
});

test("keys step into, over and out, stop and restart", async (ez) => {
  const { keyboard } = ez.page;
  await ez.write(PROGRAM);
  await keyboard.press("F5");
  await ez.isAt(12);
  for (const line of [13, 14, 15, 16]) {
    await keyboard.press("F10");
    await ez.isAt(line);
  }
  await keyboard.press("F11");
  await ez.isAt(8);
  assert.deepEqual(await ez.page.locator("#calls .function").allTextContents(), ["twice", "main"]);
  await ez.page.locator("#calls button", { hasText: "main" }).click();
  await ez.isAt(16);
  await ez.hasValue("total", "0");
  await ez.page.locator("#calls button", { hasText: "twice" }).click();
  await ez.isAt(8);
  await keyboard.press("Shift+F11");
  await ez.isAt(16);
  await ez.says("twice returned 20");
  await keyboard.press("Control+Shift+F5");
  await ez.isAt(12);
  await keyboard.press("Shift+F5");
  await ez.says("The program was stopped.");
});

test("each press of a key is a step, also while one is in progress", async (ez) => {
  await ez.writeMain("    temp i int = 0\n    as_long_as i < 1000 {\n        i += 1\n    }");
  await ez.debug(4);
  for (let press = 0; press < 40; press++) await ez.page.keyboard.press("F10");
  await ez.page.getByText("Step 41 of 41").waitFor();
});

test("breakpoints are set by a key, announced and listed", async (ez) => {
  await ez.write(PROGRAM);
  await ez.page.keyboard.press("Control+Home");
  for (let line = 1; line < 13; line++) await ez.page.keyboard.press("ArrowDown");
  await ez.page.keyboard.press("F9");
  await ez.page.locator("#spoken", { hasText: "Breakpoint set in line 13." }).waitFor({ state: "attached" });
  // It stays at its statement.
  await ez.page.keyboard.press("Control+Home");
  await ez.page.keyboard.press("Enter");
  await ez.page.locator("#breakpoints .what", { hasText: "line 14" }).waitFor();
  await ez.debug(14);
  await ez.page.getByRole("button", { name: /Remove the breakpoint/ }).click();
  await ez.page.keyboard.press("F5");
  await ez.atEnd();
});

test("a breakpoint comes back when the deletion of its line is undone", async (ez) => {
  await ez.write(PROGRAM);
  await ez.clickGutter(13);
  await ez.page.locator(".cm-line").nth(12).click({ clickCount: 3 });
  await ez.page.keyboard.press("Control+Shift+k");
  await ez.page.locator("#breakpoints .nothing").waitFor();
  await ez.page.keyboard.press("Control+z");
  await ez.page.locator("#breakpoints .what", { hasText: "line 13" }).waitFor();
});

/** Gives the breakpoint of a line options. */
async function withOptions(ez, line, options) {
  await ez.page.getByRole("button", { name: new RegExp(`Options of the breakpoint in .* line ${line}$`) }).click();
  for (const [label, text] of Object.entries(options)) await ez.page.getByRole("dialog").getByLabel(label, { exact: true }).fill(text);
  await ez.press("Set");
}

test("conditions, hits and messages of breakpoints", async (ez) => {
  await ez.write(PROGRAM);
  await ez.clickGutter(16);
  await withOptions(ez, 16, { Condition: "i == 2" });
  await ez.debug(16);
  await ez.hasValue("i", "2");
  await withOptions(ez, 16, { Condition: "", Message: "i is {i}" });
  await ez.press("Restart");
  await ez.log.locator(".console", { hasText: "i is 2" }).waitFor();
});

test("a wrong condition is told at once", async (ez) => {
  await ez.write(PROGRAM);
  await ez.clickGutter(16);
  await ez.clickGutter(12);
  await ez.debug(12);
  await withOptions(ez, 16, { Condition: "nothing > 2" });
  await ez.notice.getByText("undefined variable 'nothing'").waitFor();
});

test("an endless loop is paused, twice", async (ez) => {
  await ez.writeMain("    temp i int = 0\n    loop {\n        i += 1\n    }");
  await ez.clickGutter(4);
  await ez.debug(4);
  for (let time = 0; time < 2; time++) {
    await ez.press("Continue");
    await ez.says("The program runs");
    await ez.press("Pause");
    await ez.says("Paused");
    await ez.variable("i").waitFor();
  }
});

test("values are set, watched, evaluated and hovered over", async (ez) => {
  await ez.write(PROGRAM);
  await ez.clickGutter(16);
  await ez.debug(16);
  await ez.page.getByRole("textbox", { name: "New watch" }).fill("total * 2");
  await ez.page.keyboard.press("Enter");
  const watch = ez.page.getByRole("tree", { name: "Watches" }).locator(".row", { hasText: "total * 2" });
  await watch.locator(".value", { hasText: /^0$/ }).waitFor();
  await ez.choose("total", "Set value …");
  await ez.page.getByRole("dialog").getByLabel("Value").fill("nonsense");
  await ez.press("Set");
  await ez.page.getByRole("dialog").getByText("nonsense").waitFor();
  await ez.page.getByRole("dialog").getByLabel("Value").fill("100");
  await ez.press("Set");
  await ez.hasValue("total", "100");
  await watch.locator(".value", { hasText: /^200$/ }).waitFor();
  await ez.page.getByRole("tab", { name: "Console" }).click();
  const console = ez.page.getByRole("combobox", { name: "Evaluate" });
  for (const [entered, shown] of [["total + 1", "101"], ["twice(4)", "8"], ["wrong +", "expect"], ["total = 7", ""]]) {
    await console.fill(entered);
    await console.press("Enter");
    await ez.page.getByRole("log", { name: "Results" }).getByText(shown).last().waitFor();
  }
  await ez.hasValue("total", "7");
  await ez.page.locator(".cm-line").nth(15).getByText("total").first().hover({ position: { x: 12, y: 8 } });
  await ez.page.locator(".hovered", { hasText: "total = 7" }).waitFor();
});

test("the picture has boxes and arrows", async (ez) => {
  await ez.write(PROGRAM);
  await ez.clickGutter(16);
  await ez.debug(16);
  await ez.page.getByRole("tab", { name: "Picture" }).click();
  await ez.page.locator(".object", { hasText: "Point #" }).waitFor();
  assert.equal(await ez.page.locator("path.arrow").count(), 2);
  await ez.page.keyboard.press("F11");
  await ez.isAt(8);
  await ez.page.locator(".frame.current", { hasText: "twice" }).waitFor();
});

test("in the picture a short array is one row, however narrow the window", async (ez) => {
  await ez.write(`import @std
using std
const Pupil struct {
    name string
    marks [int]
    friends [Pupil]
}
do main() {
    temp many [int] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}
    temp pupils [Pupil] = {Pupil{name: "Ann", marks: {1, 2, 3}, friends: {}}, Pupil{name: "Bob", marks: {4, 5, 6}, friends: {}}}
    pupils[0].friends = {pupils[1], pupils[1]}
    println(len(many))
}
`);
  await ez.clickGutter(12);
  await ez.debug(12);
  await ez.page.getByRole("tab", { name: "Picture" }).click();
  for (const width of [1400, 768, 375]) {
    await ez.page.setViewportSize({ width, height: 900 });
    if (width === 375) await ez.page.locator("#regions button", { hasText: "State" }).click();
    await ez.page.locator(".cells").first().waitFor();
    const rows = await ez.page.locator(".cells").evaluateAll((all) => all.map(({ children }) => [...new Set([...children].map((cell) => cell.offsetTop))].map((top) => [...children].filter((cell) => cell.offsetTop === top).length)));
    assert.deepEqual(rows.filter((counts) => counts.length > 1), [[10, 2]], `${width}`);
    assert.ok(rows.length > 5);
    // What has no room is reached by scrolling.
    const beyond = await ez.page.locator("#picture").evaluate((pane) => {
      const rights = [...pane.querySelectorAll(".object")].map((box) => box.getBoundingClientRect().right - pane.getBoundingClientRect().left + pane.scrollLeft);
      return Math.max(...rights) - pane.scrollWidth;
    });
    assert.ok(beyond < 1, `${width}: ${beyond}`);
  }
});

test("long values open by the page", async (ez) => {
  await ez.writeMain("    temp list [int] = {}\n    for i in range(0, 250) {\n        temp n int = i\n        list = {i}\n    }\n    temp m map[string:int] = {\"a\": 1}\n    println(len(list))");
  await ez.clickGutter(10);
  await ez.debug(10);
  await ez.variable("m").click();
  await ez.hasValue('["a"]', "1");
});

test("the text is changed while the program is stopped", async (ez) => {
  await ez.write(PROGRAM);
  await ez.clickGutter(16);
  await ez.debug(16);
  await ez.editor.click();
  await ez.page.keyboard.press("Control+Home");
  await ez.page.keyboard.insertText("// one\n// two\n");
  await ez.isAt(18);
  await ez.page.keyboard.press("F10");
  await ez.isAt(17);
  await ez.notice.getByText("has been changed").waitFor();
  await ez.notice.getByRole("button", { name: "Restart" }).click();
  await ez.isAt(18);
});

test("a file is closed while the program is stopped in it", async (ez) => {
  await ez.press("Examples");
  await ez.page.getByRole("menuitem", { name: "several files" }).click();
  await ez.press("main.ez");
  await ez.debug(7);
  await ez.press("Step over");
  await ez.isAt(8);
  await ez.press("Step into");
  await ez.page.locator("#files .shown", { hasText: "geometry/" }).waitFor();
  const name = (await ez.page.locator("#files .shown .name").textContent()).trim();
  await ez.press(`More about ${name}`);
  await ez.page.getByRole("menuitem", { name: "Remove from the program" }).click();
  await ez.press("Step out");
  await ez.says("returned");
  await ez.press("Stop");
  await ez.says("was stopped");
});

test("a frame without variables says so", async (ez) => {
  await ez.writeMain('    println("first")');
  await ez.page.keyboard.press("F5");
  await ez.page.locator("#variables", { hasText: "There are no variables here yet." }).waitFor();
});

test("a wait for input is paused and goes on, twice", async (ez) => {
  await ez.writeMain('    temp line string = input()\n    println("got ${line}")');
  await ez.debug(4);
  await ez.press("Step over");
  for (let time = 0; time < 2; time++) {
    await ez.says("waits for input");
    await ez.press("Pause");
    await ez.says("Paused");
    await ez.press("Step over");
  }
  await ez.says("waits for input");
  await ez.enter("x");
  await ez.hasValue("line", '"x"');
});

test("more variables than one message has are shown", async (ez) => {
  const names = Array.from({ length: 60 }, (_, at) => `v${at}`);
  await ez.writeMain(`    temp s string = "x"\n    for i in range(0, 10) { s = s + s }\n${names.map((name) => `    temp ${name} string = s`).join("\n")}\n    println(s)`);
  await ez.clickGutter(6 + 55);
  await ez.page.keyboard.press("F5");
  await ez.hasValue("v54", "xxx");
  assert.equal(await ez.page.locator("#variables .row .name", { hasText: /^v\d+$/ }).count(), 55);
});

test("names that need quotes can be set", async (ez) => {
  await ez.writeMain('    temp m map[string:int] = {"a\\"b": 1, "${1 + 1}": 2}\n    println(m)');
  await ez.clickGutter(5);
  await ez.page.keyboard.press("F5");
  await ez.variable("m").click();
  await ez.choose('["a\\"b"]', "Set value …");
  await ez.page.getByRole("dialog").getByLabel("Value").fill("41");
  await ez.press("Set");
  await ez.page.locator("#variables .value", { hasText: /^41$/ }).waitFor();
});

test("a program that is replaced by another one is stopped", async (ez) => {
  await ez.writeMain('    println("first")\n    println("second")');
  await ez.debug(4);
  await ez.press("Examples");
  await ez.page.getByRole("menuitem", { name: "hello" }).click();
  await ez.says("was stopped");
  assert.equal(await ez.page.locator(".execution").count(), 0);
  await ez.debug(6);
});

test("the program stops when a variable or a part of a value changes", async (ez) => {
  await ez.write(PROGRAM);
  await ez.clickGutter(15);
  await ez.debug(15);
  await ez.choose("total", "Stop when it changes");
  const list = ez.page.locator("#breakpoints li");
  await list.filter({ hasText: "When variable total changes" }).waitFor();
  await ez.variable("list").click();
  await ez.choose("[1]", "Stop when it changes");
  await list.filter({ hasText: "When element [1] of list changes" }).waitFor();
  await ez.press("Continue");
  await ez.hasValue("total", "20");
  await ez.says("total");
  await list.filter({ hasText: "total changes" }).getByRole("checkbox").uncheck();
  await ez.press("Remove the breakpoint of variable total");
  await ez.clickGutter(15);
  await list.filter({ hasText: "total" }).waitFor({ state: "detached" });
  await ez.press("Continue");
  await ez.atEnd();
  // They end with the program.
  await list.filter({ hasText: "changes" }).first().waitFor({ state: "detached" });
  // Also where another run follows at once.
  await ez.clickGutter(15);
  await ez.debug(15);
  await ez.choose("total", "Stop when it changes");
  await list.filter({ hasText: "When variable total changes" }).waitFor();
  await ez.press("Restart");
  await list.filter({ hasText: "changes" }).waitFor({ state: "detached" });
  await ez.press("Stop");
});

test("the program stops at the start of a function, in each run", async (ez) => {
  await ez.write(PROGRAM);
  await ez.press("Stop at a function …");
  const dialog = ez.page.getByRole("dialog");
  await dialog.getByLabel("Function").fill("twice");
  await dialog.getByLabel("Condition").fill("n == 20");
  await ez.press("Set");
  await ez.debug(8);
  await ez.hasValue("n", "20");
  // Also if it is changed meanwhile.
  await ez.press("At the start of twice if n == 20");
  await dialog.getByLabel("Condition").fill("n == 30");
  await ez.press("Set");
  await ez.press("Continue");
  await ez.hasValue("n", "30");
  await ez.press("Stop");
  await ez.says("was stopped");
  await ez.page.keyboard.press("F5");
  await ez.hasValue("n", "30");
  await ez.press("Stop at a function …");
  await dialog.getByLabel("Function").fill("<b>thrice");
  await ez.press("Set");
  await ez.notice.getByText("The breakpoint of <b>thrice is never hit").waitFor();
  await ez.press("Remove the breakpoint of twice");
  await ez.press("Continue");
  await ez.atEnd();
});

test("one of several calls is stepped into", async (ez) => {
  await ez.write("import @std\nusing std\ndo first(n int) -> int {\n    return n\n}\ndo second(n int) -> int {\n    return n * 2\n}\ndo main() {\n    println(first(1) + second(2))\n    println(second(3))\n}\n");
  await ez.debug(10);
  await ez.press("Step into one of several calls");
  await ez.page.getByRole("menuitem", { name: "second(2)" }).click();
  await ez.isAt(7);
  await ez.press("Step out");
  await ez.isAt(10);
  await ez.page.keyboard.press("F10");
  await ez.isAt(11);
  await ez.page.locator("[aria-label='Step into one of several calls']").waitFor({ state: "hidden" });
  await ez.page.keyboard.press("Alt+F10");
  await ez.isAt(10);
  await ez.page.locator("[aria-label='Step into one of several calls']").waitFor();
  await ez.page.keyboard.press("Control+F11");
  await ez.page.getByRole("menu").waitFor();
});

test("the console completes", async (ez) => {
  await ez.write(PROGRAM);
  await ez.clickGutter(15);
  await ez.debug(15);
  await ez.page.getByRole("tab", { name: "Console" }).click();
  const console = ez.page.getByRole("combobox", { name: "Evaluate" });
  const list = ez.page.getByRole("listbox", { name: "Completions" });
  const results = ez.page.getByRole("log", { name: "Results" });
  await console.pressSequentially("tot");
  await list.getByRole("option", { name: "total" }).waitFor();
  await console.press("Tab");
  assert.equal(await console.inputValue(), "total");
  await console.press("Enter");
  await results.locator(".result", { hasText: "0" }).waitFor();
  await console.fill("");
  await console.pressSequentially('"🙂" == string(p.');
  await list.getByRole("option", { name: "x" }).waitFor();
  await console.press("ArrowDown");
  await console.press("ArrowDown");
  await console.press("Enter");
  assert.equal(await console.inputValue(), '"🙂" == string(p.y');
  await console.pressSequentially(")");
  await list.waitFor({ state: "hidden" });
  await console.press("Enter");
  await results.locator(".result", { hasText: "false" }).waitFor();
  // The arrows are for what was entered, when there is no list.
  await console.press("ArrowUp");
  assert.equal(await console.inputValue(), '"🙂" == string(p.y)');
  await console.fill("");
  await console.pressSequentially("to");
  await list.getByRole("option").first().waitFor();
  await console.press("Escape");
  await list.waitFor({ state: "hidden" });
});
