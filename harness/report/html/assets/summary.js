// The first screen: how many of each verdict, what changed, and (in `Runs`) what it was run on.

const FIRST = 10;

function summaryView() {
  return [el('h1', {}, headline()), el('p.dim', {}, scope()), changes(), surprises(), totals()];
}

const versions = [...new Set(columns.map(major))].sort((a, b) => a - b);
const between = versions.length > 1 ? `from ${versions[0]} to ${versions.at(-1)}` : 'between builds';

/** The answer that most come for: what a newer Chrome changed; of one build, what is not as expected. */
function headline() {
  const turned = changed.filter(Boolean).length;
  if (columns.length < 2) return surprised();
  if (!compared) return 'No claim has two answers to compare';
  return turned ? `${thousands(turned)} of ${plural(compared, 'claim')} changed ${between}` : `No claim changed ${between}`;
}

function scope() {
  const asked = columns.map((_, column) => cellAt.filter((row) => row[column] !== undefined).length);
  const label = (column, i) => columnLabel(column) + (asked[i] < claims.id.length ? ` (${thousands(asked[i])} of them)` : '');
  const named = columns.length < 7 ? columns.map(label).join(', ') : `${[...new Set(columns.map((column) => column.mode))].join(', ')} of ${versions.join(', ')}`;
  const all = `${plural(claims.id.length, 'claim')} on ${plural(columns.length, 'build')}: ${named}`;
  return columns.length > 1 ? `${all} · ${surprised()}` : all;
}

function surprised() {
  const away = drifted.filter(Boolean).length;
  return away ? `${plural(away, 'claim')} not as expected` : 'All as expected';
}

function totals() {
  const counts = new Map(words.map((word) => [word, 0]));
  for (const word of cells.word) counts.set(words[word], counts.get(words[word]) + 1);
  return el('ul.totals', {'aria-label': 'Verdicts'}, words.filter((word) => counts.get(word)).map((word) =>
    el('li', {}, el('button', {type: 'button', title: `Show claims that are ${word} somewhere`, 'aria-pressed': String(filters.verdict === word),
      onclick: () => { filters.verdict = filters.verdict === word ? '' : word; saveFilters(); route(); }},
    verdictChip(word), el('b', {}, thousands(counts.get(word)))))));
}

function changes() {
  if (columns.length < 2) return null;
  return section('changes', 'What changed, and why', claims.id.map((_, claim) => claim).filter((claim) => changed[claim]).sort((a, b) => drifted[b] - drifted[a]),
    `${compared ? 'Nothing: all builds that answer a claim answer it alike.' : 'Unknown.'}${alone()}`);
}

/** What cannot have been seen to change. */
function alone() {
  const rest = claims.id.length - compared;
  return rest ? ` ${plural(rest, 'claim')} cannot be compared: not two builds answer ${rest === 1 ? 'it' : 'them'}.` : '';
}

/** What the baseline expects otherwise, but for what is told above. */
function surprises() {
  const also = drifted.filter((away, claim) => away && changed[claim]).length;
  return section('surprises', also ? 'Also not as expected' : 'Not as expected', claims.id.map((_, claim) => claim).filter((claim) => drifted[claim] && !changed[claim]),
    also ? 'Nothing else.' : columns.length > 1 ? 'Nothing: every verdict is as the baseline expects.' : 'Nothing: every verdict is as the baseline expects. To see what changed, give the ledgers of two builds.');
}

function section(name, title, found, otherwise) {
  const list = el('ul.changes', {}, found.slice(0, FIRST).map(changeItem));
  const more = found.length > FIRST ? el('button', {type: 'button', onclick: (event) => {
    list.append(...found.slice(FIRST).map(changeItem));
    event.target.remove();
  }}, `Show the other ${thousands(found.length - FIRST)}`) : null;
  return el('section', {'aria-labelledby': `${name}-title`}, el('h2', {id: `${name}-title`}, title), found.length ? list : el('p.note', {}, otherwise), more);
}

/** A claim with its verdicts, from the oldest build to the newest, why those that do not hold do not, and what is known of it. */
function changeItem(claim) {
  const row = columns.map((_, column) => cellAt[claim][column]).filter((cell) => cell !== undefined);
  const parts = stretches(row);
  const label = ([first, last]) => first === last ? columnLabel(columns[cells.column[first]]) : `${columnLabel(columns[cells.column[first]])} … ${major(columns[cells.column[last]])}`;
  const reasons = new Map(); // one reason once, with all builds that have it
  for (const part of parts) {
    const why = (wordOf(part[0]) !== 'HOLDS' || cells.drift[part[0]]) && (text(cells.why[part[0]]) || text(cells.known[part[0]]));
    if (why) reasons.set(why, [...(reasons.get(why) ?? []), part]);
  }
  return el(`li${drifted[claim] ? '.is-drift' : ''}`, {},
    el('', {},
      el('a.claim-id', {href: claimLink(claim, cells.column[row.find((cell) => cells.drift[cell]) ?? row.at(-1)])}, claims.id[claim]),
      el('p.says', {}, text(claims.says[claim]))),
    el('', {},
      el('p.line', {}, parts.map((part, i) => [i ? el('span', {'aria-hidden': 'true'}, '→') : null, el('a', {href: claimLink(claim, cells.column[part[0]])},
        el('span.where', {}, label(part)), verdictChip(wordOf(part[0]), {drift: Boolean(cells.drift[part[0]])}))])),
      [...reasons].slice(0, 2).map(([why, [first]]) => [
        el('p.why', {}, el('b', {}, major(columns[cells.column[first[0]]])), ` ${why}`, nearest(first[0])),
        known(first[0]) && known(first[0]) !== why ? el('p.why', {}, el('b', {}, 'Known'), ` ${known(first[0])}`) : null])));
}

/** The baseline's words for a verdict that it expects: of one that is away from it they would explain another. */
function known(cell) {
  return cells.drift[cell] ? '' : text(cells.known[cell]);
}

function nearest(cell) {
  const near = text(cells.near[cell]);
  return near ? el('span.dim', {}, `. Nearest: ${near}`) : null;
}

/** Neighbouring builds of one mode with the same answer, as [first, last]. */
function stretches(row) {
  const found = [];
  for (const cell of row) {
    const last = found.at(-1)?.[1];
    const same = last !== undefined && wordOf(last) === wordOf(cell) && cells.drift[last] === cells.drift[cell]
      && columns[cells.column[last]].mode === columns[cells.column[cell]].mode && columns[cells.column[last]].raster === columns[cells.column[cell]].raster;
    if (same) found.at(-1)[1] = cell;
    else found.push([cell, cell]);
  }
  return found;
}

function runsView() {
  const slowest = cases.seconds.map((seconds, number) => [seconds, number]).sort((a, b) => b[0] - a[0]).slice(0, 20);
  return [
    el('h1', {}, 'Runs'),
    runs.map((run) => el('section', {}, el('h2', {}, when(run.started)), el('dl.facts', {},
      fact('command', el('code', {}, run.command.join(' '))),
      run.seconds ? fact('took', `${run.seconds} s`) : null,
      fact('evidence', el('code', {}, run.folder)),
      fact('traceproof', run.version),
      Object.entries(run.machine).map(([name, value]) => fact(name.replace('_bytes', '').replace('_', ' '), name.endsWith('_bytes') ? bytes(value) : String(value)))))),
    el('h2', {}, 'Slowest scenarios'),
    el('.scroll', {tabindex: '0', role: 'region', 'aria-label': 'Slowest scenarios'}, el('table', {},
      el('thead', {}, el('tr', {}, ['scenario', 'build', 'attempts', 'no evidence', 'seconds'].map((name, i) => el(i > 1 ? 'th.number' : 'th', {scope: 'col'}, name)))),
      el('tbody', {}, slowest.map(([seconds, number]) => el('tr', {},
        el('td', {}, el('code', {}, text(cases.name[number]))), el('td', {}, columnLabel(columns[cases.column[number]])),
        el('td.number', {}, String(cases.attempts[number])), el('td.number', {}, String(cases.invalid[number])), el('td.number', {}, seconds.toFixed(1))))))),
    el('h2', {}, 'Builds'),
    el('ul', {}, columns.map((column) => el('li', {}, `${column.product} ${column.version}, ${column.mode}, raster by ${column.raster}`))),
    el('p.note', {}, `Made ${when(index.made)} by traceproof ${index.version}. This file asks nothing of any network.`),
  ];
}

const fact = (name, value) => [el('dt', {}, name), el('dd', {}, value)];
