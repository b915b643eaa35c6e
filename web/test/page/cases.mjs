// The cases of a program: what it reads, and what it has to print then.
import { strict as assert } from "node:assert";
import { test } from "../harness.mjs";

/** A program that doubles a number, and one that does it wrong. */
const RIGHT = "    temp n, _ = read_int()\n    println(n * 2)";
const WRONG = "    temp n, _ = read_int()\n    temp twice int = n + 2\n    println(twice)";

const tab = (ez) => ez.page.getByRole("tab", { name: /^Cases/ });
const dialog = (ez) => ez.page.getByRole("dialog");
const row = (ez, name) => ez.page.locator("#cases .case").filter({ has: ez.page.locator(".name", { hasText: new RegExp(`^${name}$`) }) });
const focused = (ez) => ez.page.evaluate(() => document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent);

async function fill(ez, values) {
  for (const [label, text] of Object.entries(values)) await dialog(ez).getByLabel(label, { exact: true }).fill(text);
}

async function add(ez, name, input, output) {
  await ez.press("Add a case …");
  await fill(ez, { Name: name, "What the program reads": input, "What it has to print": output });
  await ez.press("Keep it");
  await dialog(ez).waitFor({ state: "detached" });
}

/** Shows the tab, and adds cases. */
async function begin(ez, body, ...cases) {
  await ez.writeMain(body);
  await tab(ez).click();
  for (const one of cases) await add(ez, ...one);
}

async function runAll(ez, summary) {
  await ez.press("Run all");
  await ez.page.locator("#cases [role=status]", { hasText: summary }).waitFor();
}

async function more(ez, name, choice) {
  await ez.press(`More about case ${name}`);
  await ez.page.getByRole("menuitem", { name: choice }).click();
}

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
