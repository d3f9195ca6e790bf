import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Recordings } from '../../../server/recording/recordings.js';
import { Track } from '../../../server/recording/track.js';
import { Conference, settle } from '../../fakes/conference.js';
import { errorsTo } from '../../../testkit/log-lines.js';

/** @typedef {import('../../fakes/conference.js').Person} Person */

/** @type {(() => Promise<unknown>)[]} */
const closers = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** @param {Person} person @param {object} message */
const say = (person, message) => person.session.handler?.control(message);
/** @param {Person} person @param {string} type */
const last = (person, type) => person.session.told(type).at(-1);
/** @param {Person} person */
const stop = (person) => say(person, { type: 'record', on: false });
/** @param {Person} person */
const refused = (person) => person.session.told('refused').map(({ of, code }) => `${of} ${code}`);
/** @param {Person} moderator @param {object} message */
const moderate = (moderator, message) => say(moderator, { type: 'moderate', ...message });

/**
 * A room whose moderator is Ann, and that Bob is recording.
 * @param {ConstructorParameters<typeof Conference>[0]} [options]
 */
async function recordedRoom(options = {}) {
  const directory = await mkdtemp(join(tmpdir(), 'recordings-'));
  /** @type {string[]} */
  const failures = [];
  const log = errorsTo(failures);
  /** @type {any[]} */
  const events = [];
  const info = (/** @type {any} */ fields) => void events.push(fields);
  const conference = new Conference({ log: { error: () => {}, info }, ...options });
  const recordings = new Recordings({
    directory,
    limitBytes: 1e9,
    keepHours: 1,
    clock: conference.clock,
    wallNow: Date.now,
    log,
  });
  conference.services.recordings = recordings;
  closers.push(async () => {
    conference.rooms.close();
    await recordings.close();
    await rm(directory, { recursive: true, force: true, maxRetries: 10 });
  });
  const [ann, bob, cid] = [
    await conference.join('Ann'),
    await conference.join('Bob'),
    await conference.join('Cid'),
  ];
  say(bob, { type: 'record', on: true });
  await vi.waitFor(() =>
    expect(last(cid, 'recording')?.recording).toMatchObject({
      on: true,
      by: 'Bob',
      person: bob.id,
    }),
  );
  const audit = () => events.filter(({ event }) => event === 'moderation');
  return { conference, ann, bob, cid, audit, recordings, directory, failures };
}

/**
 * Expects that everybody sees who stopped it.
 * @param {Person[]} people
 * @param {string} stoppedBy
 */
function expectStopped(people, stoppedBy) {
  for (const person of people)
    expect(last(person, 'recording').recording).toMatchObject({ on: false, by: 'Bob', stoppedBy });
}

describe('a recording is stopped', () => {
  it('by the one who started it', async () => {
    const { ann, bob, cid, audit } = await recordedRoom();
    stop(bob);
    expectStopped([ann, bob, cid], 'Bob');
    expect(audit()).toEqual([]);
  });

  it('by the one who started it, though only moderators may record now', async () => {
    const { ann, bob, cid } = await recordedRoom();
    moderate(ann, { action: 'allow', what: 'record', who: 'moderators' });
    stop(bob);
    expectStopped([ann, bob, cid], 'Bob');
    say(bob, { type: 'record', on: true });
    expect(refused(bob)).toEqual(['record not-allowed']);
  });

  it('by the one who started it, though they are a listener now', async () => {
    const { ann, bob, cid } = await recordedRoom();
    moderate(ann, { action: 'role', person: bob.id, role: 'listener' });
    stop(bob);
    expectStopped([ann, bob, cid], 'Bob');
    expect(refused(bob)).toEqual([]);
  });

  it('by a moderator, while the one who started it is there', async () => {
    const { ann, bob, cid, audit } = await recordedRoom();
    stop(ann);
    expectStopped([ann, bob, cid], 'Ann');
    expect(audit()).toEqual([
      expect.objectContaining({ room: 'lab', action: 'stop-recording', by: ann.id, byName: 'Ann' }),
    ]);
  });

  it('by nobody else while the one who started it is there', async () => {
    const { ann, bob, cid } = await recordedRoom();
    stop(cid);
    moderate(ann, { action: 'allow', what: 'record', who: 'moderators' });
    stop(cid);
    expect(refused(cid)).toEqual(['record recording-others', 'record recording-others']);
    for (const person of [ann, bob, cid]) expect(last(person, 'recording').recording.on).toBe(true);
  });

  it('by anybody who may record, once the one who started it isn’t there', async () => {
    const { ann, bob, cid } = await recordedRoom();
    bob.session.close(19, 'lost');
    moderate(ann, { action: 'role', person: cid.id, role: 'listener' });
    stop(cid);
    expect(refused(cid)).toEqual(['record not-allowed']);
    expect(last(ann, 'recording').recording.on).toBe(true);
    moderate(ann, { action: 'role', person: cid.id, role: 'speaker' });
    stop(cid);
    expectStopped([ann, cid], 'Cid');
  });

  it('by the one who started it, back in their place', async () => {
    const { conference, ann, bob, cid } = await recordedRoom();
    const { resume } = last(bob, 'welcome');
    bob.session.close(19, 'lost');
    const back = await conference.join('Bob', { resume });
    moderate(ann, { action: 'allow', what: 'record', who: 'moderators' });
    stop(cid);
    expect(refused(cid)).toEqual(['record recording-others']);
    stop(back);
    expectStopped([ann, back, cid], 'Bob');
  });

  it('once: where there is none, nothing happens', async () => {
    const { ann, bob, cid } = await recordedRoom();
    stop(bob);
    const told = ann.session.told('recording').length;
    for (const person of [ann, bob, cid]) stop(person);
    expect(ann.session.told('recording').length).toBe(told);
    expect([ann, bob, cid].flatMap(refused)).toEqual([]);
  });
});

describe('a fault', () => {
  it('at the end of a recording is logged, and its room goes on', async () => {
    const happened = (/** @type {{ event: string }} */ { event }) => {
      if (event === 'recording_ready') throw new Error('on purpose');
    };
    const { conference, ann, bob, failures } = await recordedRoom({ happened });
    const { id } = last(bob, 'recording').recording;
    stop(bob);
    conference.pass(200);
    await vi.waitFor(() => expect(failures).toHaveLength(1));
    expect(failures[0]).toMatch(new RegExp(`"recording":"${id}","room":"lab".*on purpose`));
    expect([ann, bob].map(({ session }) => session.closed)).toEqual([null, null]);
  });

  it('in ending one person’s file keeps neither another file nor the recording open', async () => {
    const { conference, bob, recordings, failures } = await recordedRoom();
    const recorded = () => conference.rooms.get('lab')?.people.find(bob.id)?.recorded;
    await vi.waitFor(() => expect(recorded()).toBe(true));
    // Bob's track is the first to end.
    const end = vi.spyOn(Track.prototype, 'end');
    onTestFinished(() => end.mockRestore());
    end.mockImplementationOnce(() => {
      throw new Error('on purpose');
    });
    stop(bob);
    conference.pass(200);
    await vi.waitFor(() => expect(last(bob, 'recording').recording.ready).toBe(true));
    expect(recordings.stats().open).toBe(0);
    expect(failures.join()).toContain('on purpose');
  });

  it('in telling people of a full disk ends their room alone', async () => {
    const { conference, ann, bob, cid, recordings } = await recordedRoom();
    stop(bob);
    /** @type {((code: 'recording-failed') => void)[]} */
    const troubled = [];
    const begin = recordings.begin.bind(recordings);
    recordings.begin = (owner, onTrouble, known) => {
      troubled.push(onTrouble);
      return begin(owner, onTrouble, known);
    };
    say(bob, { type: 'record', on: true });
    await vi.waitFor(() => expect(last(cid, 'recording')?.recording.on).toBe(true));
    const other = await conference.join('Dot', { room: 'other' });
    ann.session.sendControl = () => {
      throw new Error('on purpose');
    };
    troubled[0]('recording-failed');
    expect(last(cid, 'closing')?.code).toBe('internal');
    expect(other.session.closed).toBe(null);
  });
});

describe('a recording is public', () => {
  it('when a broadcast’s moderator starts it so, and has the broadcast’s quality', async () => {
    const { conference, ann, bob } = await recordedRoom();
    stop(bob);
    say(ann, { type: 'record', on: true, isPublic: true });
    expect(refused(ann)).toEqual(['record not-allowed']);
    moderate(ann, { action: 'broadcast', on: true });
    say(bob, { type: 'record', on: true, isPublic: true });
    expect(refused(bob)).toEqual(['record not-allowed']);
    say(ann, { type: 'record', on: true, isPublic: true });
    await vi.waitFor(() =>
      expect(last(bob, 'recording').recording).toMatchObject({
        on: true,
        by: 'Ann',
        isPublic: true,
      }),
    );
    const { recordings } = conference.services;
    expect(await recordings?.describe(last(bob, 'recording').recording.id)).toMatchObject({
      isPublic: true,
      bitrate: 128_000,
    });
    expect((await recordings?.list(9))?.map(({ isPublic }) => isPublic)).toContain(true);
  });
});

describe('a shared sound', () => {
  it('is recorded on its own track when its owner has agreed, before or after', async () => {
    const { conference, bob, cid } = await recordedRoom();
    const share = (/** @type {Person} */ owner, /** @type {string} */ name) =>
      conference.join(name, { owner: last(owner, 'welcome').resume });
    const [bobs, cids] = [await share(bob, 'Tune'), await share(cid, 'Film')];
    const recorded = (/** @type {Person} */ { id }) =>
      conference.rooms.get('lab')?.people.find(id)?.recorded;
    await vi.waitFor(() => expect(recorded(bobs)).toBe(true));
    expect(recorded(cids)).toBe(false);
    say(cid, { type: 'recordConsent', agreed: true });
    await vi.waitFor(() => expect([recorded(cid), recorded(cids)]).toEqual([true, true]));
    say(cid, { type: 'recordConsent', agreed: false });
    expect([recorded(cid), recorded(cids), recorded(bobs)]).toEqual([false, false, true]);
  });

  it('is deleted with its owner’s consent, also once it has ended', async () => {
    const { conference, bob, cid, recordings } = await recordedRoom();
    const { id } = last(bob, 'recording').recording;
    const labels = async () => (await recordings.read(id))?.files.map(({ label }) => label);
    const tune = await conference.join('Tune', { owner: last(cid, 'welcome').resume });
    say(cid, { type: 'recordConsent', agreed: true });
    await vi.waitFor(async () => expect(await labels()).toContain('Tune'));
    tune.session.close(0, 'left');
    await settle();
    say(cid, { type: 'recordConsent', agreed: false });
    expect(await labels()).toEqual(['Everybody', 'Bob']);
  });
});

describe('people in groups', () => {
  it('aren’t recorded, and are again once they are back', async () => {
    const { ann, bob, cid } = await recordedRoom();
    say(cid, { type: 'recordConsent', agreed: true });
    const recorded = (/** @type {Person} */ { id }) =>
      ann.session
        .told('changed')
        .map(({ person }) => person)
        .findLast((person) => person.id === id)?.recorded;
    await vi.waitFor(() => expect(recorded(cid)).toBe(true));
    moderate(ann, { action: 'groups', count: 2 });
    moderate(ann, { action: 'group', person: cid.id, group: 1 });
    expect([recorded(bob), recorded(cid)]).toEqual([true, false]);
    // Consent is for the room.
    say(cid, { type: 'recordConsent', agreed: true });
    expect(recorded(cid)).toBe(false);
    moderate(ann, { action: 'groups-back' });
    await vi.waitFor(() => expect(recorded(cid)).toBe(true));
  });

  it('start a recording of the room, in which they are once they are back', async () => {
    const { conference, ann, bob } = await recordedRoom();
    stop(bob);
    moderate(ann, { action: 'groups', count: 2 });
    moderate(ann, { action: 'group', person: bob.id, group: 1 });
    say(bob, { type: 'record', on: true });
    await vi.waitFor(() => expect(last(ann, 'recording')?.recording.on).toBe(true));
    const recorded = () => conference.rooms.get('lab')?.people.find(bob.id)?.recorded;
    for (let i = 0; i < 5; i++) await settle();
    expect(recorded()).toBe(false);
    moderate(ann, { action: 'groups-back' });
    await vi.waitFor(() => expect(recorded()).toBe(true));
  });

  it('are recorded again though they were away when everybody was called back', async () => {
    const { conference, ann, cid } = await recordedRoom();
    const recorded = () => conference.rooms.get('lab')?.people.find(cid.id)?.recorded;
    say(cid, { type: 'recordConsent', agreed: true });
    await vi.waitFor(() => expect(recorded()).toBe(true));
    moderate(ann, { action: 'groups', count: 2 });
    moderate(ann, { action: 'group', person: cid.id, group: 1 });
    cid.session.close(19, 'lost');
    moderate(ann, { action: 'groups-back' });
    for (let i = 0; i < 5; i++) await settle();
    await conference.join('Cid', { resume: last(cid, 'welcome').resume });
    await vi.waitFor(() => expect(recorded()).toBe(true));
  });
});

describe('a person who agrees and withdraws again and again', () => {
  it('takes none of the places for the tracks of others', async () => {
    const { conference, ann, cid } = await recordedRoom({ idleTimeoutMs: 1_000_000 });
    const recorded = (/** @type {Person} */ { id }) =>
      conference.rooms.get('lab')?.people.find(id)?.recorded;
    for (let i = 0; i < 60 && refused(cid).length === 0; i++) {
      say(cid, { type: 'recordConsent', agreed: true });
      await settle();
      say(cid, { type: 'recordConsent', agreed: false });
      conference.clock.advance(200);
    }
    expect([...new Set(refused(cid))]).toEqual(['record recording-limit']);
    say(ann, { type: 'recordConsent', agreed: true });
    await vi.waitFor(() => expect(recorded(ann)).toBe(true));
  });
});

describe('a person who comes back with PCM', () => {
  it('has another track, because the first has Opus packets as they came', async () => {
    const { conference, bob, recordings } = await recordedRoom({ frameMs: 5 });
    const { id } = last(bob, 'recording').recording;
    const files = async () => (await recordings.describe(id))?.files.map(({ file }) => file);
    const recorded = () => conference.rooms.get('lab')?.people.find(bob.id)?.recorded;
    await vi.waitFor(() => expect(recorded()).toBe(true));
    const { resume } = last(bob, 'welcome');
    await conference.join('Bob', { resume, pcm: 16 });
    await vi.waitFor(async () => expect(await files()).toContain('02-bob.opus'));
    expect(recorded()).toBe(true);
    // PCM is encoded for a track, and so is what follows it.
    await conference.join('Bob', { resume });
    for (let i = 0; i < 5; i++) await settle();
    expect(await files()).toEqual(['mix.opus', '01-bob.opus', '02-bob.opus']);
  });
});

describe('the person who starts a recording', () => {
  it('isn’t in it after withdrawing while it is being opened', async () => {
    const { conference, ann, bob } = await recordedRoom();
    stop(bob);
    say(bob, { type: 'record', on: true });
    say(bob, { type: 'recordConsent', agreed: false });
    await vi.waitFor(() => expect(last(ann, 'recording')?.recording.on).toBe(true));
    for (let i = 0; i < 5; i++) await settle();
    expect(conference.rooms.get('lab')?.people.find(bob.id)?.recorded).toBe(false);
  });
});

describe('captions', () => {
  /** @param {Awaited<ReturnType<typeof recordedRoom>>} room @param {string} id */
  const transcriptOf = ({ recordings, directory }, id) => {
    const found = recordings.locate(id, 'transcript.vtt');
    expect(found?.root).toBe(join(directory, id));
    return readFile(join(directory, id, String(found?.file)), 'utf8');
  };

  it('of recorded people are kept beside the sound, with their times', async () => {
    const room = await recordedRoom();
    const { conference, ann, bob, cid, recordings } = room;
    const { id } = last(cid, 'recording').recording;
    say(ann, { type: 'captions', want: true, write: true });
    conference.pass(200);
    say(bob, { type: 'caption', text: 'Not yet', lang: 'en', final: false });
    say(bob, { type: 'caption', text: 'Fish & <chips>', lang: 'en-GB', seconds: 2.5 });
    say(cid, { type: 'caption', text: 'I did not agree', lang: 'en' });
    say(ann, { type: 'caption', person: bob.id, text: 'By a program', lang: 'en' });
    conference.pass(50);
    stop(bob);
    conference.pass(200);
    await vi.waitFor(() => expect(last(cid, 'recording').recording.ready).toBe(true));
    expect(await transcriptOf(room, id)).toBe(
      'WEBVTT\n\nNOTE Captions by Ann\n\n' +
        '00:00:01.500 --> 00:00:04.000\n' +
        '<v Bob><lang en-GB>Fish &amp; &lt;chips&gt;</lang></v>\n\n' +
        '00:00:03.000 --> 00:00:04.000\n<v Bob><lang en>By a program</lang></v>\n',
    );
    expect(await recordings.describe(id)).toMatchObject({ transcript: true });
  });

  it('go with the consent of the one who said them', async () => {
    const room = await recordedRoom();
    const { conference, ann, bob, cid } = room;
    const { id } = last(cid, 'recording').recording;
    say(ann, { type: 'captions', want: true });
    say(bob, { type: 'caption', text: 'A secret', lang: 'en' });
    conference.pass(400);
    await vi.waitFor(async () => expect(await transcriptOf(room, id)).toMatch('A secret'));
    say(bob, { type: 'recordConsent', agreed: false });
    await vi.waitFor(async () => expect(await transcriptOf(room, id)).toBe('WEBVTT\n'));
  });

  it('of words from before the consent aren’t kept', async () => {
    const room = await recordedRoom({ idleTimeoutMs: 1_000_000 });
    const { conference, ann, bob, cid } = room;
    const { id } = last(cid, 'recording').recording;
    const recorded = () => conference.rooms.get('lab')?.people.find(cid.id)?.recorded;
    say(ann, { type: 'captions', want: true });
    conference.pass(500);
    say(cid, { type: 'recordConsent', agreed: true });
    await vi.waitFor(() => expect(recorded()).toBe(true));
    say(cid, { type: 'caption', text: 'Before I agreed', lang: 'en', seconds: 5 });
    conference.pass(150);
    say(cid, { type: 'caption', text: 'Since I agreed', lang: 'en', seconds: 2 });
    say(bob, { type: 'caption', text: 'Since the start', lang: 'en', seconds: 5 });
    conference.pass(400);
    await vi.waitFor(async () => expect(await transcriptOf(room, id)).toMatch('Since I agreed'));
    const text = await transcriptOf(room, id);
    expect(text).toMatch('Since the start');
    expect(text).not.toMatch('Before I agreed');
  });

  it('make no file where there are none', async () => {
    const room = await recordedRoom();
    const { conference, bob, cid, recordings } = room;
    const { id } = last(cid, 'recording').recording;
    conference.pass(260);
    stop(bob);
    conference.pass(120);
    await vi.waitFor(() => expect(last(cid, 'recording').recording.ready).toBe(true));
    await expect(transcriptOf(room, id)).rejects.toThrow('ENOENT');
    expect(await recordings.describe(id)).not.toHaveProperty('transcript');
  });
});
