// A log file of bounded size: five files of 5 MB, the newest first. Whatever looks like a credential is removed before it is written.
import { appendFileSync, existsSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

const FILES = 5;
const FILE_BYTES_MAX = 5 * 1024 * 1024;

const CREDENTIAL = /(Bearer\s+|svc_ui=|svc_session=|(?:token|password|secret|key)["']?\s*[:=]\s*["']?)[^\s"',;]{8,}/gi;

/** The line without what looks like a credential. */
export const redact = (line: string): string => line.replace(CREDENTIAL, '$1[removed]');

export interface LogFile {
  /** Never throws: a full disk must not end the app. */
  write(line: string): void;
}

function rotate(path: string): void {
  for (let index = FILES - 1; index >= 1; index -= 1) {
    const from = index === 1 ? path : `${path}.${index - 1}`;
    if (existsSync(from)) renameSync(from, `${path}.${index}`);
  }
}

export function openLogFile(path: string, bytesMax = FILE_BYTES_MAX): LogFile {
  let size: number | undefined;
  return {
    write(line) {
      try {
        if (size === undefined) {
          mkdirSync(dirname(path), { recursive: true });
          size = existsSync(path) ? statSync(path).size : 0;
        }
        const text = `${redact(line)}\n`;
        if (size + text.length > bytesMax) {
          rotate(path);
          size = 0;
        }
        appendFileSync(path, text, { mode: 0o600 });
        size += text.length;
      } catch {
        size = undefined;
      }
    },
  };
}
