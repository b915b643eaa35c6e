import { strict as assert } from "node:assert";
import { readFileSync } from "node:fs";
import { deflateRawSync } from "node:zlib";
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
  await ez.page.getByRole("menuitem", { name: "Remove from the program" }).click();
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

/** The fragment of a link that the page would not make, with these bytes or this text in it. */
const fragmentOf = (content) => `#ez1=${deflateRawSync(content).toString("base64url")}`;

test("a link that is broken or newer is told in a sentence", async (ez, profile) => {
  const link = new URL(await linkOf(ez)).hash;
  // A bomb: a megabyte of zeros each kilobyte.
  const bomb = fragmentOf(Buffer.alloc(64 << 20));
  const wrong = { [link.slice(0, -9)]: "broken", "#ez1=": "broken", "#ez1=%%%": "broken", "#ez7=abc": "newer version", "#ez2=a.b~c:d": "newer version", "#ez1=a+b": "broken", [bomb]: "It is too long" };
  for (const [fragment, said] of Object.entries(wrong)) {
    const page = await profile.open(fragment);
    await page.notice.getByText(said).waitFor();
    await page.page.close();
  }
});

test("a link that was passed on by other programs has the same program", async (ez, profile) => {
  await ez.writeMain('    println("passed on")');
  const link = new URL(await linkOf(ez)).hash;
  const broken = (sign) => link.slice(0, 40) + sign + link.slice(40, 60) + sign + link.slice(60);
  const touched = [
    link.replace("=", "%3D"), link.replace("=", "%3d"), link.replace("=", "%253D"), `${link}.`, `${link})`, `${link}>`, `${link}%3E`, `${link}”,`, `${link}%20`,
    `${link}&fbclid=abc`, `${link}=`, `${link}?utm_source=a-b`, broken("%20"), broken("%0A"), broken("%0D%0A%20%20"), broken(" "),
  ];
  for (const fragment of touched) {
    const page = await profile.open(fragment);
    await page.notice.getByText("This program is from a link.").waitFor();
    await page.page.locator(".cm-line", { hasText: "passed on" }).waitFor();
    await page.page.close();
  }
  // In a frame, it is the same exercise.
  const frame = await profile.open(`?embed${link}`);
  await frame.writeMain('    println("solved")');
  await frame.page.evaluate(() => dispatchEvent(new Event("pagehide")));
  const again = await profile.open(`?embed${link.replace("=", "%3D")}.`);
  await again.page.locator(".cm-line", { hasText: "solved" }).waitFor();
});

test("a link with a program that cannot be opened says why", async (_, profile) => {
  const file = { name: "main.ez", text: "do main() {}\n" };
  const wrong = [
    [Array.from({ length: 500 }, (_, at) => ({ ...file, name: `f${at}.ez` })), "It has 500 files; there can be 50 at most."],
    [[{ ...file, text: "// long\n".repeat(300_000) }], "It is too long"],
    [[file, file], "It has two files main.ez."],
    [[], "There is no program in it."],
  ];
  for (const [files, said] of wrong) {
    const page = await profile.open(fragmentOf(JSON.stringify({ files, main: "main.ez" })));
    await page.notice.getByText(said).waitFor();
    await page.page.close();
  }
});

test("as many files as there can be are renamed and opened again", async (ez, profile) => {
  const files = Array.from({ length: 50 }, (_, at) => ({ name: `f${at}.ez`, text: "do main() {}\n" }));
  const page = await profile.open(fragmentOf(JSON.stringify({ files, main: "f0.ez" })));
  await page.press("More about f0.ez");
  await page.page.getByRole("menuitem", { name: "Rename" }).click();
  await page.page.getByRole("dialog").getByLabel("Name").fill("first.ez");
  await page.press("Rename");
  await page.page.locator("#files .shown", { hasText: "first.ez" }).waitFor();
  const open = async (name) => {
    const choosing = page.page.waitForEvent("filechooser");
    await page.press("Open");
    await (await choosing).setFiles({ name, mimeType: "text/plain", buffer: Buffer.from("// of the disk\n") });
  };
  await open("f1.ez");
  await page.notice.getByText("f1.ez has the text of the disk now.").waitFor();
  await page.page.locator("#files .shown", { hasText: "f1.ez" }).waitFor();
  await open("f50.ez");
  await page.notice.getByText("There can be 50 files at most.").waitFor();
});

test("a program that is too long for a link is not put into one, and it is said why it is not kept", async (ez) => {
  const choosing = ez.page.waitForEvent("filechooser");
  await ez.press("Open");
  const buffer = Buffer.from(`// ${"long ".repeat(20)}\n`.repeat(12_000));
  await (await choosing).setFiles(["a.ez", "b.ez"].map((name) => ({ name, mimeType: "text/plain", buffer })));
  await ez.page.locator("#files .shown", { hasText: "a.ez" }).waitFor();
  await ez.notice.getByText("The program cannot be kept. It is too long: there can be 2,097,152 characters at most.").waitFor();
  for (const name of ["Share", "Embed"]) {
    await ez.press(name);
    await ez.page.getByRole("dialog").getByText("The program cannot be in a link. It is too long: there can be 2,097,152 characters at most.").waitFor();
    assert.equal(await ez.page.getByRole("dialog").getByRole("textbox").count(), 0);
    await ez.press("Close");
  }
});

test("names in a link do not leave the program's folder", async (_, profile) => {
  const content = { files: [{ name: "../../etc/passwd", text: "x" }], main: "../../etc/passwd" };
  const page = await profile.open(fragmentOf(JSON.stringify(content)));
  await page.notice.getByText('"../../etc/passwd" cannot be the name of a file.').waitFor();
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

const WRITES = `import @std, @io
using std
do main() {
    temp _, _ = io.write_file("notes.txt", "one\\ntwo \${char(0x202e)}<b id=injected>\\n")
    temp _, _ = io.mkdir("data")
    temp _, _ = io.write_file("data/<img src=x onerror=alert(1)>\${char(0x202e)}.csv", "a,b\\n")
    temp _, _ = io.write_file("main2.ez", "text")
    println("written")
}
`;

test("files that the program writes are listed, shown, saved and removed", async (ez) => {
  await ez.write(WRITES);
  const written = ez.page.getByRole("group", { name: "Files that the program has written" });
  await ez.run();
  await written.getByRole("button").nth(2).waitFor();
  const names = await written.getByRole("button").allTextContents();
  assert.deepEqual(names, ["data/<img src=x onerror=alert(1)>\ufffd.csv", "main2.ez", "notes.txt"]);
  const choose = async (name, what) => {
    await written.getByRole("button", { name }).click();
    await ez.page.getByRole("menuitem", { name: what }).click();
  };
  await choose("notes.txt", "Show");
  assert.equal(await ez.page.locator("dialog pre").textContent(), "one\ntwo \ufffd<b id=injected>\n");
  assert.equal(await ez.page.locator("#injected, #written img").count(), 0);
  await ez.press("Close");
  for (const [name, wanted, content] of [["notes.txt", /^notes\.txt$/, "one\ntwo \u202e<b id=injected>\n"], ["csv", /csv$/, "a,b\n"]]) {
    const download = ez.page.waitForEvent("download");
    await choose(name, "Save");
    const file = await download;
    assert.match(file.suggestedFilename(), wanted);
    assert.equal(/[\u202e/]/.test(file.suggestedFilename()), false);
    assert.equal(readFileSync(await file.path(), "utf8"), content);
  }
  await choose("main2.ez", "Remove");
  await written.getByRole("button", { name: "main2.ez" }).waitFor({ state: "detached" });
  // They are those of one run.
  await ez.writeMain('    println("none")');
  await ez.run();
  await written.waitFor({ state: "hidden" });
});

test("files are listed and removed while the program is stopped, also in the past", async (ez) => {
  await ez.write(WRITES);
  await ez.clickGutter(5);
  await ez.debug(5);
  const written = ez.page.getByRole("group", { name: "Files that the program has written" });
  await written.getByRole("button", { name: "notes.txt" }).click();
  const download = ez.page.waitForEvent("download");
  await ez.page.getByRole("menuitem", { name: "Save" }).click();
  await download;
  await ez.press("Back");
  await ez.isAt(4);
  await written.getByRole("button", { name: "notes.txt" }).click();
  await ez.page.getByRole("menuitem", { name: "Remove" }).click();
  await written.waitFor({ state: "hidden" });
  await ez.press("Continue");
  await ez.says("present");
  await ez.press("Continue");
  await ez.atEnd();
  await written.getByRole("button", { name: "main2.ez" }).waitFor();
  assert.deepEqual(await written.getByRole("button").allTextContents(), ["data/<img src=x onerror=alert(1)>\ufffd.csv", "main2.ez"]);
});

test("all files that a program has written can be reached", async (ez) => {
  await ez.write('import @std, @io\nusing std\ndo main() {\n    for i in range(0, 1200) { temp _, _ = io.write_file("f${i}.txt", "text ${i}") }\n}\n');
  await ez.run();
  const written = ez.page.getByRole("group", { name: "Files that the program has written" });
  for (const left of ["1,170", "670", "170"]) await written.getByRole("button", { name: `${left} more …` }).click();
  assert.equal(await written.getByRole("button").count(), 1200);
  await written.getByRole("button", { name: "f1199.txt", exact: true }).click();
  await ez.page.getByRole("menuitem", { name: "Show" }).click();
  assert.equal(await ez.page.locator("dialog pre").textContent(), "text 1199");
});
