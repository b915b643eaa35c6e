// The same for the ten-thousandth time, and large programs, values and stacks.
import { strict as assert } from "node:assert";
import { test } from "../harness.mjs";

/** The elements of the page and the memory of its scripts, after what is not used was given back. */
async function held(ez) {
  const client = await ez.page.context().newCDPSession(ez.page);
  for (let time = 0; time < 2; time++) await client.send("HeapProfiler.collectGarbage");
  await client.send("Performance.enable");
  const { metrics } = await client.send("Performance.getMetrics");
  const of = (name) => metrics.find((one) => one.name === name).value;
  await client.detach();
  return { nodes: of("Nodes"), listeners: of("JSEventListeners"), heap: of("JSHeapUsedSize") / 2 ** 20 };
}

/** Presses a key so many times, each when the last step is shown; gives the time of one, in milliseconds. */
const steps = (ez, count, key) => ez.page.evaluate(async ([count, key]) => {
  const time = document.querySelector("#time .count");
  const began = performance.now();
  for (let step = 0; step < count; step++) {
    const shown = new Promise((resolve) => new MutationObserver((_, observer) => { observer.disconnect(); resolve(); }).observe(time, { childList: true }));
    document.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
    await shown;
  }
  return (performance.now() - began) / count;
}, [count, key]);

const LOOP = `import @std
using std
const Point struct {
    x int
    y int
}
do add(a int, b int) -> int {
    temp c int = a + b
    return c
}
do main() {
    temp sum int = 0
    temp p Point = Point{x: 1, y: 2}
    temp list [int] = {1, 2, 3}
    for i in range(0, 100000) {
        sum = add(sum, i)
        list[0] = sum
    }
}
`;

/** How often: 10,000 steps and 1,000 runs take some minutes. */
const STEPS = Number(process.env.EZ_STEPS ?? 2000);
const RUNS = Number(process.env.EZ_RUNS ?? 60);

test(`the step number ${STEPS} costs what the first did`, async (ez) => {
  await ez.write(LOOP);
  await ez.page.getByRole("textbox", { name: "New watch" }).fill("sum * 2");
  await ez.page.keyboard.press("Enter");
  await ez.debug(12);
  for (let step = 0; step < 4; step++) await steps(ez, 1, "F11");
  await ez.variable("list").click();
  await steps(ez, 500, "F11");
  const first = { ...await held(ez), step: await steps(ez, 500, "F11") };
  await steps(ez, STEPS - 1000, "F11");
  const last = { ...await held(ez), step: await steps(ez, 500, "F11") };
  console.log(`        ${JSON.stringify(first)}\n        ${JSON.stringify(last)}`);
  assert.ok(last.nodes < first.nodes * 1.2 + 200, "elements");
  assert.ok(last.listeners < first.listeners * 1.2 + 100, "listeners");
  assert.ok(last.heap < first.heap + 4, "memory");
  assert.ok(last.step < first.step * 2 + 2, "time");
});

test(`the run number ${RUNS} costs what the first did`, async (ez) => {
  await ez.writeMain('    for i in range(0, 3) { println("line ${i}") }');
  const runs = (count) => ez.page.evaluate(async (count) => {
    const began = performance.now();
    for (let run = 0; run < count; run++) {
      document.querySelector("[aria-label=Run]").click();
      await new Promise((resolve) => {
        const look = () => (document.querySelector("#output .ending") && document.querySelector("[aria-label=Run]").getAttribute("aria-disabled") === "false" ? resolve() : setTimeout(look, 2));
        setTimeout(look, 2);
      });
    }
    return (performance.now() - began) / count;
  }, count);
  await runs(20);
  const first = { ...await held(ez), run: await runs(20) };
  await runs(RUNS - 40);
  const last = { ...await held(ez), run: await runs(20) };
  console.log(`        ${JSON.stringify(first)}\n        ${JSON.stringify(last)}`);
  assert.ok(last.nodes < first.nodes * 1.2 + 200, "elements");
  assert.ok(last.heap < first.heap + 4, "memory");
  assert.ok(last.run < first.run * 2 + 20, "time");
  assert.ok(ez.page.workers().length < 5, `${ez.page.workers().length} workers`);
});

test("a program of 50,000 lines is edited, debugged and stepped", async (ez) => {
  const functions = Array.from({ length: 12_490 }, (_, at) => `do g${at}(n int) -> int {\n    temp m int = n + ${at}\n    return m\n}`).join("\n");
  const text = `import @std\nusing std\n${functions}\ndo main() {\n    temp a int = 1\n    println(g9000(a))\n    println(g3(a))\n}\n`;
  await ez.page.evaluate((text) => {
    const program = JSON.stringify({ files: [{ name: "main.ez", text }], main: "main.ez" });
    // What the page keeps when it is left is not wanted here.
    for (const event of ["pagehide", "visibilitychange"]) addEventListener(event, () => sessionStorage.setItem(`ez:${location.pathname}:program`, program));
  }, text);
  await ez.page.reload();
  await ez.page.locator(".cm-line", { hasText: "do g0(" }).waitFor();
  const began = performance.now();
  await ez.page.keyboard.press("F5");
  await ez.page.locator("#calls .function", { hasText: "main" }).waitFor();
  console.log(`        first stop after ${Math.round(performance.now() - began)} ms`);
  await ez.press("Step over");
  await ez.hasValue("a", "1");
  await ez.press("Step into");
  await ez.page.locator("#calls .function", { hasText: "g9000" }).waitFor();
  console.log(`        ${await steps(ez, 3, "F11")} ms a step`);
  await ez.press("Stop");
  const before = performance.now();
  await ez.editor.press("Control+End");
  await ez.page.keyboard.type("temp x\n");
  await ez.page.getByRole("tab", { name: /Problems \(\d/ }).waitFor();
  console.log(`        a problem is known after ${Math.round(performance.now() - before)} ms`);
});

test("9,000 calls in progress", async (ez) => {
  await ez.write("import @std\nusing std\ndo f(n int) -> int {\n    if n == 0 {\n        return 0\n    }\n    return f(n - 1) + 1\n}\ndo main() {\n    println(f(9000))\n}\n");
  await ez.clickGutter(5);
  await ez.debug(5);
  await ez.page.locator("#calls .more", { hasText: /8,95\d more/ }).waitFor();
  await ez.page.getByRole("tab", { name: "Picture" }).click();
  await ez.page.locator(".more", { hasText: "more calls" }).waitFor();
  await ez.press("Back");
  await ez.isAt(4);
  // The present comes first.
  await ez.press("Step out");
  await ez.isAt(5);
  await ez.press("Step out");
  await ez.isAt(7);
});

test("a million elements, 100,000 entries, 50 levels", async (ez) => {
  await ez.write(`import @std, @arrays
using std
const Node struct {
    next Node
}
do main() {
    temp a [int] = {}
    for i in range(0, 1000000) { arrays.append(a, i) }
    temp m map[string:int] = {}
    for i in range(0, 100000) { m["k\${i}"] = i }
    temp n Node = nil
    for i in range(0, 50) { n = Node{next: n} }
    println(len(a))
    println(len(m))
}
`);
  await ez.clickGutter(13);
  await ez.debug(13);
  for (const name of ["a", "m"]) {
    await ez.variable(name).click();
    await ez.page.locator("#variables .row.more").first().waitFor();
  }
  for (let level = 0; level < 50; level++) {
    await ez.page.locator("#variables .row[aria-expanded=false]").last().click();
    await ez.page.locator(`#variables .row[aria-level="${level + 3}"]`).last().waitFor();
  }
  await ez.page.getByRole("tab", { name: "Picture" }).click();
  await ez.page.locator(".object").first().waitFor();
  await ez.page.getByRole("tab", { name: "Variables" }).click();
  console.log(`        ${await steps(ez, 1, "F10")} ms a step`);
  await ez.isAt(14);
});

test("long lists of structs are copied, printed, compared, encoded and dropped", async (ez) => {
  for (const length of [1000, 7000]) {
    await ez.write(`import @std, @json, @arrays
using std
const Node struct {
    value int
    next Node
}
do main() {
    temp n Node = nil
    for i in range(0, ${length}) { n = Node{value: i, next: n} }
    temp other Node = copy(n)
    println("equal", n == other)
    println("text", len(string(n)) > 10)
    println("found", arrays.contains({other}, n))
    temp _, problem = json.encode(n)
    println("encoded", problem == nil)
    n = nil
    println("end")
}
`);
    await ez.run();
    const printed = await ez.log.textContent();
    console.log(`        ${length}: ${printed.slice(0, 300)}`);
    assert.match(printed, /end\n/);
  }
});
