import { build } from '../kit/element.js';
import { splitLinks } from './links.js';
import { texts } from '../../texts.js';

/**
 * @typedef {object} ChatMessage
 * @property {number} number
 * @property {string} from   the person's id
 * @property {string} name
 * @property {string} text
 * @property {string} at     ISO 8601
 * @property {boolean} [cut] there was more
 */

/** A message that is longer than this is folded, in characters and lines. */
const LONG_CHARACTERS = 700;
const LONG_LINES = 14;

/** Messages of one person within so long stand under one name, in milliseconds. */
const TOGETHER_MS = 3 * 60_000;

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });

/**
 * One message of the chat. Its text is text; only http and https addresses become links.
 * @param {ChatMessage} message
 * @param {ChatMessage | null} before the message above it
 * @param {boolean} own
 * @returns {HTMLLIElement}
 */
export function makeMessage(message, before, own) {
  const text = build('p', { class: 'message-text' }, ...splitLinks(message.text).map(makePiece));
  const item = build('li', { class: own ? 'message own' : 'message' }, text);
  if (isApart(message, before)) item.prepend(makeHead(message));
  if (message.text.length > LONG_CHARACTERS || message.text.split('\n').length > LONG_LINES) fold(item, text);
  if (message.cut) item.append(build('p', { class: 'hint' }, texts.messageCut));
  return item;
}

/**
 * @param {ChatMessage} message
 * @param {ChatMessage | null} before
 */
function isApart({ from, name, at }, before) {
  if (!before || before.from !== from || before.name !== name) return true;
  return Date.parse(at) - Date.parse(before.at) > TOGETHER_MS;
}

/** @param {ChatMessage} message */
function makeHead({ name, at }) {
  const time = new Date(at);
  const told = Number.isNaN(time.getTime()) ? '' : clock.format(time);
  return build(
    'p',
    { class: 'message-head' },
    build('span', { class: 'message-name' }, name),
    ' ',
    build('time', { datetime: at, class: 'hint' }, told),
  );
}

/** @param {import('./links.js').Piece} piece */
const makePiece = ({ text, href }) =>
  href === null ? text : build('a', { href, target: '_blank', rel: 'noopener noreferrer nofollow' }, text);

/**
 * Shows the beginning of a long message, and a button for the rest.
 * @param {HTMLElement} item
 * @param {HTMLElement} text
 */
function fold(item, text) {
  text.classList.add('folded');
  const more = build('button', { type: 'button', class: 'button small', 'aria-expanded': 'false' }, texts.showAll);
  more.addEventListener('click', () => {
    const open = text.classList.toggle('folded');
    more.setAttribute('aria-expanded', String(!open));
    more.textContent = open ? texts.showAll : texts.showLess;
  });
  item.append(more);
}
