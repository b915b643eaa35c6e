// A client of the worker, in the page.
"use strict";

class Client {
  lines = []; // All lines of the protocol so far.
  stops = 0; // How many of them are stops.
  ended = null; // The last message of the session.
  waiting = [];

  // A client whose engine is loaded.
  static async loaded(worker = "/worker.js") {
    const client = new Client();
    client.worker = new Worker(worker);
    client.worker.onmessage = ({ data }) => client.receive(data);
    client.worker.onerror = (error) => client.receive({ type: "failed", message: error.message });
    client.worker.postMessage({ type: "load", url: "/ez.wasm" });
    await client.until(() => client.isReady);
    return client;
  }

  receive(message) {
    switch (message.type) {
      case "ready":
        this.isReady = true;
        this.way = message.way;
        break;
      case "lines":
        for (const line of message.text.split("\n").slice(0, -1)) {
          this.lines.push(line);
          if (line.includes('"event":"stopped"')) this.stops++;
        }
        this.worker.postMessage({ type: "received", bytes: message.bytes });
        break;
      default: this.ended = message;
    }
    this.waiting = this.waiting.filter((look) => !look());
  }

  // Waits until `condition` is true; fails after a time, or if the session has failed.
  until(condition, milliseconds = 20000) {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error("it takes too long")), milliseconds);
      const look = () => {
        const found = condition();
        const failed = this.ended && this.ended.type !== "ended";
        if (!found && !failed) return false;
        clearTimeout(timer);
        if (found) resolve(found); else reject(new Error(this.ended.message));
        return true;
      };
      if (!look()) this.waiting.push(look);
    });
  }

  // Starts a session, whose first messages of the protocol are sent with it or after it, as the engine waits.
  start(files, main, ...messages) {
    this.lines = [];
    this.ended = null;
    const lines = this.way === "given" ? messages.map((message) => JSON.stringify(message)) : [];
    this.worker.postMessage({ type: "start", files, main, lines });
    if (messages.length > lines.length) this.send(...messages);
  }

  // Sends messages of the protocol (or texts as they are), which the engine reads at once.
  send(...messages) {
    const lines = messages.map((message) => typeof message === "string" ? message : JSON.stringify(message));
    this.worker.postMessage({ type: "line", text: lines.join("\n") });
  }

  // Sends a command; resolves with the data of the event that answers it, and fails if that is an error.
  async ask(command, params, event) {
    const from = this.lines.length;
    this.send({ type: "command", command, params });
    const answer = () => this.lines.slice(from).map((line) => JSON.parse(line))
      .find((message) => message.event === event || message.event === "error");
    const message = await this.until(answer, 60000);
    if (message.event === "error") throw new Error(`${command}: ${message.data.message}`);
    return message.data;
  }

  close() { this.worker.postMessage({ type: "close" }); }

  end() { this.worker.terminate(); }
}
