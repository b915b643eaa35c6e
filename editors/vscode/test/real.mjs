// The extension in Visual Studio Code itself, in a headless Chromium: errors while one types, a breakpoint, and the
// Testing view, in which a case fails, says why, and stops at the difference when it is debugged.
//
//   node real.mjs FOLDER    FOLDER has what .ci/vscode has installed
//
// EZ names the program, CHROMIUM the browser. With PICTURES=FOLDER, writes pictures.

import { spawn } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const extension = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");
const installed = path.resolve(process.argv[2]);
const { chromium } = createRequire(path.join(installed, "package.json"))("playwright-core");
const LIMIT = 60_000;

// A folder with everything that the editor needs and writes, and a program with a case that fails.
function prepared() {
  const base = fs.mkdtempSync(path.join(os.tmpdir(), "ez-vscode-"));
  const write = (name, text) => {
    fs.mkdirSync(path.dirname(path.join(base, name)), { recursive: true });
    fs.writeFileSync(path.join(base, name), text);
  };
  const settings = {
    "security.workspace.trust.enabled": false,
    "workbench.startupEditor": "none",
    "workbench.secondarySideBar.defaultVisibility": "hidden",
    "chat.disableAIFeatures": true,
    "telemetry.telemetryLevel": "off",
  };
  write("data/User/settings.json", JSON.stringify(settings));
  // The program is a setting of the machine.
  write("data/Machine/settings.json", JSON.stringify({ "ez.path": path.resolve(process.env.EZ) }));
  write("class/average.ez", fs.readFileSync(path.join(extension, "../../examples/average.ez"), "utf8"));
  write("class/average.cases/two.out", "Marks: 2\nAverage: 7.5\n");
  write("class/wrong.ez", "do main() {\n    temp n int = true\n}\n");
  fs.mkdirSync(path.join(base, "extensions"));
  fs.symlinkSync(extension, path.join(base, "extensions/ez.ez-debugger"), "junction");
  return base;
}

// Starts the editor's server; gives the process and its address.
async function served(base) {
  const entry = path.join(installed, "node_modules/code-server/out/node/entry.js");
  const folders = ["--user-data-dir", path.join(base, "data"), "--extensions-dir", path.join(base, "extensions")];
  const quiet = ["--auth", "none", "--disable-telemetry", "--disable-update-check", "--bind-addr", "127.0.0.1:0"];
  const server = spawn(process.execPath, [entry, ...folders, ...quiet], {
    env: { ...process.env, HOME: base, XDG_CONFIG_HOME: path.join(base, "config"), XDG_DATA_HOME: path.join(base, "share") },
    // It complains of native modules that are only needed for its log.
    stdio: ["ignore", "pipe", "ignore"],
  });
  for await (const line of createInterface({ input: server.stdout })) {
    const found = /http:\/\/127\.0\.0\.1:\d+/.exec(line);
    if (found) {
      server.stdout.resume();
      return { server, address: found[0] };
    }
  }
  throw new Error("the editor's server does not start");
}

// Uses it as a learner does; each wait is for something that is to be seen.
async function tried(page, picture) {
  const seen = async (place, what) => {
    await page.locator(place).first().waitFor();
    console.log(`seen: ${what}`);
  };
  const row = (view, text) => page.locator(`${view} .monaco-list-row`, { hasText: text }).first();
  const command = async (name) => {
    await page.keyboard.press("F1");
    await page.keyboard.insertText(name);
    await page.locator(`.quick-input-list .monaco-list-row[aria-label^="${name}"]`).first().click();
  };
  const click = (place) => page.locator(place).first().click();

  // Before a program is open.
  await seen('.activitybar [aria-label^="Testing"]', "the Testing view");
  await row(".explorer-folders-view", "wrong.ez").dblclick();
  await seen(".squiggly-error", "an error while one types");

  await row(".explorer-folders-view", "average.ez").dblclick();
  await seen('.tab.active[aria-label^="average.ez"]', "a program");
  await seen('.view-line span[class*="mtk"] >> text=/^float$/', "its colours");
  await command("Go to Line");
  await page.keyboard.insertText("10");
  await page.keyboard.press("Enter");
  await command("Debug: Toggle Breakpoint");
  await page.keyboard.press("F5");
  await row(".debug-call-stack", "average").waitFor();
  await page.keyboard.press("Shift+F11");
  await seen('.debug-call-stack .monaco-list-row:has-text("16:")', "a stop at a breakpoint, and a step");
  await seen('.debug-variables .monaco-list-row:has-text("marks")', "variables");
  await page.keyboard.press("Shift+F5");
  await page.locator(".debug-toolbar").waitFor({ state: "hidden" });
  await command("Remove All Breakpoints");

  await click('.activitybar [aria-label^="Testing"]');
  await row(".test-explorer", "average.ez").waitFor();
  await click('[aria-label^="Run Tests"]');
  await seen('.test-explorer .monaco-list-row[aria-label*="Failed"]', "a case that has failed");
  // All of the program is to be seen.
  await command("View: Hide Panel");
  await row(".test-explorer", "average.ez").click();
  await page.keyboard.press("ArrowRight");
  await row(".test-explorer", "two").click();
  await seen('.test-output-peek >> text=line 2: expected "Average: 7.5"', "what was expected");
  await seen(".test-error-content-widget >> text=average(marks) = 7.0", "what has caused it");
  await picture("failed");
  await row(".test-explorer", "two").hover();
  await row(".test-explorer", "two").locator('[aria-label^="Debug Test"]').click();
  await seen(".exception-widget >> text=expected: Average: 7.5", "a stop at the difference");
  await seen('.debug-call-stack .monaco-list-row:has-text("17:")', "the place after it");
  await row(".debug-variables", "Locals").waitFor();
  await picture("stopped");
  await click('.debug-toolbar [aria-label^="Step Back"]');
  await seen('.debug-call-stack .monaco-list-row:has-text("16:")', "a step back");
  await page.keyboard.press("Shift+F5");
  await page.locator(".debug-toolbar").waitFor({ state: "hidden" });
  await click('.activitybar [aria-label^="Testing"]');
  await seen('.test-explorer .monaco-list-row[aria-label*="Failed"]', "the result after that");
}

const base = prepared();
const { server, address } = await served(base);
// Also when a signal ends the trial.
process.once("exit", () => server.kill());
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ["--no-sandbox", "--disable-gpu"] });
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  page.setDefaultTimeout(LIMIT);
  const picture = (name) => process.env.PICTURES && page.screenshot({ path: path.join(process.env.PICTURES, `${name}.png`) });
  await page.goto(`${address}/?folder=${encodeURIComponent(path.join(base, "class"))}`);
  await tried(page, picture);
} finally {
  await browser.close();
  const ended = new Promise((resolve) => server.once("exit", resolve));
  server.kill();
  await ended;
  fs.rmSync(base, { recursive: true, force: true });
}
