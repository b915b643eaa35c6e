// What must not freeze the page nor end the engine: programs that never end, print or fill memory for ever, or recurse.
//
//   node limits.mjs EZ.WASM

import { withPage } from "./browser.mjs";

const HEAD = "import @std, @arrays, @strings, @time\nusing std\n";
const main = (body, before = "") => `${HEAD}${before}do main() {\n${body}\n}\n`;
const recursion = (expression, depth = 9000) => main(
  `println(f(${depth}))`,
  `do f(n int) -> int {\n    if n == 0 { return 0 }\n    return ${expression}\n}\n`,
);

// Paused after so many milliseconds, they have to stop within so many.
const PAUSED = {
  "an empty loop": main("loop {}"),
  "a loop that computes": main("temp n int = 1\nloop { n = n * 3 % 1000003 }"),
  "a loop that prints": main("temp n int = 0\nloop {\n println(n)\n n = n + 1\n}"),
  "a sort of a million numbers": main(`temp a [int] = {}
    for i in range(0, 1000000) { arrays.append(a, i * 7919 % 1000003) }
    loop {
        arrays.sort(a)
        arrays.reverse(a)
    }`),
  "long texts": main('temp s string = strings.repeat("ab", 500000)\nloop { temp t string = strings.replace(s, "a", "c") }'),
  "a sleep": main("time.sleep(1000)"),
  "an input": main("temp s string = input()"),
};
const MOST = 250;

// They have to end with an output or report that has this in it.
const ENDING = [
  ["endless recursion", main("println(f(1))", "do f(n int) -> int {\n return f(n + 1) + 1\n}\n"), "maximum recursion depth exceeded"],
  ["a call in a call", recursion("f(n - 1) + 1"), "9000"],
  ["a call in 100 parentheses", recursion(`${"(1 + ".repeat(100)}f(n - 1)${")".repeat(100)}`), "900000"],
  ["a call in 480 parentheses", recursion(`${"(1 + ".repeat(480)}f(n - 1)${")".repeat(480)}`, 2000), "960000"],
  ["a call in a chain of 990", recursion(`f(n - 1)${" + 1".repeat(990)}`, 1000), "990000"],
  ["deeper than the memory of stacks", recursion(`f(n - 1)${" + 1".repeat(990)}`), "maximum recursion depth exceeded"],
  ["a call in 450 blocks", main("println(f(9000))",
    `do f(n int) -> int {\n    if n == 0 { return 0 }\n${"if true {\n".repeat(450)}return f(n - 1) + 1\n${"}\n".repeat(450)}return 0\n}\n`), "9000"],
  ["a deep recursion, a thousand times", main("temp s int = 0\nfor i in range(0, 1000) { s += f(9000) }\nprintln(s)",
    "do f(n int) -> int {\n    if n == 0 { return 0 }\n    return f(n - 1) + 1\n}\n"), "9000000"],
  ["a list of 10,000 nodes", main(`temp a Node = nil
    for i in range(0, 10000) { a = Node{next: a} }
    temp b Node = copy(a)
    println(b == a)
    a = nil
    println("end")`, "const Node struct {\n    next Node\n}\n"), "end"],
  ["a chain of 990", main(`temp n int = 1\nprintln(${"n + ".repeat(990)}1)`), "991"],
  ["a chain of 2000", main(`temp n int = 1\nprintln(${"n + ".repeat(2000)}1)`), "nested too deeply"],
  ["490 parentheses", main(`println(${"1 + (".repeat(490)}1${")".repeat(490)})`), "491"],
  ["endless arrays", main("temp a [int] = {}\nloop { arrays.append(a, 1) }"), "out of memory"],
  ["endless texts", main('temp s string = "a"\nloop { s = s + s }'), "out of memory"],
  ["a deep value", main(`temp a Node = nil
    for i in range(0, 5000) { a = Node{next: a} }
    println(a.next.next != nil)`, "const Node struct {\n    next Node\n}\n"), "true"],
];

const failures = [];
await withPage(process.argv[2], async (page) => {
  const check = (name, isRight, what) => {
    console.log(`${isRight ? "ok    " : "FAILED"} ${name}: ${what}`);
    if (!isRight) failures.push(name);
  };
  for (const [name, program] of Object.entries(PAUSED)) {
    const result = await page.evaluate(async (program) => {
      const command = (command, params = {}) => ({ type: "command", command, params });
      const client = await Client.loaded();
      try {
        client.start({ "/main.ez": program }, "/main.ez");
        client.send(command("initialize", { stopOnEntry: false }), command("start"));
        await client.until(() => client.lines.some((line) => line.includes('"started"')));
        await new Promise((resolve) => setTimeout(resolve, 1500));
        const times = [];
        for (let round = 0; round < 4; round++) {
          const began = performance.now();
          const before = client.stops;
          client.send(command("pause"));
          await client.until(() => client.stops > before);
          times.push(Math.round(performance.now() - began));
          client.send(command("continue"));
          await new Promise((resolve) => setTimeout(resolve, 100));
        }
        return { times };
      } catch (error) {
        return { failed: `${error.message} ${client.lines.slice(-2)}` };
      } finally {
        client.end();
      }
    }, program);
    check(name, result.times && Math.max(...result.times) <= MOST, result.failed ?? `paused after ${result.times.join(", ")} ms`);
  }
  for (const [name, program, wanted] of ENDING) {
    const result = await page.evaluate(async (program) => {
      const command = (command, params = {}) => ({ type: "command", command, params });
      const client = await Client.loaded();
      try {
        client.start({ "/main.ez": program }, "/main.ez");
        client.send(command("initialize", { stopOnEntry: false }), command("start"));
        const began = performance.now();
        await client.until(() => client.lines.some((line) => /"event":"(exited|terminated)"|"code":"E/.test(line)), 60000);
        return { lines: client.lines, time: Math.round(performance.now() - began) };
      } catch (error) {
        return { failed: error.message, lines: client.lines };
      } finally {
        client.end();
      }
    }, program);
    const isRight = !result.failed && result.lines.some((line) => line.includes(wanted));
    check(name, isRight, isRight ? `${result.time} ms` : `${result.failed} ${result.lines.slice(-2).join("\n").slice(0, 600)}`);
  }
});
process.exitCode = failures.length > 0 ? 1 : 0;
