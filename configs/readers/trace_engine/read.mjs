// node read.mjs <trace.json.gz>: what DevTools' trace model knows of the events of a recording, as one JSON object.
//   version            of @paulirish/trace_engine
//   events.<name>      named: it is in the enumeration of names; styled: the panel has a label for it;
//                      initiated: how many of these events the model gave an initiator
//   requests.<path>    for each address without its origin, of the last request that the model made of it: its diskCached and
//                      memoryCached (1 or 0), start (of the request, on the trace's clock), serverResponseTime and, of
//                      the event itself, headersStartLessSendEnd (microseconds), encodedDataLength, decodedBodyLength, and initiates, the paths of which it is the initiator (each 1)
//   orphans            how many request ids have a ResourceWillSendRequest and no ResourceSendRequest (seen), and how many
//                      of these are among the requests of the model (modelled)
//   readsData          whether any request of the model differs when the recording has no ResourceReceivedData (1 or 0)
//   arguments.<name>   for each path below args: declared in the type of the event (1 or 0), optional there, and how many events that the
//                      model has read hold a value there (seen); for events that have a type of their own
import fs from "node:fs";
import { createRequire } from "node:module";
import zlib from "node:zlib";

// The engine expects a browser's DOMRect.
globalThis.DOMRect ??= class DOMRect {
  constructor(x, y, width, height) {
    Object.assign(this, { x, y, width, height });
  }
  static fromRect({ x, y, width, height }) {
    return new DOMRect(x, y, width, height);
  }
};

const require = createRequire(import.meta.url);
const root = "@paulirish/trace_engine/";
const { Styles, TraceModel, Types } = await import(`${root}models/trace/trace.js`);
const declarations = fs.readFileSync(require.resolve(`${root}models/trace/types/TraceEvents.d.ts`), "utf8");

function readRecording(path) {
  const bytes = fs.readFileSync(path);
  const trace = JSON.parse(path.endsWith(".gz") ? zlib.gunzipSync(bytes) : bytes);
  return Array.isArray(trace) ? trace : trace.traceEvents;
}

// The members of `interface <name> … { … }`, exported or not: a tree of names, with {} for a leaf. Enough of TypeScript for
// TraceEvents.d.ts: object literals, intersections with named interfaces, arrays of either.
function readInterfaces(text) {
  const source = text.replace(/\/\*[^]*?\*\/|\/\/.*$/gm, "");
  const bodies = new Map();
  for (const found of source.matchAll(/\binterface (\w+)[^{]*\{/g)) {
    bodies.set(found[1], bodyAt(source, found.index + found[0].length));
  }
  return bodies;
}

function bodyAt(source, start) {
  let depth = 1;
  let end = start;
  for (; depth > 0; end++) depth += { "{": 1, "}": -1 }[source[end]] ?? 0;
  return source.slice(start, end - 1);
}

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

function addPaths(type, prefix, interfaces, paths, above = []) {
  const open = type.indexOf("{");
  const literal = open >= 0 ? bodyAt(type, open + 1) : "";
  const inner = open >= 0 ? members(literal) : [];
  for (const name of type.slice(0, open >= 0 ? open : undefined).match(/\w+/g) ?? []) {
    if (interfaces.has(name) && !above.includes(name)) {
      for (const [member, part, optional] of members(interfaces.get(name))) inner.push([member, part, optional, name]);
    }
  }
  for (const [member, part, optional, from] of inner) {
    const path = prefix ? `${prefix}.${member}` : member;
    paths.set(path, optional);
    addPaths(part, path, interfaces, paths, from ? [...above, from] : above);
  }
}

// Declared paths below args, by the event's name, for interfaces with `name: 'X'` or `name: Name.X`.
function declaredPaths(interfaces) {
  const byEvent = new Map();
  for (const body of interfaces.values()) {
    const own = new Map(members(body).map(([member, part]) => [member, part]));
    const name = own.get("name")?.match(/^'([^']+)'$|^Name\.(\w+)$/);
    if (!name || !own.has("args")) continue;
    const paths = new Map();
    addPaths(own.get("args"), "", interfaces, paths);
    byEvent.set(name[1] ?? Types.Events.Name[name[2]], paths);
  }
  return byEvent;
}

function valuePaths(value, prefix, paths) {
  const part = Array.isArray(value) ? value[0] : value;
  if (part === null || typeof part !== "object") return;
  for (const [key, inner] of Object.entries(part)) {
    const path = prefix ? `${prefix}.${key}` : key;
    paths.set(path, (paths.get(path) ?? 0) + 1);
    valuePaths(inner, path, paths);
  }
}

async function parse(events) {
  const model = TraceModel.Model.createWithAllHandlers();
  await model.parse(events);
  return model.parsedTrace();
}

const recording = readRecording(process.argv[2]);
const parsed = await parse(recording);
const names = new Set(Object.values(Types.Events.Name));
const declared = declaredPaths(readInterfaces(declarations));

const events = {};
const seen = {};
for (const event of parsed.traceEvents) {
  const entry = (events[event.name] ??= {
    named: Number(names.has(event.name)),
    styled: Number(Styles.getEventStyle(event.name) !== undefined),
    initiated: 0,
  });
  if (event.ph !== "s" && event.ph !== "f" && parsed.data.Initiators.eventToInitiator.has(event)) entry.initiated++;
  if (declared.has(event.name)) valuePaths(event.args ?? {}, "", (seen[event.name] ??= new Map()));
}
const arguments_ = {};
for (const [name, paths] of Object.entries(seen)) {
  arguments_[name] = {};
  for (const path of [...new Set([...paths.keys(), ...declared.get(name).keys()])].sort()) {
    arguments_[name][path] = {
      declared: Number(declared.get(name).has(path)),
      optional: declared.get(name).get(path) ?? 0,
      seen: paths.get(path) ?? 0,
    };
  }
}

const pathOf = (request) => request.args.data.url.replace(/^\w+:\/\/[^/]*/, "");

function requestsOf({ byTime, incompleteInitiator }) {
  const found = {};
  for (const request of byTime) {
    const { syntheticData, timing, encodedDataLength, decodedBodyLength } = request.args.data;
    found[pathOf(request)] = {
      diskCached: Number(syntheticData.isDiskCached),
      memoryCached: Number(syntheticData.isMemoryCached),
      start: request.ts,
      serverResponseTime: syntheticData.serverResponseTime,
      headersStartLessSendEnd: timing ? (timing.receiveHeadersStart - timing.sendEnd) * 1e3 : 0,
      encodedDataLength,
      decodedBodyLength,
      initiates: {},
    };
  }
  for (const [request, initiator] of incompleteInitiator) {
    const known = found[pathOf(initiator)];
    if (known) known.initiates[pathOf(request)] = 1;
  }
  return found;
}

const network = parsed.data.NetworkRequests;
const requests = requestsOf(network);
const idsOf = (name) => new Set(recording.filter((event) => event.name === name).map((event) => event.args.data.requestId));
const sent = idsOf("ResourceSendRequest");
const unsent = [...idsOf("ResourceWillSendRequest")].filter((id) => !sent.has(id));
const orphans = { seen: unsent.length, modelled: network.byTime.filter((request) => unsent.includes(request.args.data.requestId)).length };
const everything = JSON.stringify([requests, network.byTime]);
const withoutData = (await parse(readRecording(process.argv[2]).filter((event) => event.name !== "ResourceReceivedData"))).data;
const readsData = Number(JSON.stringify([requestsOf(withoutData.NetworkRequests), withoutData.NetworkRequests.byTime]) !== everything);
const version = JSON.parse(fs.readFileSync(require.resolve(`${root}package.json`), "utf8")).version;
process.stdout.write(JSON.stringify({ version, events, requests, orphans, readsData, arguments: arguments_ }));
