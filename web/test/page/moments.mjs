// What is shown is of now, or says of when.
import { strict as assert } from "node:assert";
import { test } from "../harness.mjs";

const BOXES = `import @std
using std

const Box struct {
    v int
    ar [int]
}
do main() {
    temp b Box = Box{v: 0, ar: {0, 1}}
    temp i int = 0
    for k in range(0, 400) {
        b.v += 1
        b.ar[0] = b.v
        i += 1
    }
    println(i)
}
`;

/** Opens the rows of a pane that have one of these names. */
async function unfold(ez, pane, names) {
  for (const name of names) {
    const row = ez.page.locator(`${pane} .row[aria-expanded="false"]`).filter({ has: ez.page.locator(".name", { hasText: new RegExp(`^${name}$`) }) });
    await row.first().click();
    await row.first().waitFor({ state: "detached" });
  }
}

/** Whether the watches are as the variables are. */
const areSame = () => {
  const rowsOf = (pane) => [...document.querySelectorAll(`${pane} .row:not(.group)`)].map((row) => `${row.querySelector(".name").textContent}=${row.querySelector(".value").textContent}`);
  const [watches, variables] = ["#watches", "#variables"].map(rowsOf);
  return watches.length > 5 && JSON.stringify(watches) === JSON.stringify(variables.filter((row) => !row.startsWith("k=")));
};

test("after quick steps, what is unfolded is of the last one", async (ez) => {
  await ez.write(BOXES);
  await ez.clickGutter(12);
  await ez.debug(12);
  for (const expression of ["b", "i"]) {
    await ez.page.getByRole("textbox", { name: "New watch" }).fill(expression);
    await ez.page.keyboard.press("Enter");
  }
  await ez.page.locator("#watches .value", { hasText: "Box" }).waitFor();
  await unfold(ez, "#watches", ["b", "ar"]);
  await unfold(ez, "#variables", ["b", "ar"]);
  await ez.page.locator("#calls button").first().focus();
  await ez.clickGutter(12);
  for (let burst = 0; burst < 5; burst++) {
    for (let press = 0; press < 15; press++) {
      await ez.page.keyboard.press("F10");
      // The key is held down: nothing is waited for.
      await ez.page.evaluate((time) => new Promise((resolve) => { setTimeout(resolve, time); }), 8 + 3 * burst);
    }
    await ez.page.evaluate(() => new Promise((resolve) => { requestIdleCallback(resolve); }));
    await ez.page.waitForFunction(areSame);
  }
});

const PIECES = `import @std
using std

do twice(n int) -> int {
    print("<")
    return n * 2
}
do main() {
    print("Your näme: ")
    temp name string = input()
    temp n int = 1
    n = twice(n)
    print("b")
    print("é🙂")
    print("c")
    println("")
    temp other string = input()
    n += 1
    println(name, other, n)
    n += 1
}
`;

/**
 * What is shown of a stop: where it is, what has been printed and entered by then, and all values; or whether that is a
 * text, or is complete and not of the place with another text.
 */
const shown = ({ text, before } = {}) => {
  const later = (node) => node.parentElement.closest(".later");
  const walker = document.createTreeWalker(document.querySelector("#output"), NodeFilter.SHOW_TEXT);
  let output = "";
  while (walker.nextNode()) if (!later(walker.currentNode) && walker.currentNode.parentElement.closest(".piece")) output += walker.currentNode.data;
  const lines = document.querySelector("#editor").shadowRoot.querySelectorAll(".cm-line");
  const rows = (pane) => [...document.querySelectorAll(`${pane} .row:not(.group)`)].map((row) => `${row.querySelector(".name").textContent}=${row.querySelector(".value").textContent}`);
  const state = {
    step: Number(/^Step ([\d,]+)/.exec(document.querySelector("#time .count").textContent)?.[1]),
    line: [...lines].findIndex((line) => line.classList.contains("execution")) + 1,
    output, variables: rows("#variables"), watches: rows("#watches"),
    calls: [...document.querySelectorAll("#calls button")].map((button) => button.textContent),
  };
  if (text !== undefined) return JSON.stringify(state) === text;
  if (before === undefined) return state;
  const n = state.variables.find((row) => row.startsWith("n="));
  const place = ({ step, line, calls }) => JSON.stringify([step, line, calls]);
  return state.step > 0 && state.line > 0 && place(state) !== place(before) && (n === undefined || state.watches.includes(n));
};

test("each step of the past is shown as it was in the present", async (ez) => {
  await ez.write(PIECES);
  await ez.page.getByRole("textbox", { name: "New watch" }).fill("n");
  await ez.page.keyboard.press("Enter");
  await ez.debug(9);
  /** What was shown at each stop. */
  const seen = [];
  const see = async () => {
    // What was printed before is shown with the next picture.
    await ez.page.evaluate(() => new Promise((resolve) => { requestAnimationFrame(() => requestAnimationFrame(resolve)); }));
    const state = await ez.page.evaluate(shown);
    seen.push(state);
    return state;
  };
  /** Waits until another place is shown, with the watch of there. */
  const settled = (before) => ez.page.waitForFunction(shown, { before });
  await settled({});
  for (let state = await see(); state.line !== 20; state = await see()) {
    await ez.page.keyboard.press("F11");
    if (state.line === 10 || state.line === 17) {
      await ez.says("waits for input");
      await ez.enter(state.line === 10 ? "Ann" : "Bob");
    }
    await settled(state);
  }
  assert.ok(seen.length > 12);
  /** Waits until what is shown is what was shown there. */
  const is = async (wanted) => {
    await ez.page.waitForFunction(shown, { text: JSON.stringify(wanted) }).catch(async () => assert.deepEqual(await ez.page.evaluate(shown), wanted));
  };
  for (const stop of seen.slice(0, -1).reverse()) {
    await ez.press("Back");
    await is(stop);
  }
  const slider = ez.page.getByRole("slider", { name: "Time" });
  // In an order in which each follows almost each other one.
  for (let at = 0, jump = 0; jump < 12; jump++) {
    at = (at + 5 + jump) % (seen.length - 1);
    const { step } = seen[at];
    await slider.fill(String(step));
    await is(seen.find((one) => one.step === step));
  }
  // In the present, nothing is later.
  await ez.page.keyboard.press("Alt+F6");
  await is(seen.at(-1));
});

test("what was entered is there from the line on that has read it, also where the program did not stop near it", async (ez) => {
  await ez.write(`import @std
using std
do twice(n int) -> int {
    return n * 2
}
do main() {
    temp n int = 1
    n += 1
    temp name string = input()
    n = twice(n)
    println(name, n)
}
`);
  await ez.debug(7);
  await ez.clickGutter(11);
  await ez.press("Continue");
  await ez.says("waits for input");
  await ez.enter("Ann");
  await ez.isAt(11);
  for (const [line, isLater] of [[10, false], [4, false], [10, false], [9, true], [8, true], [7, true]]) {
    await ez.press("Back");
    await ez.isAt(line);
    await ez.log.locator(isLater ? ".typed.later" : ".typed:not(.later)").waitFor();
  }
});

/** Gives the file that is shown another name. */
async function rename(ez, from, to) {
  await ez.press(`More about ${from}`);
  await ez.page.getByRole("menuitem", { name: "Rename" }).click();
  await ez.page.getByRole("dialog").getByLabel("Name").fill(to);
  await ez.press("Rename");
}

async function newFile(ez, name) {
  await ez.press("New file");
  await ez.page.getByRole("dialog").getByLabel("Name").fill(name);
  await ez.press("Add");
}

const BODY = "    temp a int = 1\n    a += 1\n    a += 2\n    println(a)\n    a += 3";

test("the file that was started is the same under another name, and a new one with its name is another one", async (ez) => {
  await ez.writeMain(BODY);
  await ez.debug(4);
  await rename(ez, "hello.ez", "other.ez");
  await ez.page.keyboard.press("F10");
  await ez.isAt(5);
  await ez.notice.getByText("The program has been changed since it was started.").waitFor();
  // Its breakpoints are those of the program.
  await ez.clickGutter(7);
  await newFile(ez, "hello.ez");
  await ez.write("// 1\n// 2\n// 3\n// 4\n// 5\n// 6\n// 7\n");
  await ez.clickGutter(6);
  await ez.page.keyboard.press("F5");
  await ez.says("Breakpoint");
  await ez.page.locator("#files .shown", { hasText: "other.ez" }).waitFor();
  await ez.isAt(7);
  // A call goes to where it is.
  await ez.press("hello.ez");
  await ez.page.locator("#calls button").first().click();
  await ez.page.locator("#files .shown", { hasText: "other.ez" }).waitFor();
  // Under its name of then, all is as it was.
  await ez.press("hello.ez");
  await rename(ez, "hello.ez", "third.ez");
  await ez.press("other.ez");
  await rename(ez, "other.ez", "hello.ez");
  await ez.notice.getByText("The program has been changed").waitFor({ state: "hidden" });
  await ez.press("Stop");
});

test("a problem, and a breakpoint, of a text that was changed while the program is stopped is found in its line", async (ez) => {
  await ez.writeMain(BODY);
  await ez.clickGutter(6);
  await ez.debug(6);
  await ez.editor.click();
  await ez.page.keyboard.press("Control+Home");
  await ez.page.keyboard.insertText("// 1\n// 2\n");
  await ez.page.keyboard.press("Control+End");
  await ez.page.keyboard.insertText("nothing");
  await ez.page.keyboard.press("Control+Home");
  await ez.page.getByRole("tab", { name: /^Problems \(/ }).click();
  await ez.page.locator("#problems").getByRole("button", { name: /line 12$/ }).first().click();
  await ez.page.keyboard.insertText("// PROBLEM ");
  await ez.page.locator(".cm-line", { hasText: /^\/\/ PROBLEM nothing/ }).waitFor();
  await ez.page.locator("#breakpoints .what").click();
  await ez.page.keyboard.insertText("// BREAKPOINT ");
  await ez.page.locator(".cm-line", { hasText: /BREAKPOINT {5}a \+= 2/ }).waitFor();
});

test("it is said that the file of the program was removed, and it comes back with its breakpoints", async (ez) => {
  await ez.writeMain(BODY);
  await ez.clickGutter(5);
  await ez.clickGutter(6);
  await ez.clickGutter(7);
  await newFile(ez, "b.ez");
  await ez.press("hello.ez");
  await ez.debug(5);
  const remove = async () => {
    await ez.press("More about hello.ez");
    await ez.page.getByRole("menuitem", { name: "Remove from the program" }).click();
  };
  await remove();
  await ez.press("Undo");
  await ez.press("Continue");
  await ez.isAt(6);
  await remove();
  await ez.page.keyboard.press("F10");
  await ez.notice.getByText("hello.ez is not there any more: it was removed since the program was started.").waitFor();
  await ez.page.locator(".execution").waitFor({ state: "detached" });
  // Nobody sees the breakpoint in line 7.
  await ez.page.keyboard.press("F5");
  await ez.says("Continue lets it end");
  await ez.press("Stop");
});

test("while the program runs, the values of the stop before do not look as if they were of now", async (ez) => {
  await ez.writeMain("    temp n int = 41\n    as_long_as true {\n        n += 1\n    }");
  await ez.page.getByRole("textbox", { name: "New watch" }).fill("n");
  await ez.page.keyboard.press("Enter");
  await ez.debug(4);
  await ez.page.keyboard.press("F10");
  await ez.isAt(5);
  await ez.page.locator("#watches .value", { hasText: "41" }).waitFor();
  const looks = () => ez.page.locator(".row:not(.group) .value, #time .count").evaluateAll((all) => all.map((one) => [getComputedStyle(one).color, getComputedStyle(one).fontStyle].join()));
  const [now, ...others] = await looks();
  await ez.page.keyboard.press("F5");
  await ez.says("The program runs");
  const old = await looks();
  assert.equal(old.length, 3);
  assert.equal(new Set(old).size, 1);
  assert.ok(![now, ...others].includes(old[0]), old.join());
  await ez.page.keyboard.press("F6");
  await ez.says("Paused");
  assert.deepEqual(await looks(), [now, ...others]);
});

test("the last run is that of a file, whatever its name is now, and of its text", async (ez) => {
  await ez.writeMain('    println("one")');
  await ez.run();
  await rename(ez, "hello.ez", "other.ez");
  await newFile(ez, "hello.ez");
  await ez.press("More about hello.ez");
  await ez.page.getByRole("menuitem", { name: "Make it the program that is run" }).click();
  await ez.page.getByRole("tab", { name: "Cases" }).click();
  await ez.press("Add the last run …");
  await ez.notice.getByText("This program was not run yet").waitFor();
  await ez.press("other.ez");
  await ez.press("More about other.ez");
  await ez.page.getByRole("menuitem", { name: "Make it the program that is run" }).click();
  const title = async () => {
    await ez.press("Add the last run …");
    const text = await ez.page.getByRole("dialog").locator("h2").textContent();
    await ez.press("Cancel");
    return text;
  };
  await ez.run();
  await ez.page.getByRole("tab", { name: "Cases" }).click();
  assert.equal(await title(), "New case, from the last run");
  await ez.editor.click();
  await ez.page.keyboard.type(" ");
  assert.equal(await title(), "New case, from the last run, before the program was changed");
  await ez.writeMain('    println("one")\n    temp line string = input()');
  await ez.press("Run");
  await ez.says("waits for input");
  await ez.page.getByRole("tab", { name: "Cases" }).click();
  assert.equal(await title(), "New case, from the last run, which has not ended");
});
