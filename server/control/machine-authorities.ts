// Certificate authorities of the machine under the desktop app: those of the system, and of files that environment variables name.
import { readFileSync } from 'node:fs';
import tls from 'node:tls';

/** Functions of Node 22.19 and 24.5. Older versions trust only their own authorities. */
export interface Trust {
  readonly getCACertificates?: (type: 'default' | 'system') => string[];
  readonly setDefaultCACertificates?: (certificates: readonly string[]) => void;
}

/** Node reads the second one itself, but not inside Electron with its fuses. */
const FILES = ['SSL_CERT_FILE', 'NODE_EXTRA_CA_CERTS'];
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

/** Adds them to the defaults of this process. Returns why parts of them could not be added. */
export function trustMachine(env: NodeJS.ProcessEnv, { getCACertificates, setDefaultCACertificates }: Trust = tls as Trust): string[] {
  if (!getCACertificates || !setDefaultCACertificates) return ['this version of Node.js trusts only its own authorities'];
  const problems: string[] = [];
  const attempt = (name: string, read: () => readonly string[]): readonly string[] => {
    try {
      return read();
    } catch (error) {
      problems.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
      return [];
    }
  };
  const system = attempt('authorities of the system', () => getCACertificates('system'));
  const named = FILES.flatMap((variable) => {
    const path = env[variable];
    return path ? attempt(variable, () => readFileSync(path, 'utf8').match(CERTIFICATE) ?? []) : [];
  });
  const own = getCACertificates('default');
  const all = [...new Set([...own, ...system, ...named])];
  attempt('certificate authorities', () => {
    if (all.length > own.length) setDefaultCACertificates(all);
    return all;
  });
  return problems;
}
