// `svcctl delete`: by name, by manifest, or by label after a confirmation.
import { kindByName } from '@svc/shared/kinds';
import type { CommandSetup } from '../program/command-setup.ts';
import { readDocuments } from '../manifests/apply-manifests.ts';
import { identityOf } from '../manifests/check-manifests.ts';
import { MissingObjects } from '../api/missing-objects.ts';
import { CliError, EXIT, usageError } from '../program/exit-codes.ts';
import type { Invocation } from '../program/invocation.ts';
import { requireYes } from '../arguments/require-yes.ts';
import { objectWord, parseTargets } from '../arguments/kind-arguments.ts';
import { eachInOrder } from '../api/in-order.ts';
import { deleteObject, type ObjectKey } from '../api/resource-api.ts';
import { keysOfTargets } from '../arguments/target-keys.ts';
import { timeoutOption } from '../api/wait-for.ts';

/** Objects named above the question. */
const SHOWN_MAX = 50;

interface DeleteOptions {
  readonly filename?: readonly string[] | undefined;
  readonly selector?: string | undefined;
  readonly all?: boolean | undefined;
  readonly yes?: boolean | undefined;
  readonly dryRun?: boolean | undefined;
  readonly ignoreNotFound?: boolean | undefined;
}

export const setupDelete: CommandSetup = (command, run) => {
  command
    .argument('[object...]', 'KIND NAME…, KIND/NAME…, or KIND[,KIND…] with -l or --all')
    .option('-f, --filename <path...>', 'delete the objects these manifests name')
    .option('-l, --selector <labels>', 'delete the objects of the kinds whose labels match')
    .option('--all', 'delete every object of the kinds in the namespace')
    .option('-y, --yes', 'do not ask before deleting by label or all')
    .option('--dry-run', 'show what would be deleted, deleting nothing')
    .option('--ignore-not-found', 'an object that does not exist counts as deleted')
    // Flags of kubectl: a server deletes an object before it answers.
    .option('--wait', 'accepted for scripts of kubectl: the command always ends after the deletion')
    .addOption(timeoutOption('for --wait').hideHelp())
    .action((words, options) => run((invocation) => remove(invocation, words, options)));
};

async function remove(invocation: Invocation, words: readonly string[], options: DeleteOptions): Promise<number> {
  const format = invocation.format(['table', 'name']);
  const keys = await keysToDelete(invocation, words, options);
  const { client, namespace } = await invocation.connect();
  const missing = new MissingObjects();
  let deleted = 0;
  const interrupted = await eachInOrder(invocation, keys, {
    perform: (key) => missing.found(deleteObject(client, key, options.dryRun ?? false)),
    done: (key, gone) => {
      if (!gone) return;
      deleted += 1;
      const word = objectWord(key.kind.kind, key.name);
      const elsewhere = key.namespace === namespace ? '' : ` in namespace ${key.namespace}`;
      invocation.out(format === 'name' ? word : `${word} deleted${elsewhere}${options.dryRun ? ' (dry run)' : ''}`);
    },
  });
  if (interrupted) {
    invocation.note(`Interrupted; ${deleted} of ${countText(keys)} deleted${options.dryRun ? ' (dry run)' : ''}.`);
    return EXIT.interrupted;
  }
  const named = options.selector === undefined && !options.all;
  if (named && !options.ignoreNotFound) missing.report(invocation);
  return EXIT.ok;
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

const countText = ({ length }: readonly ObjectKey[]): string => (length === 1 ? '1 object' : `${length} objects`);

async function confirm(invocation: Invocation, keys: readonly ObjectKey[]): Promise<void> {
  const count = countText(keys);
  const line = (key: ObjectKey) =>
    `  ${objectWord(key.kind.kind, key.name)}${invocation.allNamespaces ? ` in namespace ${key.namespace}` : ''}`;
  const shown = keys.slice(0, SHOWN_MAX).map(line);
  if (keys.length > SHOWN_MAX) shown.push(`  … and ${keys.length - SHOWN_MAX} more, which --dry-run lists`);
  await requireYes(invocation, {
    question: `Delete ${count}?`,
    unasked: `deleting ${count} needs a confirmation`,
    outcome: 'nothing was deleted',
    shown,
  });
}
