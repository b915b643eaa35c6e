// For everybody: on a small screen, with a keyboard, with a screen reader.
import { strict as assert } from "node:assert";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { root as folder } from "../browser.mjs";
import { test } from "../harness.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What an inspection of the page finds that keeps people from using it. */
async function findings(ez) {
  // Past the page's policy, which forbids scripts that are added.
  const client = await ez.page.context().newCDPSession(ez.page);
  await client.send("Runtime.evaluate", { expression: AXE });
  const { violations } = await ez.page.evaluate(() => axe.run());
  return violations.filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html, any }) => `${html.slice(0, 160)} (${any[0]?.message})`).join("\n")}`);
}

for (const colorScheme of ["light", "dark"]) {
  test(`nothing keeps people from using it (${colorScheme})`, async (ez) => {
    await ez.page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    assert.deepEqual(await findings(ez), []);
    await ez.press("Examples");
    assert.deepEqual(await findings(ez), []);
    await ez.page.getByRole("menuitem", { name: "shapes" }).click();
    await ez.page.locator(".cm-line", { hasText: "main" }).first().waitFor();
    await ez.page.keyboard.press("F5");
    await ez.page.locator("#calls button").first().waitFor();
    for (let step = 0; step < 6; step++) await ez.press("Step into");
    await ez.page.getByRole("textbox", { name: "New watch" }).fill("1 + 1");
    await ez.page.keyboard.press("Enter");
    await ez.page.getByRole("tree", { name: "Watches" }).getByText("1 + 1").waitFor();
    assert.deepEqual(await findings(ez), []);
    await ez.page.getByRole("tab", { name: "Picture" }).click();
    await ez.page.locator(".frame").first().waitFor();
    await ez.page.getByRole("tab", { name: "Console" }).click();
    assert.deepEqual(await findings(ez), []);
    await ez.press("Stop");
    await ez.writeMain('    temp n int = "five"\n    temp unused int = 1');
    await ez.run();
    await ez.page.getByRole("tab", { name: /Problems/ }).click();
    assert.deepEqual(await findings(ez), []);
    await ez.press("Share");
    assert.deepEqual(await findings(ez), []);
    await ez.press("Close");
    await ez.press("Examples");
    await ez.page.getByRole("menuitem", { name: "primes" }).click();
    await ez.press("Earlier texts");
    await ez.page.getByRole("dialog").getByRole("button", { name: /^shapes.ez/ }).waitFor();
    assert.deepEqual(await findings(ez), []);
  });
}

test("everything can be done with the keyboard", async (ez) => {
  const { keyboard } = ez.page;
  const focused = () => ez.page.evaluate(() => document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent);
  /** Goes on by the tab key until an element is reached. */
  const reach = async (name) => {
    for (let press = 0; press < 80; press++) {
      if ((await focused()) === name) return;
      await keyboard.press("Tab");
    }
    assert.fail(`${name} cannot be reached`);
  };
  await reach("Examples");
  await keyboard.press("Enter");
  await ez.page.getByRole("menu").waitFor();
  for (let press = 0; press < 3; press++) await keyboard.press("ArrowDown");
  await keyboard.press("Escape");
  assert.equal(await focused(), "Examples");
  await reach("Debug");
  await keyboard.press("Enter");
  await ez.isAt(6);
  await reach("Step over");
  await keyboard.press("Enter");
  await ez.isAt(7);
  // The focus stays where it was.
  assert.equal(await focused(), "Step over");
  await keyboard.press("F10");
  await ez.isAt(8);
  for (let press = 0; press < 80 && !(await ez.page.evaluate(() => document.activeElement.matches("#variables .row"))); press++) {
    await keyboard.press("Tab");
    // The editor keeps the tab key for the text, until Escape was pressed.
    if (await ez.page.evaluate(() => document.activeElement.id === "editor")) await keyboard.press("Escape");
  }
  await keyboard.press("ArrowDown");
  await keyboard.press("Enter");
  await ez.page.getByRole("menuitem").first().waitFor();
  await keyboard.press("Escape");
  await keyboard.press("Shift+F5");
  await ez.says("was stopped");
});

test("how the editor is left, and all other keys, are said", async (ez) => {
  const { keyboard } = ez.page;
  const isInEditor = () => ez.page.evaluate(() => document.activeElement.id === "editor");
  await ez.editor.click();
  for (const [keys, isLeft] of [[["Tab"], false], [["Escape", "Tab"], true], [["Control+m", "Tab"], true], [["Control+m", "Tab"], false]]) {
    await ez.editor.focus();
    for (const key of keys) await keyboard.press(key);
    assert.equal(await isInEditor(), !isLeft, keys.join());
  }
  const client = await ez.page.context().newCDPSession(ez.page);
  const { root } = await client.send("DOM.getDocument");
  const { nodes } = await client.send("Accessibility.queryAXTree", { nodeId: root.nodeId, accessibleName: "Program", role: "textbox" });
  assert.deepEqual(nodes.map(({ description }) => description.value), ["Escape, then Tab leaves the editor."]);
  await ez.page.setViewportSize({ width: 375, height: 330 });
  await ez.press("Keys");
  // It is read from its beginning.
  assert.equal(await ez.page.locator("dialog").evaluate((dialog) => dialog.scrollHeight > dialog.clientHeight && dialog.scrollTop), 0);
  const rows = await ez.page.locator("dialog tr").evaluateAll((all) => all.map(({ cells }) => [...cells].map(({ textContent }) => textContent)));
  const documented = /\n## Keys\n.*?\n\|---\|---\|\n(.*?)\n\n/s.exec(readFileSync(join(folder, "docs/web.md"), "utf8"))[1];
  assert.equal(rows.map((row) => `| ${row.join(" | ")} |`).join("\n"), documented);
  // Each button is there with its key.
  for (const title of await ez.page.locator("#actions button:visible").evaluateAll((all) => all.map(({ title }) => title))) {
    const [, name, key] = /^(.+) \((.+)\)$/.exec(title);
    assert.ok(rows.some((row) => row[0] === key && row[1].split("; ").includes(name)), title);
  }
  assert.deepEqual(await findings(ez), []);
});

test("buttons and panes have the names that are promised", async (ez) => {
  for (const name of ["Run", "Debug", "Step into", "Step over", "Step out", "Continue", "Back", "Reverse", "Pause", "Restart", "Stop"]) {
    await ez.button(name).waitFor();
    assert.match(await ez.button(name).getAttribute("title"), /\(.+\)/);
  }
  await ez.log.waitFor();
  await ez.page.getByRole("textbox", { name: "Input", exact: true }).waitFor();
});

test("on paper, the whole program and its output are there", async (ez) => {
  /** How many sheets there are. */
  const sheets = async () => (await ez.page.pdf({ format: "A4" })).toString("latin1").match(/\/Type \/Page\b/g).length;
  await ez.writeMain('    println("short")');
  assert.equal(await sheets(), 1);
  await ez.page.getByRole("tab", { name: "Problems" }).click();
  for (const width of [1280, 375]) {
    await ez.page.setViewportSize({ width, height: 667 });
    // Some of the lines are longer than a sheet is wide.
    await ez.write(["do main() {", ...Array.from({ length: 400 }, (_, at) => `    // line ${at} ${"long ".repeat(at % 50)}`), "}"].join("\n"));
    const count = await sheets();
    assert.ok(count > 8 && count < 20, `${count} sheets`);
  }
  await ez.page.setViewportSize({ width: 1280, height: 800 });
  await ez.writeMain("    for i in range(0, 400) { println(i) }");
  await ez.run();
  const count = await sheets();
  assert.ok(count > 5 && count < 20, `${count} sheets`);
});

test("letters are as large as the browser is set to, and nothing is cut off", async (ez) => {
  // As with this size in the settings of the browser.
  await ez.page.evaluate(() => { document.documentElement.style.fontSize = "24px"; });
  assert.equal(await ez.happened.evaluate((element) => getComputedStyle(element).fontSize), "22.5px");
  await ez.writeMain("    temp numbers [int] = {1, 2, 3}\n    println(numbers[7])");
  await ez.debug(4);
  await ez.page.keyboard.press("F5");
  await ez.says("index out of bounds");
  for (const [width, height] of [[1280, 800], [1024, 768], [375, 667], [320, 256]]) {
    await ez.page.setViewportSize({ width, height });
    const cut = await ez.page.evaluate(() => [...document.querySelectorAll("header, .toolbar, #happened, #regions, #editor, button")]
      .filter((one) => one.checkVisibility() && (one.scrollHeight > one.clientHeight + 1 || one.getBoundingClientRect().right > innerWidth + 1) && !one.closest("#files, .tabs, #menus"))
      .map((one) => one.id || one.className || one.textContent));
    assert.deepEqual(cut, [], `${width} × ${height}`);
    assert.ok(await ez.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  }
});

test("in a low window the page scrolls, and shows enough lines", async (ez) => {
  await ez.press("Examples");
  await ez.page.getByRole("menuitem", { name: "shapes" }).click();
  await ez.notice.waitFor();
  const isScrolling = () => ez.page.evaluate(() => document.documentElement.scrollHeight > innerHeight);
  const heightOf = (selector) => ez.page.locator(selector).evaluate((element) => element.clientHeight);
  for (const [width, height] of [[1280, 800], [1366, 625], [375, 667]]) {
    await ez.page.setViewportSize({ width, height });
    assert.equal(await isScrolling(), false, `${width} × ${height}`);
  }
  const show = async (region) => {
    const button = ez.page.locator("#regions button", { hasText: region });
    if (await button.isVisible()) await button.click();
  };
  for (const [width, height] of [[683, 325], [700, 400], [640, 360], [375, 330], [320, 256]]) {
    await ez.page.setViewportSize({ width, height });
    await show("Program");
    assert.ok(await heightOf("#editor") > 210, `${width} × ${height}: ${await heightOf("#editor")}`);
    // Where the program stops is in the window.
    await ez.page.keyboard.press("F5");
    await ez.page.locator(".execution").waitFor();
    for (let step = 0; step < 8; step++) await ez.page.keyboard.press("F10");
    await ez.page.locator(".execution", { hasText: "shape.name" }).waitFor();
    await ez.page.waitForFunction(() => {
      const { top, bottom } = document.querySelector("#editor").shadowRoot.querySelector(".execution").getBoundingClientRect();
      return top >= 0 && bottom <= innerHeight;
    });
    await show("Output");
    assert.ok(await heightOf("#output") > 50, `${width} × ${height}: ${await heightOf("#output")}`);
    const input = ez.page.getByRole("textbox", { name: "Input", exact: true });
    await input.evaluate((element) => element.scrollIntoView());
    const box = await input.boundingBox();
    assert.ok(box.y >= 0 && box.y + box.height <= height);
    await ez.page.keyboard.press("Shift+F5");
    await ez.says("was stopped");
  }
});

for (const [width, height] of [[375, 667], [820, 1180], [1280, 800]]) {
  test(`nothing is cut off at a width of ${width}`, async (ez) => {
    await ez.page.setViewportSize({ width, height });
    await ez.writeMain("    temp a_rather_long_name_of_a_variable [int] = {1, 2, 3}\n    println(a_rather_long_name_of_a_variable, a_rather_long_name_of_a_variable)");
    await ez.press("Debug");
    await ez.page.locator("#calls button").first().waitFor({ state: "attached" });
    await ez.press("Step over");
    for (const region of width < 700 ? ["Program", "State", "Output"] : [""]) {
      if (region) await ez.page.locator("#regions button", { hasText: region }).click();
      const { scroll, inner, outside } = await ez.page.evaluate(() => ({
        scroll: document.documentElement.scrollWidth,
        inner: innerWidth,
        outside: [...document.querySelectorAll("button, input")].filter((element) => {
          const { right, width } = element.getBoundingClientRect();
          return width > 0 && right > innerWidth + 1 && !element.closest("#files, .tabs, #menus");
        }).map((element) => element.outerHTML.slice(0, 80)),
      }));
      assert.ok(scroll <= inner, `${scroll} > ${inner}`);
      assert.deepEqual(outside, []);
    }
  });
}
