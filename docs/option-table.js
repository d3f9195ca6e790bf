/** The options of the server, from their rows. */

import { fallbackText } from '../server/config/command-line.js';
import { rangeOf } from '../server/config/option-value.js';
import { OPTIONS } from '../server/config/options.js';
import { tableOf, writeWhenStarted } from './generated.js';

/** The page that holds the table. */
export const CONFIGURATION_PAGE = new URL('configuration.md', import.meta.url);

const optionTable = () =>
  tableOf([
    ['option', 'allowed', 'default', 'environment', 'what it sets'],
    ...OPTIONS.map((option) => [
      `\`${option.name}\``,
      rangeOf(option) + (option.unit ? ` ${option.unit}` : ''),
      fallbackText(option),
      `\`${option.env}\``,
      option.description,
    ]),
  ]);

/** @type {import('./generated.js').Parts} */
export const CONFIGURATION_PARTS = { options: optionTable };

writeWhenStarted(import.meta.url, CONFIGURATION_PAGE, CONFIGURATION_PARTS);
