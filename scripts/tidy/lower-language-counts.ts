// Lowers the committed counts of the language ratchet to the real ones; it never raises one. Run by `npm run language`.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { allFindings, committedCounts, countPerFolder, COUNTS_FILE } from './language.ts';
import { root } from './tree.ts';

const real = countPerFolder(allFindings());
const lowered = Object.entries(committedCounts()).map(([folder, count]) => [folder, Math.min(count, real[folder] ?? 0)] as const);
writeFileSync(join(root, COUNTS_FILE), `${JSON.stringify(Object.fromEntries(lowered), null, 2)}\n`);
process.stdout.write(`${JSON.stringify({ committed: Object.fromEntries(lowered), real })}\n`);
