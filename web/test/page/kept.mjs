// Nobody's work is lost: what is written is kept, whatever is looked at, opened, removed or closed after it.
import { strict as assert } from "node:assert";
import { deflateRawSync } from "node:zlib";
import { begin, RIGHT } from "../case-list.mjs";
import { test } from "../harness.mjs";

/** Waits until a text is in the editor. */
const has = (ez, text) => ez.page.locator(".cm-line", { hasText: text }).first().waitFor();

const example = async (ez, name) => {
  await ez.press("Examples");
  await ez.page.getByRole("menuitem", { name }).click();
};

/** Brings back an earlier text, by what its button says. */
async function bringBack(ez, name) {
  await ez.press("Earlier texts");
  await ez.page.getByRole("dialog").getByRole("button", { name }).first().click();
}

/** The names of the earlier texts. */
async function earlier(ez) {
  await ez.press("Earlier texts");
  const all = await ez.page.getByRole("dialog").locator(".what").evaluateAll((buttons) => buttons.map((button) => button.firstChild.textContent));
  await ez.press("Close");
  return all;
}

/** Leaves the page, as a user does. */
const leave = async ({ page }) => {
  await page.goto("about:blank");
  await page.close();
};

/** What is watched, and at which functions the program stops. */
const asked = (ez) => ez.page.evaluate(() => [
  ...[...document.querySelectorAll("#watches .row .name")].map(({ textContent }) => textContent),
  ...[...document.querySelectorAll("#breakpoints button.what")].map(({ textContent }) => textContent)]);

test("watches and breakpoints of functions are kept, each tab its own, and in a frame for each link", async (ez, profile) => {
  const watch = async (page, text) => {
    await page.page.getByRole("textbox", { name: "New watch" }).fill(text);
    await page.page.keyboard.press("Enter");
  };
  await ez.write("import @std\nusing std\ndo twice(n int) -> int { return n * 2 }\ndo main() { println(twice(4)) }\n");
  await watch(ez, "n + 1");
  await watch(ez, "gone");
  await ez.page.getByRole("treeitem", { name: "gone" }).click({ button: "right" });
  await ez.page.getByRole("menuitem", { name: "Remove" }).click();
  await ez.press("Stop at a function …");
  await ez.page.getByRole("dialog").getByLabel("Function").fill("twice");
  await ez.page.getByRole("dialog").getByLabel("Condition").fill("n == 4");
  await ez.press("Set");
  const all = ["n + 1", "At the start of twiceif n == 4"];
  await ez.page.reload();
  assert.deepEqual(await asked(ez), all);
  await ez.page.keyboard.press("F5");
  await ez.page.getByRole("treeitem", { name: "n + 1" }).getByText("5").waitFor();
  await ez.page.keyboard.press("Shift+F5");
  // Another program is looked at with the same ones.
  await example(ez, "primes");
  assert.deepEqual(await asked(ez), all);
  const other = await profile.open();
  assert.deepEqual(await asked(other), all);
  await watch(other, "other");
  await ez.page.reload();
  assert.deepEqual(await asked(ez), all);
  const frame = await profile.open("?embed#ez1=abc");
  assert.deepEqual(await asked(frame), []);
  await watch(frame, "inside");
  await frame.page.reload();
  assert.deepEqual(await asked(frame), ["inside"]);
  assert.deepEqual(await asked(await profile.open("?embed#ez1=abd")), []);
  for (const page of [frame, other, ez]) await leave(page);
  // What was changed last.
  assert.deepEqual(await asked(await profile.open()), ["n + 1", "other", all[1]]);
});

test("what is kept of watches is not believed", async (ez) => {
  for (const text of ["[", "null", "{}", '{"watches":7,"functions":[]}', '{"watches":["fine",7,null],"functions":[{"name":7},{"name":"f","condition":7},null,{"name":"main"}]}']) {
    await ez.page.evaluate((text) => {
      for (const storage of [localStorage, sessionStorage]) storage.setItem(`ez:${location.pathname}:asked`, text);
    }, text);
    await ez.page.reload();
    await ez.button("Run").waitFor();
    assert.deepEqual(await asked(ez), text.includes("fine") ? ["fine", "At the start of main"] : []);
  }
});

test("examples and links that are looked at one after the other do not push out what was written", async (ez, profile) => {
  await ez.write("// MY OWN WORK");
  await example(ez, "fizzbuzz");
  await has(ez, "FizzBuzz");
  await example(ez, "primes");
  await ez.press("Share");
  const link = await ez.page.getByRole("textbox", { name: "Link" }).inputValue();
  await ez.press("Close");
  await example(ez, "shapes");
  await ez.page.evaluate((hash) => { location.hash = hash; }, new URL(link).hash);
  await ez.notice.getByText("from a link").waitFor();
  await ez.press("Undo");
  await has(ez, "MY OWN WORK");
  await example(ez, "primes");
  await leave(ez);
  // Nothing was written in what was looked at last.
  const next = await profile.open();
  await has(next, "MY OWN WORK");
  assert.deepEqual(await earlier(next), []);
  await next.write("// OTHER WORK");
  await example(next, "fizzbuzz");
  await bringBack(next, /^hello.ez/);
  await has(next, "OTHER WORK");
  await bringBack(next, /^hello.ez/);
  await has(next, "MY OWN WORK");
  await next.notice.getByText("The program is as it was on").waitFor();
});

test("a file that is removed is kept", async (ez) => {
  await ez.press("New file");
  await ez.page.getByRole("dialog").getByLabel("Name").fill("b.ez");
  await ez.press("Add");
  await ez.write("// SECOND FILE WORK");
  const remove = async () => {
    await ez.press("More about b.ez");
    await ez.page.getByRole("menuitem", { name: "Remove from the program" }).click();
    await ez.notice.getByText("b.ez is not in the program any more.").waitFor();
  };
  await remove();
  await ez.press("Undo");
  await has(ez, "SECOND FILE WORK");
  await ez.page.locator("#files .shown", { hasText: "b.ez" }).waitFor();
  // Nor is what was written before lost for Ctrl+Z.
  await ez.editor.click();
  await ez.page.keyboard.press("Control+z");
  await ez.page.keyboard.press("Control+y");
  await has(ez, "SECOND FILE WORK");
  await remove();
  await ez.page.reload();
  await bringBack(ez, /^b.ez/);
  await has(ez, "SECOND FILE WORK");
  assert.deepEqual(await ez.page.locator("#files .name").allTextContents(), ["hello.ez", "b.ez"]);
});

test("a file of the disk replaces one of the same name, and that is kept", async (ez) => {
  await ez.write("// HOURS OF WORK");
  const choosing = ez.page.waitForEvent("filechooser");
  await ez.press("Open");
  await (await choosing).setFiles({ name: "hello.ez", mimeType: "text/plain", buffer: Buffer.from("// AN OLDER COPY") });
  await ez.notice.getByText("hello.ez has the text of the disk now.").waitFor();
  await has(ez, "AN OLDER COPY");
  await ez.press("Undo");
  await has(ez, "HOURS OF WORK");
  await ez.page.evaluate(() => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File(["// DROPPED"], "hello.ez"));
    document.body.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
  });
  await has(ez, "DROPPED");
  await ez.page.reload();
  await bringBack(ez, /^hello.ez/);
  await has(ez, "HOURS OF WORK");
});

test("a tab in which nothing was done decides nothing, of two that were written in neither is lost", async (ez, profile) => {
  const idle = await profile.open();
  const taught = JSON.stringify({ files: [{ name: "hello.ez", text: "// OF THE TEACHER" }], main: "hello.ez" });
  const link = await profile.open(`#ez1=${deflateRawSync(taught).toString("base64url")}`);
  await has(link, "OF THE TEACHER");
  await ez.write("// A WORK");
  await leave(ez);
  await idle.page.reload();
  await leave(idle);
  await leave(link);
  const [one, other] = [await profile.open(), await profile.open()];
  await has(one, "A WORK");
  await one.write("// ONE");
  await one.page.reload();
  await has(one, "ONE");
  await has(other, "A WORK");
  await other.write("// OTHER");
  await leave(other);
  await leave(one);
  const last = await profile.open();
  await has(last, "OTHER");
  await bringBack(last, /^hello.ez/);
  await has(last, "ONE");
});

test("pages of other folders of a web space keep their own, and take over what was kept for all", async (ez, profile) => {
  await ez.page.evaluate(() => {
    const program = (text) => JSON.stringify({ files: [{ name: "main.ez", text }], main: "main.ez" });
    localStorage.setItem("ez.program", program("// OF AN EARLIER VERSION"));
    localStorage.setItem("ez.before", program("// BEFORE THAT"));
    localStorage.setItem("ez.theme", "dark");
  });
  const first = await profile.open("course-a/");
  await has(first, "OF AN EARLIER VERSION");
  assert.equal(await first.page.evaluate(() => document.documentElement.dataset.theme), "dark");
  await bringBack(first, /^main.ez/);
  await has(first, "BEFORE THAT");
  await first.write("// WORK OF A");
  await leave(first);
  const second = await profile.open("course-b/");
  await has(second, "OF AN EARLIER VERSION");
  await second.write("// WORK OF B");
  await leave(second);
  await has(await profile.open("course-a/"), "WORK OF A");
  await has(await profile.open("course-b/"), "WORK OF B");
});

test("what is written in an exercise is there at the next visit, and goes along into a tab", async (ez, profile) => {
  await ez.press("Share");
  const { hash } = new URL(await ez.page.getByRole("textbox", { name: "Link" }).inputValue());
  await ez.press("Close");
  profile.server.replaced["/course.html"] = `<title>Course</title><iframe src="./?embed${hash}" width="900" height="500"></iframe>`;
  const host = await profile.context.newPage();
  await host.goto(`${profile.address}course.html`);
  const lines = host.frameLocator("iframe").locator(".cm-content");
  await lines.click();
  await host.keyboard.press("Control+a");
  await host.keyboard.insertText("// MY SOLUTION");
  const opening = profile.context.waitForEvent("page");
  await host.frameLocator("iframe").getByRole("link", { name: "Open in a tab" }).click();
  await (await opening).locator(".cm-line", { hasText: "MY SOLUTION" }).waitFor();
  await host.reload();
  await lines.getByText("MY SOLUTION").waitFor();
  // What the visitor has on the page itself is another program.
  await has(await profile.open(), "Hello");
  // The exercise can be begun again, and that can be taken back.
  await host.frameLocator("iframe").getByRole("button", { name: "Begin again" }).click();
  await lines.getByText("Hello").first().waitFor();
  await host.frameLocator("iframe").getByRole("button", { name: "Undo" }).click();
  await lines.getByText("MY SOLUTION").waitFor();
  // Also when something was written since: in a page of another web space, it is in no other place.
  await host.frameLocator("iframe").getByRole("button", { name: "Begin again" }).click();
  await lines.getByText("Hello").first().waitFor();
  await lines.click();
  await host.keyboard.type(" ");
  await host.frameLocator("iframe").getByRole("button", { name: "Earlier texts" }).click();
  await host.frameLocator("iframe").getByRole("dialog").getByRole("button", { name: /^hello.ez/ }).click();
  await lines.getByText("MY SOLUTION").waitFor();
});

test("an earlier text that is removed can be taken back, with the keyboard alone", async (ez) => {
  const { keyboard } = ez.page;
  const focused = () => ez.page.evaluate(() => document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent);
  for (const name of ["fizzbuzz", "primes", "shapes"]) {
    await ez.write(`// MINE, BEFORE ${name}`);
    await example(ez, name);
  }
  const all = ["primes.ez", "fizzbuzz.ez", "hello.ez"];
  await ez.button("Earlier texts").focus();
  await keyboard.press("Enter");
  for (const key of ["Tab", "Enter"]) await keyboard.press(key);
  assert.match(await focused(), /^Undo the removal of primes\.ez/);
  await keyboard.press("Enter");
  assert.match(await focused(), /^Remove primes\.ez/);
  await keyboard.press("Escape");
  // The focus is where it was.
  assert.equal(await focused(), "Earlier texts");
  assert.deepEqual(await earlier(ez), all);
  await ez.press("Earlier texts");
  await ez.press("Remove all");
  assert.ok(await ez.page.evaluate(() => document.activeElement.closest("dialog") !== null));
  assert.equal(await ez.button("Remove all").isVisible(), false);
  await ez.page.getByRole("button", { name: /^Undo the removal of fizzbuzz/ }).click();
  await ez.button("Remove all").waitFor();
  // Nothing is removed if the page ends now.
  const kept = () => ez.page.evaluate(() => Object.keys(localStorage).filter((key) => key.includes(":text:")).length);
  const before = await kept();
  await keyboard.press("Escape");
  assert.deepEqual(await earlier(ez), ["fizzbuzz.ez"]);
  assert.equal(await kept(), before - 2);
});

test("where there is no room, that is said, and nothing is lost that is kept", async (ez) => {
  await ez.write("// FIRST WORK");
  await example(ez, "fizzbuzz");
  await ez.page.evaluate(() => {
    for (let size = 1 << 22; size >= 1; size >>= 1) {
      try {
        for (;;) localStorage.setItem(`other ${size} ${localStorage.length}`, "x".repeat(size));
      } catch {
        // It is full.
      }
    }
  });
  await ez.write("// SECOND WORK");
  await ez.notice.getByText("The browser has no room left to keep what is written here").waitFor();
  await ez.press("Close the message");
  await ez.write("// SECOND WORK, LONGER");
  // What cannot be kept is there as long as the page is.
  await example(ez, "primes");
  await bringBack(ez, /^fizzbuzz.ez/);
  await has(ez, "LONGER");
  await ez.press("Earlier texts");
  await ez.page.getByRole("dialog").getByRole("button", { name: /^Remove hello.ez/ }).click();
  await ez.press("Close");
  assert.ok(!(await earlier(ez)).includes("hello.ez"));
  await ez.page.evaluate(() => { for (const key of Object.keys(localStorage)) if (key.startsWith("other")) localStorage.removeItem(key); });
  await ez.write("// THIRD WORK");
  await ez.page.waitForFunction(() => Object.values(localStorage).some((text) => text.includes("THIRD WORK")));
  await ez.notice.waitFor({ state: "hidden" });
});

test("a browser that keeps nothing is told of", async (ez, profile) => {
  await profile.context.addInitScript(() => {
    for (const name of ["localStorage", "sessionStorage"]) Object.defineProperty(window, name, { get() { throw new DOMException("no", "SecurityError"); } });
  });
  const other = await profile.open();
  await other.write("// WORK");
  await other.notice.getByText("This browser cannot keep the program: save it before you leave.").waitFor();
});

test("cases of the disk replace those of the same name, and these are kept", async (ez) => {
  await begin(ez, RIGHT, ["1", "1\n", "typed for an hour"]);
  const choosing = ez.page.waitForEvent("filechooser");
  await ez.press("Open");
  await (await choosing).setFiles({ name: "1.out", mimeType: "text/plain", buffer: Buffer.from("of the disk") });
  await ez.notice.getByText("hello.ez has the case 1 of the disk now.").waitFor();
  // It cannot be undone any more.
  await ez.editor.click();
  await ez.page.keyboard.type(" ");
  await ez.notice.waitFor({ state: "hidden" });
  await ez.page.reload();
  await bringBack(ez, /^hello.ez.*, 1 case$/);
  await ez.page.getByRole("tab", { name: /^Cases/ }).click();
  await ez.page.locator("#cases").getByText("typed for an hour").waitFor();
});

test("what one tab removes of the program of another one is kept anew", async (ez, profile) => {
  const other = await profile.open();
  const kept = (page) => page.page.evaluate(() => Object.entries(localStorage).filter(([key, text]) => key.includes(":text:") && text.includes("OTHER")).length);
  await other.write("// OF THE OTHER TAB");
  await other.page.waitForFunction(() => Object.values(localStorage).some((text) => text.includes("OTHER")));
  await ez.page.bringToFront();
  await ez.press("Earlier texts");
  await ez.page.getByRole("dialog").getByRole("button", { name: /^Remove hello.ez/ }).click();
  await ez.press("Close");
  await ez.page.waitForFunction(() => !Object.values(localStorage).some((text) => text.includes("OTHER")));
  await other.page.bringToFront();
  await leave(other);
  assert.equal(await kept(ez), 1);
  await has(await profile.open(), "OF THE OTHER TAB");
});

test("it is said why a file cannot be brought back", async (_, profile) => {
  const files = Array.from({ length: 50 }, (_, at) => ({ name: at ? `f${at}.ez` : "main.ez", text: "" }));
  const ez = await profile.open(`#ez1=${deflateRawSync(JSON.stringify({ files, main: "main.ez" })).toString("base64url")}`);
  await ez.press("f49.ez");
  await ez.write("// MINE");
  await ez.press("More about f49.ez");
  await ez.page.getByRole("menuitem", { name: "Remove from the program" }).click();
  await ez.press("New file");
  await ez.press("Add");
  await bringBack(ez, /^f49.ez/);
  await ez.notice.getByText("There can be 50 files at most.").waitFor();
});
