// Sharing a debug session: who has joined, and the breakpoints that guests set.
"use strict";

const vscode = require("vscode");
const { debuggedSession } = require("./debugged");

// The breakpoints of one session that other clients have set, as this editor shows them.
class GuestBreakpoints {
  constructor(session) {
    this.session = session;
    // The editor's breakpoints by the adapter's numbers.
    this.shown = new Map();
  }

  // Another client has set, changed or removed one.
  changed({ reason, breakpoint, functionName, condition, hitCondition, logMessage, enabled }) {
    const before = this.shown.get(breakpoint.id) || this.find(breakpoint);
    this.shown.delete(breakpoint.id);
    if (before) {
      vscode.debug.removeBreakpoints([before]);
    }
    if (reason === "removed") {
      return;
    }
    const options = [enabled, condition || undefined, hitCondition || undefined, logMessage || undefined];
    const made = this.make(breakpoint, functionName, options);
    if (made) {
      this.shown.set(breakpoint.id, made);
      vscode.debug.addBreakpoints([made]);
    }
  }

  make(breakpoint, functionName, options) {
    if (functionName) {
      return new vscode.FunctionBreakpoint(functionName, ...options);
    }
    if (!breakpoint.source || breakpoint.line === undefined) {
      return undefined;
    }
    const at = new vscode.Position(breakpoint.line - 1, 0);
    return new vscode.SourceBreakpoint(new vscode.Location(vscode.Uri.file(breakpoint.source.path), at), ...options);
  }

  // One that the editor shows at the same line already.
  find({ source, line }) {
    return vscode.debug.breakpoints.find((shown) =>
      source && shown.location && shown.location.uri.fsPath === vscode.Uri.file(source.path).fsPath &&
      shown.location.range.start.line === line - 1);
  }

  // The user has removed breakpoints of this editor. The adapter only disables those that are not sent any more.
  removed(breakpoints) {
    for (const [id, shown] of this.shown) {
      if (breakpoints.some((removed) => removed.id === shown.id)) {
        this.shown.delete(id);
        // One that has gone in the meantime needs nothing more.
        this.session.customRequest("removeBreakpoint", { breakpointId: id }).then(undefined, () => undefined);
      }
    }
  }
}

// The list of guests, and the requests to share.
class Sharing {
  // `plain`: makes text of others fit for a notification.
  constructor(plain) {
    this.plain = plain;
    this.changed = new vscode.EventEmitter();
    this.onDidChangeTreeData = this.changed.event;
    this.sessions = new Map();
    this.guests = [];
  }

  getChildren() {
    return this.guests;
  }

  getTreeItem({ name, role }) {
    const item = new vscode.TreeItem(name);
    item.description = role;
    item.iconPath = new vscode.ThemeIcon(role === "observer" ? "eye" : "person");
    return item;
  }

  activate(context) {
    context.subscriptions.push(
      vscode.window.registerTreeDataProvider("ez.guests", this),
      vscode.commands.registerCommand("ez.share", () => this.share()),
      vscode.commands.registerCommand("ez.unshare", () => this.unshare()),
      vscode.debug.onDidReceiveDebugSessionCustomEvent((told) => this.event(told)),
      vscode.debug.onDidChangeBreakpoints(({ removed }) =>
        this.sessions.forEach((breakpoints) => breakpoints.removed(removed))),
      vscode.debug.onDidTerminateDebugSession((session) => {
        this.sessions.delete(session.id);
        this.update(vscode.debug.activeDebugSession);
      }),
    );
  }

  async share() {
    const session = debuggedSession();
    if (!session) {
      return;
    }
    try {
      const { host, port, tokens } = await session.customRequest("share", {});
      const roles = [
        { label: "Copy for an observer", description: "looks on", role: "observer" },
        { label: "Copy for a participant", description: "steps, sets breakpoints, changes values", role: "participant" },
      ].filter(({ role }) => tokens[role]);
      const title = `Shared at ${host}:${port}`;
      const chosen = await vscode.window.showQuickPick(roles, { title, placeHolder: "What the other one types" });
      if (chosen) {
        await vscode.env.clipboard.writeText(`ez debug --join ${host}:${port} --token ${tokens[chosen.role]}`);
        vscode.window.showInformationMessage("Copied. Whoever has it can join until you stop sharing.");
      }
    } catch (error) {
      vscode.window.showInformationMessage(this.plain(error.message));
    }
  }

  async unshare() {
    const session = debuggedSession();
    if (session) {
      try {
        await session.customRequest("unshare");
      } catch (error) {
        vscode.window.showInformationMessage(this.plain(error.message));
      }
      this.update(session);
    }
  }

  event({ session, event, body }) {
    if (session.type !== "ez") {
      return;
    }
    if (event === "guestBreakpoint") {
      if (!this.sessions.has(session.id)) {
        this.sessions.set(session.id, new GuestBreakpoints(session));
      }
      this.sessions.get(session.id).changed(body);
    } else if (event === "guestJoined" || event === "guestLeft") {
      this.update(session);
    }
  }

  async update(session) {
    this.guests = [];
    if (session && session.type === "ez") {
      try {
        this.guests = (await session.customRequest("guests")).guests;
      } catch {
        // The session is over.
      }
    }
    this.changed.fire();
  }
}

module.exports = { Sharing };
