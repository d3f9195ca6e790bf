import { expect } from 'vitest';
import { inBrowser } from '../../testkit/browsers/browser.js';
import { joinInStereo } from './support/room-page.js';
import { useSite } from './support/site.js';

inBrowser.describe('the choice of stereo', () => {
  const site = useSite();

  inBrowser.it('is remembered, and the page says so where the room is mono', async () => {
    await site.join('plain', 'First');
    const page = await site.room('plain', { name: 'Second' });
    await joinInStereo(page);
    await page.getByText('This room is mono').waitFor();
    await page.reload();
    await page.getByText('Sound settings').click();
    expect(await page.getByRole('switch', { name: 'Stereo' }).isChecked()).toBe(true);
  });
});
