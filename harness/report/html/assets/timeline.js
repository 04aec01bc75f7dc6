// The evidence timeline: the chart with its keys, pointer, zoom and the words for what is under it.

const KEYS = 'Keys: W and S or + and − zoom, A and D pan, arrows go from event to event, N and P through the evidence, F fits the event, 0 shows everything.';

/** drawings: see harness/evidence/drawing.py, each with a `heading`. Answers the element, with `show(finding)`. */
function timeline(drawings, finding) {
  const canvas = el('canvas', {tabindex: '0', role: 'application', 'aria-roledescription': 'timeline', 'aria-label': describe(drawings), 'aria-describedby': 'keys'});
  const paper = el('.paper', {}, canvas); // as high as all tracks; the canvas sticks to what is seen of it
  const view = el('.view', {}, paper);
  const tip = el('.tip', {hidden: true});
  const pinned = el('.pinned', {'aria-live': 'polite'}, el('span.dim', {}, 'Point at an event, or go to one with the arrow keys, to see its arguments.'));
  const chart = new Chart(canvas, drawings);
  chart.finding = finding;
  let asked = false;

  const draw = () => {
    asked = false;
    paper.style.height = `${chart.height}px`;
    const [width, seen] = [view.clientWidth, view.clientHeight];
    if (chart.width !== width || chart.seen !== seen || chart.ratio !== devicePixelRatio) chart.size(width, seen, devicePixelRatio);
    chart.draw(view.scrollTop);
  };
  const redraw = () => { if (!asked) { asked = true; requestAnimationFrame(draw); } };
  const look = (from, to) => {
    const span = Math.min(Math.max(to - from, 1), (chart.end - chart.begin) * 1.1);
    const slack = span / 2;
    chart.from = Math.min(Math.max(from, chart.begin - slack), chart.end + slack - span);
    chart.to = chart.from + span;
    redraw();
  };
  const zoom = (factor, around = (chart.from + chart.to) / 2) => look(around - (around - chart.from) * factor, around + (chart.to - around) * factor);
  const pan = (share) => { const step = (chart.to - chart.from) * share; look(chart.from + step, chart.to + step); };

  const pin = (at, follow = true) => {
    chart.current = at;
    pinned.replaceChildren(...eventWords(chart, at));
    if (follow) {
      const {ts, dur} = at.drawing;
      const [start, end] = [ts[at.place], ts[at.place] + dur[at.place]];
      if (end < chart.from || start > chart.to || (start < chart.from && end <= chart.to) || (end > chart.to && start >= chart.from)) {
        const half = (chart.to - chart.from) / 2;
        look((start + Math.min(end, start + half)) / 2 - half, (start + Math.min(end, start + half)) / 2 + half);
      }
      if (!chart.box(at.drawing, at.place)) { chart.all = true; chart.arrange(); refresh(); }
      const box = chart.box(at.drawing, at.place);
      if (box.y < view.scrollTop + AXIS) view.scrollTop = box.y - AXIS - ROW;
      if (box.y + ROW > view.scrollTop + view.clientHeight) view.scrollTop = box.y + 2 * ROW - view.clientHeight;
    }
    redraw();
  };

  const evidence = () => drawings.flatMap((drawing) => [...drawing.roles.keys()].filter((place) => chart.role(drawing, place))
    .sort((a, b) => drawing.ts[a] - drawing.ts[b]).map((place) => ({drawing, place})));
  const throughEvidence = (step) => {
    const found = evidence();
    if (!found.length) return;
    const here = found.findIndex((at) => at.drawing === chart.current?.drawing && at.place === chart.current?.place);
    pin(found[(here + step + found.length) % found.length]);
  };
  const lookAtEvidence = () => {
    const found = evidence();
    const from = Math.min(...found.map(({drawing, place}) => drawing.ts[place]));
    const to = Math.max(...found.map(({drawing, place}) => Math.min(drawing.ts[place] + drawing.dur[place], drawing.end)));
    const room = Math.max((to - from) * 0.15, (chart.end - chart.begin) / 40);
    if (found.length) look(Math.max(from - room, chart.begin), Math.min(to + room, chart.end));
    else look(chart.begin, chart.end);
  };
  const first = () => evidence()[0] ?? {drawing: drawings[0], place: 0};
  const beside = (step) => {
    const at = chart.current;
    if (!at) return pin(first());
    const next = at.place + step;
    const {lane, row} = at.drawing;
    if (lane[next] === lane[at.place] && row[next] === row[at.place]) pin({drawing: at.drawing, place: next});
  };
  const vertically = (step) => {
    const at = chart.current;
    if (!at) return pin(first());
    const stops = chart.tracks.filter((track) => track.shown).flatMap((track) => track.rows.map((row, i) => row && {track, row, i}).filter(Boolean));
    const here = stops.findIndex((stop) => stop.track.drawing === at.drawing && stop.track.number === at.drawing.lane[at.place] && stop.i === at.drawing.row[at.place]);
    const stop = stops[here + step];
    if (!stop) return;
    const {drawing} = stop.track;
    const time = at.drawing.ts[at.place] + (step < 0 ? 0 : 1e-6);
    let place = search(drawing.ts, stop.row.first, stop.row.last + 1, time);
    if (place > stop.row.last || (place > stop.row.first && drawing.ts[place - 1] + drawing.dur[place - 1] >= time && step < 0)) place--;
    pin({drawing, place: Math.max(place, stop.row.first)});
  };
  const fit = () => {
    if (!chart.current) return;
    const {drawing, place} = chart.current;
    const room = Math.max(drawing.dur[place] * 0.6, 20);
    look(drawing.ts[place] - room, drawing.ts[place] + drawing.dur[place] + room);
  };

  const actions = {
    w: () => zoom(0.7), '+': () => zoom(0.7), '=': () => zoom(0.7), s: () => zoom(1 / 0.7), '-': () => zoom(1 / 0.7), a: () => pan(-0.15), d: () => pan(0.15),
    n: () => throughEvidence(1), p: () => throughEvidence(-1), f: fit, 0: () => look(chart.begin, chart.end),
    ArrowLeft: () => beside(-1), ArrowRight: () => beside(1), ArrowUp: () => vertically(-1), ArrowDown: () => vertically(1),
  };
  canvas.addEventListener('keydown', (event) => {
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (event.ctrlKey || event.metaKey || event.altKey || !actions[key]) return;
    event.preventDefault();
    actions[key]();
  });
  canvas.addEventListener('wheel', (event) => {
    const chosen = event.ctrlKey || document.activeElement === canvas;
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) pan(Math.sign(event.deltaX || event.deltaY) * 0.08);
    else if (chosen) zoom(1.0015 ** event.deltaY, chart.time(event.offsetX));
    else return;
    event.preventDefault();
  }, {passive: false});
  let held = null;
  canvas.addEventListener('pointerdown', (event) => {
    held = {x: event.offsetX, from: chart.from, to: chart.to, moved: false};
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener('pointermove', (event) => {
    if (held && Math.abs(event.offsetX - held.x) > 3) held.moved = true;
    if (held?.moved) {
      const step = (held.x - event.offsetX) / chart.width * (held.to - held.from);
      tip.hidden = true;
      return look(held.from + step, held.to + step);
    }
    const at = chart.at(event.offsetX, event.offsetY);
    if (at?.drawing !== chart.hover?.drawing || at?.place !== chart.hover?.place) {
      chart.hover = at;
      tip.replaceChildren(...(at ? eventWords(chart, at, 300) : []));
      redraw();
    }
    tip.hidden = !at;
    if (at) {
      const left = Math.min(event.offsetX + 14, view.clientWidth - tip.offsetWidth - 4);
      tip.style.left = `${Math.max(left, 4)}px`;
      tip.style.top = `${event.offsetY + view.offsetTop + 22}px`;
    }
  });
  canvas.addEventListener('pointerup', (event) => {
    const at = held && !held.moved && chart.at(event.offsetX, event.offsetY);
    held = null;
    if (at) pin(at, false);
  });
  canvas.addEventListener('pointerleave', () => { tip.hidden = true; chart.hover = null; redraw(); });
  view.addEventListener('scroll', redraw);
  new ResizeObserver(redraw).observe(view);
  addEventListener('themechange', () => { chart.width = 0; redraw(); });

  const switchButton = (words, name) => {
    const button = el('button', {type: 'button', 'aria-pressed': String(chart[name]), onclick: () => {
      chart[name] = !chart[name];
      button.setAttribute('aria-pressed', String(chart[name]));
      chart.arrange();
      redraw();
    }}, words);
    button.refresh = () => button.setAttribute('aria-pressed', String(chart[name]));
    return button;
  };
  const tracks = switchButton(`All ${chart.tracks.length} tracks`, 'all');
  const refresh = () => tracks.refresh();
  const hidden = chart.tracks.some((track) => !track.shown);
  const bar = el('.bar', {role: 'toolbar', 'aria-label': 'Timeline'},
    el('button', {type: 'button', 'aria-label': 'Zoom in', onclick: () => zoom(0.6)}, '+'),
    el('button', {type: 'button', 'aria-label': 'Zoom out', onclick: () => zoom(1 / 0.6)}, '−'),
    el('button', {type: 'button', onclick: actions[0]}, 'Everything'),
    evidence().length ? el('button', {type: 'button', onclick: () => throughEvidence(1)}, 'Next evidence') : null,
    hidden ? tracks : null,
    drawings.some((drawing) => drawing.flows.length) ? switchButton('Flows', 'arrows') : null,
    drawings.some((drawing) => drawing.frames.length) ? switchButton('Frames', 'frames') : null,
    legend(drawings));
  const about = drawings.map((drawing) => leftOut(drawing)).filter(Boolean).map((line) => el('p.left-out', {}, line));
  const made = el('.timeline', {role: 'group', 'aria-label': 'Evidence timeline'}, bar, view, tip, pinned, about, el('p.left-out', {id: 'keys'}, KEYS));
  made.show = (which) => { chart.finding = which; chart.current = null; lookAtEvidence(); };
  made.goTo = (seq, name) => {
    for (const drawing of drawings) {
      const place = drawing.seq.findIndex((one, i) => one === seq && drawing.names[drawing.name[i]] === name);
      if (place >= 0) { pin({drawing, place}); canvas.focus(); made.scrollIntoView({block: 'nearest'}); return true; }
    }
    return false;
  };
  lookAtEvidence();
  return made;
}

/** What stands beside an event, in words: name, times, place, why it was missed, arguments. */
function eventWords(chart, {drawing, place}, most = 4000) {
  const lane = drawing.lanes[drawing.lane[place]];
  const entry = drawing.roles.get(place);
  const role = chart.role(drawing, place);
  const kind = {s: 'slice', o: 'slice, still open at the end', i: 'instant', a: 'async span', g: 'gap', r: 'request'}[drawing.kind[place]];
  const how = drawing.kind[place] === 'i' ? '' : ` for ${duration(drawing.dur[place])}`;
  const args = spread(drawing.texts[drawing.args[place]]);
  return [
    el('strong', {}, drawing.names[drawing.name[place]]), ` ${kind} at ${duration(drawing.ts[place])}${how} `,
    el('span.dim', {}, trackName(lane), drawing.heading ? `, ${drawing.heading}` : ''),
    role ? el('span', {}, ` — ${role}${entry.note ? `: ${entry.note.replace(/^missed: /, '')}` : ''}`) : '',
    args ? el('pre', {}, args.length > most ? `${args.slice(0, most)}…` : args) : '',
  ];
}

function describe(drawings) {
  const parts = drawings.map((drawing) => `${drawing.heading || drawing.arm}: ${plural(drawing.ts.length, 'event')} on ${plural(drawing.lanes.length, 'track')}, ${plural(drawing.roles?.size ?? drawing.highlights.reduce((sum, one) => sum + one.at.length, 0), 'event')} of evidence`);
  return `Timeline. ${parts.join('. ')}. Zero is the mark ${drawings[0].origin}.`;
}

function leftOut(drawing) {
  const missing = drawing.present - drawing.ts.length;
  const kept = drawing.highlights.reduce((sum, one) => sum + one.left_out, 0);
  const parts = [];
  if (missing > 0) parts.push(`${thousands(missing)} of ${plural(drawing.present, 'event')} in this time are left out, none longer than ${duration(drawing.longest_left_out)}`);
  if (kept > 0) parts.push(`${plural(kept, 'event')} of evidence too`);
  if (!parts.length) return '';
  return `${drawing.heading ? `${drawing.heading}: ` : ''}${parts.join('; ')}. The whole recording (${plural(drawing.total, 'event')}): ${drawing.path}`;
}

function legend(drawings) {
  const roles = new Set(drawings.flatMap((drawing) => drawing.highlights.filter((one) => one.at.length).map((one) => one.role)));
  const named = {selected: 'looked at', missed: 'near miss', control: 'control'};
  return Object.entries(named).filter(([role]) => roles.has(role)).map(([role, words]) => el('span.legend', {}, el(`i.l-${role}`), words));
}
