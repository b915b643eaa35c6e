// What must not freeze the page nor end the engine: programs that never end, print or fill memory for ever, or recurse.
//
//   node limits.mjs EZ.WASM [FILTER]    those that have FILTER in their names

import { withPage } from "./browser.mjs";

const HEAD = "import @std, @arrays, @strings, @time, @json\nusing std\n";
const main = (body, before = "") => `${HEAD}${before}do main() {\n${body}\n}\n`;
const recursion = (expression, depth = 9000) => main(
  `println(f(${depth}))`,
  `do f(n int) -> int {\n    if n == 0 { return 0 }\n    return ${expression}\n}\n`,
);

// A list of so many nodes.
const NODE = "const Node struct {\n    value int\n    next Node\n}\n";
const NEXT_FIRST = "const Node struct {\n    next Node\n    value int\n}\n";
const deep = (nodes, body, node = NODE) => {
  let list = "nil";
  for (let left = nodes; left > 0; left -= 5000) list = `list(${list}, ${Math.min(left, 5000)})`;
  return main(`temp a Node = ${list}\n${body}`, `${node}do list(a Node, n int) -> Node {
    if n == 0 { return a }
    return list(Node{value: n, next: a}, n - 1)
}
`);
};
const deepValues = (nodes) => [
  [`a list of ${nodes}`, deep(nodes, "println(a.next.next != nil)"), "true"],
  [`the text of a list of ${nodes}`, deep(nodes, 'temp s string = "${a}"\nprintln(len(s) > 1000)'), "true"],
  [`equal lists of ${nodes}`, deep(nodes, "temp b Node = copy(a)\nprintln(arrays.equals({a}, {b}))"), "true"],
];

// Where a program is stopped with such a list, all of these are answered.
const STOPPED = [5000, 50000].flatMap((nodes) => [NODE, NEXT_FIRST].map((node) => [
  `stopped with a list of ${nodes}, ${node === NODE ? "next last" : "next first"}`,
  deep(nodes, `temp b Node = nil
    b = a
    a.value = 7
    a.next.next.value = 8
    println(b.value)`, node),
]));
const COMMANDS = [
  ["stepOver", {}, "stopped"],
  ["stepOver", {}, "stopped"],
  ["stepInto", {}, "stopped"],
  ["getVariables", {}, "variables"],
  ["evaluate", { expression: "a", format: "full" }, "evaluateResult"],
  ["evaluate", { expression: "copy(a)" }, "evaluateResult"],
  ["changes", { expression: "a" }, "changes"],
  ["changes", { expression: "a.value" }, "changes"],
  ["unfold", {}, "unfolded"],
  ["stepBack", {}, "stopped"],
  ["stepBackOver", {}, "stopped"],
  ["getVariables", {}, "variables"],
  ["goToPresent", {}, "stopped"],
  ["stepOver", {}, "stopped"],
];

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

const NESTED_TYPES = main("println(new(S0).x.x.x != nil)", `${Array.from({ length: 5000 }, (_, i) => `const S${i} struct {
 x S${i + 1}\n}\n`).join("")}const S5000 struct {\n x int\n}\n`);

// They have to end with an output or report that has this in it.
const ENDING = [
  ["endless recursion", main("println(f(1))", "do f(n int) -> int {\n return f(n + 1) + 1\n}\n"), "maximum recursion depth exceeded"],
  ["a call in a call", recursion("f(n - 1) + 1"), "9000"],
  ["a call in 100 parentheses", recursion(`${"(1 + ".repeat(100)}f(n - 1)${")".repeat(100)}`), "900000"],
  ["a call in 480 parentheses", recursion(`${"(1 + ".repeat(480)}f(n - 1)${")".repeat(480)}`, 2000), "960000"],
  ["a call in a chain of 990", recursion(`f(n - 1)${" + 1".repeat(990)}`, 1000), "990000"],
  ["a call in a chain of 990, 9,000 calls deep", recursion(`f(n - 1)${" + 1".repeat(990)}`), "8910000"],
  ["deeper than the memory of stacks", main("println(len(f(9000)))",
    `do f(n int) -> string {\n    if n == 0 { return "" }\n    return f(n - 1)${' + "a"'.repeat(990)}\n}\n`),
    "maximum recursion depth exceeded"],
  ["a call in 450 blocks", main("println(f(9000))",
    `do f(n int) -> int {\n    if n == 0 { return 0 }\n${"if true {\n".repeat(450)}return f(n - 1) + 1\n${"}\n".repeat(450)}return 0\n}\n`), "9000"],
  ["a deep recursion, a thousand times", main("temp s int = 0\nfor i in range(0, 1000) { s += f(9000) }\nprintln(s)",
    "do f(n int) -> int {\n    if n == 0 { return 0 }\n    return f(n - 1) + 1\n}\n"), "9000000"],
  ["a call in a chain of 1900", recursion(`f(n - 1)${" + 1".repeat(1900)}`, 200), "380000"],
  ["a chain of 1900", main(`temp n int = 1\nprintln(${"n + ".repeat(1900)}1)`), "1901"],
  ["a chain of 1900 texts", main(`temp s string = "a"\nprintln(len(${"s + ".repeat(1900)}s))`), "1901"],
  ["a chain of 2000", main(`temp n int = 1\nprintln(${"n + ".repeat(2000)}1)`), "nested too deeply"],
  ["490 parentheses", main(`println(${"1 + (".repeat(490)}1${")".repeat(490)})`), "491"],
  ["endless arrays", main("temp a [int] = {}\nloop { arrays.append(a, 1) }"), "out of memory"],
  ["endless texts", main('temp s string = "a"\nloop { s = s + s }'), "out of memory"],
  ...deepValues(5000),
  ...deepValues(50000),
  ["a value that is too deep", deep(150000, "temp b Node = copy(a)"), "nested too deeply to be copied"],
  ["9,000 levels of JSON", deep(9000, `temp t, e = json.encode(a)
    temp v, f = json.decode(t, Node)
    println(e, f, arrays.equals({a}, {v}))`), "nil nil true"],
  ["JSON that is too deep", main(`temp v, e = json.decode(strings.repeat("[", 50000), Node)
    println(e)`, NODE), "exceeded max depth"],
  ["5,000 types in one another", NESTED_TYPES, "true"],
  ["3,000 functions that call one another", `${HEAD}${Array.from({ length: 3000 }, (_, i) => `do g${i}() -> int {\n    return g${i + 1}() + 1\n}\n`).join("")}
do g3000() -> int {\n    return 0\n}\ndo main() {\n    println(g0())\n}\n`, "3000"],
];

// The same in a browser that has few stacks.
const FEW_STACKS = [
  ["a call in a call", recursion("f(n - 1) + 1"), "9000"],
  ["endless recursion", main("println(f(1))", "do f(n int) -> int {\n return f(n + 1) + 1\n}\n"), "maximum recursion depth exceeded"],
  ["more stacks than there are", recursion(`${"(1 + ".repeat(480)}f(n - 1)${")".repeat(480)}`, 2000), "maximum recursion depth exceeded"],
  ["9,000 levels of JSON", deep(9000, "temp t, e = json.encode(a)\nprintln(e)"), "nil"],
];

// The same in one that has one stack only.
const ONE_STACK = [
  ["5,000 types in one another", NESTED_TYPES, "true"],
  ["190 blocks", main(`temp n int = 1\n${"if n > 0 {\n".repeat(190)}println(n)\n${"}\n".repeat(190)}`), '"1\\n"'],
  ["a chain of 390", main(`temp n int = 1\nprintln(${"n + ".repeat(390)}1)`), "391"],
  ["a chain of 2000 texts", main(`temp s string = "a"\nprintln(len(${"s + ".repeat(2000)}s))`), "nested too deeply"],
  ["450 types of lists", main(`temp a ${"[".repeat(450)}int${"]".repeat(450)} = {}\nprintln(len(a))`), "nested too deeply"],
  ["2,000 alternatives", main(`temp n int = 5\nif n == 0 { println(0) }${Array.from({ length: 2000 }, (_, i) => ` or n == ${i + 9} { println(1) }`).join("")} otherwise { println(7) }`), '"7\\n"'],
];

// Sessions one after the other, in a worker of a browser that has so many stacks: each gives back all that it took,
// however it ends. After these commands each has a line, or fails with a message, that has this in it.
const BACK = [["stepOver", {}, "stopped"], ["stepOver", {}, "stopped"], ["stepBack", {}, "stopped"]];
const TWO_STEPS = main("temp a int = 1\na = 2\nprintln(a)");
// Each statement has to look at its place.
const MANY = main(`for k in range(0, 1) {\n${"println(k)\n".repeat(20000)}}`);
const MANY_BREAKPOINTS = Array.from({ length: 20000 }, (_, i) => ({ line: i + 5, condition: "k == 1" }));
const AGAIN = [
  ["deep recursion", 24, recursion("f(n - 1) + 1", 2000), [["continue", {}, "stopped"]], '"2000\\n"'],
  ["a step back", 4, TWO_STEPS, BACK, '"past":true'],
  ["restarts and steps back", 4, TWO_STEPS, Array(5).fill([...BACK, ["restart", {}, "stopped"]]).flat(), '"past":true'],
  ["a past in deep recursion", 44, recursion("f(n - 1) + 1", 2000), [
    ["setBreakpoint", { file: "/main.ez", line: 4, condition: "n == 0" }, "breakpointSet"], ["continue", {}, "stopped"],
    ["stepBack", {}, "stopped"]], '"past":true'],
  ["types in one another", 2, NESTED_TYPES, [["continue", {}, "stopped"]], "true"],
  ["20,000 statements that look", 4, MANY, [["setBreakpoints", { file: "/main.ez", breakpoints: MANY_BREAKPOINTS }, "breakpoints"],
    ["continue", {}, "stopped"]], '"reason":"end"'],
  ["a past for which there is no stack", 1, TWO_STEPS, BACK, "The past has failed"],
];
const SESSIONS = 6;

const failures = [];
const filter = process.argv[3] ?? "";
await withPage(process.argv[2], async (page) => {
  const check = (name, isRight, what) => {
    console.log(`${isRight ? "ok    " : "FAILED"} ${name}: ${what}`);
    if (!isRight) failures.push(name);
  };
  for (const [name, program] of Object.entries(PAUSED)) {
    if (!name.includes(filter)) continue;
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
  for (const [name, program] of STOPPED) {
    if (!name.includes(filter)) continue;
    const result = await page.evaluate(async ([program, commands, line]) => {
      const command = (command, params = {}) => ({ type: "command", command, params });
      const client = await Client.loaded();
      const began = performance.now();
      try {
        client.start({ "/main.ez": program }, "/main.ez");
        client.send(command("initialize", { protocolVersion: 2, history: true, stopOnEntry: false }));
        client.send(command("setBreakpoint", { file: "/main.ez", line }));
        await client.ask("start", {}, "stopped");
        for (const it of commands) await client.ask(...it);
        // The parts of the list, as those who draw it ask for them.
        const { variables } = await client.ask("getVariables", {}, "variables");
        let { reference } = variables.find((variable) => variable.name === "b");
        for (let depth = 0; depth < 300; depth++) {
          const { children } = await client.ask("getChildren", { reference }, "children");
          ({ reference } = children.find((part) => part.name === "next"));
        }
        return { time: Math.round(performance.now() - began) };
      } catch (error) {
        return { failed: `${error.message} ${client.lines.slice(-1)}`.slice(0, 600) };
      } finally {
        client.end();
      }
    }, [program, COMMANDS, program.split("\n").findIndex((line) => line.includes("b Node = nil")) + 1]);
    check(name, !result.failed, result.failed ?? `${result.time} ms`);
  }
  for (const [name, stacks, program, commands, wanted] of AGAIN) {
    if (!`again and again, ${name}`.includes(filter)) continue;
    const outcomes = await page.evaluate(async ([program, commands, stacks, sessions]) => {
      const client = await Client.loaded(`/few-stacks.js?${stacks}`);
      const outcomes = [];
      while (outcomes.length < sessions) {
        try {
          client.start({ "/main.ez": program }, "/main.ez");
          await client.ask("initialize", { protocolVersion: 2, history: true }, "initialized");
          await client.ask("start", {}, "stopped");
          for (const it of commands) await client.ask(...it);
          client.close();
          await client.until(() => client.ended);
          outcomes.push(client.lines.join("\n"));
        } catch (error) {
          outcomes.push(error.message);
        }
      }
      client.end();
      return outcomes;
    }, [program, commands, stacks, SESSIONS]);
    const wrong = outcomes.findIndex((outcome) => !outcome.includes(wanted));
    check(`again and again, ${name}`, wrong < 0, wrong < 0 ? `${SESSIONS} sessions` : `session ${wrong + 1}: ${outcomes[wrong].slice(-600)}`);
  }
  const few = FEW_STACKS.map(([name, ...it]) => [`with few stacks, ${name}`, ...it, "/few-stacks.js"]);
  const one = ONE_STACK.map(([name, ...it]) => [`with one stack, ${name}`, ...it, "/few-stacks.js?0"]);
  for (const [name, program, wanted, worker] of [...ENDING, ...few, ...one]) {
    if (!name.includes(filter)) continue;
    const result = await page.evaluate(async ([program, worker]) => {
      const command = (command, params = {}) => ({ type: "command", command, params });
      const client = await Client.loaded(worker);
      try {
        const began = performance.now();
        client.start({ "/main.ez": program }, "/main.ez", command("initialize", { stopOnEntry: false }), command("start"));
        await client.until(() => client.lines.some((line) => /"event":"(exited|terminated)"|"code":"E/.test(line)), 60000);
        return { lines: client.lines, time: Math.round(performance.now() - began) };
      } catch (error) {
        return { failed: error.message, lines: client.lines };
      } finally {
        client.end();
      }
    }, [program, worker]);
    const isRight = !result.failed && result.lines.some((line) => line.includes(wanted));
    check(name, isRight, isRight ? `${result.time} ms` : `${result.failed} ${result.lines.slice(-2).join("\n").slice(0, 600)}`);
  }
});
process.exitCode = failures.length > 0 ? 1 : 0;
