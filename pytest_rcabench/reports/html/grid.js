// The grid: filters, arrow keys, and the theme.
const grid = document.getElementById('grid');
const filters = document.getElementById('filters');
const marks = [...grid.querySelectorAll('a.mark')];
const rows = [...grid.querySelectorAll('tr.incident')];

function isSplit(cell) {
  const words = [...cell.querySelectorAll('a.mark')].map((mark) => mark.dataset.word);
  return new Set(words.filter((word) => word !== 'unmeasured')).size > 1;
}

function applyFilters() {
  const wanted = Object.fromEntries(new FormData(filters));
  const text = wanted.text.trim().toLowerCase();
  for (const cell of grid.querySelectorAll('[data-column]')) {
    cell.hidden = wanted.column !== '' && cell.dataset.column !== wanted.column;
  }
  let seen = 0;
  for (const row of rows) {
    const cells = [...row.querySelectorAll('td.marks:not([hidden])')];
    let isFound = wanted.verdict === '';
    for (const cell of cells) {
      const isWanted = wanted.verdict === 'split' && isSplit(cell);
      for (const mark of cell.querySelectorAll('a.mark')) {
        const isHit = isWanted || wanted.verdict.split(' ').includes(mark.dataset.word);
        mark.classList.toggle('other', wanted.verdict !== '' && !isHit);
        isFound ||= isHit;
      }
    }
    const title = row.querySelector('th').textContent.toLowerCase();
    row.hidden =
      !isFound ||
      (wanted.kind !== '' && row.dataset.kind !== wanted.kind) ||
      (wanted.section !== '' && row.parentElement.dataset.section !== wanted.section) ||
      !title.includes(text);
    seen += !row.hidden;
  }
  // Figures are of all incidents, and go where some are hidden.
  grid.classList.toggle('narrowed', seen !== rows.length);
  for (const body of grid.querySelectorAll('[data-section]')) {
    body.hidden = !body.querySelector('tr.incident:not([hidden])');
  }
  document.getElementById('count').value =
    seen === rows.length ? count(seen, 'incident') : `${seen} of ${count(rows.length, 'incident')}`;
  if (!document.querySelector('a.mark[tabindex="0"]')?.checkVisibility()) stopAt(visibleMarks()[0]);
}

const visibleMarks = () =>
  marks.filter(
    (mark) => !mark.closest('[hidden]:not(#overview)') && !mark.classList.contains('other'),
  );

// One mark is where Tab enters the grid; the arrow keys move from it.
function stopAt(mark) {
  for (const other of grid.querySelectorAll('a.mark[tabindex="0"]')) other.tabIndex = -1;
  if (mark) mark.tabIndex = 0;
}

function moveFrom(mark, key) {
  const inReach = visibleMarks();
  const row = mark.closest('tr');
  const along = inReach.filter((other) => other.closest('tr') === row);
  const place = along.indexOf(mark);
  if (key === 'ArrowLeft') return along[place - 1];
  if (key === 'ArrowRight') return along[place + 1];
  if (key === 'Home') return along[0];
  if (key === 'End') return along.at(-1);
  const isSame = (other) =>
    other.dataset.round === mark.dataset.round &&
    other.parentElement.dataset.column === mark.parentElement.dataset.column;
  const down = inReach.filter(isSame);
  if (key === 'ArrowUp') return down[down.indexOf(mark) - 1];
  if (key === 'ArrowDown') return down[down.indexOf(mark) + 1];
  return undefined;
}

function startGrid() {
  filters.hidden = false;
  document.querySelector('.hint').hidden = false;
  filters.addEventListener('input', applyFilters);
  document.getElementById('clear').addEventListener('click', () => {
    filters.reset();
    applyFilters();
  });
  filters.addEventListener('submit', (event) => event.preventDefault());
  for (const mark of marks) mark.tabIndex = -1;
  stopAt(marks[0]);
  grid.addEventListener(
    'focusin',
    (event) => event.target.matches('a.mark') && stopAt(event.target),
  );
  grid.addEventListener('keydown', (event) => {
    const next = event.target.matches('a.mark') && moveFrom(event.target, event.key);
    if (next) {
      event.preventDefault();
      next.focus();
    }
  });
  applyFilters();
}

const THEMES = ['system', 'light', 'dark'];

// A page opened from disk may not be allowed to remember anything.
function remembered() {
  try {
    return localStorage.getItem('rcabench-theme') ?? 'system';
  } catch {
    return 'system';
  }
}

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  document.getElementById('theme').textContent = `Theme: ${theme}`;
  try {
    localStorage.setItem('rcabench-theme', theme);
  } catch {
    /* it holds for this page */
  }
}

function startTheme() {
  const button = document.getElementById('theme');
  button.hidden = false;
  const theme = remembered();
  setTheme(THEMES.includes(theme) ? theme : 'system');
  button.addEventListener('click', () => {
    const next = THEMES.indexOf(document.documentElement.dataset.theme) + 1;
    setTheme(THEMES[next % THEMES.length]);
  });
}
