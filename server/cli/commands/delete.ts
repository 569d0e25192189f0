// `svcctl delete`: by name, by manifest, or by label after a confirmation.
import { kindByName } from '@svc/shared/kinds';
import type { Resource } from '@svc/shared/resource';
import type { CommandSetup } from '../program/command-setup.ts';
import { readDocuments } from '../manifests/apply-manifests.ts';
import { identityOf } from '../manifests/check-manifests.ts';
import { MissingObjects } from '../api/missing-objects.ts';
import { CliError, EXIT, usageError } from '../program/exit-codes.ts';
import type { Invocation } from '../program/invocation.ts';
import { requireYes } from '../arguments/require-yes.ts';
import { kindFromWord, objectWord, parseTargets } from '../arguments/kind-arguments.ts';
import { deleteObject, type ObjectKey } from '../api/resource-api.ts';
import { keysOfTargets } from '../arguments/target-keys.ts';
import { timeoutOption, waitForAll, type WaitGoal } from '../api/wait-for.ts';

interface DeleteOptions {
  readonly filename?: readonly string[] | undefined;
  readonly selector?: string | undefined;
  readonly all?: boolean | undefined;
  readonly yes?: boolean | undefined;
  readonly dryRun?: boolean | undefined;
  readonly ignoreNotFound?: boolean | undefined;
  readonly wait?: boolean | undefined;
  readonly timeout: number;
}

export const setupDelete: CommandSetup = (command, run) => {
  command
    .argument('[object...]', 'KIND NAME…, KIND/NAME…, or KIND[,KIND…] with -l or --all')
    .option('-f, --filename <path...>', 'delete the objects these manifests name')
    .option('-l, --selector <labels>', 'delete the objects of the kinds whose labels match')
    .option('--all', 'delete every object of the kinds in the namespace')
    .option('-y, --yes', 'do not ask before deleting by label or all')
    .option('--dry-run', 'show what would be deleted, deleting nothing')
    .option('--ignore-not-found', 'an object that is not there counts as deleted')
    .option('--wait', 'return when the objects are deleted')
    .addOption(timeoutOption('with --wait: give up after this long (exit code 6)'))
    .action((words, options) => run((invocation) => remove(invocation, words, options)));
};

async function remove(invocation: Invocation, words: readonly string[], options: DeleteOptions): Promise<number> {
  const format = invocation.format(['table', 'name']);
  const keys = await keysToDelete(invocation, words, options);
  const { client, namespace } = await invocation.connect();
  const missing = new MissingObjects();
  const deleted: Resource[] = [];
  for (const key of keys) {
    const word = objectWord(key.kind.kind, key.name);
    const elsewhere = key.namespace === namespace ? '' : ` in namespace ${key.namespace}`;
    const gone = await missing.found(deleteObject(client, key, options.dryRun ?? false));
    if (!gone) continue;
    deleted.push(gone);
    invocation.out(format === 'name' ? word : `${word} deleted${elsewhere}${options.dryRun ? ' (dry run)' : ''}`);
  }
  if (!options.ignoreNotFound) missing.report(invocation);
  if (!options.wait || options.dryRun) return EXIT.ok;
  return waitForAll(invocation, deleted.map(deletionGoal), { timeoutMs: options.timeout, quiet: true });
}

/** Only the deleted object is gone: a new one may have its name by now. */
function deletionGoal({ kind, metadata }: Resource): WaitGoal {
  const { namespace, name, uid } = metadata;
  return { key: { kind: kindFromWord(kind), namespace, name }, condition: { until: 'delete', uid } };
}

async function keysToDelete(invocation: Invocation, words: readonly string[], options: DeleteOptions): Promise<readonly ObjectKey[]> {
  if (options.filename) {
    if (words.length > 0) throw usageError('give either objects or -f');
    return keysFromManifests(invocation, options.filename);
  }
  if (words[0]?.toLowerCase() === 'all') throw usageError('name the kinds to delete', 'such as agents,tools -l app=reports');
  const targets = parseTargets(words);
  const found = await keysOfTargets(invocation, targets, options);
  if ('objects' in targets) return found;
  const keys = [...found].sort((a, b) => b.kind.applyOrder - a.kind.applyOrder);
  if (keys.length > 0 && !options.yes && !options.dryRun) await confirm(invocation, keys);
  return keys;
}

async function keysFromManifests(invocation: Invocation, paths: readonly string[]): Promise<readonly ObjectKey[]> {
  const documents = await readDocuments(invocation, paths);
  const { namespace } = await invocation.connect();
  const keys = documents.map((document) => {
    const identity = identityOf(document.value, namespace);
    const kind = kindByName(identity.kind);
    if (!kind || !identity.name)
      throw new CliError(`${document.file}:${document.locate('').line}: the document names no object (kind and metadata.name)`);
    return { kind, namespace: identity.namespace, name: identity.name };
  });
  return keys.sort((a, b) => b.kind.applyOrder - a.kind.applyOrder);
}

async function confirm(invocation: Invocation, keys: readonly ObjectKey[]): Promise<void> {
  const count = keys.length === 1 ? '1 object' : `${keys.length} objects`;
  await requireYes(invocation, {
    question: `Delete ${count}?`,
    unasked: `deleting ${count} needs a confirmation`,
    outcome: 'nothing was deleted',
    shown: keys.map((key) => `  ${objectWord(key.kind.kind, key.name)}${invocation.allNamespaces ? ` in namespace ${key.namespace}` : ''}`),
  });
}
