import { join } from 'node:path';
import { expect } from 'vitest';
import { violationsOf } from '../../../testkit/browsers/axe.js';

/** @import { Page } from 'playwright-core' */

/** Folder for pictures of pages; none are taken by default, since each takes its time. */
const PICTURES = process.env.ALOUD_TEST_PICTURES;

/**
 * Takes a picture of a page for people to look at, where ALOUD_TEST_PICTURES names a folder.
 * @param {Page} page
 * @param {string} name
 */
export async function takePicture(page, name) {
  if (PICTURES)
    await page.screenshot({ path: join(PICTURES, `${name}.png`), animations: 'disabled' });
}

/** Pixels by which a page is wider than its window. @param {Page} page */
export const overflow = (page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

/** Widths of a page that must look right: a desk, a phone, the smallest phone. */
export const WIDTHS = [1280, 390, 320];

/**
 * Finds no fault of a page, at each width, for assistive technology and for the eye.
 * @param {Page} page
 * @param {string} name
 */
export async function looksRight(page, name) {
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 780 });
    await takePicture(page, `${name}-${width}`);
    expect([name, width, await overflow(page)]).toEqual([name, width, 0]);
  }
  expect([name, ...(await violationsOf(page)), ...(await page.evaluate(lowContrast))]).toEqual([
    name,
  ]);
  await page.setViewportSize({ width: 1280, height: 720 });
}

/**
 * Runs in a page: returns the visible texts with too little contrast to their background. WCAG 2.2,
 * 1.4.3 asks for at least 4.5, or 3 for large text.
 * @returns {string[]} text and contrast of each
 */
export function lowContrast() {
  const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  if (!canvas) throw new Error('no canvas to read colours with');

  /** The colours, painted over one another: whatever notation they are in, and half transparent. */
  const luminance = (/** @type {string[]} */ colours) => {
    for (const colour of colours) {
      canvas.fillStyle = colour;
      canvas.fillRect(0, 0, 1, 1);
    }
    const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map((value) => {
      const share = value / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const backgrounds = (/** @type {Element | null} */ element) => {
    const colours = [];
    for (let at = element; at; at = at.parentElement)
      colours.unshift(getComputedStyle(at).backgroundColor);
    return ['white', ...colours];
  };

  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    const text = walker.currentNode.nodeValue?.trim();
    if (
      !element ||
      !text ||
      !element.checkVisibility() ||
      element.closest('.visually-hidden, noscript')
    )
      continue;
    const style = getComputedStyle(element);
    const behind = luminance(backgrounds(element));
    const front = luminance([...backgrounds(element), style.color]);
    const contrast = (Math.max(behind, front) + 0.05) / (Math.min(behind, front) + 0.05);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    if (contrast < (large ? 3 : 4.5)) found.push(`${text}: ${contrast.toFixed(2)}`);
  }
  return found;
}
