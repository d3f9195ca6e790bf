import { build } from '../kit/element.js';
import { locale } from '../../texts/language.js';
import { texts } from '../../texts/texts.js';

/**
 * @typedef {import('../../shared/messages/fields.js').ChatFields} ChatMessage
 *
 * @typedef {{ text: string, href: string | null }} Piece a piece of a text; href: null unless it is
 *   an address
 */

/** Longest message that isn't folded, in characters and lines. */
const LONG_CHARACTERS = 700;
const LONG_LINES = 14;

/** Time within which a person's messages stand under one name, in milliseconds. */
const TOGETHER_MS = 3 * 60_000;

/**
 * The beginning of an http or https address, up to a space or a character that addresses don't have
 * unescaped.
 */
const CANDIDATE = /\bhttps?:\/\/[^\s<>"'`“”‘’«»{}|\\^\p{Cc}]+/giu;

/** Punctuation that ends a sentence rather than an address. */
const TRAILING = /[.,;:!?…*_~]$/u;

/** @type {readonly (readonly [string, string])[]} */
const BRACKETS = [
  ['(', ')'],
  ['[', ']'],
];

const clock = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit' });

/**
 * Makes a message's element. Its text is never markup; only http and https addresses become links.
 * @param {ChatMessage} message
 * @param {ChatMessage | null} before the message above it
 * @param {boolean} own
 * @returns {HTMLLIElement}
 */
export function makeMessage(message, before, own) {
  const pieces = splitLinks(message.text).map(makePiece);
  const text = build('p', { class: 'message-text', dir: 'auto' }, ...pieces);
  const item = build('li', { class: own ? 'message own' : 'message' }, text);
  if (isApart(message, before)) item.prepend(makeHead(message));
  if (message.text.length > LONG_CHARACTERS || message.text.split('\n').length > LONG_LINES)
    fold(item, text);
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
function makeHead({ name, at, group = 0 }) {
  const time = new Date(at);
  const sentAt = Number.isNaN(time.getTime()) ? '' : clock.format(time);
  return build(
    'p',
    { class: 'message-head' },
    build('span', { class: 'message-name', dir: 'auto' }, name),
    ' ',
    build('time', { datetime: at, class: 'hint' }, sentAt),
    group > 0 ? build('span', { class: 'hint' }, ` · ${texts.ofGroup(group)}`) : '',
  );
}

/** @param {Piece} piece */
const makePiece = ({ text, href }) =>
  href === null
    ? text
    : build('a', { href, target: '_blank', rel: 'noopener noreferrer nofollow' }, text);

/**
 * Folds a long message, and adds a button that unfolds it.
 * @param {HTMLElement} item
 * @param {HTMLElement} text
 */
function fold(item, text) {
  text.classList.add('folded');
  const more = build(
    'button',
    { type: 'button', class: 'button small', 'aria-expanded': 'false' },
    texts.showAll,
  );
  more.addEventListener('click', () => {
    const open = text.classList.toggle('folded');
    more.setAttribute('aria-expanded', String(!open));
    more.textContent = open ? texts.showAll : texts.showLess;
  });
  item.append(more);
}

/**
 * Splits a text into http and https addresses and the text between them.
 * @param {string} text
 * @returns {Piece[]} pieces that give the text when joined
 */
export function splitLinks(text) {
  /** @type {Piece[]} */
  const pieces = [];
  let at = 0;
  for (const { 0: found, index } of text.matchAll(CANDIDATE)) {
    const address = trimmed(found);
    const href = hrefOf(address);
    if (href === null) continue;
    if (index > at) pieces.push({ text: text.slice(at, index), href: null });
    pieces.push({ text: address, href });
    at = index + address.length;
  }
  if (at < text.length) pieces.push({ text: text.slice(at), href: null });
  return pieces;
}

/** Cuts off the punctuation of the sentence around an address. @param {string} found */
function trimmed(found) {
  let address = found;
  for (;;) {
    const isOver =
      TRAILING.test(address) ||
      BRACKETS.some(
        ([open, close]) => address.endsWith(close) && !isBalanced(address, open, close),
      );
    if (!isOver) return address;
    address = address.slice(0, -1);
  }
}

/**
 * @param {string} address
 * @param {string} open
 * @param {string} close
 */
const isBalanced = (address, open, close) =>
  address.split(open).length >= address.split(close).length;

/**
 * @param {string} address
 * @returns {string | null} null for anything but an http or https address
 */
function hrefOf(address) {
  try {
    const { protocol, href, hostname } = new URL(address);
    return hostname !== '' && (protocol === 'http:' || protocol === 'https:') ? href : null;
  } catch {
    return null;
  }
}
