/** Parsers of command-line options. */

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { InvalidArgumentError, Option } from 'commander';
import { NEARNESS } from '../public/shared/nearness.js';

/**
 * @param {number} least @param {number} most
 * @returns {(text: string) => number}
 */
export const wholeNumber = (least, most) => (text) => {
  const value = Number(text);
  if (text.trim() !== '' && Number.isInteger(value) && value >= least && value <= most)
    return value;
  throw new InvalidArgumentError(`must be a whole number from ${least} to ${most}`);
};

/**
 * @param {number} least @param {number} most
 * @returns {(text: string) => number}
 */
export const number = (least, most) => (text) => {
  const value = Number(text);
  if (text.trim() !== '' && value >= least && value <= most) return value;
  throw new InvalidArgumentError(`must be a number from ${least} to ${most}`);
};

/**
 * @param {readonly string[]} allowed
 * @returns {(text: string) => string[]} named choices, separated by commas, each once
 */
export function listOf(allowed) {
  return (text) => {
    const list = [...new Set(text.split(',').map((word) => word.trim()))];
    if (list.every((word) => allowed.includes(word))) return list;
    throw new InvalidArgumentError(`must be of ${allowed.join(', ')}, separated by commas`);
  };
}

/**
 * @param {(name: string) => unknown} parse  throws the message for a wrong name
 * @returns {(text: string) => string[]} names separated by commas
 */
export const namesOf = (parse) => (text) => {
  const names = text.split(',').map((name) => name.trim());
  try {
    names.forEach(parse);
  } catch (error) {
    throw new InvalidArgumentError(/** @type {Error} */ (error).message);
  }
  return names;
};

/** @param {string} text @returns {number[]} from 0 on, separated by commas */
export function numbers(text) {
  const list = text.split(',').map(Number);
  if (list.every((value) => Number.isFinite(value) && value >= 0)) return list;
  throw new InvalidArgumentError('must be numbers from 0 on, separated by commas');
}

/**
 * @param {string} folder of another checkout
 * @param {string} file  that it must have
 * @returns {string} the folder's absolute path
 * @throws {InvalidArgumentError} without that file
 */
export function checkoutWith(folder, file) {
  if (!existsSync(join(folder, file))) throw new InvalidArgumentError(`it has no ${file}`);
  return resolve(folder);
}

/** Option for the nearness of the measured listeners. */
export const choicesOption = () =>
  new Option('--choices <list>', 'how near listeners are, separated by commas')
    .argParser(listOf(NEARNESS))
    .default([...NEARNESS]);
