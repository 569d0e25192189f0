// An authority of a test's own and certificates by it, made with the openssl program. Gone with the test's directory.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TestCertificate {
  readonly key: string;
  readonly cert: string;
  readonly keyFile: string;
  readonly certFile: string;
}

export interface TestAuthority {
  /** PEM of the authority's own certificate. */
  readonly ca: string;
  /** A server certificate; names as in openssl, such as `DNS:localhost` and `IP:127.0.0.1`. */
  issue(...names: string[]): TestCertificate;
  remove(): void;
}

/** For `describe.skipIf`: says aloud what is skipped and why; with CI set nothing is skipped, so a missing program fails. */
export function withoutOpenssl(suite: string): boolean {
  if (process.env['CI'] || spawnSync('openssl', ['version']).status === 0) return false;
  process.stderr.write(`SKIPPED ${suite}: no openssl on this machine (apt-get install openssl)\n`);
  return true;
}

export function createTestAuthority(): TestAuthority {
  const directory = mkdtempSync(join(tmpdir(), 'svc-certificates-'));
  const at = (name: string) => join(directory, name);
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: directory, stdio: 'pipe' });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  openssl('req', '-x509', ...key, '-keyout', 'ca.key', '-out', 'ca.crt', '-days', '2', '-subj', '/CN=test authority');
  let issued = 0;
  return {
    ca: readFileSync(at('ca.crt'), 'utf8'),
    issue(...names) {
      issued += 1;
      const [keyFile, request, certFile, extensions] = ['key', 'csr', 'crt', 'ext'].map((suffix) => at(`${issued}.${suffix}`)) as [
        string,
        string,
        string,
        string,
      ];
      writeFileSync(extensions, `subjectAltName=${names.join(',')}\n`);
      openssl('req', '-new', ...key, '-keyout', keyFile, '-out', request, '-subj', '/CN=test server');
      const signing = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', extensions];
      openssl('x509', '-req', '-in', request, '-out', certFile, ...signing);
      return { key: readFileSync(keyFile, 'utf8'), cert: readFileSync(certFile, 'utf8'), keyFile, certFile };
    },
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}
