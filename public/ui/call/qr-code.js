import { encode } from '/vendor/uqr/index.mjs';

const SVG = 'http://www.w3.org/2000/svg';

/** Light modules around the code, as ISO/IEC 18004 asks for. */
const QUIET_ZONE = 4;

/**
 * @param {string} text
 * @param {string} label what a screen reader says
 * @returns {SVGElement}
 */
export function drawQr(text, label) {
  const { data, size } = encode(text, { ecc: 'M', border: QUIET_ZONE });
  const drawing = document.createElementNS(SVG, 'svg');
  drawing.setAttribute('class', 'qr');
  drawing.setAttribute('viewBox', `0 0 ${size} ${size}`);
  drawing.setAttribute('role', 'img');
  drawing.setAttribute('aria-label', label);
  drawing.setAttribute('shape-rendering', 'crispEdges');
  const modules = document.createElementNS(SVG, 'path');
  modules.setAttribute('d', darkModules(data));
  drawing.append(modules);
  return drawing;
}

/**
 * @param {boolean[][]} rows true: dark
 * @returns {string} an SVG path of them
 */
const darkModules = (rows) =>
  rows.map((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : '')).join('')).join('');
