// An engine that cannot be used, fails, hangs or ends.
import { hasten, serveInstead, test } from "../harness.mjs";

/** The page with a worker of another kind. */
async function withWorker(profile, body) {
  const other = profile.other();
  return { page: await other.open("", { serviceWorkers: "block" }, { "worker.js": body }), other };
}

test("a browser that cannot run the engine says so in a sentence", async (_, profile) => {
  const { page, other } = await withWorker(profile, 'onmessage = () => postMessage({ type: "unsupported", message: "This browser cannot do it." });');
  await page.press("Run");
  await page.notice.getByText("This browser cannot do it.").waitFor();
  await page.says("This browser cannot do it.");
  await other.close();
});

test("an engine that fails says so, and the next run begins anew", async (_, profile) => {
  const body = `onmessage = ({ data }) => postMessage(data.type === "load" ? { type: "ready" } : { type: "failed", message: "The engine has failed: a reason" });`;
  const { page, other } = await withWorker(profile, body);
  for (let time = 0; time < 2; time++) {
    await page.press("Run");
    await page.says("The engine has failed: a reason");
  }
  await other.close();
});

test("an engine that never answers is stopped at once", async (_, profile) => {
  const { page, other } = await withWorker(profile, 'onmessage = ({ data }) => { if (data.type === "load") postMessage({ type: "ready" }); else for (;;); };');
  await page.press("Run");
  await page.says("is loaded");
  await page.press("Stop");
  await page.says("was stopped");
  await other.close();
});

test("another engine is loaded in place of one that the browser has closed as it began", async (_, profile) => {
  const { server } = profile;
  const other = profile.other();
  serveInstead(server, { "/worker.js": "close();" });
  await other.prepare({ serviceWorkers: "block" });
  await other.context.addInitScript(hasten, [10000, 500]);
  const page = await other.open();
  await page.writeMain('    println("here")');
  await page.press("Run");
  await page.says("is loaded");
  delete server.replaced["/worker.js"];
  await page.log.getByText("here").waitFor();
  other.check();
  await other.close();
});

/** Ends all workers, once each has begun, as a browser does that has too little memory. */
async function endWorkers(ez) {
  await ez.page.waitForFunction(async (count) => (await navigator.locks.query()).held.length >= count, ez.page.workers().length);
  await Promise.all(ez.page.workers().map((worker) => worker.evaluate(() => { close(); }).catch(() => {})));
}

test("an engine that the browser has closed is told, and started again", async (ez) => {
  await ez.writeMain('    println("begun")\n    temp line string = input()\n    println("got", line)');
  for (const how of ["Run", "Start again"]) {
    await ez.press(how);
    await ez.says("waits for input");
    await endWorkers(ez);
    await ez.says("The engine has ended: the browser has closed it");
  }
  await ez.debug(4);
  await endWorkers(ez);
  await ez.says("The engine has ended");
  // One that has ended unused is not used.
  await ez.press("Start again");
  await ez.isAt(4);
  await ez.notice.waitFor({ state: "hidden" });
});

test("reports come while a program is written, also when the browser has closed the engine", async (ez) => {
  const count = () => ez.page.locator("#below-tabs").getByText(/Problems \(/);
  await ez.writeMain('    temp n int = "five"');
  await count().waitFor();
  await endWorkers(ez);
  await ez.writeMain("    println(1)");
  await count().waitFor({ state: "detached" });
  await ez.writeMain('    temp n int = "six"');
  await count().waitFor();
});
