// What the address after # names is what is shown: the grid, or the cell of an incident.
const overview = document.getElementById('overview');
const place = document.getElementById('cell');
let opened = null;
let scrolled = 0;

// Returns the mark that the address names, or null: an address may be of another report.
function wanted() {
  const parts = location.hash.match(/^#\/(.+)\/(\d+)\/(\d+)$/u);
  if (!parts) return null;
  return marks.find((mark) => mark.getAttribute('href') === location.hash) ?? null;
}

function columnOf(mark) {
  const head = grid.querySelector(`thead [data-column="${mark.parentElement.dataset.column}"]`);
  return { head: head.querySelector('.head').textContent, ...head.dataset };
}

function navigation(mark) {
  const inOrder = visibleMarks();
  const at = inOrder.indexOf(mark);
  const to = (other, text) =>
    other
      ? el('a', { class: 'button', href: other.getAttribute('href') }, text)
      : el('span', { class: 'button off' }, text);
  return el(
    'nav',
    { 'aria-label': 'Cells' },
    el('a', { class: 'button', href: '#' }, '← All incidents'),
    to(at > 0 ? inOrder[at - 1] : null, '‹ Previous'),
    to(at >= 0 ? inOrder[at + 1] : null, 'Next ›'),
  );
}

// The same incident in the other columns and rounds.
function strip(mark) {
  return el(
    'ul',
    { class: 'strip', 'aria-label': 'This incident in every column' },
    [...mark.closest('tr').querySelectorAll('td.marks')].map((cell) => {
      const others = [...cell.querySelectorAll('a.mark')];
      return others.length
        ? el(
            'li',
            {},
            el('span', { class: 'head' }, cell.dataset.head),
            others.map((other) => {
              const copy = other.cloneNode(true);
              copy.classList.remove('other');
              copy.removeAttribute('tabindex');
              if (other === mark) copy.setAttribute('aria-current', 'page');
              return copy;
            }),
          )
        : null;
    }),
  );
}

function header(mark, cell) {
  const row = mark.closest('tr');
  const { kind, difficulty, twin, set } = row.dataset;
  const about = [
    row.dataset.id,
    kind.replaceAll('_', ' '),
    set.replaceAll('_', ' '),
    difficulty,
    twin && `twin of ${twin}`,
  ]
    .filter(Boolean)
    .join(' · ');
  return el(
    'header',
    { class: 'cell-head' },
    el('h2', { id: 'cell-title', tabindex: '-1' }, shown(row.querySelector('.title').textContent)),
    el('p', { class: 'about' }, about),
    strip(mark),
    el(
      'p',
      { class: `verdict ${cell.verdict}` },
      el('span', { class: `mark ${cell.verdict}`, 'aria-hidden': 'true' }, mark.textContent),
      ' ',
      `${columnOf(mark).name}, round ${mark.dataset.round}: `,
      el('strong', {}, shown(cell.headline)),
    ),
  );
}

// The blocks stand behind this script, so that the grid need not wait for them.
const isWhole = new Promise((resolve) => {
  if (document.readyState !== 'loading') resolve();
  else addEventListener('DOMContentLoaded', resolve);
});

async function openCell(mark) {
  await isWhole;
  const block = document.getElementById(`block-${mark.closest('tr').dataset.block}`);
  if (!('DecompressionStream' in globalThis)) {
    place.replaceChildren(
      navigation(mark),
      el(
        'p',
        { class: 'warning' },
        'This browser is too old to open a cell: it has no DecompressionStream.',
      ),
    );
    [place.hidden, overview.hidden, opened] = [false, true, mark];
    return;
  }
  const { window: view, cells } = await unpack(block.textContent);
  if (wanted() !== mark) return; // somebody was faster
  const cell = cells[`${mark.parentElement.dataset.column}/${mark.dataset.round}`];
  const shownWindow = view ? { view, ...windowView(view) } : null;
  const missing = el(
    'p',
    { class: 'warning no-window' },
    `The incident file of ${mark.closest('tr').dataset.id} was not at hand when this page was made, so there is no window to show.`,
  );
  const column = columnOf(mark);
  opened = mark;
  place.replaceChildren(
    navigation(mark),
    header(mark, cell),
    el(
      'div',
      { class: 'columns' },
      el(
        'div',
        { class: 'said' },
        askedView(cell, column, view),
        answerView(cell, shownWindow),
        truthView(view),
        costView(cell),
      ),
      el(
        'section',
        { class: 'shown-window', 'aria-labelledby': 'window-title' },
        el('h3', { id: 'window-title' }, 'The window'),
        shownWindow ? shownWindow.element : missing,
      ),
    ),
  );
  place.hidden = false;
  overview.hidden = true;
  document.title = `${mark.getAttribute('aria-label')} · Root-cause benchmark`;
  scrollTo(0, 0);
  document.getElementById('cell-title').focus({ preventScroll: true });
  if (shownWindow) {
    shownWindow.draw();
    place.redraw = shownWindow.draw;
  }
}

function showGrid() {
  place.hidden = true;
  place.replaceChildren();
  place.redraw = null;
  overview.hidden = false;
  document.title = 'Root-cause benchmark';
  scrollTo(0, scrolled);
  opened?.focus({ preventScroll: true });
  opened = null;
}

async function route() {
  const mark = wanted();
  if (mark) {
    if (!overview.hidden) scrolled = scrollY;
    await openCell(mark);
  } else if (location.hash === '' || location.hash === '#' || location.hash.startsWith('#/')) {
    if (!place.hidden) showGrid();
  }
}

startTheme();
startGrid();
addEventListener('hashchange', route);
let waiting = 0;
addEventListener('resize', () => {
  clearTimeout(waiting);
  waiting = setTimeout(() => place.redraw?.(), 150);
});
addEventListener('keydown', (event) => {
  if (event.key === 'Escape' && opened && !event.target.matches('input, select'))
    location.hash = '';
});
route();
