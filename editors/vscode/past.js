// The views of what the program did: how a statement computed its result, and what was written to a variable.
"use strict";

const vscode = require("vscode");
const { debuggedSession } = require("./debugged");

// The rows of a view.
class Rows {
  // `plain`: makes text of programs fit for a notification.
  constructor(plain) {
    this.plain = plain;
    this.changed = new vscode.EventEmitter();
    this.onDidChangeTreeData = this.changed.event;
    this.items = [];
  }

  getChildren() {
    return this.items;
  }

  getTreeItem(item) {
    return item;
  }

  clear() {
    this.items = [];
    this.changed.fire();
  }
}

// How the statement that was carried out last has computed its result: a line for each stage.
class Unfolded extends Rows {
  constructor(plain) {
    super(plain);
    this.mark = vscode.window.createTextEditorDecorationType({
      backgroundColor: new vscode.ThemeColor("editor.wordHighlightStrongBackground"),
    });
  }

  // Asks for the last statement, or for the next one.
  async show(next) {
    const session = debuggedSession();
    if (!session) {
      return;
    }
    const frame = vscode.debug.activeStackItem;
    try {
      const asked = { next: Boolean(next), frameId: frame && frame.frameId };
      this.fill(await session.customRequest("unfold", asked));
      vscode.commands.executeCommand("ez.unfolded.focus");
    } catch (error) {
      vscode.window.showInformationMessage(this.plain(error.message));
    }
  }

  fill(answer) {
    const item = (text, highlights, part) => {
      const made = new vscode.TreeItem({ label: text, highlights });
      if (part) {
        made.command = { command: "ez.showPart", title: "Show", arguments: [answer.source.path, part] };
        made.tooltip = part.text;
      }
      return made;
    };
    const code = (text, from) => Array.from(text).slice(0, from).join("").length;
    this.items = answer.lines.map((line, number) => {
      const before = number === 0 ? answer.prefix : "= ";
      const start = before.length + code(line.text, line.start);
      const end = before.length + code(line.text, line.start + line.length);
      return item(before + line.text, line.length > 0 ? [[start, end]] : [], answer.parts[line.part]);
    });
    for (const part of answer.parts) {
      if (part.skipped) {
        this.items.push(item(`${part.text} was not computed: ${part.skipped}`, [], part));
      } else if (part.kind === "write" && part.newValue !== undefined) {
        const old = part.oldValue === undefined ? "" : `${part.oldValue} → `;
        this.items.push(item(`${part.target}: ${old}${part.newValue}`, [], part));
      } else if (part.kind === "error") {
        this.items.push(item(`${part.message} [${part.code}]`, [], part));
      }
    }
    if (answer.incomplete) {
      this.items.push(item(`Not finished: ${answer.incomplete}`, []));
    }
    this.changed.fire();
  }

  // Marks a part in the source.
  async showPart(path, part) {
    const document = await vscode.workspace.openTextDocument(path);
    const editor = await vscode.window.showTextDocument(document, { preserveFocus: true });
    const range = new vscode.Range(part.line - 1, part.column - 1, part.endLine - 1, part.endColumn - 1);
    editor.setDecorations(this.mark, [range]);
    editor.revealRange(range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  }

  clear() {
    super.clear();
    vscode.window.visibleTextEditors.forEach((editor) => editor.setDecorations(this.mark, []));
  }
}

// What was written to a variable, the latest first; a click goes to before that.
class Changes extends Rows {
  // Asks for the changes of the selected expression, or of one that is typed.
  async ask(expression) {
    const session = debuggedSession();
    if (!session) {
      return;
    }
    const editor = vscode.window.activeTextEditor;
    const word = editor && editor.document.getWordRangeAtPosition(editor.selection.active);
    const selected = editor && editor.document.getText(editor.selection.isEmpty ? word : editor.selection);
    const wanted = expression || (await vscode.window.showInputBox({
      prompt: "The variable, element or field whose changes to list",
      value: editor && (word || !editor.selection.isEmpty) ? selected : "",
    }));
    if (wanted) {
      this.items = [];
      const frame = vscode.debug.activeStackItem;
      await this.more(session, { expression: wanted, frameId: frame && frame.frameId });
      vscode.commands.executeCommand("ez.changes.focus");
    }
  }

  // Adds a page to the list.
  async more(session, asked) {
    try {
      const answer = await session.customRequest("changes", asked);
      const kept = this.items.filter((item) => !item.isMore);
      this.items = kept.concat(answer.changes.map((change) => this.item(session, change)));
      if (answer.next !== undefined) {
        const more = new vscode.TreeItem("Show earlier changes");
        more.isMore = true;
        const next = Object.assign({}, asked, { before: answer.next });
        more.command = { command: "ez.moreChanges", title: "Show", arguments: [session, next] };
        this.items.push(more);
      }
      this.changed.fire();
    } catch (error) {
      vscode.window.showInformationMessage(this.plain(error.message));
    }
  }

  item(session, change) {
    const value = change.newValue === undefined ? "nothing" : change.newValue;
    const old = change.oldValue === undefined ? "nothing" : change.oldValue;
    const by = change.cause === "client" ? ", in the debugger" : "";
    const isWrite = change.cause === "written" || change.cause === "client";
    const made = new vscode.TreeItem(isWrite ? `${old} → ${value}${by}` : `${change.cause}: ${value}`);
    made.description = `line ${change.line}, step ${change.step}`;
    made.command = { command: "ez.goToStep", title: "Go There", arguments: [session, change.step] };
    made.tooltip = "Go to before this change";
    return made;
  }

  async goToStep(session, step) {
    try {
      await session.customRequest("goToStep", { step });
    } catch (error) {
      vscode.window.showInformationMessage(this.plain(error.message));
    }
  }
}

module.exports = { Changes, Unfolded };
