/** Parsers of command-line options. */

import { InvalidArgumentError } from 'commander';

/**
 * @param {number} least @param {number} most
 * @returns {(text: string) => number}
 */
export const wholeNumber = (least, most) => (text) => {
  const value = Number(text);
  if (text.trim() !== '' && Number.isInteger(value) && value >= least && value <= most) return value;
  throw new InvalidArgumentError(`allowed is a whole number from ${least} to ${most}`);
};
