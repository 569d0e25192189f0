// `svcctl delete`: by name, by manifest, or by label after a confirmation.
import { createInterface } from 'node:readline/promises';
import { kindByName } from '@svc/shared/kinds';
import type { CommandSetup } from '../command-setup.ts';
import { readDocuments } from '../apply-manifests.ts';
import { identityOf } from '../check-manifests.ts';
import { ApiError } from '../client.ts';
import { CliError, EXIT, usageError } from '../exit-codes.ts';
import type { Invocation } from '../invocation.ts';
import { objectWord, parseTargets } from '../kind-arguments.ts';
import { deleteObject, listObjects, type ObjectKey } from '../resource-api.ts';

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
    .argument('[object...]', 'KIND NAME…, KIND/NAME…, or KIND with -l or --all')
    .option('-f, --filename <path...>', 'delete the objects these manifests name')
    .option('-l, --selector <labels>', 'delete the objects of the kind whose labels match')
    .option('--all', 'delete every object of the kind in the namespace')
    .option('-y, --yes', 'do not ask before deleting by label or all')
    .option('--dry-run', 'show what would be deleted, deleting nothing')
    .option('--ignore-not-found', 'an object that is not there counts as deleted')
    .action((words, options) => run((invocation) => remove(invocation, words, options)));
};

async function remove(invocation: Invocation, words: readonly string[], options: DeleteOptions): Promise<void> {
  const keys = await keysToDelete(invocation, words, options);
  const { client, namespace } = await invocation.connect();
  const missing: ApiError[] = [];
  for (const key of keys) {
    const word = objectWord(key.kind.kind, key.name);
    const elsewhere = key.namespace === namespace ? '' : ` in namespace ${key.namespace}`;
    const gone = await deleteObject(client, key, options.dryRun ?? false).catch((error: unknown) => {
      if (!(error instanceof ApiError && error.status === 404)) throw error;
      if (!options.ignoreNotFound) missing.push(error);
      return undefined;
    });
    if (gone) invocation.out(`${word} deleted${elsewhere}${options.dryRun ? ' (dry run)' : ''}`);
  }
  const last = missing.pop();
  for (const error of missing) invocation.note(`${invocation.errorStyle.bad('error:')} ${error.message}`);
  if (last) throw last;
}

async function keysToDelete(invocation: Invocation, words: readonly string[], options: DeleteOptions): Promise<readonly ObjectKey[]> {
  if (options.filename) {
    if (words.length > 0) throw usageError('give either objects or -f');
    return keysFromManifests(invocation, options.filename);
  }
  const target = parseTargets(words);
  const { client, namespace } = await invocation.connect();
  if ('objects' in target) {
    if (options.selector || options.all) throw usageError('names exclude -l and --all');
    if (invocation.allNamespaces) throw usageError('names exclude -A', 'choose the namespace with -n');
    return target.objects.map(({ kind, name }) => ({ kind, namespace, name }));
  }
  if (!options.selector && !options.all) throw usageError(`which ${target.kind.plural}?`, 'give names, -l LABELS, or --all');
  const keys: ObjectKey[] = [];
  const filter = { namespace: invocation.allNamespaces ? '*' : namespace, labelSelector: options.selector };
  for await (const page of listObjects(client, target.kind, filter)) {
    keys.push(...page.map(({ metadata }) => ({ kind: target.kind, namespace: metadata.namespace, name: metadata.name })));
  }
  if (keys.length === 0) invocation.note(`No ${target.kind.plural} match.`);
  else if (!options.yes && !options.dryRun) await confirm(invocation, keys);
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
  const { stdin, stderr } = invocation.terminal;
  const count = keys.length === 1 ? '1 object' : `${keys.length} objects`;
  if (!stdin.isTTY) throw usageError(`deleting ${count} needs a confirmation`, 'add --yes, or see what it is with --dry-run');
  invocation.note(
    ...keys.map((key) => `  ${objectWord(key.kind.kind, key.name)}${invocation.allNamespaces ? ` in namespace ${key.namespace}` : ''}`),
  );
  const prompt = createInterface({ input: stdin, output: stderr.stream });
  const answer = await prompt
    .question(`Delete ${count}? [y/N] `)
    .catch((error: unknown) => {
      if ((error as Error).name !== 'AbortError') throw error;
      invocation.note('');
      throw new CliError('interrupted; nothing was deleted', { exitCode: EXIT.interrupted });
    })
    .finally(() => prompt.close());
  if (!/^y(es)?$/i.test(answer.trim())) throw new CliError('nothing was deleted');
}
