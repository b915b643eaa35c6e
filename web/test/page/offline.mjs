// Without a connection, with a new version, and with files that are not those of the page.
import { strict as assert } from "node:assert";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isKept, loadVersion, serveInstead, serveVersion, test } from "../harness.mjs";

/** Checks that no service worker has been installed: that is so only if all files are right. */
async function isNotKept(ez) {
  assert.equal(await ez.page.evaluate(async () => (await navigator.serviceWorker.getRegistration())?.active ?? null), null);
}

const HTML = "<!DOCTYPE html><title>502 Bad Gateway</title><h1>502 Bad Gateway</h1>";

/** What a server may give in place of the engine. */
const WRONG = {
  "a page about an error": () => HTML,
  "a part of it": (engine) => engine.subarray(0, engine.length / 2),
  "nothing": () => "",
  // The sum in it are its last bytes.
  "one of another version": (engine) => Buffer.concat([engine.subarray(0, -12), Buffer.from("0123456789ab")]),
};

/** A test of what is served instead of some files; `server.replaced` has them. */
function testServed(name, action) {
  test(name, async (_, profile) => {
    if (!profile.server.folder) return;
    const other = profile.other();
    try {
      await action(other, other.server.replaced, readFileSync(join(other.server.folder, "ez.wasm")));
      other.check();
    } finally {
      await other.close();
    }
  });
}

for (const [what, made] of Object.entries(WRONG)) {
  testServed(`${what} in place of the engine is told, and not kept`, async (profile, replaced, engine) => {
    replaced["/ez.wasm"] = made(engine);
    const ez = await profile.open();
    for (const how of ["Run", "Debug"]) {
      await ez.press(how);
      await ez.notice.getByText("what the server gives as ez.wasm is not the engine of this page").waitFor();
      await ez.says("Load the page again");
    }
    await isNotKept(ez);
    delete replaced["/ez.wasm"];
    const loaded = ez.page.waitForEvent("load");
    await ez.press("Load the page again");
    await loaded;
    await ez.writeMain('    println("recovered")');
    await ez.run();
    assert.equal(await ez.printed(), "recovered\n");
    await isKept(ez);
  });
}

testServed("an engine that comes late is loaded by the next run", async (profile, replaced) => {
  replaced["/ez.wasm"] = HTML;
  const ez = await profile.open();
  await ez.press("Run");
  await ez.says("Load the page again");
  delete replaced["/ez.wasm"];
  await ez.writeMain('    println("recovered")');
  await ez.run();
  assert.equal(await ez.printed(), "recovered\n");
  await ez.notice.waitFor({ state: "hidden" });
});

testServed("other wrong files are not kept either, and what is kept stays", async (profile, replaced) => {
  replaced["/worker.js"] = HTML;
  replaced["/explain.json"] = HTML;
  const ez = await profile.open();
  await ez.press("Run");
  await ez.says("the server does not give its script");
  delete replaced["/worker.js"];
  await ez.page.reload();
  await ez.run();
  await isNotKept(ez);
  delete replaced["/explain.json"];
  await ez.page.reload();
  await isKept(ez);
  // A version that is put there by halves is none.
  serveVersion(profile, "0123456789ab");
  replaced["/ez.wasm"] = HTML;
  const failed = await ez.page.evaluate(async () => {
    const known = await navigator.serviceWorker.getRegistration();
    const over = new Promise((resolve) => known.addEventListener("updatefound", () => {
      known.installing.addEventListener("statechange", (event) => resolve(event.target.state));
    }));
    await known.update().catch(() => {});
    return over;
  });
  assert.equal(failed, "redundant");
  await ez.page.reload();
  await ez.run();
  await ez.says("has ended");
});

testServed("what was removed from the browser's store is kept again", async (profile, replaced) => {
  const ez = await profile.open();
  await isKept(ez);
  await ez.page.evaluate(async () => { for (const name of await caches.keys()) await caches.delete(name); });
  replaced["/explain.json"] = HTML;
  await ez.page.reload();
  await ez.run();
  await ez.page.waitForFunction(async () => (await (await caches.open((await caches.keys())[0])).keys()).some(({ url }) => url.endsWith("ez.wasm")));
  await ez.page.evaluate(() => fetch("explain.json").then((answer) => answer.text()));
  assert.equal(await ez.page.evaluate(async () => Boolean(await caches.match("explain.json"))), false);
});

testServed("a page whose script is missing says so", async (profile, replaced) => {
  replaced["/page.js"] = HTML;
  const page = await (profile.context = await profile.browser.newContext()).newPage();
  await page.goto(profile.address);
  await page.getByText("The page has not been loaded completely").waitFor();
});

test("it works without a connection once it was loaded", async (ez, profile) => {
  await isKept(ez);
  await profile.context.setOffline(true);
  await ez.page.reload();
  await ez.writeMain('    println("offline")\n    temp n int = "x"');
  await ez.page.getByRole("tab", { name: "Problems (1)" }).click();
  await ez.page.getByRole("button", { name: /Explain/ }).first().click();
  await ez.page.getByRole("dialog").getByText("Right:").waitFor();
  await ez.press("Close");
  await ez.writeMain('    println("offline")');
  await ez.run();
  assert.equal(await ez.printed(), "offline\n");
});

test("a new version is told, and takes the place of the old one", async (ez, profile) => {
  if (!profile.server.folder) return;
  await isKept(ez);
  await ez.page.reload();
  await ez.writeMain('    println("kept over the update")');
  serveVersion(profile, "0123456789ab");
  await loadVersion(ez);
  await ez.page.locator('script[type="module"][src*="0123456789ab"]').waitFor({ state: "attached" });
  await ez.page.locator(".cm-line", { hasText: "kept over the update" }).waitFor();
  const caches = await ez.page.evaluate(() => caches.keys());
  assert.equal(caches.length, 1);
  assert.match(caches[0], /0123456789ab$/);
});

test("a new version is loaded in each of two tabs", async (ez, profile) => {
  if (!profile.server.folder) return;
  const other = await profile.open();
  for (const tab of [ez, other]) {
    await isKept(tab);
    await tab.page.reload();
  }
  serveVersion(profile, "0123456789ab");
  for (const tab of [ez, other]) await loadVersion(tab);
  for (const tab of [ez, other]) await tab.page.locator('script[type="module"][src*="0123456789ab"]').waitFor({ state: "attached" });
});

test("where browsers do not load the page, it says what is to be done", async (ez, profile) => {
  const { folder, replaced } = profile.server;
  if (!folder) return;
  const lost = await profile.context.newPage();
  const says = async (where, text) => {
    const place = where.locator("#incomplete");
    await place.getByText(text).waitFor();
    assert.deepEqual(await where.locator("h1, h2, p, button").evaluateAll((all) => all.filter((one) => one.checkVisibility() && one.textContent).map(({ id, textContent }) => id || textContent)), ["EZ", "incomplete"]);
  };
  await lost.goto(new URL(`file://${join(folder, "index.html")}`).href);
  await says(lost, "Put its folder on a web space, or show it on this computer only: ez playground FOLDER.");
  replaced["/course.html"] = `<!DOCTYPE html><title>Course</title><iframe sandbox="allow-scripts" src="./?embed"></iframe><iframe sandbox="allow-scripts allow-same-origin" src="./?embed"></iframe>`;
  const course = await profile.context.newPage();
  await course.goto(`${profile.address}course.html`);
  await says(course.frameLocator("iframe").first(), "the attribute sandbox of the frame needs allow-same-origin");
  await course.frameLocator("iframe").last().getByRole("button", { name: "Run", exact: true }).waitFor();
});
