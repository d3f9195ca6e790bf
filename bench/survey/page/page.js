/**
 * The page of a survey: each recording on three scales, then two at a time, in an order of the
 * person's own. It is opened from a disk too, where browsers load no modules: survey.js, a script
 * before this one, says what is to be heard.
 */

/**
 * @typedef {{ survey: string, recordings: string[] }} Survey the recordings' names, which say
 *   nothing
 * @typedef {{ kind: 'scales', recording: string } | { kind: 'pair', first: string, second: string
 *   }} Step
 */

/** @type {Survey} */
const { survey, recordings } = /** @type {any} */ (globalThis).SURVEY;

/** The scales, and the meaning of their ends (bench/docs/measuring.md has their sources). */
const SCALES = [
  {
    name: 'clear',
    question: 'How much of the words can you understand?',
    from: 'Nothing',
    to: 'Every word',
  },
  {
    name: 'smooth',
    question: 'How smooth is it? Does it stutter, or break off?',
    from: 'It breaks off all the time',
    to: 'It never breaks off',
  },
  { name: 'overall', question: 'How good is it overall?', from: 'Bad', to: 'Excellent' },
];

const SCALE = ['1', '2', '3', '4', '5'];

const BETTER = [
  { value: 'first', text: 'The first' },
  { value: 'second', text: 'The second' },
  { value: 'neither', text: 'No difference' },
];

/** The person's number, from which the order is made; it goes with the answers. */
const seed = crypto.getRandomValues(new Uint32Array(1))[0];

const main = /** @type {HTMLElement} */ (document.getElementById('step'));

/**
 * @param {number} from
 * @returns {() => number} numbers in [0, 1): a linear congruential generator, of which the order of
 *   some recordings asks little
 */
function randomFrom(from) {
  let state = from;
  return () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
}

/**
 * @template T
 * @param {readonly T[]} items
 * @param {() => number} random
 * @returns {T[]} in another order
 */
const shuffled = (items, random) =>
  items
    .map((item) => ({ item, key: random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item);

/**
 * All recordings one after another, then pairs of neighbours in a circle: each recording is in two
 * of them, and first in one. Of two recordings there is one pair.
 * @returns {Step[]}
 */
function planSteps() {
  const random = randomFrom(seed);
  const alone = shuffled(recordings, random);
  const circle = shuffled(recordings, random);
  const pairs = circle
    .slice(0, circle.length > 2 ? undefined : 1)
    .map((first, i) => ({ first, second: circle[(i + 1) % circle.length] }));
  return [
    ...alone.map((recording) => /** @type {const} */ ({ kind: 'scales', recording })),
    ...shuffled(pairs, random).map((pair) => /** @type {const} */ ({ kind: 'pair', ...pair })),
  ];
}

const steps = planSteps();
/** Most characters of a person's own words. */
const MAX_WORDS = 2000;

/**
 * @type {{ version: 1, survey: string, seed: number, consent: boolean, ratings: object[],
 *   pairs: object[], words: string }}
 */
const answers = { version: 1, survey, seed, consent: false, ratings: [], pairs: [], words: '' };

/**
 * @param {string} tag
 * @param {Record<string, string>} attributes
 * @param {...(Node | string)} children
 */
function element(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/**
 * Shows other things, and takes the keyboard and the screen reader to their heading.
 * @param {string} title
 * @param {...(Node | string)} children
 */
function show(title, ...children) {
  const heading = element('h1', { tabindex: '-1' }, title);
  main.replaceChildren(heading, ...children);
  heading.focus();
  window.scrollTo(0, 0);
}

/**
 * A recording's player, which stops the other one.
 * @param {string} recording
 * @param {string} label
 */
function player(recording, label) {
  const audio = element('audio', {
    controls: '',
    controlslist: 'nodownload',
    preload: 'auto',
    src: `sounds/${recording}.wav`,
    'aria-label': label,
  });
  audio.addEventListener('play', () => {
    audio.dataset.played = 'yes';
    for (const other of main.querySelectorAll('audio')) if (other !== audio) other.pause();
  });
  return audio;
}

/**
 * @param {string} name
 * @param {string} question
 * @param {{ value: string, text: string }[]} choices
 */
const questionOf = (name, question, choices) =>
  element(
    'fieldset',
    {},
    element('legend', {}, question),
    ...choices.map(({ value, text }) =>
      element(
        'label',
        { class: 'choice' },
        element('input', { type: 'radio', name, value, required: '' }),
        text,
      ),
    ),
  );

/** @param {typeof SCALES[0]} scale */
const scaleOf = ({ name, question, from, to }) =>
  questionOf(
    name,
    question,
    SCALE.map((value, i) => ({
      value,
      text: value + (i === 0 ? `: ${from}` : '') + (i === SCALE.length - 1 ? `: ${to}` : ''),
    })),
  );

/** @param {Step} step @returns {HTMLElement[]} */
function contentsOf(step) {
  if (step.kind === 'scales')
    return [player(step.recording, 'The recording'), ...SCALES.map(scaleOf)];
  return [
    element('p', {}, 'The first:'),
    player(step.first, 'The first recording'),
    element('p', {}, 'The second:'),
    player(step.second, 'The second recording'),
    questionOf('better', 'Which of the two sounds better?', BETTER),
  ];
}

/** @param {Step} step @param {FormData} form */
function keep(step, form) {
  if (step.kind === 'pair')
    answers.pairs.push({ first: step.first, second: step.second, better: form.get('better') });
  else
    answers.ratings.push({
      recording: step.recording,
      ...Object.fromEntries(SCALES.map(({ name }) => [name, Number(form.get(name))])),
    });
}

/** @param {number} at */
function showStep(at) {
  const step = steps[at];
  if (!step) return showWords();
  const wrong = element('p', { class: 'wrong', role: 'alert' });
  const form = /** @type {HTMLFormElement} */ (
    element('form', {}, ...contentsOf(step), wrong, element('button', {}, 'Next'))
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const unheard = [...form.querySelectorAll('audio')].find(({ dataset }) => !dataset.played);
    if (unheard) {
      const unplayed = step.kind === 'pair' ? 'both recordings' : 'the recording';
      wrong.textContent = `Please play ${unplayed} first.`;
      unheard.focus();
      return;
    }
    keep(step, new FormData(form));
    showStep(at + 1);
  });
  show(
    step.kind === 'pair' ? 'Two recordings' : 'A recording',
    element('p', { class: 'progress' }, `${at + 1} of ${steps.length}`),
    form,
  );
}

function showWords() {
  const words = /** @type {HTMLTextAreaElement} */ (
    element('textarea', { id: 'words', maxlength: String(MAX_WORDS) })
  );
  const form = element(
    'form',
    {},
    element(
      'p',
      {},
      element(
        'label',
        { for: 'words' },
        'What made the difference to you? What else would you like to say? You may leave this ' +
          'empty.',
      ),
    ),
    words,
    element('button', {}, 'Next'),
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    answers.words = words.value.trim();
    showEnd();
  });
  show('In your own words', form);
}

function showEnd() {
  const text = JSON.stringify(answers);
  const href = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  const copy = element('textarea', { id: 'copy', readonly: '' }, text);
  show(
    'Thank you',
    element(
      'p',
      {},
      'Nothing has been sent. Save your answers, and give the file to the person who asked you.',
    ),
    element(
      'p',
      {},
      element('a', { class: 'button', href, download: `answers-${seed}.json` }, 'Save the answers'),
    ),
    element('p', {}, element('label', { for: 'copy' }, 'Or copy this text and send it:')),
    copy,
    element(
      'p',
      { class: 'progress' },
      `Your number is ${seed}. It says in which order you heard the recordings, and ` +
        'nothing about you.',
    ),
  );
}

/** The consent: what is kept, who has it, and that people may stop. */
const CONSENT = [
  'Taking part is up to you. You can stop at any time by closing this page, without a reason.',
  'Your answers are kept: your marks, your choices, any words that you write at the end, and ' +
    'a random number that says in which order you heard the recordings. Your name, your address ' +
    'and your device are not. Nothing leaves this page unless you save the answers and give them ' +
    'to the person who asked you.',
  'They are used to compare the recordings, and may be published, added up with those of others. ' +
    'Words that you write may be quoted, without a name. To have your answers removed later, ' +
    'give the person who asked you the number on the last page.',
];

function showStart() {
  const agree = /** @type {HTMLInputElement} */ (
    element('input', { type: 'checkbox', name: 'consent' })
  );
  const wrong = element('p', { class: 'wrong', role: 'alert' });
  const begin = element('button', { type: 'button' }, 'Begin');
  begin.addEventListener('click', () => {
    if (!agree.checked) {
      wrong.textContent = 'Please say first that you agree.';
      agree.focus();
      return;
    }
    answers.consent = true;
    showStep(0);
  });
  show(
    'How good does it sound?',
    element(
      'p',
      {},
      `You hear the same speech ${recordings.length} times, as it came through different ` +
        'networks, and say how good it sounds. Then you hear two recordings at a time, and ' +
        `say which one sounds better. There are ${steps.length} pages.`,
    ),
    element(
      'p',
      {},
      'Please use headphones, in a quiet place, and keep the volume as it is once you have ' +
        'begun. You can play a recording as often as you like.',
    ),
    element('h2', {}, 'Your consent'),
    ...CONSENT.map((text) => element('p', {}, text)),
    element(
      'label',
      { class: 'choice' },
      agree,
      'I have read this, am of age, and agree to take part.',
    ),
    wrong,
    begin,
  );
}

showStart();
