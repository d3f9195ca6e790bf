import { RecordingPage } from './recording-page.js';

const [, , id = ''] = location.pathname.split('/');
void new RecordingPage(decodeURIComponent(id)).open();
