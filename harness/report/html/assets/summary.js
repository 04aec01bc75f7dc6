// The first screen: how many of each verdict, what changed, and (in `Runs`) what it was run on.

const FIRST = 10;

function summaryView() {
  return [el('h1', {}, headline()), totals(), changes()];
}

function headline() {
  const away = drifted.filter(Boolean).length;
  const turned = changed.filter(Boolean).length;
  const parts = [`${plural(claims.id.length, 'claim')} on ${plural(columns.length, 'build')}`];
  if (columns.length > 1) parts.push(`${thousands(turned)} answered differently`);
  parts.push(away ? `${thousands(away)} not as expected` : 'all as expected');
  return parts.join(' · ');
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
  const order = claims.id.map((_, claim) => claim).filter((claim) => drifted[claim] || changed[claim])
    .sort((a, b) => drifted[b] - drifted[a] || changed[b] - changed[a]);
  if (!order.length) {
    return el('section', {'aria-labelledby': 'changes-title'}, el('h2', {id: 'changes-title'}, 'What changed'),
      el('p.note', {}, columns.length > 1 ? 'Nothing: every build answers every claim alike, and as the baseline expects.' : 'Every verdict is as the baseline expects. To see what changed, give the ledgers of two builds.'));
  }
  const list = el('ul.changes', {}, order.slice(0, FIRST).map(changeItem));
  const more = order.length > FIRST ? el('button', {type: 'button', onclick: (event) => {
    list.append(...order.slice(FIRST).map(changeItem));
    event.target.remove();
  }}, `Show the other ${thousands(order.length - FIRST)}`) : null;
  return el('section', {'aria-labelledby': 'changes-title'}, el('h2', {id: 'changes-title'}, 'What changed'), list, more);
}

function changeItem(claim) {
  const row = columns.map((_, column) => cellAt[claim][column]).filter((cell) => cell !== undefined);
  const why = row.filter((cell) => cells.drift[cell] || wordOf(cell) !== 'HOLDS').map((cell) => text(cells.why[cell]) || text(cells.known[cell]));
  const kinds = [drifted[claim] ? 'not as expected' : '', changed[claim] ? 'differs between builds' : ''].filter(Boolean).join(', ');
  return el(`li${drifted[claim] ? '.is-drift' : ''}`, {},
    el('p', {}, el('a.claim-id', {href: claimLink(claim, cells.column[row.find((cell) => cells.drift[cell]) ?? row.at(-1)])}, claims.id[claim]), ' ', el('span.dim', {}, kinds)),
    el('p.says', {}, text(claims.says[claim])),
    el('p.line', {}, stretches(row).map(([first, last]) => el('a', {href: claimLink(claim, cells.column[first])},
      el('span.where', {}, first === last ? columnLabel(columns[cells.column[first]]) : `${columnLabel(columns[cells.column[first]])} … ${major(columns[cells.column[last]])}`),
      verdictChip(wordOf(first), {drift: Boolean(cells.drift[first])})))),
    [...new Set(why)].filter(Boolean).slice(0, 2).map((reason) => el('p.dim', {}, reason)));
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
