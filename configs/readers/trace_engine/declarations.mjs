// What the model declares of events: TraceEvents.d.ts, and TraceEvents.ts with its remarks, which the source map carries.
import { textOf, Types } from "./model.mjs";

const remarks = /\/\*[^]*?\*\/|\/\/.*$/gm;
const declarations = textOf("models/trace/types/TraceEvents.d.ts").replace(remarks, "");
const source = JSON.parse(textOf("models/trace/types/TraceEvents.js.map")).sourcesContent[0];

function bodyAt(text, start) {
  let depth = 1;
  let end = start;
  for (; depth > 0; end++) depth += { "{": 1, "}": -1 }[text[end]] ?? 0;
  return text.slice(start, end - 1);
}

// `interface <name> extends <base> { … }`, exported or not.
const interfaces = new Map();
for (const found of declarations.matchAll(/\binterface (\w+)(?:\s+extends\s+(\w+))?[^{]*\{/g)) {
  const body = bodyAt(declarations, found.index + found[0].length);
  interfaces.set(found[1], { name: found[1], base: found[2] ?? "", body });
}

// A tree of names, with {} for a leaf. Enough of TypeScript for these files: object literals, intersections with named
// interfaces, arrays of either.
function members(body) {
  const found = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at <= body.length; at++) {
    depth += { "{": 1, "(": 1, "[": 1, "}": -1, ")": -1, "]": -1 }[body[at]] ?? 0;
    if (depth === 0 && (body[at] === ";" || at === body.length)) {
      const member = body.slice(from, at).match(/^\s*(?:readonly\s+)?['"]?([\w.]+)['"]?(\??)\s*:\s*([^]*)$/);
      if (member) found.push([member[1], member[3].trim(), Number(member[2] === "?")]);
      from = at + 1;
    }
  }
  return found;
}

function addPaths(type, prefix, paths, above = []) {
  const open = type.indexOf("{");
  const inner = open >= 0 ? members(bodyAt(type, open + 1)) : [];
  for (const name of type.slice(0, open >= 0 ? open : undefined).match(/\w+/g) ?? []) {
    if (interfaces.has(name) && !above.includes(name)) {
      for (const [member, part, optional] of members(interfaces.get(name).body)) inner.push([member, part, optional, name]);
    }
  }
  for (const [member, part, optional, from] of inner) {
    const path = prefix ? `${prefix}.${member}` : member;
    paths.set(path, optional);
    addPaths(part, path, paths, from ? [...above, from] : above);
  }
}

// By the event's name, for interfaces with `name: 'X'` or `name: Name.X`: the interface, and its paths below args with 1 for optional.
export const declared = new Map();
for (const one of interfaces.values()) {
  const own = new Map(members(one.body).map(([member, part]) => [member, part]));
  const name = own.get("name")?.match(/^'([^']+)'$|^Name\.(\w+)$/);
  if (!name || !own.has("args")) continue;
  const paths = new Map();
  addPaths(own.get("args"), "", paths);
  declared.set(name[1] ?? Types.Events.Name[name[2]], { ...one, paths });
}

// The remarks inside `interface <name>` or `function <name>` of the source, and right above it, as one text.
export function remarksOf(kind, name) {
  const found = source.match(new RegExp(`(?:/\\*\\*[^]*?\\*/\\s*|(?:^//.*\\n)*)^export ${kind} ${name}\\b[^{]*\\{`, "m"));
  if (!found) return "";
  const start = found.index + found[0].length;
  const above = found[0].slice(found[0].lastIndexOf("\n\n") + 1);
  return [...`${above}${bodyAt(source, start)}`.matchAll(remarks)].map(([text]) => text.replace(/^[/*\s]+|[/*\s]+$/g, "")).join(" ");
}

// The key in the enumeration of names, by the event's name.
export const keys = new Map(Object.entries(Types.Events.Name).map(([key, name]) => [name, key]));
