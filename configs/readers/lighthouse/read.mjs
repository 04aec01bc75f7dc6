// node read.mjs <trace> [<reading>]: what Lighthouse makes of the main thread's work in a recording, as one JSON object on
// stdout, and in a file with each task.
//   version         of lighthouse
//   groups.<id>     of the groups of tasks: the names of events that count to it, each 1, and ms, what the audit
//                   mainthread-work-breakdown has for it (0 where it has no row)
import fs from "node:fs";
import { createRequire } from "node:module";
import zlib from "node:zlib";

const require = createRequire(import.meta.url);
const core = "lighthouse/core/";
const { MainThreadTasks } = await import(`${core}computed/main-thread-tasks.js`);
const { ProcessedNavigation } = await import(`${core}computed/processed-navigation.js`);
const { default: MainThreadWorkBreakdown } = await import(`${core}audits/mainthread-work-breakdown.js`);
const { taskGroups, taskNameToGroup } = await import(`${core}lib/tracehouse/task-groups.js`);
const source = fs.readFileSync(require.resolve(`${core}lib/tracehouse/task-groups.js`), "utf8");
const { version } = JSON.parse(fs.readFileSync(require.resolve("lighthouse/package.json"), "utf8"));

const [, , tracePath, readingPath] = process.argv;
const bytes = fs.readFileSync(tracePath);
const parsed = JSON.parse(bytes[0] === 0x1f ? zlib.gunzipSync(bytes) : bytes);
const document = Array.isArray(parsed) ? { traceEvents: parsed } : parsed;
const trace = { traceEvents: document.traceEvents };

// The artifacts of the audit that a trace alone can fill. It makes the savings in blocking time of others, and leaves them out without.
const context = { computedCache: new Map(), settings: {}, options: MainThreadWorkBreakdown.defaultOptions };
const tasks = await MainThreadTasks.request(trace, context);
const audit = await MainThreadWorkBreakdown.audit({ Trace: trace }, context);
const ms = Object.fromEntries(audit.details.items.map(({ group, duration }) => [group, duration]));

const groups = {};
for (const { id, traceEventNames } of Object.values(taskGroups)) {
  groups[id] = { names: Object.fromEntries(traceEventNames.map((name) => [name, 1])), ms: ms[id] ?? 0 };
}

async function timings() {
  try {
    return (await ProcessedNavigation.request(trace, context)).timings;
  } catch (error) {
    return { error: String(error.code ?? error.message) };
  }
}

function* rows(home) {
  for (const { id, label, traceEventNames } of Object.values(taskGroups)) {
    const remarks = [...source.matchAll(/'([^']+)',[ \t]*\/\/ (.*)/g)].filter(([, name]) => traceEventNames.includes(name));
    const args = { group: id, label, names: traceEventNames, ms: ms[id] ?? 0, remarks: remarks.map(([, name, text]) => `${name}: ${text}`) };
    yield { ...home, name: "lighthouse.group", args };
  }
  yield { ...home, name: "lighthouse.timings", args: found };
}

const found = await timings();
if (readingPath) {
  const byEvent = new Map(tasks.map((task) => [task.event, task]));
  const lines = document.traceEvents.map((event) => {
    const task = byEvent.get(event);
    if (!task) return JSON.stringify(event);
    const { group, selfTime, duration, parent, attributableURLs } = task;
    // Milliseconds, as Lighthouse has them. `listed`: the group is its own, else what it lies in has lent it.
    const reading = { group: group.id, listed: event.name in taskNameToGroup, selfTime, duration, parent: parent?.event.name ?? null, urls: attributableURLs };
    return JSON.stringify({ ...event, args: { ...event.args, reading } });
  });
  const { pid, tid, ts } = tasks[0]?.event ?? document.traceEvents[0];
  let number = 0;
  for (const row of rows({ cat: "reading", ph: "n", pid, tid, ts })) lines.push(JSON.stringify({ ...row, id: `0x${(++number).toString(16)}` }));
  const metadata = document.metadata ? `,"metadata":${JSON.stringify(document.metadata)}` : "";
  fs.writeFileSync(readingPath, zlib.gzipSync(`{"traceEvents":[\n${lines.join(",\n")}\n]${metadata}}`, { level: 4 }));
}
process.stdout.write(JSON.stringify({ version, groups, timings: found }));
