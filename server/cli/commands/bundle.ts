// `svcctl bundle`: an agent system with all that it needs, as one signed file: write it, check it, import it elsewhere.
import { resolve } from 'node:path';
import { parseAllDocuments } from 'yaml';
import type { BundleReview, ReviewedObject } from '@svc/shared/api/bundles';
import { readBundle, type CheckedBundle } from '@svc/shared/bundle/bundle';
import { bundleCrypto } from '../../bundles/bundle-crypto.ts';
import type { ApplyResult } from '../manifests/apply-manifests.ts';
import { ApiError } from '../api/client.ts';
import { collect, type CommandSetup } from '../program/command-setup.ts';
import { CliError, usageError } from '../program/exit-codes.ts';
import { inputFromPairs } from '../arguments/input-pairs.ts';
import type { Invocation } from '../program/invocation.ts';
import { yamlText } from '../output/data-text.ts';
import { differenceLines } from '../output/difference-lines.ts';
import { requireYes } from '../arguments/require-yes.ts';
import { readGiven, unwritable } from '../program/terminal.ts';
import { writeWhole } from '../program/write-whole.ts';

const YAML = 'application/yaml';

interface ImportOptions {
  readonly secret?: readonly string[] | undefined;
  readonly signer?: string | undefined;
  readonly dryRun?: boolean | undefined;
  readonly yes?: boolean | undefined;
}

export const setupBundle: CommandSetup = (command, run) => {
  command
    .command('export')
    .description('write a system with all that it needs; Secrets are named, their values are not part of it')
    .argument('<system>', 'name of the agent system')
    .option('--file <path>', 'write to this file; without it, to standard output')
    .action((system, options) => run((invocation) => exportBundle(invocation, system, options.file)));
  command
    .command('verify')
    .description('check signature and hashes of a bundle, and print its content; contacts no server')
    .argument('<file>', 'the bundle, or - for standard input')
    .option('--signer <key-id>', 'exit code 1 unless this key signed it')
    .action((file, options) => run((invocation) => verifyBundle(invocation, file, options.signer)));
  command
    .command('import')
    .description('show what a bundle would change, and apply it in one transaction')
    .argument('<file>', 'the bundle, or - for standard input')
    .option('--secret <theirs=ours>', 'name of a Secret here for one that the bundle names; may be repeated', collect)
    .option('--signer <key-id>', 'key that signed it, as its sender names it; not needed for bundles of this server')
    .option('--dry-run', 'show the changes only')
    .option('-y, --yes', 'do not ask')
    .action((file, options) => run((invocation) => importBundle(invocation, file, options)));
};

async function exportBundle(invocation: Invocation, system: string, file: string | undefined): Promise<void> {
  const { client, namespace } = await invocation.connect();
  const text = await client.sendForText({
    method: 'GET',
    path: `/v1/agent-systems/${encodeURIComponent(system)}/bundle`,
    query: { namespace },
    accept: YAML,
  });
  if (file === undefined) return invocation.out(text.trimEnd());
  await writeWhole(resolve(invocation.terminal.cwd, file), text).catch((cause: unknown) => {
    throw unwritable(file, cause);
  });
  const { bundle } = read(text, file);
  invocation.note(`${file}: ${objectCount(bundle.spec.objects.length)}, signed with key ${bundle.signature.keyId}`);
}

const objectCount = (count: number): string => (count === 1 ? '1 object' : `${count} objects`);

const readFile = async (invocation: Invocation, file: string): Promise<string> =>
  (await readGiven(invocation.terminal, file)).toString('utf8');

/** Throws for a file that is not a bundle, or was changed. */
function read(text: string, file: string): CheckedBundle {
  const documents = parseAllDocuments(text, { version: '1.2', merge: false });
  const problem = documents.flatMap(({ errors }) => errors)[0];
  if (problem) throw new CliError(`${file} is not YAML: ${problem.message.split('\n')[0]}`);
  const reading = readBundle(
    documents.map((document) => document.toJS({ maxAliasCount: 0 }) as unknown),
    bundleCrypto,
  );
  if (!reading.ok) throw new CliError(`${file} cannot be trusted: ${reading.problem}`);
  return reading.value;
}

async function verifyBundle(invocation: Invocation, file: string, signer: string | undefined): Promise<void> {
  const format = invocation.format(['table', 'json', 'yaml']);
  const { bundle } = read(await readFile(invocation, file), file);
  const { metadata, spec, signature } = bundle;
  if (signer !== undefined && signer !== signature.keyId)
    throw new CliError(`${file} is signed with key ${signature.keyId}, not with ${signer}`);
  if (format === 'json') return invocation.out(JSON.stringify(bundle, null, 2));
  if (format === 'yaml') return invocation.out(yamlText(bundle));
  invocation.out(
    `System     ${spec.system}`,
    `Written    ${metadata.createdAt} by ${metadata.createdBy}, namespace ${spec.source.namespace}, version ${spec.source.version}`,
    `Signed     key ${signature.keyId}: signature and ${objectCount(spec.objects.length)} fit`,
    ...spec.secrets.map(
      ({ name, keys, usedBy }) => `Secret     ${name}${keys.length > 0 ? ` (${keys.join(', ')})` : ''}, used by ${usedBy.join(', ')}`,
    ),
    ...spec.missing.map((missing) => `Missing    ${missing}`),
  );
  invocation.table(
    ['KIND', 'NAMESPACE', 'NAME'],
    spec.objects.map(({ kind, namespace = '', name }) => [kind, namespace, name]),
    { drop: [] },
  );
}

async function importBundle(invocation: Invocation, file: string, options: ImportOptions): Promise<void> {
  const content = await readFile(invocation, file);
  const { bundle } = read(content, file);
  const { client, namespace } = await invocation.connect();
  const secrets = Object.entries(inputFromPairs(options.secret ?? [], '--secret', 'THEIRS=OURS'))
    .map(([from, to]) => `${from}=${to}`)
    .join(',');
  const query = { namespace, ...(secrets !== '' && { secrets }) };
  const text = { content, type: YAML };
  const review = (await client.send<BundleReview>({ method: 'POST', path: '/v1/bundles/review', query, text })).body;
  printReview(invocation, review);
  if (options.dryRun) return;
  requireSigner(review, options);
  const changed = review.objects.filter(({ action }) => action !== 'unchanged');
  if (changed.length === 0) return invocation.note('Nothing to import: every object is here already.');
  if (!options.yes) await ask(invocation, { review, namespace, count: changed.length });
  const signer = review.signer.standing === 'own' ? {} : { signer: bundle.signature.keyId };
  const imported = await client.send<{ results: readonly ApplyResult[] }>({
    method: 'POST',
    path: '/v1/bundles/import',
    query: { ...query, ...signer, review: review.review },
    text,
  });
  for (const { kind, name, action } of imported.body.results) invocation.out(`${kind} ${name} ${action}`);
}

const ask = (
  invocation: Invocation,
  { review, namespace, count }: { review: BundleReview; namespace: string; count: number },
): Promise<void> =>
  requireYes(invocation, {
    question: `Import ${review.name} into namespace ${namespace}, ${objectCount(count)} written?`,
    unasked: 'importing a bundle needs a confirmation',
    outcome: 'nothing was imported',
  });

/** The person compares the key with what the sender says: the server knows only its own. */
function requireSigner({ signer }: BundleReview, options: ImportOptions): void {
  if (signer.standing === 'own' && options.signer === undefined) return;
  if (options.signer === undefined)
    throw usageError(
      `the bundle is signed with key ${signer.keyId}, which is not the key of this server`,
      `compare it with the key that its sender names, then add --signer ${signer.keyId}`,
    );
  if (options.signer !== signer.keyId)
    throw new ApiError(409, { message: `the bundle is signed with key ${signer.keyId}, not with ${options.signer}` }, undefined);
}

function printReview(invocation: Invocation, { objects, secrets, missing }: BundleReview): void {
  for (const object of objects.filter(({ action }) => action === 'configured'))
    invocation.out(...differenceLines(invocation, object, sidesOf(object)));
  invocation.table(
    ['ACTION', 'KIND', 'NAME'],
    objects.map(({ action, kind, name }) => [action, kind, name]),
    { drop: [] },
  );
  const absent = secrets.filter(({ exists }) => !exists);
  for (const { name, mappedTo } of absent)
    invocation.note(
      name === mappedTo
        ? `Secret ${mappedTo} does not exist here: make it, or name another with --secret ${name}=…`
        : `Secret ${mappedTo}, named for ${name}, does not exist here`,
    );
  invocation.note(...missing);
  for (const { kind, name, warnings = [] } of objects) invocation.note(...warnings.map((warning) => `${kind} ${name}: ${warning}`));
}

const sidesOf = ({ current, next }: ReviewedObject): { before: string; after: string } => ({
  before: current ? yamlText(current) : '',
  after: yamlText(next),
});
