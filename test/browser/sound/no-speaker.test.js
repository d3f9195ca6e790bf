import { afterAll, beforeAll, expect } from 'vitest';
import { noticeText } from '../../../public/texts.js';
import { startServer } from '../support/aloud-server.js';
import { BROWSER, inBrowser } from '../support/browser.js';
import { openFirefox } from '../../../bench/browsers/firefox.js';
import { joinRoom } from '../support/room-page.js';

// Chromium plays to nowhere where there is no speaker. Firefox starts no sound then, and its microphones are silent.
inBrowser.describe(`a computer without a speaker, in ${BROWSER}`, () => {
  /** @type {Awaited<ReturnType<typeof startServer>>} */
  let server;
  /** @type {import('../support/browser.js').OpenBrowser} */
  let opened;

  beforeAll(async () => {
    server = await startServer();
    opened = await openFirefox({ microphone: 'speech', speech: new Float32Array(4800), speaker: false });
  });
  afterAll(async () => {
    await opened?.close();
    await server?.close();
  });

  inBrowser.it('is told of, with what to do, and one is in the call all the same', async () => {
    const page = await joinRoom(opened.browser, server.url, 'deaf', { name: 'Anna' });
    await page.getByText(noticeText('no-output')).waitFor();
    expect(await page.getByRole('button', { name: 'Turn sound on' }).count()).toBe(0);
    expect(server.rooms.get('deaf')?.size).toBe(1);
  });
});
