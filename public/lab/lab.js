/** @import { LabConfig } from './runs/protocol.js' */

import { fetchConfig } from '../client/connection/join.js';
import { elementOf } from '../ui/kit/element.js';
import { takeInvitation } from '../ui/kit/invitation.js';
import { Notices } from '../ui/kit/notices.js';
import { LabPage } from './lab-page.js';
import { texts } from './texts.js';

const notices = new Notices(elementOf('notices', HTMLElement));

/** @type {(LabConfig & { version?: string }) | null} */
let config = null;
try {
  config = await fetchConfig(location.origin);
} catch {
  notices.show('lab-no-server', { sentence: texts.noServer });
}

if (config) {
  const page = new LabPage(config, notices, takeInvitation('/lab'));
  addEventListener('pagehide', () => page.leave());
}
