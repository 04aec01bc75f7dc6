// The recording with what the model made of it: `args.reading` of its events, and rows of category `reading`.
import fs from "node:fs";
import zlib from "node:zlib";
import { declared, keys, remarksOf } from "./declarations.mjs";
import { Extras, Styles, Types } from "./model.mjs";

const predicates = Object.entries(Types.Events).filter(([name, value]) => /^is[A-Z]/.test(name) && typeof value === "function");
const visible = new Extras.TraceFilter.VisibleEventsFilter(Styles.visibleTypes());

const titleOf = (name) => {
  const title = Styles.getEventStyle(name)?.title;
  return title?.i18nId ?? title ?? null;
};

const accepts = (predicate, event) => {
  try {
    return predicate(event) === true;
  } catch {
    return false; // it expects arguments that this event does not have
  }
};

// What each handler says of one event; nothing where it says nothing.
function tellers(parsed, places) {
  const { data } = parsed;
  const refer = (event) => ({ name: event.name, ts: event.ts, seq: places.get(event) ?? -1 });
  const statistics = new Map();
  for (const event of parsed.traceEvents) {
    const timings = event.name === "SelectorStats" && event.args?.selector_stats?.selector_timings;
    if (timings) statistics.set(timings, event);
  }
  const related = relatedEvents(parsed);
  return (event) => {
    const said = {};
    const style = Styles.getEventStyle(event.name);
    if (data.Renderer.entryToNode.has(event)) Object.assign(said, { entry: true, visible: visible.accept(event) });
    if (style) Object.assign(said, { title: titleOf(event.name), group: style.category.name, hidden: style.hidden });
    if (keys.has(event.name) || declared.has(event.name)) {
      said.types = predicates.filter(([, predicate]) => accepts(predicate, event)).map(([name]) => name);
    }
    const warnings = data.Warnings.perEvent.get(event);
    if (warnings) said.warnings = warnings;
    const initiator = data.Initiators.eventToInitiator.get(event);
    if (initiator) said.initiator = refer(initiator);
    const initiated = data.Initiators.initiatorToEvents.get(event);
    if (initiated) said.initiates = initiated.map(refer);
    const selectors = data.SelectorStats.dataForRecalcStyleEvent.get(event);
    if (selectors) said.selectorStats = { ...refer(statistics.get(selectors.timings)), selectors: selectors.timings.length };
    if (related.has(event)) said.insights = related.get(event);
    return said;
  };
}

const rawOf = (event) => event?.rawSourceEvent ?? event;
const modelsOf = function* (parsed) {
  for (const [id, set] of parsed.insights ?? []) {
    for (const [name, model] of Object.entries(set.model)) yield { id, set, name, model };
  }
};
const listsOf = (model) => Object.entries(model).filter(([, value]) => Array.isArray(value) || value instanceof Map || value instanceof Set);
const eventsIn = (list) => (list instanceof Map ? [...list.keys()] : [...list]);

// `<insight>.<field>` for each list of an insight in which an event stands.
function relatedEvents(parsed) {
  const found = new Map();
  for (const { name, model } of modelsOf(parsed)) {
    for (const [field, list] of listsOf(model)) {
      for (const member of eventsIn(list)) {
        const event = rawOf(member?.event ?? member);
        if (typeof event?.ph !== "string") continue;
        const words = found.get(event) ?? found.set(event, []).get(event);
        if (!words.includes(`${name}.${field}`)) words.push(`${name}.${field}`);
      }
    }
  }
  return found;
}

function* rowsOf(parsed, home) {
  const { data } = parsed;
  for (const { index, ts, dur, seqId, idle, dropped, isPartial, mainFrameId } of data.Frames.frames) {
    yield { ...home, name: "frame", ts, dur, args: { index, seqId, idle, dropped, isPartial, mainFrameId } };
  }
  for (const request of data.NetworkRequests.byTime) {
    const { responseHeaders, ...args } = request.args.data;
    yield { ...request, name: "request", args };
  }
  for (const [frame, navigations] of data.PageLoadMetrics.metricScoresByFrameId) {
    for (const [navigation, scores] of navigations) {
      for (const { metricName, timing, classification, event } of scores.values()) {
        const ts = event?.ts ?? data.Meta.traceBounds.min;
        yield { ...home, name: "metric", ts, args: { frame, navigation, metric: metricName, us: timing, classification } };
      }
    }
  }
  for (const { id, set, name, model } of modelsOf(parsed)) {
    const sizes = Object.fromEntries(listsOf(model).map(([field, list]) => [field, eventsIn(list).length]));
    const plain = Object.fromEntries(Object.entries(model).filter(([, value]) => typeof value === "number" || typeof value === "boolean"));
    const args = { insight: name, state: model.state, set: id, frame: set.frameId, sizes, plain, warnings: model.warnings ?? [] };
    yield { ...home, name: "insight", ts: set.bounds.min, dur: set.bounds.range, args };
    if (name !== "CLSCulprits") continue;
    for (const [shift, causes] of model.shifts) {
      const culprits = Object.fromEntries(Object.entries(causes).map(([kind, list]) => [kind, list.length]));
      const total = Object.values(culprits).reduce((sum, count) => sum + count, 0);
      yield { ...shift, name: "shift", dur: undefined, args: { score: shift.args.data.weighted_score_delta, culprits, total, set: id } };
    }
  }
  for (const [id, set] of parsed.insights ?? []) {
    for (const [name, error] of Object.entries(set.modelErrors)) {
      yield { ...home, name: "insight", ts: set.bounds.min, args: { insight: name, state: "error", set: id, error: String(error.message) } };
    }
  }
  for (const name of new Set(parsed.traceEvents.map((event) => event.name))) {
    const type = declared.get(name);
    if (!keys.has(name) && !type) continue;
    const args = { of: name, key: keys.get(name) ?? null, title: titleOf(name), interface: type?.name ?? null };
    if (type) Object.assign(args, { base: type.base, remarks: remarksOf("interface", type.name) });
    const predicate = type ? `is${type.name}` : "";
    if (predicate in Types.Events) Object.assign(args, { predicate, why: remarksOf("function", predicate) });
    yield { ...home, name: "type", ts: data.Meta.traceBounds.min, args };
  }
}

// Where what belongs to no event is put: the main thread of the page's last process.
function homeOf({ data, traceEvents }) {
  const mainOf = (pid) => [...data.Meta.threadsInProcess.get(pid) ?? []].find(([, { args }]) => args.name === "CrRendererMain")?.[0];
  const known = [...(data.Meta.rendererProcessesByFrame.get(data.Meta.mainFrameId)?.keys() ?? [])];
  const pid = known.at(-1) ?? traceEvents.find((event) => event.ph !== "M" && mainOf(event.pid))?.pid ?? traceEvents[0].pid;
  return { pid, tid: mainOf(pid) ?? pid };
}

export function writeReading(path, reader, document, parsed) {
  const events = document.traceEvents;
  const places = new Map(events.map((event, seq) => [event, seq]));
  const tell = tellers(parsed, places);
  const lines = events.map((event) => {
    if (event.ph === "M" || typeof (event.args ?? {}) !== "object") return JSON.stringify(event);
    const said = tell(event);
    const under = "eEF".includes(event.ph) ? "ended" : "reading"; // an end shares its arguments with its begin
    return JSON.stringify(Object.keys(said).length ? { ...event, args: { ...event.args, [under]: said } } : event);
  });
  let number = 0;
  for (const { name, ts, dur, pid, tid, args } of rowsOf(parsed, homeOf(parsed))) {
    // Spans apart from the threads: between slices they would be parents of what they are about.
    const row = { name: `${reader}.${name}`, cat: "reading", pid, tid, id: `0x${(++number).toString(16)}` };
    lines.push(JSON.stringify({ ...row, ph: dur === undefined ? "n" : "b", ts, args }));
    if (dur !== undefined) lines.push(JSON.stringify({ ...row, ph: "e", ts: ts + dur, args: {} }));
  }
  const metadata = document.metadata ? `,"metadata":${JSON.stringify(document.metadata)}` : "";
  fs.writeFileSync(path, zlib.gzipSync(`{"traceEvents":[\n${lines.join(",\n")}\n]${metadata}}`, { level: 4 }));
}
