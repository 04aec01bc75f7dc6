// node read.mjs <trace> [<reading>]: what DevTools' trace model knows of the events of a recording, as one JSON object on
// stdout, and in a file what it made of them (reading.mjs).
//   version            of @paulirish/trace_engine
//   events.<name>      named: it is in the enumeration of names; styled: the panel has a label for it;
//                      initiated: how many of these events the model gave an initiator
//   requests.<path>    for each address without its origin, of the last request that the model made of it: its diskCached and
//                      memoryCached (1 or 0), start (of the request, on the trace's clock), serverResponseTime and, of
//                      the event itself, headersStartLessSendEnd (microseconds), encodedDataLength, decodedBodyLength, and initiates, the paths of which it is the initiator (each 1)
//   orphans            how many request ids have a ResourceWillSendRequest and no ResourceSendRequest (seen), and how many
//                      of these are among the requests of the model (modelled)
//   arguments.<name>   for each path below args: declared in the type of the event (1 or 0), optional there, and how many events that the
//                      model has read hold a value there (seen); for events that have a type of their own
import { declared } from "./declarations.mjs";
import { parse, readDocument, Styles, Types, version } from "./model.mjs";
import { writeReading } from "./reading.mjs";

function valuePaths(value, prefix, paths) {
  const part = Array.isArray(value) ? value[0] : value;
  if (part === null || typeof part !== "object") return;
  for (const [key, inner] of Object.entries(part)) {
    const path = prefix ? `${prefix}.${key}` : key;
    paths.set(path, (paths.get(path) ?? 0) + 1);
    valuePaths(inner, path, paths);
  }
}

const [, , tracePath, readingPath] = process.argv;
const document = readDocument(tracePath);
const recording = document.traceEvents;
const parsed = await parse(recording);
const names = new Set(Object.values(Types.Events.Name));

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
  for (const path of [...new Set([...paths.keys(), ...declared.get(name).paths.keys()])].sort()) {
    arguments_[name][path] = {
      declared: Number(declared.get(name).paths.has(path)),
      optional: declared.get(name).paths.get(path) ?? 0,
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
if (readingPath) writeReading(readingPath, "trace_engine", document, parsed);
process.stdout.write(JSON.stringify({ version, events, requests, orphans, arguments: arguments_ }));
