import { elementOf } from './ui/kit/element.js';
import { direction, language } from './texts/language.js';
import { errorPageTexts as texts, recordingPageTexts } from './texts/pages.js';

const reasons = {
  ...texts.reasons,
  'no-recording': recordingPageTexts.missing,
  'recording-deleted': recordingPageTexts.deleted,
};

// The server answers in English. What has no translation stays as it came, with its language.
const sentence = elementOf('sentence', HTMLElement);
const reason = sentence.dataset.reason ?? '';
if (Object.hasOwn(reasons, reason)) {
  Object.assign(document.documentElement, { lang: language, dir: direction });
  sentence.textContent = reasons[/** @type {keyof typeof reasons} */ (reason)];
  elementOf('start', HTMLElement).textContent = texts.start;
}
