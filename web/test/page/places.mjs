// Every place where a program can stop: what can be asked and done there does what it does elsewhere, or says why not.
import { strict as assert } from "node:assert";
import { test } from "../harness.mjs";

const PROGRAM = `import @std
using std
const start int = 3
do made(n int) -> int {
    return n * 2
}
do sum(a int, b int = made(4)) -> int {
    ensure println("left")
    temp c int = a + b
    return c
}
do main() {
    temp list [int] = {1, 2, 3}
    temp total int = 0
    for i in range(0, 2) {
        total += sum(list[i])
    }
    if total > 100 {
        println("large")
    }
    when total {
        is 1 { println("one") }
        default { println("other") }
    }
    println(list[total])
}
`;

/** Asks everything that can be asked at a stop. */
async function askAll(ez, place) {
  const { page } = ez;
  await page.locator("#calls button").first().waitFor();
  await page.getByRole("tab", { name: "Console" }).click();
  const console = page.getByRole("combobox", { name: "Evaluate" });
  const results = page.getByRole("log", { name: "Results" });
  const before = await results.locator("pre").count();
  await console.pressSequentially("sta");
  await console.press("Escape");
  await console.fill("1 + start");
  await console.press("Enter");
  await results.locator("pre").nth(before + 1).waitFor();
  assert.equal(await results.locator("pre").nth(before + 1).textContent(), "4", place);
  for (const question of ["How was the last statement computed?", "What will the next statement compute?"]) {
    await ez.page.evaluate(() => document.querySelector("#notice button[aria-label^=Close]")?.click());
    await page.getByRole("tab", { name: "Explained" }).click();
    await page.evaluate(() => { document.querySelector("#origins").firstElementChild.dataset.old = ""; });
    await page.getByRole("button", { name: question }).click();
    await page.waitForFunction(() => !document.querySelector("#notice").hidden || document.querySelector("#origins").firstElementChild.dataset.old === undefined);
  }
  await page.getByRole("tab", { name: "Picture" }).click();
  await page.locator("#picture .frame").first().waitFor();
  await page.getByRole("tab", { name: "Variables" }).click();
  const row = page.locator("#variables .row:not(.group) button").first();
  if (await row.count()) {
    await row.click();
    const items = await page.getByRole("menuitem").allTextContents();
    await page.keyboard.press("Escape");
    for (const wanted of ["How was this computed?", "Where does it come from?"]) assert.ok(items.includes(wanted), `${place}: ${items}`);
  }
}

/** Waits until the program is not at a place any more. */
const isElsewhere = (ez, place) => ez.page.waitForFunction((place) =>
  document.querySelector("#time .count").textContent + document.querySelector("#happened").textContent !== place
  && document.querySelector("[aria-label='Step into']").getAttribute("aria-disabled") === "false", place);

test("everything can be asked wherever the program stops, and observing changes nothing", async (ez) => {
  await ez.write(PROGRAM);
  await ez.run();
  const printed = await ez.printed();
  await ez.page.getByRole("textbox", { name: "New watch" }).fill("start + 1");
  await ez.page.keyboard.press("Enter");
  await ez.debug(13);
  const place = () => ez.page.evaluate(() => document.querySelector("#time .count").textContent + document.querySelector("#happened").textContent);
  const places = [];
  for (let step = 0; step < 60; step++) {
    const here = await place();
    places.push(here);
    await askAll(ez, here);
    if (/index out of bounds|Continue lets it end/.test(here)) break;
    await ez.press("Step into");
    await isElsewhere(ez, here);
  }
  console.log(`        ${places.length} places`);
  assert.match(places.at(-1), /index out of bounds/);
  // Back over all of them, and again from there.
  for (let step = 0; step < 5; step++) {
    const here = await place();
    await ez.press("Back");
    await isElsewhere(ez, here);
    await askAll(ez, await place());
  }
  await ez.press("Continue");
  await ez.says("present");
  await ez.press("Continue");
  await ez.says("exit code 1");
  await ez.page.getByRole("tab", { name: "Output" }).click();
  await ez.log.locator(".ending").waitFor();
  assert.equal(await ez.printed(), printed);
});

test("what is stopped at in the past, in an initialiser and at the end", async (ez) => {
  await ez.write("import @std\nusing std\ndo one() -> int {\n    return 1\n}\ntemp g int = 2\ndo main() {\n    temp a int = g\n    a += 1\n    println(a)\n}\n");
  await ez.clickGutter(6);
  await ez.debug(6);
  await ez.press("Step over");
  await ez.isAt(8);
  await ez.press("Step over");
  await ez.isAt(9);
  await ez.press("Step over");
  await ez.isAt(10);
  await ez.press("Back");
  await ez.isAt(9);
  // Changes are not stopped at in the past, or they are; silence would be wrong.
  await ez.choose("a", "Stop when it changes");
  await ez.page.locator("#breakpoints li", { hasText: "changes" }).or(ez.notice).first().waitFor();
  await ez.page.keyboard.press("Alt+F6");
  await ez.isAt(10);
  await ez.press("Continue");
  await ez.says("Continue lets it end");
  await ez.page.getByRole("tab", { name: "Console" }).click();
  await ez.page.getByRole("combobox", { name: "Evaluate" }).fill("g + 1");
  await ez.page.keyboard.press("Enter");
  await ez.page.getByRole("log", { name: "Results" }).locator(".result, .wrong").first().waitFor();
});
