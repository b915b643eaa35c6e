// Runs `ez lsp`, the language server: errors while a program is written, completion, hover, renaming and so on.
"use strict";

// The client library, bundled by `npm run bundle`; a checkout may be without it.
function library() {
  try {
    return require("./dist/client");
  } catch (error) {
    if (error.code !== "MODULE_NOT_FOUND") {
      throw error;
    }
    throw new Error(`EZ reports no errors while you type: run 'npm ci && npm run bundle' in ${__dirname}.`);
  }
}

class LanguageServer {
  // `program`: gives the path of an `ez` that goes with the extension, or rejects with the reason as a sentence.
  // `isWanted`: whether the settings want a server. `warn`: shows a sentence.
  constructor({ program, isWanted, warn }) {
    Object.assign(this, { program, isWanted, warn });
    this.running = undefined;
    // One start or stop after the other.
    this.last = Promise.resolve();
  }

  // Starts the server anew if the settings want one, and stops the one that runs.
  restart() {
    return this.next(async () => {
      await this.end();
      if (this.isWanted()) {
        await this.begin();
      }
    });
  }

  stop() {
    return this.next(() => this.end());
  }

  next(step) {
    this.last = this.last.then(step).catch((error) => this.warn(error.message));
    return this.last;
  }

  async begin() {
    // The library is not loaded for a program that is of no use.
    const found = await this.program();
    const { LanguageClient } = library();
    const run = { command: found, args: ["lsp"] };
    const client = new LanguageClient("ez", "EZ", { run, debug: run }, {
      documentSelector: [{ language: "ez", scheme: "file" }, { language: "ez", scheme: "untitled" }],
      // That of the problem matcher: what the task *check* has found is not there twice.
      diagnosticCollectionName: "ez",
    });
    this.running = client;
    await client.start();
  }

  async end() {
    const running = this.running;
    this.running = undefined;
    if (running) {
      // A server that has not started, or has crashed, cannot be asked to end.
      await running.stop().catch(() => {});
    }
  }
}

module.exports = { LanguageServer };
