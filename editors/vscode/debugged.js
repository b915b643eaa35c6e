// The session that the user looks at.
"use strict";

const vscode = require("vscode");

// The session with an EZ program; tells the user if there is none.
function debuggedSession() {
  const session = vscode.debug.activeDebugSession;
  if (session && session.type === "ez") {
    return session;
  }
  vscode.window.showInformationMessage("No EZ program is being debugged.");
  return undefined;
}

module.exports = { debuggedSession };
