/** What plots are drawn with, series apart. */

/** Colours that aren't a series'; svg.js swaps them for the page's own. */
export const INK = '#1c2126';
export const MUTED = '#5a636d';
export const RULE = '#dfe3e8';
export const MARK = '#6e7781';
export const PAPER = '#fefefe';

export const FONT = 'Helvetica Neue, Helvetica, Arial, Liberation Sans, sans-serif';
