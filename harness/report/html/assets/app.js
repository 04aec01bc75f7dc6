// Which view the address asks for, and the switch between light and dark.

const main = document.getElementById('main');
let listScroll = 0;
let listHash = '#';

function wanted() {
  const given = new URLSearchParams(location.hash.slice(1));
  const claim = claimNumber.get(given.get('claim') ?? '');
  if (claim === undefined) return {view: given.get('view') ?? 'claims', given};
  const key = given.get('build') ?? '';
  let column = columns.findIndex((one) => columnKey(one) === key);
  if (column < 0) column = columns.findIndex((one, i) => cellAt[claim][i] !== undefined && (major(one) === key || one.version === key));
  if (cellAt[claim][column] === undefined) column = cells.column[cellAt[claim].find((cell) => cell !== undefined)];
  return {view: 'claim', claim, column, given};
}

const backLink = () => listHash;

async function route() {
  const {view, claim, column, given} = wanted();
  for (const link of document.querySelectorAll('[data-view]')) {
    if (link.dataset.view === (view === 'claim' ? 'claims' : view)) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  let parts;
  if (view === 'claim') {
    if (main.dataset.view === 'claims') listScroll = scrollY;
    try {
      parts = await detailView(claim, column);
    } catch (error) {
      parts = [el('h1', {}, claims.id[claim]), el('p.note', {}, `The evidence cannot be shown: ${error.message}`)];
    }
    if (wanted().claim !== claim || wanted().column !== column) return; // somebody was quicker
  } else if (view === 'history') parts = historyView();
  else if (view === 'runs') parts = runsView();
  else {
    for (const name of Object.keys(filters)) filters[name] = given.get(name) ?? '';
    parts = [...summaryView(), matrixView()];
  }
  if (view !== 'claim') listHash = location.hash || '#';
  main.replaceChildren(...parts.flat(Infinity).filter(Boolean));
  const moved = main.dataset.view && main.dataset.view !== view;
  main.dataset.view = view;
  document.title = view === 'claim' ? `${claims.id[claim]} · ${columnLabel(columns[column])}` : document.querySelector('.brand').textContent;
  if (view === 'claim' || moved) {
    main.focus({preventScroll: true});
    scrollTo(0, view === 'claims' ? listScroll : 0);
  }
}

const dark = matchMedia('(prefers-color-scheme: dark)');
let theme = dark.matches ? 'dark' : 'light';

function setTheme(value) {
  theme = value;
  document.documentElement.dataset.theme = theme;
  const button = document.getElementById('theme');
  button.textContent = theme === 'dark' ? 'Light' : 'Dark';
  button.setAttribute('aria-label', `Switch to ${theme === 'dark' ? 'light' : 'dark'} colours`);
  dispatchEvent(new Event('themechange'));
}

document.getElementById('theme').addEventListener('click', () => setTheme(theme === 'dark' ? 'light' : 'dark'));
dark.addEventListener('change', () => setTheme(dark.matches ? 'dark' : 'light'));
document.querySelector('.skip').addEventListener('click', (event) => { event.preventDefault(); main.focus(); });
addEventListener('hashchange', route);
setTheme(theme);
route().then(() => performance.mark('shown')); // what the time until then is measured by
