// Reads the scenarios of testdata/transcripts: see tests/support/src/scenario.rs, which says what they are.

// Words between blanks; what is in double quotes is no blank, and a quote after a backslash is no quote.
function words(text) {
  const found = [""];
  let [quoted, escaped] = [false, false];
  for (const c of text) {
    if (c === '"' && !escaped) quoted = !quoted;
    escaped = c === "\\" && !escaped;
    if (c === " " && !quoted) found.push("");
    else found[found.length - 1] += c;
  }
  return found.filter((word) => word !== "");
}

// The steps of a scenario about `program`, given the texts of all programs by their paths.
export function parse(text, program, files) {
  const lineOf = (mark) => {
    const [file, name] = mark.includes(":") ? mark.split(":") : [program, mark];
    return files[`/${file}`].split("\n").findIndex((line) => line.trimEnd().endsWith(`//@ ${name}`)) + 1;
  };
  const value = (word) => {
    if (word.startsWith("@")) return lineOf(word.slice(1));
    try {
      return JSON.parse(word);
    } catch {
      return word;
    }
  };
  const steps = [];
  let [together, version, last, server] = [[], null, 0, ""];
  const command = (rest) => {
    const [name, ...given] = words(rest);
    const pairs = given.map((word) => [word.slice(0, word.indexOf("=")), value(word.slice(word.indexOf("=") + 1))]);
    const params = Object.fromEntries(pairs.filter(([key]) => key !== "id"));
    let id = pairs.find(([key]) => key === "id")?.[1];
    if (version !== null) {
      if (id !== undefined) params.id = id;
      id = ++last;
      if (name === "initialize") params.protocolVersion = version;
    }
    const message = { type: "command", command: name };
    if (Object.keys(params).length > 0) message.params = params;
    if (id !== undefined) message.id = id;
    return message;
  };
  const flush = (rest) => {
    const all = [...together, command(rest)];
    together = [];
    return all;
  };
  for (const line of text.split("\n").map((line) => line.trim())) {
    if (line === "" || line.startsWith("#")) continue;
    const [what, rest] = line.includes(" ") ? [line.slice(0, line.indexOf(" ")), line.slice(line.indexOf(" ") + 1)] : [line, ""];
    switch (what) {
      case "server": server = rest; break;
      case "version": version = Number(rest); break;
      case ">>": together.push(command(rest)); break;
      case ">": steps.push({ send: flush(rest), isAnswered: true }); break;
      case "!": steps.push({ send: flush(rest), isAnswered: false }); break;
      case "raw": steps.push({ raw: rest }); break;
      case "<": steps.push({ wait: rest }); break;
      case "eof": steps.push({ eof: true }); break;
      default: throw new Error(`no step of a scenario: ${what}`);
    }
  }
  return { steps, server };
}
