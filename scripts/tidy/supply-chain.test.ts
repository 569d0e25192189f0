// Rules of the supply chain: delivered packages have allowed licences, install scripts are listed, the SBOM names what is delivered.
import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { read, root } from './tree.ts';

/** The script formats a page, which takes its time on a busy machine. */
const TIMEOUT_MS = 60_000;
const script = join(root, 'scripts/supply-chain.mjs');

test(
  'licences, the licences page and the list of install scripts hold',
  () => {
    const { status, stderr } = spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  },
  TIMEOUT_MS,
);

test(
  'the SBOM names each delivered package once, those of the server and those in the console’s files',
  () => {
    const bom = JSON.parse(execFileSync(process.execPath, [script, '--sbom'], { encoding: 'utf8', maxBuffer: 16 * 1024 * 1024 })) as {
      components: { name: string; 'bom-ref': string; hashes?: unknown }[];
      dependencies: { ref: string; dependsOn: string[] }[];
    };
    const { dependencies } = JSON.parse(read('server/package.json')) as { dependencies: Record<string, string> };
    const refs = bom.components.map((each) => each['bom-ref']);
    expect(new Set(refs).size).toBe(refs.length);
    expect(bom.components.filter(({ hashes }) => hashes === undefined)).toEqual([]);
    const wanted = Object.entries(dependencies).filter(([name]) => !name.startsWith('@svc/'));
    expect(refs).toEqual(expect.arrayContaining(wanted.map(([name, version]) => `${name}@${version}`)));
    const names = bom.components.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['react', 'react-dom', '@codemirror/state', '@fontsource-variable/inter']));
    expect(names.filter((name) => ['vite', 'vitest', 'eslint'].includes(name))).toEqual([]);
    expect(bom.dependencies.flatMap(({ dependsOn }) => dependsOn).filter((ref) => !refs.includes(ref))).toEqual([]);
  },
  TIMEOUT_MS,
);
