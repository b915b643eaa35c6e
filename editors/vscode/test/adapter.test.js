// Drives `ez dap` with the client that adapters for Visual Studio Code are tested with. EZ names the program.
"use strict";

const assert = require("node:assert");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { after, afterEach, before, beforeEach, test } = require("node:test");
const { spawn } = require("node:child_process");
const { DebugClient } = require("@vscode/debugadapter-testsupport");

const EZ = process.env.EZ || "ez";
const PROGRAM = `import @std
using std

do double(n int) -> int {
    return n * 2
}

do main() {
    temp x int = double(1)
    temp y int = double(x)
    println(y)
}
`;

let folder, program, client;

before(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "ez-"));
  program = path.join(folder, "main.ez");
  fs.writeFileSync(program, PROGRAM);
});

after(() => fs.rmSync(folder, { recursive: true }));

beforeEach(() => {
  client = new DebugClient(EZ, "dap", "ez");
  return client.start();
});

afterEach(() => client.stop());

test("runs to the end", () =>
  Promise.all([
    client.configurationSequence(),
    client.launch({ program }),
    client.assertOutput("stdout", "4\n"),
    client.waitForEvent("terminated"),
  ]));

test("stops at the entry", () =>
  Promise.all([
    client.configurationSequence(),
    client.launch({ program, stopOnEntry: true }),
    client.assertStoppedLocation("entry", { path: program, line: 9 }),
  ]));

test("hits a breakpoint", () => client.hitBreakpoint({ program }, { path: program, line: 5 }));

test("steps back", async () => {
  await client.hitBreakpoint({ program, history: true }, { path: program, line: 11 });
  client.stepBackRequest({ threadId: 1 });
  await client.assertStoppedLocation("step", { path: program, line: 10 });
});

test("runs the program in a terminal", async () => {
  const asked = new Promise((resolve) => {
    const dispatch = client.dispatch.bind(client);
    client.dispatch = (body) => {
      const message = JSON.parse(body);
      if (message.type !== "request") {
        return dispatch(body);
      }
      const [command, ...args] = message.arguments.args;
      const child = spawn(command, args, { cwd: message.arguments.cwd, stdio: ["ignore", "pipe", "inherit"] });
      const answer = JSON.stringify({
        seq: 1000,
        type: "response",
        request_seq: message.seq,
        success: true,
        command: message.command,
        body: {},
      });
      client.outputStream.write(`Content-Length: ${Buffer.byteLength(answer)}\r\n\r\n${answer}`);
      resolve(child);
    };
  });
  await client.initializeRequest({ adapterID: "ez", supportsRunInTerminalRequest: true });
  const launched = client.launchRequest({ program, cwd: folder, console: "integratedTerminal" });
  const child = await asked;
  let output = "";
  child.stdout.on("data", (data) => (output += data));
  const closed = new Promise((resolve) => child.stdout.on("close", resolve));
  const ended = client.waitForEvent("terminated");
  await launched;
  await client.configurationDoneRequest();
  await ended;
  await closed;
  assert.strictEqual(output, "4\n");
});

test("an observer sees the stops of the session", async () => {
  const stops = (one) => {
    const seen = [];
    one.on("stopped", (event) => seen.push([event.body.reason, event.body.description]));
    return seen;
  };
  await client.hitBreakpoint({ program }, { path: program, line: 10 });
  const shared = (await client.customRequest("share")).body;
  const observer = new DebugClient(EZ, "dap", "ez");
  await observer.start();
  try {
    const [own, others] = [stops(client), stops(observer)];
    const initialized = observer.waitForEvent("initialized");
    await observer.initializeRequest({ adapterID: "ez" });
    const { host, port, tokens } = shared;
    const attached = observer.attachRequest({ host, port, token: tokens.observer, name: "Eve" });
    const stopped = observer.waitForEvent("stopped");
    await Promise.all([initialized, attached]);
    await Promise.all([stopped, observer.configurationDoneRequest()]);
    others.length = 0;
    for (const step of ["stepInRequest", "stepOutRequest", "nextRequest"]) {
      const both = [client, observer].map((one) => one.waitForEvent("stopped"));
      await client[step]({ threadId: 1 });
      await Promise.all(both);
    }
    assert.deepStrictEqual(others, own);
    const lines = async (one) => {
      const { body } = await one.stackTraceRequest({ threadId: 1 });
      return body.stackFrames.map((frame) => frame.line);
    };
    assert.deepStrictEqual(await lines(observer), await lines(client));
    await assert.rejects(observer.nextRequest({ threadId: 1 }), /observer/);
  } finally {
    await observer.stop();
  }
});
