/** The plots of several runs of one scenario: over one another where that can be read, else in a row. */

/**
 * @typedef {import('./result.js').Plot} Plot
 * @typedef {{ letter: string, result: import('./result.js').Result }} NamedResult
 */

/** More curves than that in one plot can't be told apart. */
const MOST_SERIES = 6;

/**
 * @param {readonly NamedResult[]} runs
 * @returns {Plot[]} named apart
 */
export function sideBySide(runs) {
  const names = [...new Set(runs.flatMap(({ result }) => result.plots.map(({ name }) => name)))];
  return names.flatMap((name) => {
    const found = runs.flatMap(({ letter, result }) => {
      const plot = result.plots.find((candidate) => candidate.name === name);
      return plot ? [{ letter, plot }] : [];
    });
    const count = found.reduce((sum, { plot }) => sum + plot.series.length, 0);
    const isClear =
      count <= MOST_SERIES && found.every(({ plot }) => plot.kind !== 'scatter' && isLike(plot, found[0].plot));
    return isClear ? [overlaid(found)] : inARow(found);
  });
}

/**
 * @param {Plot} a
 * @param {Plot} b
 */
const isLike = (a, b) =>
  a.kind === b.kind &&
  a.x.unit === b.x.unit &&
  a.y.unit === b.y.unit &&
  String(a.x.categories) === String(b.x.categories);

/**
 * @param {readonly { letter: string, plot: Plot }[]} found
 * @returns {Plot}
 */
function overlaid(found) {
  const [{ plot: first }] = found;
  const variants = 1 + Math.max(...found.flatMap(({ plot }) => plot.series.map(({ variant = 0 }) => variant)));
  const series = found.flatMap(({ letter, plot }, i) =>
    plot.series.map((one) => ({
      ...one,
      name: `${letter}: ${one.name}`,
      variant: (one.variant ?? 0) + i * variants,
    })),
  );
  const caption = `${first.title}, runs ${found.map(({ letter }) => letter).join(', ')}.`;
  return {
    ...first,
    caption,
    series,
    x: widest(found.map(({ plot }) => plot.x)),
    y: widest(found.map(({ plot }) => plot.y)),
  };
}

/**
 * @param {readonly { letter: string, plot: Plot }[]} found
 * @returns {Plot[]} with the same scale of y, so that eyes can compare them
 */
function inARow(found) {
  const values = found.flatMap(({ plot }) =>
    plot.series.flatMap(({ points }) => points.map((point) => point[plot.kind === 'histogram' ? 2 : 1])),
  );
  const most = values.reduce((a, b) => (b > a ? b : a), 0);
  const isPositive = values.every((value) => !(value < 0));
  return found.map(({ letter, plot }) => ({
    ...plot,
    name: `${plot.name}${letter}`,
    title: `${letter}: ${plot.title}`,
    y: isPositive && !plot.y.isLogarithmic ? { from: 0, to: roundUp(most), ...plot.y } : plot.y,
  }));
}

/**
 * @param {readonly import('./result.js').Axis[]} axes
 * @returns {import('./result.js').Axis} one that shows what each of them shows
 */
function widest(axes) {
  const from = axes.map((axis) => axis.from ?? NaN);
  const to = axes.map((axis) => axis.to ?? NaN);
  return { ...axes[0], from: known(Math.min(...from)), to: known(Math.max(...to)) };
}

/** @param {number} value */
const known = (value) => (Number.isFinite(value) ? value : undefined);

/**
 * @param {number} value at least 0
 * @returns {number} the next 1, 2, 3, 4, 5, 6 or 8 times a power of ten
 */
function roundUp(value) {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 3, 4, 5, 6, 8].find((times) => times * power >= value) ?? 10) * power;
}
