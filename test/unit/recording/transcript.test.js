import { expect, it } from 'vitest';
import { MAX_TRANSCRIPT_LENGTH, Transcript } from '../../../server/recording/transcript.js';

it('a transcript has room again for others once a person has withdrawn', () => {
  const transcript = new Transcript();
  const cue = (/** @type {string} */ id) => ({ id, label: id, from: 0, to: 1, lang: 'en', text });
  const text = 'x'.repeat(900);
  for (let i = 0; i < 2 * (MAX_TRANSCRIPT_LENGTH / 1000); i++) transcript.add(cue('ann'));
  expect(transcript.toVtt().length).toBeLessThan(1.1 * MAX_TRANSCRIPT_LENGTH);
  transcript.add(cue('bob'));
  expect(transcript.toVtt()).not.toMatch('bob');
  transcript.forget('ann');
  transcript.add(cue('bob'));
  expect(transcript.toVtt()).toMatch('bob');
});
