// Browsers that cannot suspend WebAssembly: with a service worker, and without one.
import { strict as assert } from "node:assert";
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isKept, loadVersion, serveInstead, serveVersion, test } from "../harness.mjs";

/** Has this many workers ask past the service worker, as some in Safari do. */
const askPast = (count) => {
  const { postMessage } = Worker.prototype;
  Worker.prototype.postMessage = function (message, ...more) {
    const isPast = message.ask && count-- > 0;
    return postMessage.call(this, isPast ? { ...message, ask: message.ask.replace("ask", "absent") } : message, ...more);
  };
};

/**
 * The page in a browser that cannot suspend WebAssembly. Options of its profile, and: how many workers ask past the service
 * worker; a file that is served cut off; how often the engine is served, before `serve` is called.
 */
async function opened(profile, { asksPast = 0, cutOff, served = Infinity, ...options } = {}) {
  const { server } = profile;
  const old = profile.other();
  const worker = readFileSync(join(server.folder, "worker.js"), "utf8");
  serveInstead(server, { "/worker.js": `delete WebAssembly.Suspending;\n${worker}` });
  if (cutOff) server.replaced[cutOff] = "cut off";
  await old.prepare(options);
  await old.context.addInitScript(askPast, asksPast);
  let serve = () => {};
  const isServed = new Promise((resolve) => { serve = resolve; });
  await old.context.route("**/ez.wasm*", (route) => (served-- > 0 ? Promise.resolve() : isServed).then(() => route.continue()));
  return { ez: await old.open(), old, serve };
}

/** A test in such a browser. */
function testWithout(what, options, action) {
  test(`without suspension ${what}`, async (_, profile) => {
    const { ez, old, serve } = await opened(profile, options);
    try {
      await action(ez, old, serve);
      old.check();
    } catch (error) {
      await old.picture(join(tmpdir(), `page-${what.replace(/\W+/g, "-")}.png`));
      throw error;
    } finally {
      await old.close();
    }
  });
}

const PROGRAM = `import @std
using std
do twice(n int) -> int {
    temp result int = n * 2
    return result
}
do main() {
    temp total int = 0
    for i in range(0, 3) {
        total += twice(i)
        println("total", total)
    }
    temp line string = input()
    println("got", line)
}
`;

/** Debugs the program, and takes a step back. */
async function goBack(ez) {
  await ez.write(PROGRAM);
  await ez.debug(8);
  await ez.press("Step over");
  await ez.isAt(9);
  await ez.press("Back");
  await ez.isAt(8);
}

testWithout("a program is debugged: breakpoints, steps, variables, input", {}, async (ez) => {
  await ez.write(PROGRAM);
  await ez.clickGutter(10);
  await ez.debug(10);
  await ez.hasValue("total", "0");
  await ez.page.keyboard.press("F11");
  await ez.isAt(4);
  await ez.page.keyboard.press("Shift+F11");
  await ez.says("twice returned 0");
  await ez.clickGutter(10);
  await ez.press("Continue");
  await ez.says("waits for input");
  await ez.enter("é🙂");
  await ez.log.getByText("got é🙂").waitFor();
  await ez.atEnd();
  assert.equal(await ez.printed(), "total 0\ntotal 2\ntotal 6\ngot é🙂\n");
});

testWithout("a program is taken back, and explained", {}, async (ez) => {
  await ez.write(PROGRAM);
  await ez.clickGutter(11);
  await ez.page.keyboard.press("F5");
  for (const total of [0, 2, 6]) {
    await ez.hasValue("total", total);
    if (total < 6) await ez.press("Continue");
  }
  await ez.press("Back");
  await ez.isAt(10);
  await ez.hasValue("total", "2");
  await ez.press("Reverse");
  await ez.isAt(11);
  await ez.hasValue("i", "1");
  await ez.page.keyboard.press("Alt+F6");
  await ez.hasValue("total", "6");
  await ez.choose("total", "How was this computed?");
  await ez.page.locator(".computed").getByText("total: 2 → 6").waitFor();
});

testWithout("an endless loop is paused twice, and stopped", {}, async (ez) => {
  await ez.writeMain("    temp i int = 0\n    loop {\n        i += 1\n    }");
  await ez.debug(4);
  for (let time = 0; time < 2; time++) {
    await ez.press("Continue");
    await ez.says("The program runs");
    await ez.press("Pause");
    await ez.says("Paused");
    await ez.variable("i").waitFor();
  }
  await ez.press("Continue");
  await ez.says("The program runs");
  await ez.press("Stop");
  await ez.says("was stopped");
});

testWithout("output without end does not drown the page", {}, async (ez) => {
  await ez.writeMain('    loop { println("again and again") }');
  await ez.press("Run");
  await ez.log.locator(".stdout").first().waitFor();
  await ez.log.getByText("earlier lines are not shown").waitFor();
  await ez.press("Stop");
  await ez.says("was stopped");
});

testWithout("two tabs do not take each other's input", {}, async (ez, profile) => {
  const other = await profile.open();
  const body = (name) => `    temp line string = input()\n    println("${name} got", line)`;
  for (const [tab, name] of [[ez, "one"], [other, "two"]]) {
    await tab.writeMain(body(name));
    await tab.press("Run");
    await tab.says("waits for input");
  }
  for (const [tab, text] of [[other, "second"], [ez, "first"]]) {
    await tab.enter(text);
  }
  await ez.log.getByText("one got first").waitFor();
  await other.log.getByText("two got second").waitFor();
});

testWithout("no line is lost, doubled or overtaken, although answers are lost on their way", {}, async (ez) => {
  const lines = Array.from({ length: 100 }, (_, at) => `line ${at}`);
  await ez.writeMain(`    for i in range(0, ${lines.length}) { println(input()) }`);
  await ez.press("Run");
  await ez.says("waits for input");
  await ez.page.evaluate(async (lines) => {
    const input = document.querySelector("[aria-label=Input]");
    for (const [at, line] of lines.entries()) {
      // The service worker forgets whom it has asked for: the worker asks again, for what was sent by then.
      navigator.serviceWorker.controller.postMessage("let go");
      input.value = line;
      input.form.requestSubmit();
      await new Promise((resolve) => setTimeout(resolve, at % 40));
    }
  }, lines);
  await ez.log.locator(".ending").waitFor();
  assert.equal(await ez.printed(), lines.map((line) => `${line}\n`).join(""));
});

testWithout("another worker is made if one asks past the service worker", { asksPast: 4 }, async (ez) => {
  await goBack(ez);
});

testWithout("only Run is offered if all workers ask past the service worker", { asksPast: 100 }, async (ez) => {
  await ez.write(PROGRAM);
  await ez.page.keyboard.press("F5");
  await ez.says("can run programs, but not debug them");
  await ez.enter("before");
  await ez.press("Run");
  await ez.log.getByText("got before").waitFor();
});

// Five workers are made for the checks of what is written, and five for the program.
testWithout("lines are gathered only as long as they have to be", { asksPast: 10 }, async (ez) => {
  await ez.writeMain('    for i in range(0, 2) {\n        temp line string = input()\n        println("got ${line}")\n    }');
  const about = ez.page.locator("#about-input");
  await about.getByText("given nothing while it runs").waitFor();
  await ez.enter("before");
  await ez.press("Debug");
  await ez.says("can run programs, but not debug them");
  // The worker that follows can ask.
  await ez.debug(4);
  await ez.press("Continue");
  await ez.log.getByText("got before").waitFor();
  await ez.says("waits for input");
  await ez.enter("meanwhile");
  await ez.log.getByText("got meanwhile").waitFor();
  await ez.atEnd();
});

testWithout("lines entered while other workers are made are for this run, and so is their end", { asksPast: 9 }, async (ez) => {
  await ez.page.locator("#about-input").getByText("given nothing while it runs").waitFor();
  // The worker that is known by now is that of the checks, which have waited for it.
  await ez.writeMain('    for i in range(0, 3) { println("got ${input()}") }\n    println("then [${input()}]")');
  await ez.press("Run");
  for (const line of ["one", "two", "three"]) await ez.enter(line);
  await ez.press("End of input");
  await ez.log.locator(".ending").waitFor();
  assert.match(await ez.printed(), /got one\ngot two\ngot three\nthen \[\]\n$/);
});

testWithout("a service worker that cannot be installed is not waited for", { cutOff: "/licenses.txt" }, async (ez) => {
  const began = performance.now();
  await ez.writeMain('    println("done")');
  await ez.press("Run");
  await ez.log.getByText("done").waitFor();
  assert.ok(performance.now() - began < 4000);
});

/** Removes what the browser keeps of the page, as its user may. */
const forget = (ez) => ez.page.evaluate(async () => {
  for (const known of await navigator.serviceWorker.getRegistrations()) await known.unregister();
  for (const name of await caches.keys()) await caches.delete(name);
});

testWithout("the past can be shown when the service worker was removed", {}, async (ez) => {
  await ez.write(PROGRAM);
  await ez.debug(8);
  await ez.press("Step over");
  await ez.isAt(9);
  await forget(ez);
  await ez.press("Back");
  await ez.isAt(8);
  await ez.press("Stop");
  await ez.says("was stopped");
  // Also the one that was ready for the next run.
  await forget(ez);
  await ez.debug(8);
});

testWithout("it is said that the service worker was removed, if it cannot be kept again", {}, async (ez, profile) => {
  await ez.write(PROGRAM);
  await ez.debug(8);
  await ez.press("Step over");
  await ez.isAt(9);
  await ez.page.evaluate(() => { navigator.serviceWorker.register = () => Promise.reject(new Error("not now")); });
  await forget(ez);
  await ez.press("Back");
  await ez.says("The browser does not keep the page's service worker any more");
  // The page lives.
  await ez.writeMain('    println("alive")');
  await ez.run();
  await ez.log.getByText("alive").waitFor();
});

testWithout("lines can be entered where there was a past, and then no service worker", {}, async (ez) => {
  await goBack(ez);
  const input = ez.page.getByRole("textbox", { name: "Input" });
  assert.ok(await input.isDisabled());
  await ez.page.evaluate(() => { navigator.serviceWorker.register = () => Promise.reject(new Error("not now")); });
  await forget(ez);
  // The worker that checks it can be given nothing.
  await ez.writeMain('    temp line string = input()\n    println("got ${lines}")');
  await ez.page.getByText("Problems (1)").waitFor();
  await ez.press("Stop");
  await ez.says("was stopped");
  await ez.writeMain('    temp line string = input()\n    println("got ${line}")');
  await ez.page.locator("#about-input").getByText("given nothing while it runs").waitFor();
  await ez.enter("before");
  await ez.run();
  await ez.log.getByText("got before").waitFor();
});

testWithout("a service worker that could not be registered is tried again", { cutOff: "/sw.js" }, async (ez, { server }) => {
  await ez.page.locator("#about-input").getByText("given nothing while it runs").waitFor();
  delete server.replaced["/sw.js"];
  serveInstead(server, { "/worker.js": server.replaced["/worker.js"] });
  await ez.write(PROGRAM);
  // A worker that was made before cannot debug; the checks of what is written may have taken it by now.
  ez.says("can run programs, but not debug them").then(() => ez.page.keyboard.press("F5")).catch(() => {});
  await ez.debug(8);
});

testWithout("a new version is loaded while a program is stopped", {}, async (ez, profile) => {
  await isKept(ez);
  await ez.page.reload();
  await ez.write(PROGRAM);
  await ez.debug(8);
  serveVersion(profile, "0123456789ab");
  await loadVersion(ez);
  await ez.page.locator('script[type="module"][src*="0123456789ab"]').waitFor({ state: "attached" });
});

/** The engine is served once, before `serve` is called. */
const ONE_ENGINE = { serviceWorkers: "block", served: 1 };

/** Writes a wrong program and has it checked: the first worker is taken for that, before another program could have it. */
async function isChecked(ez) {
  await ez.writeMain("    println(unknown)");
  await ez.page.getByText("Problems (1)").waitFor();
}

testWithout("and a service worker, lines entered while the engine is loaded are for this run", ONE_ENGINE, async (ez, _, serve) => {
  await ez.page.locator("#about-input").getByText("given nothing while it runs").waitFor();
  await isChecked(ez);
  await ez.writeMain('    for i in range(0, 2) { println("got ${input()}") }');
  await ez.enter("before");
  await ez.press("Run");
  await ez.says("loaded");
  await ez.enter("while loading");
  serve();
  await ez.log.getByText("got while loading").waitFor();
  assert.equal(await ez.printed(), "got before\ngot while loading\n");
});

testWithout("and a service worker, lines entered for a program with errors are for the next one", ONE_ENGINE, async (ez, _, serve) => {
  await isChecked(ez);
  await ez.enter("before");
  await ez.press("Run");
  await ez.says("is loaded");
  await ez.enter("while loading");
  serve();
  await ez.says("has errors");
  await ez.writeMain('    println("got ${input()}, ${input()}")');
  await ez.run();
  assert.equal(await ez.printed(), "got before, while loading\n");
});

testWithout("and a service worker, a line that is entered while a program runs is for the next one", { serviceWorkers: "block" }, async (ez) => {
  const about = ez.page.locator("#about-input");
  await about.getByText("given nothing while it runs").waitFor();
  // The end of input follows all lines, and is none.
  await ez.page.getByRole("textbox", { name: "Input" }).press("Control+d");
  await ez.enter("one");
  await ez.writeMain('    println("got ${input()}")\n    loop {}');
  await ez.press("Run");
  await ez.log.getByText("got one").waitFor();
  await ez.enter("two");
  await about.getByText("This program can be given nothing more. The next one reads “one”, “two”, and then the end of its input.").waitFor();
  await ez.press("Stop");
  await about.getByText("The program reads “one”, “two”, and then the end of its input.").waitFor();
  await ez.writeMain('    println("got ${input()}, ${input()}")');
  await ez.run();
  assert.equal(await ez.printed(), "got one, two\n");
});

const recursion = (body) => `import @std\nusing std\ndo f(n int) -> int {\n${body}\n}\ndo main() {\n    println(f(0))\n}\n`;
const RECURSION = {
  "a call in a call": "return f(n + 1) + 1",
  "a call in 100 parentheses": `return ${"(1 + ".repeat(100)}f(n + 1)${")".repeat(100)}`,
  "a call in 190 parentheses": `return ${"(1 + ".repeat(190)}f(n + 1)${")".repeat(190)}`,
  "a call in a chain of 390": `return f(n + 1)${" + 1".repeat(390)}`,
  "a call in 190 blocks": `${"if n >= 0 {\n".repeat(190)}return f(n + 1) + 1\n${"}\n".repeat(190)}return 0`,
  "a call in a text": 'temp s string = "${f(n + 1)}"\nreturn len(s)',
};

/** What has to work in a small stack. */
const NESTED = {
  "190 parentheses": [`println(${"1 + (".repeat(190)}1${")".repeat(190)})`, "191\n"],
  "a chain of 390": [`temp n int = 1\nprintln(${"n + ".repeat(390)}1)`, "391\n"],
  "190 blocks": [`temp n int = 1\n${"if n > 0 {\n".repeat(190)}println(7)\n${"}\n".repeat(190)}`, "7\n"],
};

for (const [what, options] of [["", {}], [" and a service worker", { serviceWorkers: "block" }]]) {
  testWithout(`${what} endless recursion is an error`.trim(), options, async (ez) => {
    for (const [name, [body, printed]] of Object.entries(NESTED)) {
      await ez.writeMain(body);
      await ez.run();
      assert.equal(await ez.printed(), printed, name);
    }
    for (const body of [`println(${"(".repeat(400)}1${")".repeat(400)})`, `println(${"1 + ".repeat(900)}1)`]) {
      await ez.writeMain(body);
      await ez.run();
      await ez.log.locator(".report", { hasText: "nested too deeply" }).waitFor();
    }
    for (const [name, body] of Object.entries(RECURSION)) {
      await ez.write(recursion(body));
      await ez.run();
      const told = await ez.log.textContent();
      
      assert.match(told, /E5018 maximum recursion depth exceeded \(limit in this browser: \d+\)/, name);
      await ez.says("exit code 1");
    }
  });
}

testWithout("deep in a recursion there is room for all that is asked", {}, async (ez) => {
  await ez.write("import @std\nusing std\nconst Node struct {\n    next Node\n}\ndo f(n int, a Node) -> int {\n    if n == 700 {\n        return 0\n    }\n    return f(n + 1, Node{next: a}) + 1\n}\ndo main() {\n    println(f(0, nil))\n}\n");
  await ez.clickGutter(8);
  await ez.debug(8);
  await ez.hasValue("n", "700");
  await ez.page.getByRole("tab", { name: "Console" }).click();
  const console = ez.page.getByRole("combobox", { name: "Evaluate" });
  for (const [entered, shown] of [["string(a)", "next: {next"], [`${"(1 + ".repeat(150)}n${")".repeat(150)}`, "850"]]) {
    await console.fill(entered);
    await console.press("Enter");
    await ez.page.getByRole("log", { name: "Results" }).locator(".result, .wrong").getByText(shown).last().waitFor();
  }
  await ez.press("Back");
  await ez.isAt(7);
  await ez.press("Continue");
  await ez.press("Continue");
  await ez.says("Continue lets it end");
});

testWithout("where a recursion has used up the stack, whatever is asked is answered", {}, async (ez) => {
  await ez.write(`import @std
using std
const Inner struct {
    x int
}
const Outer struct {
    inner Inner
}
do f(n int) -> int {
    temp here Outer = new(Outer)
    return f(n + 1) + here.inner.x
}
do main() {
    println(f(0))
}
`);
  await ez.debug(14);
  await ez.press("Continue");
  await ez.says("maximum recursion depth exceeded");
  await ez.page.getByRole("tab", { name: "Console" }).click();
  const console = ez.page.getByRole("combobox", { name: "Evaluate" });
  const results = ez.page.getByRole("log", { name: "Results" });
  const wanted = ["n", `${"(1 + ".repeat(190)}n${")".repeat(190)}`, `n${" + 1".repeat(390)}`, `${"-(".repeat(190)}n${")".repeat(190)}`,
    `${"[".repeat(190)}n`, "string(here)", "copy(here)", "f(1)", `${"f(".repeat(150)}n${")".repeat(150)}`,
    `n > 0${" && n > 0".repeat(190)}`, `"${"${".repeat(5)}n${"}".repeat(5)}"`];
  for (const [at, entered] of wanted.entries()) {
    await console.fill(entered);
    await console.press("Enter");
    await results.locator(".result, .wrong").nth(at).waitFor();
  }
  await ez.press("Back");
  // The past, which has a bit less of the stack, is shown, or it is said that it cannot be.
  await ez.says("Back");
});

testWithout("deeply nested JSON and long lists are no end of it", {}, async (ez) => {
  await ez.write(`import @std, @json, @strings
using std
const Node struct {
    next Node
}
do main() {
    for_each levels in {500, 5000} {
        temp value, problem = json.decode(strings.repeat("{\\"next\\":", levels) + "null" + strings.repeat("}", levels), Node)
        println("decoded", problem)
        temp text, wrong = json.encode(value)
        println("encoded", len(text), wrong == nil)
    }
    temp b Node = nil
    for i in range(0, 1500) { b = Node{next: b} }
    temp text, wrong = json.encode(b)
    println("encoded", wrong)
    temp a Node = nil
    for i in range(0, 3000) { a = Node{next: a} }
}
`);
  await ez.run();
  const told = await ez.log.textContent();
  assert.match(told, /decoded nil\nencoded 4504 true\n/);
  assert.match(told, /decoded .*exceeded max depth.*\nencoded 4 true\n/);
  assert.match(told, /encoded .*value is nested too deeply/);
  assert.match(told, /The program has ended/);
});

testWithout("and a service worker, Debug says why not, and Run works", { serviceWorkers: "block" }, async (ez) => {
  await ez.page.getByText("a program can be given nothing while it runs").waitFor();
  await ez.writeMain('    temp a string = input()\n    temp b string = input()\n    println("got", a, "and", b)\n    println("then", input())');
  await ez.press("Debug");
  await ez.says("This browser can run programs, but not debug them");
  for (const line of ["one", "<b>two"]) await ez.enter(line);
  await ez.page.locator(".about-input", { hasText: "The program reads “one”, “<b>two”, and then the end" }).waitFor();
  await ez.run();
  assert.equal(await ez.printed(), "got one and <b>two\nthen \n");
  await ez.writeMain('    temp n int = "five"');
  await ez.run();
  await ez.says("has errors");
  await ez.writeMain("    temp a [int] = {1, 2}\n    println(a[5])");
  await ez.run();
  await ez.log.locator(".report").getByText("index out of bounds").waitFor();
  await ez.isAt(5);
  for (const body of ["    temp i int = 0\n    loop { i += 1 }", '    loop { println("again") }']) {
    await ez.writeMain(body);
    await ez.press("Run");
    await ez.says("The program runs");
    await ez.press("Stop");
    await ez.says("was stopped");
  }
});

testWithout("and a service worker, a program sleeps", { serviceWorkers: "block" }, async (ez) => {
  await ez.write('import @std, @time\nusing std\ndo main() {\n    time.sleep(1)\n    println("awake")\n}\n');
  await ez.run();
  assert.equal(await ez.printed(), "awake\n");
});
