// Writes protocol.ts, the types of the protocol, from its description:
//
//     ez debugserver --describe | node make.mjs -
//
// Without the `-`, the description is read from the source of `ez`, in this repository.
import { readFileSync, writeFileSync } from "node:fs";

const source = process.argv[2] === "-" ? 0 : new URL("../../src/protocol/ez/description/openrpc.json", import.meta.url);
const document = JSON.parse(readFileSync(source, "utf8"));
const schemas = document.components.schemas;

const last = (reference) => reference.split("/").at(-1);
const dataName = (event) => event[0].toUpperCase() + event.slice(1) + "Data";
const union = (all) => [...new Set(all)].join(" | ");

/** What a schema allows, as a type. */
function type(schema) {
  const reference = schema.$ref ?? schema.allOf?.[0].$ref;
  if (reference) return last(reference);
  if ("const" in schema) return JSON.stringify(schema.const);
  if (schema.enum) return union(schema.enum.map((word) => JSON.stringify(word)));
  if (schema.oneOf) return union(schema.oneOf.map(type));
  if (Array.isArray(schema.type)) return union(schema.type.map((one) => type({ type: one })));
  switch (schema.type) {
    case "integer":
      return "number";
    case "array":
      return `Array<${type(schema.items)}>`;
    case "object":
      return schema.properties ? `{ ${members(schema).join(" ")} }` : `Record<string, ${type(schema.additionalProperties)}>`;
    default:
      return schema.type;
  }
}

/** A comment before what it is about. */
const said = (schema) => `/** ${schema.description ?? schema.summary} */`;

/** The members of an object, without those of these names. */
function members(schema, without = []) {
  const all = Object.entries(schema.properties ?? {}).filter(([name]) => !without.includes(name));
  return all.map(([name, inner]) => {
    const mark = schema.required?.includes(name) ? "" : "?";
    return `${said(inner)} ${name}${mark}: ${type(inner)};`;
  });
}

function record(name, schema, base) {
  if (schema.enum) return [said(schema), `export type ${name} = ${type(schema)};`, ""];
  const without = base ? Object.keys(schemas[base].properties) : [];
  const lines = members(schema, without).map((member) => `  ${member}`);
  return [said(schema), `export interface ${name}${base ? ` extends ${base}` : ""} {`, ...lines, "}", ""];
}

function command(method) {
  const schema = { properties: {}, required: [] };
  for (const { name, description, required, schema: inner } of method.params) {
    schema.properties[name] = { ...inner, description };
    if (required) schema.required.push(name);
  }
  const params = members(schema).map((member) => `      ${member}`);
  const answer = union(method["x-answers"].map((event) => JSON.stringify(event)));
  return [`  ${said(method)}`, `  ${method.name}: {`, "    params: {", ...params, "    };", `    answer: ${answer};`, "  };"];
}

const events = Object.entries(document["x-events"]);
const lines = ["// Made by make.mjs from the description of the protocol.", ""];
for (const [name, schema] of Object.entries(schemas)) {
  const event = document["x-events"][name];
  lines.push(...record(event ? dataName(name) : name, schema, event?.["x-is"] && last(event["x-is"])));
}
lines.push("/** The data of each event. */", "export interface Events {");
lines.push(...events.map(([name]) => `  ${name}: ${dataName(name)};`), "}", "");
lines.push("/** The events that can be divided, with the member that is. */", "export const DIVIDED: Record<string, string> = {");
const divided = events.filter(([, event]) => event["x-divided"]);
lines.push(...divided.map(([name, event]) => `  ${name}: ${JSON.stringify(event["x-divided"])},`), "};", "");
lines.push("/** The parameters of each command, and the events that can answer it. */", "export interface Commands {");
lines.push(...document.methods.flatMap(command), "}");
writeFileSync(new URL("protocol.ts", import.meta.url), lines.join("\n") + "\n");
