// The drawing itself: lanes of one or more recordings on a canvas, on one scale. Knows nothing of input.
//
// Events of a row lie side by side in the columns, in order of time. What is narrower than a pixel is drawn once for
// each pixel, and a binary search goes on to the next: a row costs as many steps as it has pixels, however full it is.
// The canvas is as large as what is seen of the tracks, however many there are; the axis stays at its top.

const ROW = 17;
const HEAD = 17;
const AXIS = 40;
const GAP = 5;
const FONT = '11px system-ui, sans-serif';

class Chart {
  /** drawings: those of one attempt, or of two builds; finding: the index of the expectation that is looked at. */
  constructor(canvas, drawings) {
    this.canvas = canvas;
    this.pen = canvas.getContext('2d');
    this.drawings = drawings;
    this.tracks = drawings.flatMap((drawing, i) => this.#tracks(drawing, i));
    this.begin = Math.min(...drawings.map((drawing) => drawing.begin));
    this.end = Math.max(...drawings.map((drawing) => drawing.end), this.begin + 1);
    this.from = this.begin;
    this.to = this.end;
    this.all = false; // every track, or those with evidence
    this.arrows = true;
    this.frames = true;
    this.finding = null;
    this.top = 0; // how far the tracks are scrolled up
    this.hover = null;
    this.current = null;
    this.arrange();
  }

  #tracks(drawing, which) {
    const tracks = drawing.lanes.map((lane, number) => ({drawing, which, lane, number, rows: []}));
    for (let i = 0; i < drawing.ts.length; i++) {
      const rows = tracks[drawing.lane[i]].rows;
      (rows[drawing.row[i]] ??= {first: i, last: i}).last = i;
    }
    drawing.tracks = tracks;
    drawing.roles = new Map(); // place: {selected, control, missed, note, findings}
    for (const light of drawing.highlights) {
      light.at.forEach((place, i) => {
        const entry = drawing.roles.get(place) ?? {role: light.role, findings: new Map(), note: ''};
        if (light.role === 'missed') Object.assign(entry, {note: light.notes[i]});
        if (!entry.findings.has(light.finding) || light.role !== 'control') entry.findings.set(light.finding, light.role);
        drawing.roles.set(place, entry);
      });
    }
    const lit = new Set([...drawing.roles.keys()].map((place) => drawing.lane[place]));
    // Where two slices of a row overlap, a search by start alone would miss the long one: the furthest end so far.
    drawing.reach = new Float64Array(drawing.ts.length);
    for (const track of tracks) {
      track.lit = lit.has(track.number);
      for (const row of track.rows) {
        if (!row) continue;
        let reach = -Infinity;
        row.lit = [];
        for (let i = row.first; i <= row.last; i++) {
          drawing.reach[i] = reach = Math.max(reach, drawing.ts[i] + drawing.dur[i]);
          if (drawing.roles.has(i)) row.lit.push(i);
        }
      }
    }
    return tracks;
  }

  /** Which tracks are shown, and where. */
  arrange() {
    let y = AXIS;
    let last = null;
    for (const track of this.tracks) {
      track.shown = this.all || track.lit || (track.lane.label !== '' && track.number === 0);
      if (!track.shown) continue;
      track.title = track.which !== last;
      last = track.which;
      if (track.title) track.drawing.top = track.which ? y : AXIS - 8;
      if (track.title && this.drawings.length > 1) y += HEAD;
      track.y = y;
      y += HEAD + Math.max(track.rows.length, 1) * ROW + GAP;
      track.drawing.bottom = y;
    }
    this.height = y + 4;
  }

  role(drawing, place) {
    const entry = drawing.roles.get(place);
    if (!entry) return '';
    if (this.finding === null) return entry.note ? 'missed' : entry.role;
    return entry.findings.get(this.finding) ?? '';
  }

  x(time) { return (time - this.from) / (this.to - this.from) * this.width; }
  time(x) { return this.from + x / this.width * (this.to - this.from); }

  /** seen: the height of the part of the tracks that is seen at once. */
  size(width, seen, ratio) {
    Object.assign(this, {width, seen, ratio});
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(seen * ratio);
    this.canvas.style.height = `${seen}px`;
    const style = getComputedStyle(document.documentElement);
    this.color = Object.fromEntries(['bg', 'text', 'dim', 'line', 'grid', 'window', 'selected', 'missed', 'control', 'slice', 'slice-text', 'on-strong', 'arrow', 'panel', 'focus']
      .map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
  }

  /** Draw what is seen when the tracks are scrolled up by `top`. */
  draw(top = 0) {
    const {pen, color} = this;
    this.top = top;
    this.bottom = top + this.seen;
    pen.setTransform(this.ratio, 0, 0, this.ratio, 0, -top * this.ratio);
    pen.font = FONT;
    pen.textBaseline = 'middle';
    pen.fillStyle = color.bg;
    pen.fillRect(0, top, this.width, this.seen);
    this.#windows();
    this.#grid();
    for (const track of this.tracks) {
      if (track.shown && track.y - HEAD < this.bottom && track.y + HEAD + track.rows.length * ROW + GAP > top) this.#track(track);
    }
    if (this.arrows) this.#flows();
    this.#outline(this.hover, color.dim, 1);
    this.#outline(this.current, color.focus, 3);
    this.drawings.forEach((drawing, number) => { if (number) this.#marks(drawing, drawing.top); });
    this.#axis();
    if (this.drawings[0].bottom > top + AXIS) this.#marks(this.drawings[0], top + 16);
  }

  #windows() {
    const {pen} = this;
    pen.fillStyle = this.color.window;
    pen.beginPath(); // all windows as one shape, so that those that overlap are no darker
    for (const {windows, top, bottom} of this.drawings) {
      for (const window of windows) {
        const [left, right] = [Math.max(this.x(window.begin), -1), Math.min(this.x(window.end), this.width + 1)];
        if (right > left) pen.rect(left, top, right - left, bottom - top);
      }
    }
    pen.fill();
  }

  #grid() {
    const {pen, color} = this;
    pen.strokeStyle = color.grid;
    pen.beginPath();
    for (const [, x] of this.#ticks()) {
      pen.moveTo(x, this.top);
      pen.lineTo(x, this.bottom);
    }
    pen.stroke();
    if (!this.frames) return;
    pen.strokeStyle = color.line;
    pen.setLineDash([2, 3]);
    pen.beginPath();
    for (const {frames, top, bottom} of this.drawings) {
      let last = -10;
      for (const frame of frames) {
        const x = Math.round(this.x(frame)) + 0.5;
        if (x < 0 || x > this.width || x - last < 3) continue;
        last = x;
        pen.moveTo(x, Math.max(top, this.top));
        pen.lineTo(x, Math.min(bottom, this.bottom));
      }
    }
    pen.stroke();
    pen.setLineDash([]);
  }

  #axis() {
    const {pen, color} = this;
    pen.fillStyle = color.bg;
    pen.fillRect(0, this.top, this.width, AXIS - 8);
    pen.fillStyle = color.dim;
    for (const [words, x] of this.#ticks()) pen.fillText(words, x + 3, this.top + 8);
  }

  #ticks() {
    const step = niceStep((this.to - this.from) / Math.max(this.width / 110, 2));
    const ticks = [];
    for (let time = Math.ceil(this.from / step) * step; time <= this.to; time += step) ticks.push([tick(time, step), Math.round(this.x(time)) + 0.5]);
    return ticks;
  }

  /** The step marks of an arm, which has its own, with their names at the height `from`. */
  #marks({marks, heading, bottom}, from) {
    const {pen, color} = this;
    pen.strokeStyle = pen.fillStyle = color.text;
    let free = from === this.top + 16 ? -Infinity : pen.measureText(heading).width + 14;
    for (const [name, time] of marks) {
      const x = Math.round(this.x(time)) + 0.5;
      if (x < 0 || x > this.width) continue;
      pen.setLineDash([5, 3]);
      pen.beginPath();
      pen.moveTo(x, from);
      pen.lineTo(x, Math.min(bottom, this.bottom));
      pen.stroke();
      pen.setLineDash([]);
      const width = pen.measureText(name).width;
      const at = Math.min(x + 3, this.width - width - 2);
      if (at <= free) continue;
      pen.fillText(name, at, from + 9);
      free = at + width + 6;
    }
  }

  #track(track) {
    const {pen, color} = this;
    const {lane, drawing} = track;
    if (track.title && this.drawings.length > 1) {
      pen.fillStyle = color.panel;
      pen.fillRect(0, track.y - HEAD, this.width, HEAD);
      pen.fillStyle = color.text;
      pen.font = `bold ${FONT}`;
      pen.fillText(drawing.heading, 4, track.y - HEAD / 2);
      pen.font = FONT;
    }
    pen.fillStyle = color.line;
    pen.fillRect(0, track.y, this.width, 1);
    track.rows.forEach((row, i) => {
      const y = track.y + HEAD + i * ROW;
      if (row && y < this.bottom && y + ROW > this.top) this.#row(drawing, row, y);
    });
    const name = trackName(lane);
    pen.font = FONT;
    const width = pen.measureText(name).width + 8;
    pen.fillStyle = color.bg;
    pen.fillRect(0, track.y + 1, Math.min(width, this.width), HEAD - 2);
    pen.fillStyle = color.dim;
    pen.fillText(name, 4, track.y + HEAD / 2);
  }

  #row(drawing, row, y) {
    const {pen, color} = this;
    const {ts, dur, kind} = drawing;
    const bin = 1 / this.width * (this.to - this.from); // the time of one pixel
    let [runLeft, runRight] = [0, -1]; // narrow slices side by side are one rectangle
    const flush = () => { if (runRight > runLeft) pen.fillRect(runLeft, y + 2, runRight - runLeft, ROW - 4); };
    const first = search(drawing.reach, row.first, row.last + 1, this.from);
    let i = first;
    pen.fillStyle = color.slice;
    while (i <= row.last && ts[i] <= this.to) {
      const x = this.x(ts[i]);
      const width = dur[i] / bin;
      if (width < 1.5) {
        const end = x + Math.max(width, 1);
        if (kind[i] === 'i' && x > runRight + 1) pen.fillRect(x - 0.5, y + 5, 1.5, ROW - 9);
        else if (x <= runRight + 0.6) runRight = Math.max(runRight, end);
        else { flush(); [runLeft, runRight] = [x, end]; }
        i = search(ts, i + 1, row.last + 1, ts[i] + bin); // the first that begins beyond this pixel
        continue;
      }
      const left = Math.max(x, -2);
      const right = Math.min(x + width, this.width + 2);
      pen.fillRect(left, y + 1, Math.max(right - left - 1, 1), ROW - 3);
      if (right - left > 22) {
        pen.fillStyle = color['slice-text'];
        label(pen, drawing.names[drawing.name[i]], Math.max(left, 0) + 4, y + ROW / 2, right - Math.max(left, 0) - 8);
        pen.fillStyle = color.slice;
      }
      i++;
    }
    flush();
    const lit = [];
    for (let k = search(row.lit, 0, row.lit.length, first); k < row.lit.length && ts[row.lit[k]] <= this.to; k++) {
      const place = row.lit[k];
      if (lit.length && dur[place] < bin && ts[place] < ts[lit.at(-1)] + bin) continue;
      if (this.role(drawing, place)) lit.push(place);
    }
    lit.forEach((place, i) => {
      const free = i + 1 < lit.length ? this.x(ts[lit[i + 1]]) : this.width;
      this.#evidence(drawing, place, y, free);
    });
  }

  /** Evidence stands out by shape too: filled, framed, or dashed with a cross. */
  #evidence(drawing, place, y, free) {
    const {pen, color} = this;
    const role = this.role(drawing, place);
    const x = this.x(drawing.ts[place]);
    const left = Math.max(x, -3);
    const right = Math.min(x + Math.max(this.x(drawing.ts[place] + drawing.dur[place]) - x, 0), this.width + 3);
    const width = Math.max(right - left - 1, 3);
    const name = drawing.names[drawing.name[place]];
    pen.fillStyle = pen.strokeStyle = color[role];
    if (role === 'selected') {
      if (drawing.kind[place] === 'i') diamond(pen, x, y + ROW / 2);
      else pen.fillRect(left, y + 1, width, ROW - 3);
      pen.fillStyle = color['on-strong'];
    } else {
      pen.fillStyle = color.bg;
      pen.fillRect(left, y + 1, width, ROW - 3);
      pen.lineWidth = 2;
      if (role === 'missed') pen.setLineDash([4, 2]);
      pen.strokeRect(left + 1, y + 2, Math.max(width - 2, 2), ROW - 5);
      pen.setLineDash([]);
      pen.lineWidth = 1;
      pen.fillStyle = color.text;
    }
    if (width <= 22) {
      // Its name stands beside it, where the next piece of evidence leaves room.
      const beside = Math.max(right, x + 5) + 3;
      const words = role === 'missed' ? `✕ ${name}` : name;
      if (x < 0 || beside + words.length * 6.1 > free) return;
      pen.strokeStyle = color.bg;
      pen.lineWidth = 4;
      pen.strokeText(words, beside, y + ROW / 2);
      pen.lineWidth = 1;
      pen.fillStyle = color.text;
      pen.fillText(words, beside, y + ROW / 2);
    } else label(pen, role === 'missed' ? `✕ ${name}` : name, Math.max(left, 0) + 4, y + ROW / 2, right - Math.max(left, 0) - 8);
  }

  #flows() {
    const {pen, color} = this;
    pen.strokeStyle = pen.fillStyle = color.arrow;
    let drawn = 0;
    for (const drawing of this.drawings) {
      for (let i = 0; i < drawing.flows.length && drawn < 400; i += 3) {
        const [source, target] = [drawing.flows[i], drawing.flows[i + 1]];
        const near = [this.hover, this.current].some((at) => at && at.drawing === drawing && (at.place === source || at.place === target));
        if (!near && !(this.role(drawing, source) || this.role(drawing, target))) continue;
        const [from, to] = [this.box(drawing, source), this.box(drawing, target)];
        if (!from || !to || (from.right < 0 && to.left < 0) || (from.left > this.width && to.left > this.width)) continue;
        drawn++;
        pen.globalAlpha = near ? 1 : 0.45;
        arrow(pen, Math.min(from.right, to.left > from.right ? from.right : from.left + 2), from.y + ROW / 2, to.left, to.y + ROW / 2);
      }
    }
    pen.globalAlpha = 1;
  }

  /** Where an event stands on the canvas; null where its track is not shown. */
  box(drawing, place) {
    const track = drawing.tracks[drawing.lane[place]];
    if (!track.shown) return null;
    return {left: this.x(drawing.ts[place]), right: this.x(drawing.ts[place] + drawing.dur[place]), y: track.y + HEAD + drawing.row[place] * ROW};
  }

  #outline(at, style, width) {
    const box = at && this.box(at.drawing, at.place);
    if (!box) return;
    this.pen.strokeStyle = style;
    this.pen.lineWidth = width;
    const left = Math.max(box.left, 0) - 1;
    this.pen.strokeRect(left, box.y, Math.max(Math.min(box.right, this.width) - left, 4) + 1, ROW - 1);
    this.pen.lineWidth = 1;
  }

  /** The event at a point of the canvas, or the nearest within three pixels; none is under the axis. */
  at(x, seen) {
    if (seen < AXIS - 8) return null;
    const y = seen + this.top;
    const track = this.tracks.find((one) => one.shown && y >= one.y + HEAD && y < one.y + HEAD + one.rows.length * ROW);
    const row = track?.rows[Math.floor((y - track.y - HEAD) / ROW)];
    if (!row) return null;
    const {drawing} = track;
    const slack = 3 / this.width * (this.to - this.from);
    const time = this.time(x);
    let best = null;
    for (let i = search(drawing.reach, row.first, row.last + 1, time - slack); i <= row.last && drawing.ts[i] <= time + slack; i++) {
      const away = Math.max(drawing.ts[i] - time, time - drawing.ts[i] - drawing.dur[i], 0);
      if (away > slack) continue;
      const better = !best || away < best.away || (away === best.away && this.role(drawing, i) && !this.role(drawing, best.place));
      if (better) best = {drawing, place: i, away};
    }
    return best && {drawing, place: best.place};
  }
}

const trackName = (lane) => `${lane.process} › ${lane.name}${lane.kind === 'thread' ? ` ${lane.tid}` : lane.kind === 'async' ? ' (async)' : ''}${lane.label ? ` · ${lane.label}` : ''}`;

/** The first place in [low, high) whose value is not below `wanted`; values rise. */
function search(values, low, high, wanted) {
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A time on the axis, as fine as the step to the next. */
function tick(time, step) {
  if (Math.abs(time) < step / 1e6) return '0';
  const [scale, unit] = Math.abs(time) >= 1e6 ? [1e6, 's'] : Math.abs(time) >= 1e3 ? [1e3, 'ms'] : [1, 'µs'];
  return `${(time / scale).toFixed(Math.max(0, Math.ceil(-Math.log10(step / scale) - 1e-9)))} ${unit}`;
}

function niceStep(least) {
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].find((one) => one * power >= least) * power;
}

/** As much of a text as has room. */
function label(pen, words, x, y, room) {
  const most = Math.floor(room / 6.1);
  if (most < 2) return;
  pen.fillText(words.length > most ? `${words.slice(0, most - 1)}…` : words, x, y, room); // wide letters are set closer
}

function diamond(pen, x, y) {
  pen.beginPath();
  pen.moveTo(x, y - 7);
  pen.lineTo(x + 5, y);
  pen.lineTo(x, y + 7);
  pen.lineTo(x - 5, y);
  pen.fill();
}

function arrow(pen, x, y, tox, toy) {
  const bend = Math.max(Math.min(Math.abs(tox - x) / 2, 60), 8);
  pen.beginPath();
  pen.moveTo(x, y);
  pen.bezierCurveTo(x + bend, y, tox - bend, toy, tox - 1, toy);
  pen.stroke();
  pen.beginPath();
  pen.moveTo(tox, toy);
  pen.lineTo(tox - 6, toy - 3);
  pen.lineTo(tox - 6, toy + 3);
  pen.fill();
}
