// Claims by build, grouped by event, with filters. One stop for the tabulator; arrows move inside.

const filters = {verdict: '', event: '', kind: '', only: '', q: ''};

function passes(claim) {
  const row = cellAt[claim].filter((cell) => cell !== undefined);
  if (filters.verdict && !row.some((cell) => wordOf(cell) === filters.verdict)) return false;
  if (filters.event && text(claims.event[claim]) !== filters.event) return false;
  if (filters.kind && text(claims.kind[claim]) !== filters.kind) return false;
  if (filters.only === 'changed' && !changed[claim]) return false;
  if (filters.only === 'drift' && !drifted[claim]) return false;
  if (!filters.q) return true;
  const where = `${claims.id[claim]} ${text(claims.says[claim])} ${row.map((cell) => text(cells.why[cell])).join(' ')}`;
  return filters.q.toLowerCase().split(/\s+/).every((word) => where.toLowerCase().includes(word));
}

const cellTemplates = new Map();

function cellLink(cell) {
  const word = wordOf(cell);
  const drift = Boolean(cells.drift[cell]);
  const key = `${word} ${drift}`;
  if (!cellTemplates.has(key)) cellTemplates.set(key, el('a', {tabindex: '-1'}, verdictChip(word, {drift, short: true})));
  const link = cellTemplates.get(key).cloneNode(true);
  link.href = claimLink(cells.claim[cell], cells.column[cell]);
  return link;
}

function claimLink(claim, column) {
  return `#claim=${encodeURIComponent(claims.id[claim])}&build=${encodeURIComponent(columnKey(columns[column]))}`;
}

function matrixRow(claim) {
  const event = text(claims.event[claim]);
  const id = claims.id[claim];
  const name = id.startsWith(`${event}.`) ? id.slice(event.length + 1) : id;
  return el('.row', {role: 'row', 'data-claim': claim},
    el('.name.claim-id', {role: 'rowheader', title: text(claims.says[claim])}, name),
    el('.words', {role: 'gridcell'}, text(claims.says[claim])),
    columns.map((_, column) => el('.cell', {role: 'gridcell'}, cellAt[claim][column] === undefined ? '' : cellLink(cellAt[claim][column]))));
}

function matrixSection(event, members) {
  const drifts = members.filter((claim) => drifted[claim]).length;
  const about = plural(members.length, 'claim') + (drifts ? `, ${drifts} not as expected` : '');
  return el('section', {role: 'rowgroup', 'aria-label': event},
    el('h3', {role: 'row'}, el('span', {role: 'rowheader'}, event, ' ', el('small', {}, about))),
    members.map(matrixRow));
}

/** The whole matrix. The first screen is there at once, the rest follows when nothing else is to be done. */
function matrixView() {
  const byEvent = new Map();
  claims.event.forEach((event, claim) => {
    if (!byEvent.has(event)) byEvent.set(event, []);
    byEvent.get(event).push(claim);
  });
  const grid = el('.matrix', {role: 'grid', 'aria-label': 'Verdicts of claims by build', 'aria-colcount': columns.length + 2},
    el('.head', {role: 'row'}, el('.corner', {role: 'columnheader'}, 'Claim'), el('.words', {role: 'columnheader'}, 'Says'), columns.map((column) =>
      el('', {role: 'columnheader', title: `${column.product} ${column.version} ${column.mode}, raster by ${column.raster}`},
        major(column), el('small', {}, column.mode, column.raster === 'gpu' ? ' gpu' : '')))));
  grid.style.setProperty('--columns', columns.length);
  // Words stand in the cells where they have room, else the signs alone; both are always there to be read out.
  new ResizeObserver(([{contentRect}]) => {
    const names = innerWidth > 600 ? 220 : 0;
    grid.classList.toggle('narrow', (contentRect.width - names) / columns.length < 95);
  }).observe(grid);
  const none = el('p.note', {hidden: true}, 'No claim passes these filters.');
  const waiting = [...byEvent].map(([event, members]) => [text(event), members]);
  const sections = new Map(); // each with the number of its claims that pass
  const more = (rows) => {
    let count = 0;
    while (waiting.length && count < rows) {
      const [event, members] = waiting.shift();
      const section = matrixSection(event, members);
      grid.append(section);
      sections.set(section, siftSection(section));
      count += members.length;
    }
    tell();
  };
  const sift = () => {
    for (const section of sections.keys()) sections.set(section, siftSection(section));
    tell();
  };
  const tell = () => {
    const shown = [...sections.values()].reduce((sum, here) => sum + here, 0);
    none.hidden = shown > 0 || waiting.length > 0;
    status.textContent = waiting.length ? 'Loading…' : `${plural(shown, 'claim')} of ${thousands(claims.id.length)}`;
    firstStop(grid);
  };
  const status = el('p.note', {role: 'status'});
  more(60);
  const idle = window.requestIdleCallback ?? ((task) => setTimeout(task, 1));
  const rest = () => { if (waiting.length) { more(150); idle(rest); } };
  requestAnimationFrame(() => setTimeout(rest));
  grid.addEventListener('keydown', moveInGrid);
  grid.addEventListener('focusin', (event) => {
    grid.querySelector('a[tabindex="0"]')?.setAttribute('tabindex', '-1');
    event.target.setAttribute('tabindex', '0');
  });
  return el('section', {'aria-labelledby': 'matrix-title'}, el('h2', {id: 'matrix-title'}, 'Claims'),
    filterBar(() => { more(Infinity); sift(); }), status, none, grid);
}

/** Show the rows that pass; answers how many. */
function siftSection(section) {
  let here = 0;
  for (const row of section.querySelectorAll('.row')) {
    const pass = passes(Number(row.dataset.claim));
    row.hidden = !pass;
    row.style.display = pass ? '' : 'none';
    here += pass;
  }
  section.hidden = !here;
  section.style.containIntrinsicSize = `auto ${2.6 + here * 1.75}rem`;
  return here;
}

function firstStop(grid) {
  const stop = grid.querySelector('a[tabindex="0"]');
  if (stop && !stop.closest('.row').hidden) return;
  stop?.setAttribute('tabindex', '-1');
  grid.querySelector('.row:not([hidden]) a')?.setAttribute('tabindex', '0');
}

function moveInGrid(event) {
  const step = {ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0], Home: [0, -Infinity], End: [0, Infinity],
    PageDown: [12, 0], PageUp: [-12, 0]}[event.key];
  const cell = event.target.closest('.cell');
  if (!step || !cell) return;
  event.preventDefault();
  const grid = event.currentTarget;
  const rows = [...grid.querySelectorAll('.row[data-claim]:not([hidden])')];
  const row = cell.closest('.row');
  const target = rows[Math.min(Math.max(rows.indexOf(row) + step[0], 0), rows.length - 1)];
  const stops = [...target.querySelectorAll('.cell')];
  let place = [...row.querySelectorAll('.cell')].indexOf(cell) + step[1];
  place = Math.min(Math.max(place, 0), stops.length - 1);
  const direction = Math.sign(step[1]) || 1;
  for (let tries = 0; tries < stops.length; tries++) {
    const link = stops[(place + direction * tries + stops.length) % stops.length].querySelector('a');
    if (link) { link.focus(); link.scrollIntoView({block: 'nearest'}); return; }
  }
}

function filterBar(onchange) {
  const set = (name) => (value) => { filters[name] = value; saveFilters(); onchange(); };
  const events = [...new Set(claims.event)].map(text).sort();
  const kinds = [...new Set(claims.kind)].map(text).filter(Boolean).sort();
  const all = [['', 'all']];
  const named = (values) => [...all, ...values.map((value) => [value, value])];
  const used = words.filter((word) => cells.word.some((one) => words[one] === word));
  const search = el('input', {type: 'search', value: filters.q, placeholder: 'id, words, reason', oninput: () => set('q')(search.value)});
  return el('form.filters', {role: 'search', onsubmit: (event) => event.preventDefault()},
    el('label.choice', {}, el('span', {}, 'Text'), search),
    choice('Verdict', named(used), filters.verdict, set('verdict')),
    choice('Event', named(events), filters.event, set('event')),
    kinds.length > 1 ? choice('Kind', named(kinds), filters.kind, set('kind')) : null,
    choice('Only', [...all, ['changed', 'changed between builds'], ['drift', 'not as expected']], filters.only, set('only')));
}

function saveFilters() {
  const given = new URLSearchParams(Object.entries(filters).filter(([, value]) => value));
  history.replaceState(null, '', `#${given}`);
}
