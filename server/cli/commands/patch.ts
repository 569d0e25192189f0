// `svcctl patch`: parts of an object by a merge patch, which the server applies, or by a JSON patch, which is applied to the version read.
import { Option } from '@commander-js/extra-typings';
import type { Resource } from '@svc/shared/resource';
import { isObject, jsonEquals, mergePatch } from '@svc/shared/json';
import { parseDocument } from 'yaml';
import type { CommandSetup } from '../program/command-setup.ts';
import { usageError } from '../program/exit-codes.ts';
import type { Invocation } from '../program/invocation.ts';
import { editableOf, restOf } from '../manifests/editable.ts';
import { applyJsonPatch, patchBetween } from '../manifests/json-patch.ts';
import { namedTarget, objectWord } from '../arguments/kind-arguments.ts';
import { resourceYaml } from '../output/resources.ts';
import { changeObject, getObject, type ObjectKey } from '../api/resource-api.ts';
import { readGivenText, type Terminal } from '../program/terminal.ts';

const TYPES = ['merge', 'json'] as const;

interface PatchCommandOptions {
  readonly patch?: string | undefined;
  readonly patchFile?: string | undefined;
  readonly type: (typeof TYPES)[number];
  readonly dryRun?: boolean | undefined;
}

export const setupPatch: CommandSetup = (command, run) => {
  command
    .argument('<object...>', 'KIND/NAME or KIND NAME')
    .option('-p, --patch <text>', 'the patch, as JSON or YAML')
    .option('--patch-file <path>', 'a file with the patch, or - for standard input')
    .addOption(
      new Option('--type <type>', 'merge (RFC 7386: null removes) or json (RFC 6902: a list of operations)')
        .choices(TYPES)
        .default('merge' as const),
    )
    .option('--dry-run', 'show what would be changed, changing nothing')
    .action((words, options) => run((invocation) => patch(invocation, words, options)));
};

async function patch(invocation: Invocation, words: readonly string[], options: PatchCommandOptions): Promise<void> {
  const { kind, name } = namedTarget(words);
  const format = invocation.format(['table', 'json', 'yaml', 'name']);
  const value = await patchValue(invocation.terminal, options);
  if (options.type === 'merge' && !isObject(value))
    throw usageError('a merge patch is an object', `such as -p '{"spec":{"prompt":"…"}}'; a list of operations needs --type json`);
  const { client, namespace } = await invocation.connect();
  const key: ObjectKey = { kind, namespace, name };
  const change = options.type === 'merge' ? mergeChange(value) : jsonChange(value, kind.writeOnly);
  const changed = await changeObject(client, key, { change, dryRun: options.dryRun });
  if (format === 'json' || format === 'yaml') {
    const shown = changed ?? (await getObject(client, key));
    return invocation.out(format === 'json' ? JSON.stringify(shown, null, 2) : resourceYaml(shown));
  }
  const word = objectWord(kind.kind, name);
  invocation.out(format === 'name' ? word : `${word} ${changed ? 'patched' : 'unchanged'}${options.dryRun ? ' (dry run)' : ''}`);
}

/** The patch as it was given, unless it changes nothing; the server ignores a status. */
const mergeChange = (value: unknown) => (current: Resource) =>
  jsonEquals({ ...(mergePatch(current, value) as Resource), status: current.status }, current) ? undefined : value;

/** The merge patch with the same result. What it does not touch is not sent, so that values hidden from reads stay as they are. */
const jsonChange = (operations: unknown, secret: boolean) => (current: Resource) => {
  const patched = applyJsonPatch(current, operations, { secret });
  if (!isObject(patched) || !jsonEquals(restOf(patched), restOf(current)))
    throw usageError('a JSON patch changes spec, metadata.labels and metadata.annotations only');
  return patchBetween(editableOf(current), editableOf(patched));
};

async function patchValue(terminal: Terminal, { patch: text, patchFile }: PatchCommandOptions): Promise<unknown> {
  if ((text === undefined) === (patchFile === undefined)) throw usageError('which patch?', 'give it with -p or with --patch-file');
  const given = text ?? (await readGivenText(terminal, patchFile ?? ''));
  const document = parseDocument(given, { schema: 'core' });
  const [problem] = document.errors;
  if (problem) throw usageError(`the patch is neither JSON nor YAML: ${problem.message.split('\n')[0] ?? ''}`);
  return document.toJS({ maxAliasCount: 100 });
}
