// The cases of a program: what it reads, and what it has to print then.
import { strict as assert } from "node:assert";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { begin, dialog, fill, focused, fragmentOf, more, programOf, RIGHT, row, runAll, tab, WRONG } from "../case-list.mjs";
import { serveInstead, test } from "../harness.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

test("cases are run, and the first difference leads to the statement that has printed it", async (ez) => {
  await begin(ez, WRONG, ["two", "2\n", "4"], ["ten", "10\n", "20\n"]);
  await runAll(ez, "1 of 2 cases passed.");
  await tab(ez).filter({ hasText: "Cases (1 of 2)" }).waitFor();
  await row(ez, "two").getByText("passed", { exact: true }).waitFor();
  const wrong = row(ez, "ten");
  await wrong.getByText("In line 1 of the output, column 1, “2” is expected, and “1” was printed.").waitFor();
  assert.deepEqual(await wrong.locator(".told mark").allTextContents(), ["2", "1"]);
  assert.deepEqual(await wrong.locator(".told pre").allTextContents(), ["20", "12"]);
  await wrong.getByRole("button", { name: /^Show where/ }).click();
  await ez.isAt(6);
  await ez.notice.getByText("This statement prints it.").waitFor();
  await ez.hasValue("twice", "12");
  // What is expected stays in sight, and what has the wrong value can be followed.
  assert.ok(await wrong.isVisible());
  await ez.press("Back");
  await ez.isAt(5);
});

test("the cause of a difference is told, and its lines lead to the statements", async (ez) => {
  await begin(ez, "    temp marks [int] = {7, 8}\n    temp average float = float(15 / len(marks))\n    println(\"average ${average}\")", ["1", "", "average 7.5"], ["2", "", "average 7.0"]);
  await runAll(ez, "1 of 2 cases passed.");
  const cause = row(ez, "1").locator(".cause button");
  await cause.nth(2).waitFor();
  assert.deepEqual(await cause.allTextContents(), [
    'printed in 6: println("average ${average}")', "average = 7.0  ⟵ 5: temp average float = float(15 / len(marks)) → float(15 / 2)", "marks = {7, 8}  ⟵ 4: temp marks [int] = {7, 8}",
  ]);
  await cause.nth(1).click();
  await ez.page.keyboard.type("x");
  await ez.page.locator(".cm-line", { hasText: "xtemp average" }).waitFor();
  // Lines of an earlier text lead nowhere.
  assert.ok(await cause.nth(1).isDisabled());
  await ez.page.keyboard.press("Backspace");
  assert.ok(await cause.nth(1).isEnabled());
  assert.equal(await row(ez, "2").locator(".cause button").count(), 0);
  // What is random, or of an earlier text, is not explained.
  await ez.write((await ez.page.locator(".cm-line").allTextContents()).join("\n").replace("len(marks)", "2.0"));
  await runAll(ez, "1 of 2 cases passed.");
  await row(ez, "2").locator(".cause button").first().waitFor();
  assert.equal(await row(ez, "1").locator(".cause button").count(), 0);
});

test("a cause is found behind much output, and a run that is stopped changes nothing that was known", async (ez) => {
  const [count, ones] = [3000, "1\n".repeat(3000)];
  const body = `    for i in range(0, ${count}) { println(1) }\n    temp last int = cast(input(), int)\n    println(last)\n    as_long_as last == 4 { }`;
  await begin(ez, body, ["1", "3", `${ones}2`], ["2", "3", `${ones}3`], ["3", "4", `${ones}4`]);
  await runAll(ez, "1 of 3 cases passed.");
  await row(ez, "1").locator(".cause button", { hasText: "last = 3" }).waitFor();
  await ez.press("Run all");
  // The last one runs on.
  await ez.press("Stop the cases");
  await ez.button("Run all").waitFor();
  await row(ez, "2").getByText("passed", { exact: true }).waitFor();
});

test("an error leads to its statement, and where no cause is known, that is said", async (ez) => {
  const change = async (/** @type {string | RegExp} */ from, /** @type {string} */ to) =>
    ez.write((await ez.page.locator(".cm-line").allTextContents()).join("\n").replace(from, to));
  await begin(ez, "    temp n int = random.int(1000000, 9999999)\n    println(n)\n    temp a [int] = {1}\n    println(a[5])", ["1", "", "x"]);
  await change("@std", "@std\nimport @random\nimport @time");
  await runAll(ez, "0 of 1 case");
  // It draws the same numbers again.
  await row(ez, "1").getByRole("button", { name: /n = [1-9][0-9]{6}/ }).waitFor();
  await change(/random.int.*/, "time.now_ns()");
  await runAll(ez, "0 of 1 case");
  await row(ez, "1").getByText("The cause is not known: this time the program has printed something else.").waitFor();
  await change("println(n)", 'println("x")');
  await runAll(ez, "0 of 1 case");
  await row(ez, "1").getByRole("button", { name: /^Line 9: index out of bounds/ }).click();
  await ez.page.keyboard.type("x");
  await ez.page.locator(".cm-line", { hasText: "ax[5]" }).waitFor();
});

test("too little, too much and what cannot be seen are told", async (ez) => {
  await begin(ez, '    println("a b")', ["more", "", "a b\nc"], ["less", "", "a"], ["unseen", "", "a\u00a0b"], ["tab", "", "a\tb"], ["blanks", "", "a b  \n\n"]);
  await runAll(ez, "1 of 5 cases passed.");
  for (const [name, text] of [
    ["more", "In line 2 of the output, column 1, “c” is expected, and nothing more was printed."],
    ["less", "In line 1 of the output, column 2, nothing more is expected, and a space was printed."],
    ["unseen", "a no-break space is expected, and a space was printed."],
    ["tab", "a tab is expected, and a space was printed."],
  ]) await row(ez, name).getByText(text).waitFor();
  assert.deepEqual(await row(ez, "unseen").locator("mark").allTextContents(), ["⍽", "·"]);
  // Where nothing more came, the end is shown.
  await row(ez, "more").getByRole("button", { name: /^Show where/ }).click();
  await ez.notice.getByText("“c” is expected, and nothing more was printed.").waitFor();
});

test("a case is made of what the last run has read and printed, after a look", async (ez) => {
  await begin(ez, '    print("Number? ")\n' + RIGHT);
  await ez.press("Add the last run …");
  await ez.notice.getByText("was not run yet").waitFor();
  await ez.page.keyboard.press("Control+Enter");
  await ez.says("waits for input");
  await ez.enter("21");
  await ez.log.locator(".ending").waitFor();
  await tab(ez).click();
  await ez.press("Add the last run …");
  assert.equal(await dialog(ez).getByLabel("What the program reads").inputValue(), "21\n");
  assert.equal(await dialog(ez).getByLabel("What it has to print").inputValue(), "Number? 42\n");
  await fill(ez, { Name: "half" });
  await ez.press("Keep it");
  await runAll(ez, "1 of 1 case passed.");
  // A carriage return is kept, although a field has none.
  await ez.writeMain('    print("a\\rb")');
  await ez.run();
  await tab(ez).click();
  await ez.press("Add the last run …");
  await fill(ez, { Name: "return" });
  await ez.press("Keep it");
  await runAll(ez, "1 of 2 cases passed.");
  // What an evaluation prints is not printed by the program.
  await ez.writeMain('    println("one")\n    println("two")');
  await ez.debug(4);
  await ez.page.getByRole("tab", { name: "Console" }).click();
  const evaluate = ez.page.getByRole("combobox", { name: "Evaluate" });
  await evaluate.fill('println("mine")');
  await evaluate.press("Enter");
  await ez.page.locator(".console-log", { hasText: "mine" }).waitFor();
  await ez.page.keyboard.press("F5");
  await ez.atEnd();
  await tab(ez).click();
  await ez.press("Add the last run …");
  assert.equal(await dialog(ez).getByLabel("What it has to print").inputValue(), "one\ntwo\n");
});

test("a case that prints, waits or grows for ever ends, and the others are run", async (ez) => {
  await begin(ez, '    temp line string = input()\n    if line == "print" { loop { println("x") } }\n    if line == "blank" { loop { println("") } }\n    if line == "wait" { temp again string = input() }\n    if line == "loop" { loop { temp _ = 1 } }\n    if line == "grow" { temp all string = line\n        loop { all = all + all } }\n    println("end")',
    ["1", "print\n", "x"], ["2", "blank\n", ""], ["3", "wait\n", "End"], ["4", "loop\n", "end"], ["5", "grow\n", "end"], ["6", "fine\n", "end"]);
  await runAll(ez, "of 6 cases passed.");
  const told = await ez.page.locator("#cases .case").evaluateAll((all) => all.map((one) => one.querySelector(".told").textContent));
  assert.match(told[0], /line 2 of the output, column 1, nothing more is expected/);
  assert.match(told[1], /prints more and more/);
  // Behind the end of the input nothing is waited for.
  assert.match(told[2], /“E” is expected, and “e” was printed/);
  assert.match(told[3], /has not ended after 5 seconds/);
  assert.match(told[4], /memory|5 seconds/);
  assert.equal(told[5], "");
  // It can be ended at once.
  await ez.press("Run all");
  await row(ez, "4").getByText("runs", { exact: true }).waitFor({ timeout: 30_000 });
  await ez.press("Stop the cases");
  await ez.button("Run all").waitFor();
  await ez.press("Run");
  await ez.says("waits for input");
  await ez.press("Stop");
  await ez.says("was stopped");
});

test("each run of a case is as the first one: files, and what is read, are its own", async (ez) => {
  await begin(ez, '    println(io.exists("kept.txt"))\n    temp _, _ = io.write_file("kept.txt", "x")', ["1", "", "false"], ["2", "", "false"]);
  await ez.write((await ez.page.locator(".cm-line").allTextContents()).join("\n").replace("@std", "@std\nimport @io"));
  await runAll(ez, "2 of 2 cases passed.");
});

test("nothing that was entered is lost: Escape, a removal, a reload, another program, a file of the disk", async (ez) => {
  await begin(ez, RIGHT, ["a", "1\n", "2"], ["b", "2\n", "4"]);
  await ez.press("Add a case …");
  await fill(ez, { Name: "c", "What the program reads": "3\n" });
  await ez.page.keyboard.press("Escape");
  assert.equal(await focused(ez), "Add a case …");
  await ez.press("Add a case …");
  assert.equal(await dialog(ez).getByLabel("What the program reads").inputValue(), "3\n");
  // Cancel gives it up.
  await ez.press("Cancel");
  await ez.press("Add a case …");
  assert.equal(await dialog(ez).getByLabel("What the program reads").inputValue(), "");
  await fill(ez, { Name: "a" });
  await ez.press("Keep it");
  await dialog(ez).getByText("There are two cases a.").waitFor();
  await fill(ez, { Name: "../a" });
  await ez.press("Keep it");
  await dialog(ez).getByText("cannot be the name of a case").waitFor();
  await ez.press("Cancel");
  await more(ez, "a", "Change …");
  await fill(ez, { "What it has to print": "two" });
  await ez.press("Keep it");
  await more(ez, "b", "Remove");
  await row(ez, "b").waitFor({ state: "detached" });
  await ez.press("Undo");
  await row(ez, "b").waitFor();
  await ez.page.evaluate(() => dispatchEvent(new Event("pagehide")));
  await ez.page.reload();
  await tab(ez).click();
  await row(ez, "a").getByText("two").waitFor();
  // Another program has others; what was there comes back.
  await ez.press("Examples");
  await ez.page.getByRole("menuitem", { name: "fizzbuzz" }).click();
  await row(ez, "a").waitFor({ state: "detached" });
  // What was entered for one program is not asked of another one.
  await ez.press("Add a case …");
  await fill(ez, { "What the program reads": "of fizzbuzz" });
  await ez.page.keyboard.press("Escape");
  await ez.press("New file");
  await ez.press("Add");
  await ez.press("More about file2.ez");
  await ez.page.getByRole("menuitem", { name: "Make it the program that is run" }).click();
  await ez.press("Add a case …");
  assert.equal(await dialog(ez).getByLabel("What the program reads").inputValue(), "");
  await ez.press("Cancel");
  await ez.press("Earlier texts");
  await ez.page.getByRole("dialog").getByRole("button", { name: /^hello.ez.*, 2 cases/ }).click();
  await row(ez, "b").waitFor();
  // The text of the disk comes in place of this one; the cases stay.
  const choosing = ez.page.waitForEvent("filechooser");
  await ez.press("Open");
  await (await choosing).setFiles({ name: "hello.ez", mimeType: "text/plain", buffer: Buffer.from("do main() {\n}\n") });
  await ez.notice.getByText("hello.ez has the text of the disk now.").waitFor();
  await row(ez, "b").waitFor();
  await ez.press("Undo");
  await ez.page.locator(".cm-line", { hasText: "n * 2" }).waitFor();
  await row(ez, "b").waitFor();
});

test("cases belong to the file they were made for, and go along when it has another name", async (ez) => {
  await begin(ez, RIGHT, ["a", "1\n", "2"]);
  await ez.press("New file");
  await ez.press("Add");
  await ez.press("More about file2.ez");
  await ez.page.getByRole("menuitem", { name: "Make it the program that is run" }).click();
  await row(ez, "a").waitFor({ state: "detached" });
  await ez.press("hello.ez");
  await ez.press("More about hello.ez");
  await ez.page.getByRole("menuitem", { name: "Rename" }).click();
  await dialog(ez).getByLabel("Name").fill("double.ez");
  await ez.press("Rename");
  await ez.press("More about double.ez");
  await ez.page.getByRole("menuitem", { name: "Make it the program that is run" }).click();
  await row(ez, "a").waitFor();
  await runAll(ez, "1 of 1 case passed.");
});

test("cases are opened from the disk and saved to it", async (ez) => {
  await begin(ez, RIGHT, ["2", "2\n", "5"]);
  const file = (name, text) => ({ name, mimeType: "text/plain", buffer: Buffer.from(text) });
  const open = async (...files) => {
    const choosing = ez.page.waitForEvent("filechooser");
    await ez.press("Open");
    await (await choosing).setFiles(files);
  };
  await open(file("10.in", "10\r\n"), file("10.ans", "20\r\n"), file("2.out", "4\n"), file("1.out", "0\n"), file("3.in", "3\n"), file("1.args", "x"));
  await ez.notice.getByText("3.in is not used without 3.out").waitFor();
  assert.match(await ez.notice.textContent(), /1\.args is not used/);
  assert.deepEqual(await ez.page.locator("#cases .name").allTextContents(), ["1", "2", "10"]);
  await runAll(ez, "3 of 3 cases passed.");
  await ez.press("Close the message");
  await ez.press("Undo");
  assert.deepEqual(await ez.page.locator("#cases .name").allTextContents(), ["2"]);
  const saved = {};
  ez.page.on("download", async (download) => { saved[download.suggestedFilename()] = readFileSync(await download.path(), "utf8"); });
  await more(ez, "2", /^Save/);
  for (const name of ["2.in", "2.out"]) while (!(name in saved)) await ez.page.waitForTimeout(20);
  assert.deepEqual(saved, { "2.in": "2\n", "2.out": "5" });
});

test("what is known of a case is of the program that was run", async (ez) => {
  await begin(ez, RIGHT, ["a", "1\n", "2"], ["b", "2\n", "4"]);
  await runAll(ez, "2 of 2 cases passed.");
  await ez.editor.click();
  await ez.page.keyboard.type("x");
  await row(ez, "a").getByText("passed, before the program was changed").waitFor();
  await tab(ez).filter({ hasText: /^Cases \(2\)$/ }).waitFor();
  await ez.page.keyboard.press("Backspace");
  await row(ez, "a").getByText("passed", { exact: true }).waitFor();
  // One that is changed is another one.
  await more(ez, "b", "Change …");
  await fill(ez, { "What it has to print": "5" });
  await ez.press("Keep it");
  await row(ez, "b").getByText("not run yet").waitFor();
  await row(ez, "a").getByText("passed", { exact: true }).waitFor();
  // While the cases are run, the program is changed, and another one opened.
  await ez.writeMain("    loop { temp _ = 1 }");
  await ez.press("Run all");
  await ez.editor.click();
  await ez.page.keyboard.type(" ");
  await row(ez, "a").getByText("not passed, before the program was changed").waitFor();
  await ez.press("Examples");
  await ez.page.getByRole("menuitem", { name: "fizzbuzz" }).click();
  await ez.button("Run all").waitFor();
  await ez.press("Run all");
  await ez.notice.getByText("There are no cases yet").waitFor();
});

test("on the way to the difference nothing else stops the program; there breakpoints are set again", async (ez) => {
  await begin(ez, '    for i in range(0, 3000) {\n        println(i)\n    }', ["a", "", Array.from({ length: 3000 }, (_, at) => (at === 2500 ? "x" : at)).join("\n")]);
  await ez.clickGutter(5);
  await runAll(ez, "0 of 1 case passed.");
  await row(ez, "a").getByText("In line 2,501 of the output, column 1").waitFor();
  for (let round = 0; round < 2; round++) {
    if (round) await ez.press("Restart");
    else await row(ez, "a").getByRole("button", { name: /^Show where/ }).click();
    await ez.notice.getByText("This statement prints it.").waitFor();
    await ez.hasValue("i", "2500");
  }
  await ez.press("Reverse");
  await ez.says("Breakpoint 1");
  await ez.hasValue("i", "2499");
  // Observed or not, the cases say the same, also while the program is stopped.
  await runAll(ez, "0 of 1 case passed.");
  await ez.hasValue("i", "2499");
  await ez.press("Stop");
  await ez.says("was stopped");
  // The next run is one without a case.
  await ez.debug(5);
  assert.equal(await ez.notice.isVisible(), false);
});

test("what happens at random on the way to a difference is told", async (ez) => {
  await begin(ez, '    println(io.exists("no"))', ["a", "", "true"]);
  await ez.write((await ez.page.locator(".cm-line").allTextContents()).join("\n").replace("@std", "@std\nimport @io"));
  await runAll(ez, "0 of 1 case passed.");
  const button = row(ez, "a").getByRole("button", { name: /^Show where/ });
  await ez.writeMain('    println("true")');
  await button.click();
  await ez.notice.getByText("This time it has printed what is expected.").waitFor();
  await ez.press("Stop");
  await ez.writeMain("    temp all [int] = {}\n    println(all[3])");
  await button.click();
  await ez.says("index out of bounds");
  await ez.press("Stop");
  await ez.write("do main( {");
  await button.click();
  await ez.says("has errors and was not started");
});

test("as many cases as there can be are run, the last as fast as the first", async (_, profile) => {
  const cases = Array.from({ length: 200 }, (_, at) => ({ name: String(at + 1), input: `${at}\n`, output: String(at * 2) }));
  const ez = await profile.open(fragmentOf({ files: [{ name: "main.ez", text: programOf(RIGHT), cases }], main: "main.ez" }));
  await tab(ez).click();
  const times = [];
  for (let round = 0; round < 3; round++) {
    const began = Date.now();
    await runAll(ez, "200 of 200 cases passed.");
    times.push(Date.now() - began);
    await ez.editor.click();
    await ez.page.keyboard.type(" ");
  }
  console.log(`        200 cases in ${times.join(", ")} ms`);
  assert.ok(times[2] < 3 * times[0] + 2000, times.join());
  await ez.press("Add a case …");
  await ez.press("Keep it");
  await dialog(ez).getByText("There can be 200 cases at most.").waitFor();
});

test("a case that is too long for the engine is said to be so", async (ez) => {
  // In a message of the protocol it takes six times as much.
  await begin(ez, RIGHT);
  const choosing = ez.page.waitForEvent("filechooser");
  await ez.press("Open");
  await (await choosing).setFiles({ name: "long.out", mimeType: "text/plain", buffer: Buffer.alloc(2_000_000, 1) });
  await runAll(ez, "0 of 1 case passed.");
  await row(ez, "long").getByText("What the program prints could not be compared.").waitFor();
});

test("cases are run while a program runs, and twice is once", async (ez) => {
  await begin(ez, RIGHT, ["a", "1\n", "2"]);
  await ez.press("Run");
  await ez.says("waits for input");
  await tab(ez).click();
  await ez.page.evaluate(() => { const button = document.querySelector("#cases button"); for (let press = 0; press < 11; press++) button.click(); });
  await ez.page.locator("#cases [role=status]", { hasText: "1 of 1 case passed." }).waitFor();
  await ez.page.getByRole("tab", { name: "Output" }).click();
  await ez.enter("4");
  await ez.log.getByText("8").waitFor();
  await tab(ez).click();
  await ez.press("Add the last run …");
  assert.equal(await dialog(ez).getByLabel("What it has to print").inputValue(), "8\n");
});

for (const colorScheme of ["light", "dark"]) {
  test(`cases keep nobody from using them (${colorScheme})`, async (ez) => {
    await ez.page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    const client = await ez.page.context().newCDPSession(ez.page);
    await client.send("Runtime.evaluate", { expression: AXE });
    const check = async () => {
      const { violations } = await ez.page.evaluate(() => axe.run());
      assert.deepEqual(violations.filter(({ impact }) => impact === "serious" || impact === "critical").map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join("\n")}`), []);
    };
    await begin(ez, WRONG, ["two", "2\n", "4"], ["ten", "10\n", "20\n"], ["long", Array.from({ length: 9 }, () => "x").join("\n"), "1"]);
    await check();
    await runAll(ez, "1 of 3 cases passed.");
    await ez.press("Exercise …");
    await check();
    await fill(ez, { "What the program has to do": "Double the number.\n".repeat(50) });
    await ez.press("Keep it");
    await check();
    await ez.editor.click();
    await ez.page.keyboard.type("x");
    await row(ez, "ten").getByText("not passed, before").waitFor();
    await check();
    // On a small screen, with large letters, and zoomed.
    for (const [width, height, letters] of [[375, 667, 16], [1024, 768, 24], [640, 400, 16], [375, 667, 24]]) {
      await ez.page.setViewportSize({ width, height });
      await ez.page.evaluate((size) => { document.documentElement.style.fontSize = `${size}px`; }, letters);
      const region = ez.page.locator("#regions button", { hasText: "Output" });
      if (await region.isVisible()) await region.click();
      const outside = await ez.page.evaluate(() => [...document.querySelectorAll("#cases *")].filter((one) => one.checkVisibility() && one.getBoundingClientRect().right > innerWidth + 1).map((one) => one.outerHTML.slice(0, 80)));
      assert.deepEqual(outside, [], `${width} × ${height}`);
      assert.ok(await ez.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
      if (await region.isVisible()) await ez.page.locator("#regions button", { hasText: "Program" }).click();
      // Beside the exercise there is room for the program.
      assert.ok(await ez.page.locator("#editor").evaluate((element) => element.clientHeight) > 80);
    }
  });
}

test("everything about cases can be done with the keyboard", async (ez) => {
  const { keyboard } = ez.page;
  const reach = async (name) => {
    for (let press = 0; press < 60; press++) {
      if ((await focused(ez)).startsWith(name)) return;
      await keyboard.press("Tab");
    }
    assert.fail(`${name} cannot be reached`);
  };
  await ez.writeMain(WRONG);
  await ez.page.getByRole("tab", { name: "Output" }).focus();
  await keyboard.press("ArrowLeft");
  await keyboard.press("Tab");
  assert.equal(await focused(ez), "Run all");
  await reach("Add a case …");
  await keyboard.press("Enter");
  // The name is chosen already: only the texts are written.
  assert.equal(await ez.page.evaluate(() => document.activeElement.value), "1");
  await keyboard.press("Tab");
  await keyboard.type("10\n");
  await keyboard.press("Tab");
  await keyboard.type("20");
  // Keys of the page do nothing here.
  await keyboard.press("F5");
  assert.ok(await dialog(ez).isVisible());
  await reach("Keep it");
  await keyboard.press("Enter");
  assert.equal(await focused(ez), "Add a case …");
  await keyboard.press("Shift+Tab");
  await keyboard.press("Enter");
  await ez.page.locator("#cases [role=status]", { hasText: "0 of 1 case passed." }).waitFor();
  assert.equal(await focused(ez), "Run all");
  await reach("Show where");
  await keyboard.press("Enter");
  await ez.notice.getByText("This statement prints it.").waitFor();
  assert.match(await focused(ez), /^Show where/);
  await keyboard.press("Alt+F11");
  await ez.isAt(5);
  await keyboard.press("Shift+F5");
  await ez.says("was stopped");
  await keyboard.press("Shift+Tab");
  await reach("More about case 1");
  await keyboard.press("Enter");
  await keyboard.press("Escape");
  assert.equal(await focused(ez), "More about case 1");
  await keyboard.press("Enter");
  await keyboard.press("ArrowDown");
  await keyboard.press("Enter");
  await row(ez, "1").waitFor({ state: "detached" });
  // The focus stays in the pane.
  assert.ok(await ez.page.evaluate(() => document.querySelector("#cases").contains(document.activeElement)));
});

for (const [what, options] of [["a service worker", {}], ["nothing", { serviceWorkers: "block" }]]) {
  test(`without suspension, with ${what}, there are cases, too`, async (_, known) => {
    serveInstead(known.server, { "/worker.js": `delete WebAssembly.Suspending;\n${readFileSync(join(known.server.folder, "worker.js"), "utf8")}` });
    const profile = known.other();
    await profile.prepare(options);
    const ez = await profile.open();
    await begin(ez, WRONG, ["two", "2\n", "4"], ["ten", "10\n", "20\n"]);
    await runAll(ez, "1 of 2 cases passed.");
    await row(ez, "ten").getByText("“2” is expected, and “1” was printed").waitFor();
    // What keeps no history knows no cause.
    if (!options.serviceWorkers) await row(ez, "ten").locator(".cause button", { hasText: "println" }).waitFor();
    await row(ez, "ten").getByRole("button", { name: /^Show where/ }).click();
    await ez.page.locator("#notice", { hasText: options.serviceWorkers ? "can run programs, but not debug them" : "This statement prints it." }).waitFor();
    profile.check();
    await profile.close();
  });
}
