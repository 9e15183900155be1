// What the picture is made with: numbers, shapes, and which metric moved.
const number = (value) =>
  Math.abs(value) >= 1e4 || (value !== 0 && Math.abs(value) < 1e-2)
    ? value.toLocaleString('en', { notation: 'compact', maximumSignificantDigits: 3 })
    : value.toLocaleString('en', { maximumSignificantDigits: 4 });

const shape = {
  commit: (x, y, r) => svg('circle', { cx: x, cy: y, r }),
  deploy: (x, y, r) => svg('path', { d: `M${x} ${y - r}L${x + r} ${y + r * 0.8}H${x - r}Z` }),
  other: (x, y, r) =>
    svg('rect', { x: x - r * 0.8, y: y - r * 0.8, width: r * 1.6, height: r * 1.6 }),
  alert: (x, y, r) =>
    svg('path', { d: `M${x} ${y - r}L${x + r} ${y}L${x} ${y + r}L${x - r} ${y}Z` }),
};

const middle = (values) => {
  const sorted = values.filter((value) => value !== null).sort((a, b) => a - b);
  return sorted.length ? sorted[Math.floor(sorted.length / 2)] : null;
};

// Returns how far *series* moved at second *at*, in units of its own unrest before it.
function movement(series, at) {
  const place = Math.max(1, Math.ceil((at - series.start) / series.step));
  const before = series.values.slice(0, place);
  const [was, is] = [middle(before), middle(series.values.slice(place))];
  if (was === null || is === null) return 0;
  const unrest = middle(before.map((value) => (value === null ? null : Math.abs(value - was))));
  return Math.abs(is - was) / (unrest + 0.02 * Math.abs(was) + 1e-9);
}

// Returns the second that the picture turns on, and its name.
function turn(view) {
  if (view.truth) return [view.truth.onset, 'onset'];
  return view.alerts.length ? [view.alerts[0].at, 'first alert'] : [view.length / 2, 'middle'];
}
