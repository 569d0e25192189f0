// Location of the system's Chromium. Playwright's own browsers are never downloaded.
import { existsSync } from 'node:fs';

const CANDIDATES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome', '/usr/bin/google-chrome-stable'];

/** `SVC_CHROMIUM`, or the first usual path that exists; undefined when there is none. */
export function browserPath(): string | undefined {
  const configured = process.env['SVC_CHROMIUM'];
  return [...(configured ? [configured] : []), ...CANDIDATES].find((path) => existsSync(path));
}
