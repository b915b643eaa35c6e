import { strict as assert } from "node:assert";
import { readFileSync } from "node:fs";
import { test } from "../harness.mjs";

/** The text of an editor's file. */
const text = (ez) => ez.page.locator(".cm-line").allTextContents().then((lines) => lines.join("\n"));

test("the text is kept from visit to visit, each tab its own", async (ez, profile) => {
  await ez.writeMain('    println("kept")');
  await ez.clickGutter(4);
  await ez.page.evaluate(() => dispatchEvent(new Event("pagehide")));
  await ez.page.reload();
  await ez.page.locator(".cm-line", { hasText: "kept" }).waitFor();
  await ez.page.locator("#breakpoints .what").waitFor();
  const second = await profile.open();
  await second.writeMain('    println("second")');
  await second.page.evaluate(() => dispatchEvent(new Event("pagehide")));
  await ez.page.reload();
  await ez.page.locator(".cm-line", { hasText: "kept" }).waitFor();
});

test("a program of several files, each in a tab, with breakpoints in all", async (ez) => {
  await ez.press("Examples");
  await ez.page.getByRole("menuitem", { name: "several files" }).click();
  await ez.press("geometry/vector.ez");
  await ez.page.locator(".cm-line", { hasText: "return" }).first().waitFor();
  const lines = (await text(ez)).split("\n");
  await ez.clickGutter(lines.findIndex((line) => line.includes("return")) + 1);
  await ez.press("main.ez");
  await ez.page.keyboard.press("F5");
  await ez.says("Breakpoint 1");
  await ez.page.locator("#files .shown", { hasText: "geometry/vector.ez" }).waitFor();
  await ez.page.locator("#calls button", { hasText: "main" }).click();
  await ez.page.locator("#files .shown", { hasText: "main.ez" }).waitFor();
  await ez.press("Stop");
  await ez.says("was stopped");
});

test("files are added, renamed, chosen and closed", async (ez) => {
  await ez.press("New file");
  const name = ez.page.getByRole("dialog").getByLabel("Name");
  await name.fill("../secret.ez");
  await ez.press("Add");
  await ez.page.getByRole("dialog").getByText("cannot be the name of a file").waitFor();
  await name.fill("other.ez");
  await ez.press("Add");
  await ez.page.locator("#files .shown", { hasText: "other.ez" }).waitFor();
  await ez.writeMain('    println("other")');
  await ez.press("More about other.ez");
  await ez.page.getByRole("menuitem", { name: "Make it the program that is run" }).click();
  await ez.run();
  assert.equal(await ez.printed(), "other\n");
  await ez.press("More about other.ez");
  await ez.page.getByRole("menuitem", { name: "Rename" }).click();
  await name.fill("hello.ez");
  await ez.press("Rename");
  await ez.page.getByRole("dialog").getByText("already a file").waitFor();
  await ez.press("Cancel");
  await ez.press("More about other.ez");
  await ez.page.getByRole("menuitem", { name: "Close" }).click();
  await ez.page.locator("#files .shown", { hasText: "hello.ez" }).waitFor();
});

test("files are opened from the disk and saved to it", async (ez) => {
  const choosing = ez.page.waitForEvent("filechooser");
  await ez.press("Open");
  const program = 'import @std\nusing std\ndo main() {\n    println("from the disk")\n}\n';
  await (await choosing).setFiles({ name: "disk.ez", mimeType: "text/plain", buffer: Buffer.from("\ufeff" + program.replaceAll("\n", "\r\n")) });
  await ez.page.locator("#files .shown", { hasText: "disk.ez" }).waitFor();
  await ez.run();
  assert.equal(await ez.printed(), "from the disk\n");
  const saving = ez.page.waitForEvent("download");
  await ez.page.keyboard.press("Control+s");
  const saved = await saving;
  assert.equal(saved.suggestedFilename(), "disk.ez");
  assert.equal(readFileSync(await saved.path(), "utf8"), program);
  const again = ez.page.waitForEvent("filechooser");
  await ez.press("Open");
  await (await again).setFiles({ name: "picture.ez", mimeType: "text/plain", buffer: Buffer.from([0xff, 0xfe, 0]) });
  await ez.notice.getByText("picture.ez cannot be read").waitFor();
});

test("an example can be taken back", async (ez) => {
  await ez.writeMain('    println("mine")');
  await ez.press("Examples");
  await ez.page.getByRole("menuitem", { name: "fizzbuzz" }).click();
  await ez.page.locator(".cm-line", { hasText: "FizzBuzz" }).first().waitFor();
  await ez.press("Undo");
  await ez.page.locator(".cm-line", { hasText: "mine" }).waitFor();
});

/** The link of the program. */
async function linkOf(ez) {
  await ez.press("Share");
  const link = await ez.page.getByRole("textbox", { name: "Link" }).inputValue();
  await ez.press("Close");
  return link;
}

test("a link opens the program in a fresh profile", async (ez, profile) => {
  await ez.writeMain('    println("é 🙂 shared")');
  const link = await linkOf(ez);
  const other = profile.other();
  const shared = await other.open(new URL(link).hash);
  await shared.notice.getByText("from a link").waitFor();
  await shared.run();
  assert.equal(await shared.printed(), "é 🙂 shared\n");
  assert.equal(new URL(shared.page.url()).hash, "");
  await shared.press("Undo");
  await shared.page.locator(".cm-line", { hasText: "Hello" }).first().waitFor();
  other.check();
  await other.close();
});

test("a link that is broken or newer is told in a sentence", async (ez, profile) => {
  const link = new URL(await linkOf(ez)).hash;
  // A bomb: a megabyte of zeros each kilobyte.
  const bomb = await ez.page.evaluate(async () => {
    const bytes = await new Response(new Blob([new Uint8Array(64 << 20)]).stream().pipeThrough(new CompressionStream("deflate-raw"))).bytes();
    let letters = "";
    for (const byte of bytes) letters += String.fromCharCode(byte);
    return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  });
  const wrong = { [link.slice(0, -9)]: "broken", "#ez1=": "broken", "#ez1=%%%": "broken", "#ez7=abc": "newer version", "#ez2=a.b~c:d": "newer version", "#ez1=a+b": "broken", [`#ez1=${bomb}`]: "broken" };
  for (const [fragment, said] of Object.entries(wrong)) {
    const page = await profile.open(fragment);
    await page.notice.getByText(said).waitFor();
    await page.page.close();
  }
});

test("names in a link do not leave the program's folder", async (ez, profile) => {
  const fragment = await ez.page.evaluate(async () => {
    const content = JSON.stringify({ files: [{ name: "../../etc/passwd", text: "x" }], main: "../../etc/passwd" });
    const bytes = await new Response(new Blob([content]).stream().pipeThrough(new CompressionStream("deflate-raw"))).bytes();
    return `#ez1=${btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
  });
  const page = await profile.open(fragment);
  await page.notice.getByText("there is no program in it").waitFor();
});

test("the page in a frame of another one", async (ez, profile) => {
  await ez.writeMain('    println("embedded")');
  await ez.press("Embed");
  const frame = await ez.page.getByRole("textbox", { name: "Frame to run" }).inputValue();
  await ez.press("Close");
  const host = await profile.context.newPage();
  await host.setContent(`<title>Course</title>${frame}`);
  const inside = host.frameLocator("iframe");
  await inside.getByRole("button", { name: "Run", exact: true }).click();
  await inside.getByRole("log", { name: "Output" }).getByText("embedded").first().waitFor();
  assert.equal(await inside.getByRole("button", { name: "Debug", exact: true }).isVisible(), false);
  assert.equal(await inside.getByRole("button", { name: "Share" }).isVisible(), false);
  assert.match(frame, /\?embed&amp;mode=run#ez1=/);
  // What is done in the frame does not change what the visitor has.
  await ez.page.reload();
  await ez.page.locator(".cm-line", { hasText: "embedded" }).waitFor();
});
