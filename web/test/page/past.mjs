import { strict as assert } from "node:assert";
import { hasten, test } from "../harness.mjs";

const PROGRAM = `import @std
using std
do add(total int, n int) -> int {
    return total + n
}
do main() {
    temp total int = 0
    for i in range(1, 4) {
        total = add(total, i * 10)
        println("total ", total)
    }
}
`;

/** Debugs the program up to its last line of output. */
async function debugged(ez) {
  await ez.write(PROGRAM);
  await ez.clickGutter(10);
  await ez.page.keyboard.press("F5");
  for (const total of [10, 30, 60]) {
    await ez.hasValue("total", total);
    if (total < 60) await ez.press("Continue");
  }
  await ez.isAt(10);
}

test("back, reverse, and forward again", async (ez) => {
  await debugged(ez);
  await ez.press("Back");
  await ez.isAt(9);
  await ez.press("Back");
  await ez.isAt(4);
  await ez.hasValue("n", "30");
  await ez.press("Reverse");
  await ez.isAt(10);
  await ez.hasValue("total", "30");
  await ez.press("Continue");
  await ez.hasValue("total", "60");
  await ez.page.keyboard.press("Alt+F11");
  await ez.isAt(9);
  await ez.page.keyboard.press("Alt+F6");
  await ez.isAt(10);
  // What was printed is not printed again.
  assert.equal((await ez.printed()).split("\n").length, 3);
});

test("the slider of time goes to each step", async (ez) => {
  await debugged(ez);
  const slider = ez.page.getByRole("slider", { name: "Time" });
  const present = Number(await slider.getAttribute("max"));
  await slider.focus();
  await slider.press("Home");
  await ez.page.getByText(`Step 1 of ${present}`).waitFor();
  await ez.isAt(7);
  for (let press = 0; press < 5; press++) await slider.press("ArrowRight");
  await ez.page.getByText(`Step 6 of ${present}`).waitFor();
  await slider.press("End");
  await ez.hasValue("total", "60");
  await ez.page.getByText(`Step ${present} of ${present}`).waitFor();
});

test("the slider goes where it is moved while it is under way, however long that takes", async (ez) => {
  // What takes a second takes long: here everything does.
  await ez.page.evaluate(hasten, [1000, 0]);
  await ez.writeMain("    temp n int = 0\n    for i in range(0, 300000) {\n        n += i\n    }\n    println(n)");
  await ez.clickGutter(8);
  await ez.debug(8);
  const slider = ez.page.getByRole("slider", { name: "Time" });
  await slider.evaluate(async (/** @type {HTMLInputElement} */ slider) => {
    for (const step of [1, 100]) {
      slider.valueAsNumber = step;
      slider.dispatchEvent(new Event("input"));
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  });
  await ez.page.getByText("Step 100 of").waitFor();
  await ez.hasValue("n", "1176");
});

test("how a value was computed and where it comes from", async (ez) => {
  await debugged(ez);
  await ez.choose("total", "How was this computed?");
  const computed = ez.page.locator(".computed");
  await computed.getByText("total: 30 → 60").waitFor();
  await computed.getByRole("button").nth(1).click();
  await ez.page.locator(".part").first().waitFor();
  await ez.choose("total", "Where does it come from?");
  const rows = ez.page.locator(".changes tbody tr");
  await rows.nth(3).waitFor();
  assert.deepEqual(await rows.locator("td:nth-child(4)").allTextContents(), ["60", "30", "10", "0"]);
  await rows.nth(1).getByRole("button").click();
  await ez.isAt(9);
  await ez.hasValue("total", "10");
  await ez.page.getByRole("button", { name: "How was the last statement computed?" }).click();
  await ez.page.locator("#origins h2", { hasText: "step" }).waitFor();
});

test("who printed this", async (ez) => {
  await debugged(ez);
  await ez.page.getByRole("tab", { name: "Output" }).click();
  await ez.log.getByText("total 10").click();
  await ez.notice.getByText("Line 10 of").waitFor();
  await ez.isAt(10);
  await ez.hasValue("total", "10");
  // With the keyboard as well.
  await ez.log.focus();
  await ez.page.keyboard.press("ArrowUp");
  await ez.page.keyboard.press("Enter");
  await ez.hasValue("total", "30");
});

test("a carriage return begins the line again, in the past, too", async (ez) => {
  const pieces = ['print("100 %")', String.raw`print("\r20 % ")`, String.raw`print("\r3")`, String.raw`print("0 %\r")`, 'print("done")', String.raw`print("\t.")`, String.raw`print("\r\r\nnext\r\n")`];
  const seen = ["", "100 %", "20 % ", "30 % ", "30 % ", "done ", "done\t.", "done\t.\nnext\n"];
  await ez.writeMain(pieces.map((piece) => `    ${piece}`).join("\n"));
  const shows = async (text) => {
    await ez.page.waitForFunction((text) => [...document.querySelectorAll("#output .stdout:not(.later)")].map((line) => {
      const copy = line.cloneNode(true);
      for (const later of copy.querySelectorAll(".later")) later.remove();
      return copy.textContent;
    }).join("") === text, text).catch(async () => assert.equal(await ez.log.innerHTML(), text));
  };
  await ez.debug(4);
  for (const text of seen.slice(1)) {
    await ez.press("Step over");
    await shows(text);
  }
  for (const text of seen.slice(0, -1).reverse()) {
    await ez.press("Back");
    await shows(text);
  }
  await ez.press("Go to the present");
  await shows(seen.at(-1));
  // What is shown was written by the last one who began the line again.
  await ez.log.getByText("done").click();
  await ez.notice.getByText("Line 8 of").waitFor();
  await ez.press("Stop");
  await ez.says("was stopped");
  await ez.writeMain('    for i in range(0, 60000) { print("\\r${i} of 60000") }\n    println("")\n    println("after")');
  await ez.run();
  await ez.page.waitForFunction(() => document.querySelector("#output").textContent.includes("after"));
  assert.equal(await ez.printed(), "59999 of 60000\nafter\n");
});

test("an error can be taken back", async (ez) => {
  await ez.writeMain("    temp a [int] = {1, 2}\n    temp i int = 1\n    i += 5\n    println(a[i])");
  await ez.debug(4);
  await ez.press("Continue");
  await ez.says("index out of bounds");
  await ez.press("Back");
  await ez.says("Back at line 7");
  await ez.press("Back");
  await ez.isAt(6);
  await ez.press("Continue");
  await ez.says("present");
  await ez.isAt(7);
  await ez.press("Continue");
  await ez.says("exit code 1");
});

test("input in the past is not asked for again", async (ez) => {
  await ez.writeMain('    temp name string = input()\n    println("hello ${name}")');
  await ez.debug(4);
  await ez.press("Step over");
  await ez.says("waits for input");
  await ez.enter("Ann");
  await ez.isAt(5);
  await ez.press("Back");
  await ez.isAt(4);
  // What is entered would be for the present, which is said.
  await ez.page.getByText("New input is for the present").waitFor();
  assert.equal(await ez.page.getByRole("textbox", { name: "Input" }).isDisabled(), true);
  await ez.press("Step over");
  await ez.isAt(5);
  await ez.hasValue("name", '"Ann"');
  assert.equal(await ez.page.getByRole("textbox", { name: "Input" }).isDisabled(), false);
  // Who has no keys gets there, too; the focus stays beside the button, which is gone then.
  await ez.press("Back");
  await ez.isAt(4);
  await ez.button("Go to the present").focus();
  await ez.page.keyboard.press("Enter");
  await ez.isAt(5);
  await ez.page.getByText("New input is for the present").waitFor({ state: "detached" });
  assert.equal(await ez.page.evaluate(() => document.activeElement !== document.body && document.activeElement.closest("#input") !== null), true);
});
