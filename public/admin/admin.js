import { AdminPage } from './admin-page.js';

new AdminPage();
