// `svcctl history` and `svcctl restore`: the versions of an object's spec, and an earlier one written again as an ordinary update.
import type { Resource } from '@svc/shared/resource';
import type { CommandSetup } from '../program/command-setup.ts';
import { editableYaml } from '../manifests/editable.ts';
import { comparison, EXIT, usageError } from '../program/exit-codes.ts';
import type { Invocation } from '../program/invocation.ts';
import { namedTarget, objectWord } from '../arguments/kind-arguments.ts';
import { differenceLines } from '../output/difference-lines.ts';
import { resourceYaml } from '../output/resources.ts';
import { age } from '../output/time.ts';
import { everyPage, getObject, objectPath, replaceObject, sendAbout, type ObjectKey } from '../api/resource-api.ts';
import type { ApiClient } from '../api/client.ts';

interface Summary {
  readonly generation: number;
  readonly createdAt: string;
  readonly createdBy?: string;
  readonly replacedAt?: string;
}

interface HistoryOptions {
  readonly show?: string | undefined;
  readonly diff?: string | undefined;
}

interface RestoreOptions {
  readonly to: string;
  readonly dryRun?: boolean | undefined;
}

export const setupHistory: CommandSetup = (command, run) => {
  command
    .argument('<object...>', 'KIND/NAME or KIND NAME')
    .option('--show <number>', 'print the object as it was in this version')
    .option('--diff <range>', 'compare a version with the current one (3), or two versions (3..5)')
    .addHelpText('after', '\nWith --diff, exit code 0: no differences; 1: some; 2 or more: it failed.')
    .action((words, options) => run((invocation) => showHistory(invocation, words, options)));
};

export const setupRestore: CommandSetup = (command, run) => {
  command
    .argument('<object...>', 'KIND/NAME or KIND NAME')
    .requiredOption('--to <number>', 'the version to write again; "svcctl history" lists them')
    .option('--dry-run', 'show what would change without changing it')
    .addHelpText('after', '\nLabels and annotations stay. The restored spec becomes a new version.')
    .action((words, options) => run((invocation) => restore(invocation, words, options)));
};

async function openKey(invocation: Invocation, words: readonly string[]): Promise<{ client: ApiClient; key: ObjectKey }> {
  const { kind, name } = namedTarget(words);
  if (!kind.keepsVersions) throw usageError(`no versions are kept of ${kind.plural.replaceAll('-', ' ')}`);
  const { client, namespace } = await invocation.connect();
  return { client, key: { kind, namespace, name } };
}

async function showHistory(invocation: Invocation, words: readonly string[], { show, diff }: HistoryOptions): Promise<number> {
  if (show !== undefined && diff !== undefined) throw usageError('--show and --diff cannot be combined');
  const { client, key } = await openKey(invocation, words);
  if (diff !== undefined) return comparison(printDifference(invocation, { client, key, range: diff }));
  if (show === undefined) await printList(invocation, client, key);
  else await printVersion(invocation, { client, key, generation: generationOf(show) });
  return EXIT.ok;
}

async function printList(invocation: Invocation, client: ApiClient, key: ObjectKey): Promise<void> {
  const format = invocation.format(['table', 'json', 'wide']);
  const items = await everyPage<Summary>(client, objectPath(key, 'versions'), { namespace: key.namespace, limit: 1_000 });
  if (format === 'json') return invocation.out(JSON.stringify(items, null, 2));
  const now = Date.now();
  const rows = items.map(({ generation, createdAt, createdBy = '-', replacedAt }) => [
    String(generation),
    age(createdAt, now),
    createdBy,
    replacedAt === undefined ? 'current' : `replaced ${age(replacedAt, now)} ago`,
  ]);
  invocation.table(['VERSION', 'AGE', 'BY', 'STATE'], rows, { wide: format === 'wide', drop: ['STATE', 'BY'] });
}

async function printVersion(
  invocation: Invocation,
  { client, key, generation }: { client: ApiClient; key: ObjectKey; generation: number },
): Promise<void> {
  const format = invocation.format(['yaml', 'json']);
  const object = await getObject(client, key);
  const version = await getVersion(client, key, generation);
  if (format === 'json') return invocation.out(JSON.stringify(version, null, 2));
  invocation.out(editableYaml({ ...object, spec: version.spec }).trimEnd());
}

async function printDifference(
  invocation: Invocation,
  { client, key, range }: { client: ApiClient; key: ObjectKey; range: string },
): Promise<number> {
  invocation.format(['table']);
  const [, from = '', to] = /^(\d+)(?:\.\.(\d+))?$/.exec(range) ?? [];
  if (from === '') throw usageError(`"${range}" is not a range of versions`, 'write it as 3, or as 3..5');
  const object = await getObject(client, key);
  const before = await getVersion(client, key, generationOf(from));
  const after = to === undefined ? object : await getVersion(client, key, generationOf(to));
  const sides = { before: yamlOf(object, before.spec), after: yamlOf(object, after.spec) };
  if (sides.before === sides.after) return EXIT.ok;
  invocation.out(...differenceLines(invocation, { ...placeOf(key), action: 'configured' }, sides));
  return EXIT.failed;
}

async function restore(invocation: Invocation, words: readonly string[], options: RestoreOptions): Promise<void> {
  const generation = generationOf(options.to);
  const format = invocation.format(['table', 'json', 'yaml', 'name']);
  const { client, key } = await openKey(invocation, words);
  const current = await getObject(client, key);
  const { spec } = await getVersion(client, key, generation);
  const written = await replaceObject(client, key, { object: { ...current, spec }, dryRun: options.dryRun });
  if (format === 'json') return invocation.out(JSON.stringify(written, null, 2));
  if (format === 'yaml') return invocation.out(resourceYaml(written));
  const word = objectWord(key.kind.kind, key.name);
  if (format === 'name') return invocation.out(word);
  const sides = { before: yamlOf(current, current.spec), after: yamlOf(current, written.spec) };
  if (sides.before === sides.after) return invocation.out(`${word} unchanged: version ${generation} has the current spec`);
  if (options.dryRun) invocation.out(...differenceLines(invocation, { ...placeOf(key), action: 'configured' }, sides));
  const now = options.dryRun ? ' (dry run)' : `; the object is at version ${written.metadata.generation}`;
  invocation.out(`${word} restored to version ${generation}${now}`);
}

const getVersion = (client: ApiClient, key: ObjectKey, generation: number): Promise<Summary & Pick<Resource, 'spec'>> =>
  sendAbout(client, key, { method: 'GET', below: `versions/${generation}` });

const placeOf = ({ kind, namespace, name }: ObjectKey) => ({ kind: kind.kind, namespace, name });
const yamlOf = (object: Resource, spec: Resource['spec']): string => editableYaml({ ...object, spec });

function generationOf(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw usageError(`"${text}" is not a version`, 'write its number, such as 3');
}
