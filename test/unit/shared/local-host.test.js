import { expect, it } from 'vitest';
import { isLocalUrl } from '../../../public/shared/local-host.js';

it.each([
  ['https://10.0.0.5', true],
  ['https://172.16.0.1:4433', true],
  ['https://172.32.0.1', false],
  ['https://192.168.1.5', true],
  ['https://100.64.0.1', true],
  ['https://100.128.0.1', false],
  ['https://169.254.1.1', true],
  ['https://[fd00::5]:8080', true],
  ['https://[fe80::1]', true],
  ['https://[2001:db8::1]', false],
  ['https://203.0.113.7', false],
  ['https://NODE1.local', true],
  ['https://10.example.org', false],
  ['https://local', false],
  ['http://localhost:8080', false],
  ['http://127.0.0.1', false],
])('%s is of a local network: %s', (url, isLocal) => {
  expect(isLocalUrl(url)).toBe(isLocal);
});
