// A client of `ez debugserver` whose types are made from the description of the protocol (make.mjs). It debugs
// a program, forwards and backwards, and prints each event as it was received, without the names of folders:
//
//     npm ci && npm run build && node build/client.js EZ PROGRAM
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { type Commands, DIVIDED, type Events } from "./protocol.js";

const USAGE = `Usage: node build/client.js EZ PROGRAM [BREAKPOINT...] [--input TEXT]

Debugs PROGRAM with EZ, the program ez: forwards to the last BREAKPOINT or to the end, then back to the beginning.
BREAKPOINT is a line, or a line, ':' and a number of hits, such as '16:== 3'. TEXT is what the program can read.`;

/** An event, with data of its type. */
type Message = { [E in keyof Events]: { event: E; data: Events[E]; id?: number } }[keyof Events];

/** An event that answers a command. */
type Answer<C extends keyof Commands> = Extract<Message, { event: Commands[C]["answer"] }>;

/** A command was refused or has failed, or there is no server: what the user is told. */
class Refused extends Error {}

/** A session with a server. */
class Session {
  private readonly server: ChildProcess;
  private readonly waiting = new Map<number, { resolve: (answer: Message) => void; reject: (why: Error) => void }>();
  private readonly parts = new Map<string, Record<string, unknown>>();
  private last = 0;
  /** Settled when the server has ended. */
  readonly ended: Promise<number | null>;

  constructor(ez: string, private readonly onEvent: (message: Message) => void) {
    this.server = spawn(ez, ["debugserver"], { stdio: ["pipe", "pipe", "inherit"] });
    createInterface({ input: this.server.stdout! }).on("line", (line) => this.receive(JSON.parse(line)));
    this.server.on("error", (why) => this.refuse(`${ez} cannot be run: ${why.message}`));
    // What is written when it has ended is lost; its end is told below.
    this.server.stdin!.on("error", () => {});
    this.ended = new Promise((resolve) => this.server.on("close", resolve));
    this.ended.then(() => this.refuse("the server has ended"));
  }

  /** Sends a command; its answer comes later. */
  ask<C extends keyof Commands>(command: C, params: Commands[C]["params"]): Promise<Answer<C>> {
    const id = ++this.last;
    this.server.stdin!.write(JSON.stringify({ type: "command", command, params, id }) + "\n");
    return new Promise<Message>((resolve, reject) => this.waiting.set(id, { resolve, reject })) as Promise<Answer<C>>;
  }

  private refuse(why: string): void {
    this.waiting.forEach(({ reject }) => reject(new Refused(why)));
    this.waiting.clear();
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

async function main(ez: string, file: string, breakpoints: string[], input?: string): Promise<void> {
  const session: Session = new Session(ez, (message) => {
    console.log(JSON.stringify(message, (key, value) => (key === "file" ? value.split(/[\\/]/).at(-1) : value)));
    // It has read all that there is.
    if (message.event === "inputRequested") session.ask("input", { eof: true }).catch(() => {});
  });
  const { data } = await session.ask("initialize", { file, history: true, protocolVersion: 2 });
  if (!data.capabilities?.history) throw new Refused("the server keeps no history");
  let last: number | undefined;
  for (const breakpoint of breakpoints) {
    const [line, hitCondition] = breakpoint.split(":");
    last = (await session.ask("setBreakpoint", { file, line: Number(line), hitCondition })).data.id;
  }
  if (input !== undefined) await session.ask("input", { text: input });
  let stop = await session.ask("start", {});
  const isThere = () => stop.event !== "stopped" || stop.data.reason === "end" || (last !== undefined && stop.data.breakpointId === last);
  while (!isThere()) stop = await session.ask("continue", {});
  // Back to the beginning.
  while (stop.event === "stopped" && stop.data.reason !== "entry") stop = await session.ask("reverseContinue", {});
  await session.ask("terminate", {});
  process.exitCode = (await session.ended) ?? 1;
}

/** The arguments of `main`; undefined if they are wrong, or if the usage is asked for. */
function given(): Parameters<typeof main> | undefined {
  try {
    const { positionals, values } = parseArgs({ allowPositionals: true, options: { input: { type: "string" } } });
    const [ez, file, ...breakpoints] = positionals;
    const isRight = breakpoints.every((one) => /^[1-9]\d*(:.*)?$/.test(one));
    return ez !== undefined && file !== undefined && isRight ? [ez, file, breakpoints, values.input] : undefined;
  } catch {
    return undefined;
  }
}

const wanted = given();
if (wanted === undefined) {
  const isAsked = process.argv.includes("--help");
  (isAsked ? console.log : console.error)(USAGE);
  process.exitCode = isAsked ? 0 : 2;
} else {
  await main(...wanted).catch((why: unknown) => {
    if (!(why instanceof Refused)) throw why;
    console.error(why.message);
    process.exitCode = 1;
  });
}
