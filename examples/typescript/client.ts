// A client of `ez debugserver` whose types are made from the description of the protocol (make.mjs). It debugs
// a program of the repository, forwards and backwards, and prints each event as it was received, without the names of
// folders:
//
//     npm ci && npm run build && node build/client.js EZ FOLDER
//
// EZ is the program `ez`, FOLDER is `testdata/transcripts`.
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { type Commands, DIVIDED, type Events } from "./protocol.js";

/** An event, with data of its type. */
type Message = { [E in keyof Events]: { event: E; data: Events[E]; id?: number } }[keyof Events];

/** An event that answers a command. */
type Answer<C extends keyof Commands> = Extract<Message, { event: Commands[C]["answer"] }>;

/** A command was refused, or has failed. */
class Refused extends Error {}

/** A session with a server. */
class Session {
  private readonly server: ChildProcess;
  private readonly waiting = new Map<number, { resolve: (answer: Message) => void; reject: (why: Error) => void }>();
  private readonly parts = new Map<string, Record<string, unknown>>();
  private last = 0;
  /** Settled when the server has ended. */
  readonly ended: Promise<number | null>;

  constructor(ez: string, folder: string, private readonly onEvent: (message: Message) => void) {
    this.server = spawn(ez, ["debugserver"], { cwd: folder, stdio: ["pipe", "pipe", "inherit"] });
    createInterface({ input: this.server.stdout! }).on("line", (line) => this.receive(JSON.parse(line)));
    this.ended = new Promise((resolve) => this.server.on("close", resolve));
    this.ended.then(() => this.waiting.forEach(({ reject }) => reject(new Error("the server has ended"))));
  }

  /** Sends a command; its answer comes later. */
  ask<C extends keyof Commands>(command: C, params: Commands[C]["params"]): Promise<Answer<C>> {
    const id = ++this.last;
    this.server.stdin!.write(JSON.stringify({ type: "command", command, params, id }) + "\n");
    return new Promise<Message>((resolve, reject) => this.waiting.set(id, { resolve, reject })) as Promise<Answer<C>>;
  }

  private receive(message: Message): void {
    const whole = this.join(message);
    if (!whole) return;
    this.onEvent(whole);
    // These are not answers yet: the stop or the end that follows is.
    if (whole.id === undefined || whole.event === "started" || whole.event === "restarted") return;
    const asked = this.waiting.get(whole.id);
    this.waiting.delete(whole.id);
    if (whole.event === "error") asked?.reject(new Refused(whole.data.message));
    else asked?.resolve(whole);
  }

  /** The whole answer, when the last of its parts is there. */
  private join(message: Message): Message | undefined {
    const divided = DIVIDED[message.event];
    const { part, parts, ...data } = message.data as { part?: number; parts?: number } & Record<string, any>;
    if (!divided || part === undefined || parts === undefined) return message;
    const before = part > 1 ? (this.parts.get(message.event) as Record<string, any>)[divided] : undefined;
    if (before !== undefined) data[divided] = typeof before === "string" ? before + data[divided] : [...before, ...data[divided]];
    this.parts.set(message.event, data);
    return part === parts ? ({ ...message, data } as unknown as Message) : undefined;
  }
}

async function main(ez: string, folder: string): Promise<void> {
  const print = (message: Message) =>
    console.log(JSON.stringify(message, (key, value) => (key === "file" ? value.split(/[\\/]/).at(-1) : value)));
  const session = new Session(ez, folder, print);
  const file = "v2_history.ez";
  const { data } = await session.ask("initialize", { file, history: true, protocolVersion: 2 });
  if (!data.capabilities?.history) throw new Error("the server keeps no history");
  await session.ask("setBreakpoint", { file, line: 16, hitCondition: "== 3" });
  await session.ask("setBreakpoint", { file, line: 19 });
  await session.ask("input", { text: "Ann" });
  let stop = await session.ask("start", {});
  while (stop.event === "stopped" && stop.data.breakpointId !== 2) stop = await session.ask("continue", {});
  // Back to the beginning.
  while (stop.event === "stopped" && stop.data.reason !== "entry") stop = await session.ask("reverseContinue", {});
  await session.ask("terminate", {});
  process.exitCode = (await session.ended) ?? 1;
}

await main(process.argv[2] ?? "ez", process.argv[3] ?? ".");
