// Elements made from text: nothing in this page parses HTML, so no text of others can become any.
const SVG = 'http://www.w3.org/2000/svg';
const LONGEST = 600;

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, '');
    else if (value !== false && value !== null && value !== undefined)
      node.setAttribute(name, value);
  }
  node.append(
    ...children.flat(9).filter((child) => child !== null && child !== undefined && child !== false),
  );
  return node;
}

const el = (name, attributes = {}, ...children) =>
  fill(document.createElement(name), attributes, children);
const svg = (name, attributes = {}, ...children) =>
  fill(document.createElementNS(SVG, name), attributes, children);

// What no reader sees, or what turns the line around, is shown by its name.
// eslint-disable-next-line no-control-regex
const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]|\p{Surrogate}/gu;

function nameOf(character) {
  const code = character.codePointAt(0);
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  return `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`;
}

// Returns *text*, or both its ends where it is long, for where no element may stand.
function short(text, room) {
  const named = text.slice(0, 10_000).replace(HIDDEN, nameOf);
  const half = Math.floor((room - 1) / 2);
  return named.length <= room ? named : `${named.slice(0, half)}…${named.slice(-half)}`;
}

// Returns nodes for *text*, with hidden characters named and what *pattern* finds marked.
function shown(text, pattern = null) {
  const nodes = [];
  const plain = (part) => {
    let end = 0;
    for (const found of part.matchAll(HIDDEN)) {
      if (found.index > end) nodes.push(part.slice(end, found.index));
      nodes.push(el('span', { class: 'hidden-character' }, nameOf(found[0])));
      end = found.index + found[0].length;
    }
    if (end < part.length) nodes.push(part.slice(end));
  };
  if (!pattern) {
    plain(text);
    return nodes;
  }
  let end = 0;
  for (const found of text.matchAll(pattern)) {
    plain(text.slice(end, found.index));
    nodes.push(el('mark', {}, shown(found[0])));
    end = found.index + found[0].length;
  }
  plain(text.slice(end));
  return nodes;
}

// Returns nodes for *text* that show its beginning, and a button for the rest where it is long.
function cut(text, limit = LONGEST, pattern = null) {
  if (text.length <= limit) return shown(text, pattern);
  const rest = text.length - limit;
  const more = el(
    'button',
    {
      type: 'button',
      class: 'more',
      onclick: () => {
        const all = el('span', { tabindex: '-1' }, shown(text.slice(limit), pattern));
        ending.replaceWith(all);
        all.focus({ preventScroll: true });
      },
    },
    `+ ${rest.toLocaleString('en')} characters`,
  );
  const ending = el('span', {}, '… ', more);
  return [...shown(text.slice(0, limit), pattern), ending];
}

const twoDigits = (number) => String(Math.floor(number)).padStart(2, '0');

// Returns the time of day, in UTC, of *seconds* after the window's *start*.
function clock(start, seconds, withSeconds = true) {
  const time = new Date(Date.parse(start) + seconds * 1000);
  const text = `${twoDigits(time.getUTCHours())}:${twoDigits(time.getUTCMinutes())}`;
  return withSeconds ? `${text}:${twoDigits(time.getUTCSeconds())}` : text;
}

// Returns *clock* with the date where it is another day than the window's.
function clockAndDay(start, seconds) {
  const time = new Date(Date.parse(start) + seconds * 1000);
  const day = time.toISOString().slice(0, 10);
  return (day === start.slice(0, 10) ? '' : `${day} `) + clock(start, seconds);
}

const count = (number, one, many = `${one}s`) =>
  `${number.toLocaleString('en')} ${number === 1 ? one : many}`;

async function unpack(text) {
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Response(stream).json();
}
