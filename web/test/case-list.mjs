// What tests of cases have in common: the tab, its dialog, and programs with cases.
import { deflateRawSync } from "node:zlib";

/** A program that doubles a number, and one that does it wrong. */
export const RIGHT = "    temp n, _ = read_int()\n    println(n * 2)";
export const WRONG = "    temp n, _ = read_int()\n    temp twice int = n + 2\n    println(twice)";

export const tab = (ez) => ez.page.getByRole("tab", { name: /^Cases/ });
export const dialog = (ez) => ez.page.getByRole("dialog");
export const row = (ez, name) => ez.page.locator("#cases .case").filter({ has: ez.page.locator(".name", { hasText: new RegExp(`^${name}$`) }) });
export const focused = (ez) => ez.page.evaluate(() => document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent);

export async function fill(ez, values) {
  for (const [label, text] of Object.entries(values)) {
    const field = dialog(ez).getByLabel(label, { exact: true });
    // Chromium takes seconds to write many lines in this way; as a person pastes them, it does not.
    if (text.length > 1000) await field.evaluate((element, text) => { element.value = text; }, text);
    else await field.fill(text);
  }
}

export async function add(ez, name, input, output) {
  await ez.press("Add a case …");
  await fill(ez, { Name: name, "What the program reads": input, "What it has to print": output });
  await ez.press("Keep it");
  await dialog(ez).waitFor({ state: "detached" });
}

/** Shows the tab, and adds cases. */
export async function begin(ez, body, ...cases) {
  await ez.writeMain(body);
  await tab(ez).click();
  for (const one of cases) await add(ez, ...one);
}

export async function runAll(ez, summary) {
  await ez.press("Run all");
  await ez.page.locator("#cases [role=status]", { hasText: summary }).waitFor();
}

export async function more(ez, name, choice) {
  await ez.press(`More about case ${name}`);
  await ez.page.getByRole("menuitem", { name: choice }).click();
}

/** The fragment of a link that the page would not make. */
export const fragmentOf = (content) => `#ez1=${deflateRawSync(JSON.stringify(content)).toString("base64url")}`;
export const programOf = (body) => `import @std\nusing std\ndo main() {\n${body}\n}\n`;
/** An exercise in which a number is doubled. */
export const EXERCISE = { files: [{ name: "main.ez", text: programOf(WRONG), task: "Double the <b>number</b>.\nThen print it.", cases: [{ name: "two", input: "2\n", output: "4" }, { name: "ten", input: "10\n", output: "20\n" }] }], main: "main.ez" };
