// Keys and buttons do what is possible now, and nothing that was asked for in another state.
import { strict as assert } from "node:assert";
import { test } from "../harness.mjs";

const WAITS = `import @std
using std
do main() {
    println("begun")
    temp line string = input()
    println("got", line)
}
`;

test("a program that waits for input is not started again by a key", async (ez) => {
  for (const start of ["F5", "Control+Enter"]) {
    await ez.write(WAITS);
    await ez.page.keyboard.press(start);
    if (start === "F5") {
      await ez.isAt(4);
      await ez.page.keyboard.press("F5");
    }
    await ez.says("waits for input");
    for (const key of ["F5", "Control+Enter", "F10", "F11", "Shift+F11", "Alt+F11", "Alt+F5", "Alt+F6", "Control+F10", "Control+F11"]) await ez.page.keyboard.press(key);
    await ez.says("waits for input");
    await ez.page.getByRole("textbox", { name: "Input" }).fill("yes");
    await ez.page.keyboard.press("Enter");
    await ez.log.getByText("got").waitFor();
    assert.match(await ez.printed(), /^begun\n.*got yes\n$/s);
    if (start === "F5") await ez.atEnd();
    else await ez.says("The program has ended");
  }
});

test("a program that runs is not started again by a key, pressed twice or held down", async (ez) => {
  await ez.write('import @std\nusing std\ndo main() {\n    println("begun")\n    temp i int = 0\n    loop { i += 1 }\n}\n');
  // Twice before it can have stopped.
  await ez.page.evaluate(() => { for (let press = 0; press < 2; press++) document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "F5", code: "F5", bubbles: true, cancelable: true })); });
  await ez.isAt(4);
  for (let press = 0; press < 3; press++) await ez.page.keyboard.press("F5");
  await ez.log.getByText("begun").waitFor();
  await ez.page.keyboard.down("F5");
  await ez.page.keyboard.down("F5");
  await ez.page.keyboard.up("F5");
  await ez.says("The program runs");
  await ez.page.keyboard.press("F6");
  await ez.page.keyboard.press("F6");
  await ez.says("Paused");
  await ez.variable("i").waitFor();
  assert.equal(await ez.printed(), "begun\n");
  assert.doesNotMatch(await ez.happened.textContent(), /Cannot/);
});

test("a key that is held down does not start the program that it has ended", async (ez) => {
  await ez.writeMain('    println("once")');
  await ez.debug(4);
  await ez.page.keyboard.down("F5");
  await ez.says("Continue lets it end");
  await ez.press("Continue");
  await ez.says("The program has ended");
  for (let time = 0; time < 3; time++) await ez.page.keyboard.down("F5");
  await ez.page.keyboard.up("F5");
  await ez.says("The program has ended");
  await ez.debug(4);
});

test("Pause does nothing where the program has stopped already", async (ez) => {
  await ez.writeMain("    temp i int = 0\n    i += 1\n    i += 1");
  await ez.debug(4);
  // Both arrive while the step is in progress, or after it.
  for (const line of [5, 6]) {
    await ez.page.keyboard.press("F10");
    await ez.page.keyboard.press("F6");
    await ez.isAt(line);
    assert.doesNotMatch(await ez.happened.textContent(), /Cannot/);
  }
});

/** Presses a key as fast as it can be pressed. */
const quickly = (ez, count, key, modifiers = {}) => ez.page.evaluate(([count, init]) => {
  for (let press = 0; press < count; press++) document.dispatchEvent(new KeyboardEvent("keydown", init));
}, [count, { key, ...modifiers, bubbles: true, cancelable: true }]);

const COUNTS = "    temp i int = 0\n    as_long_as i < 1000 {\n        i += 1\n    }";

test("each press of a key is a step, also from the past into the present", async (ez) => {
  await ez.writeMain(COUNTS);
  await ez.debug(4);
  await quickly(ez, 10, "F10");
  await ez.page.getByText("Step 11 of 11").waitFor();
  await quickly(ez, 5, "F11", { altKey: true });
  await ez.page.getByText("Step 6 of 11").waitFor();
  await quickly(ez, 12, "F10");
  await ez.page.getByText("Step 18 of 18").waitFor();
});

test("steps from the past stop at the end of the program, and do not let it end", async (ez) => {
  await ez.writeMain("    temp i int = 0\n    i += 1\n    println(i)");
  await ez.debug(4);
  await ez.press("Continue");
  await ez.says("Continue lets it end");
  await quickly(ez, 2, "F11", { altKey: true });
  await ez.page.getByText("Step 2 of 3").waitFor();
  await quickly(ez, 8, "F10");
  await ez.says("present");
  await ez.page.getByText("at the end").waitFor();
});

test("the slider reaches a present that is the end of the program, or an error", async (ez) => {
  for (const [last, shown] of [["println(i)", "Step 3 of 3, at the end"], ["println(1 / (i - 1))", "Step 3 of 3, at the error"]]) {
    await ez.writeMain(`    temp i int = 0\n    i += 1\n    ${last}`);
    await ez.debug(4);
    await ez.press("Continue");
    await ez.page.getByText(shown, { exact: true }).waitFor();
    const slider = ez.page.getByRole("slider", { name: "Time" });
    await slider.press("Home");
    await ez.page.getByText("Step 1 of 3", { exact: true }).waitFor();
    await slider.press("End");
    await ez.page.getByText(shown, { exact: true }).waitFor();
    await ez.says("present");
    await slider.press("ArrowLeft");
    await ez.page.getByText("Step 3 of 3", { exact: true }).waitFor();
    await ez.isAt(6);
    await slider.press("ArrowRight");
    await ez.page.getByText(shown, { exact: true }).waitFor();
    await ez.press("Stop");
    await ez.says("was stopped");
  }
});

/** Presses a key with Ctrl where the focus is, as keyboards do on which it has this letter; returns whether the page took it. */
const pressLetter = (ez, key, code) => ez.page.evaluate((init) => {
  let target = document.activeElement;
  while (target.shadowRoot?.activeElement) target = target.shadowRoot.activeElement;
  return !target.dispatchEvent(new KeyboardEvent("keydown", { ...init, ctrlKey: true, bubbles: true, composed: true, cancelable: true }));
}, { key, code });

test("keys with letters are the same with Caps Lock, and on keyboards of other scripts", async (ez) => {
  await ez.editor.click();
  for (const [key, code] of [["s", "KeyS"], ["S", "KeyS"], ["ы", "KeyS"], ["σ", "KeyS"], ["س", "KeyS"], ["s", "Semicolon"]]) {
    const saving = ez.page.waitForEvent("download");
    assert.ok(await pressLetter(ez, key, code), key);
    await saving;
  }
  for (const key of ["O", "щ"]) {
    const choosing = ez.page.waitForEvent("filechooser");
    assert.ok(await pressLetter(ez, key, "KeyO"), key);
    await choosing;
  }
  // On this keyboard, it is another letter.
  assert.equal(await pressLetter(ez, "o", "KeyS") && await pressLetter(ez, "k", "KeyS"), false);
  for (const key of ["D", "в"]) {
    await ez.write(WAITS);
    await ez.press("Run");
    await ez.says("waits for input");
    await ez.page.getByRole("textbox", { name: "Input" }).focus();
    assert.ok(await pressLetter(ez, key, "KeyD"), key);
    await ez.says("The program has ended");
  }
});

test("what is entered in a question is not lost by a key of the page, nor without asking", async (ez) => {
  await ez.page.evaluate(() => addEventListener("keydown", ({ key, defaultPrevented }) => { document.body.dataset[key] = String(defaultPrevented); }));
  const isAsked = () => ez.page.evaluate(() => !dispatchEvent(new Event("beforeunload", { cancelable: true })));
  await ez.page.getByRole("tab", { name: "Cases" }).click();
  await ez.press("Add a case …");
  assert.equal(await isAsked(), false);
  const output = ez.page.getByRole("dialog").getByLabel("What it has to print");
  await output.fill("typed for an hour");
  for (const key of ["F5", "F6"]) await ez.page.keyboard.press(key);
  // The browser would load the page anew, or leave the field.
  assert.deepEqual(await ez.page.evaluate(() => [document.body.dataset.F5, document.body.dataset.F6]), ["true", "true"]);
  assert.equal(await isAsked(), true);
  await ez.page.keyboard.press("Escape");
  await output.waitFor({ state: "detached" });
  assert.equal(await isAsked(), false);
  await ez.press("Add a case …");
  assert.equal(await output.inputValue(), "typed for an hour");
  assert.equal(await isAsked(), true);
  await ez.press("Keep it");
  await output.waitFor({ state: "detached" });
  assert.equal(await isAsked(), false);
});
