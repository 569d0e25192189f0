// `svcctl edit`: an object in the user's editor. What is sent is the difference to the version that was opened.
import { isObject, mergePatch } from '@svc/shared/json';
import type { Resource } from '@svc/shared/resource';
import type { CommandSetup } from '../program/command-setup.ts';
import { ApiError, type ApiClient } from '../api/client.ts';
import { editableOf, editableYaml } from '../manifests/editable.ts';
import { EditCancelled, editText, UnusableText } from '../manifests/edit-text.ts';
import { CliError } from '../program/exit-codes.ts';
import type { Invocation } from '../program/invocation.ts';
import { patchBetween, patchConflicts, type PatchConflict } from '../manifests/json-patch.ts';
import { namedTarget, objectWord } from '../arguments/kind-arguments.ts';
import { parseManifests } from '../manifests/manifest-files.ts';
import { resourceYaml } from '../output/resources.ts';
import { oneLine } from '../output/text-width.ts';
import { getObject, isConflict, patchObject, type ObjectKey } from '../api/resource-api.ts';

/** Begins lines of ours in the text; they are comments to YAML. */
const MARK = '#: ';
const LINE_MAX = 160;
/** Concurrent writes that are merged before the editor opens again. */
const MERGES_MAX = 5;

export const setupEdit: CommandSetup = (command, run) => {
  command
    .argument('<object...>', 'KIND/NAME or KIND NAME')
    .addHelpText(
      'after',
      '\nThe editor is $VISUAL, else $EDITOR, else vi. An unchanged text is not\nwritten; a refused text is opened again with the reasons on top.',
    )
    .action((words) => run((invocation) => edit(invocation, words)));
};

async function edit(invocation: Invocation, words: readonly string[]): Promise<void> {
  const { kind, name } = namedTarget(words);
  const format = invocation.format(['table', 'json', 'yaml', 'name']);
  const { client, namespace } = await invocation.connect();
  const session = new EditSession(invocation, client, { kind, namespace, name });
  const written = await session.run().catch((error: unknown) => {
    if (!(error instanceof EditCancelled)) throw error;
    invocation.note(`${error.message[0]?.toUpperCase() ?? ''}${error.message.slice(1)}.`);
    return undefined;
  });
  if (!written) return;
  if (format === 'json') return invocation.out(JSON.stringify(written, null, 2));
  if (format === 'yaml') return invocation.out(resourceYaml(written));
  const word = objectWord(kind.kind, name);
  invocation.out(format === 'name' ? word : `${word} edited`);
}

/** The text was put on a newer version, which the user has to see. */
class NewerVersion extends UnusableText {
  readonly merged: string;

  constructor(message: string, merged: string) {
    super(message);
    this.merged = merged;
  }
}

class EditSession {
  readonly #invocation: Invocation;
  readonly #client: ApiClient;
  readonly #key: ObjectKey;

  constructor(invocation: Invocation, client: ApiClient, key: ObjectKey) {
    this.#invocation = invocation;
    this.#client = client;
    this.#key = key;
  }

  async run(): Promise<Resource> {
    let base = await getObject(this.#client, this.#key);
    let merged: string | undefined;
    return editText(this.#invocation.terminal, {
      withoutTerminal: 'set EDITOR, or change it with "svcctl patch" or "svcctl apply"',
      text: `${this.#header()}\n${editableYaml(base)}`,
      explain: (text, reason) => {
        const body = merged ?? withoutReasons(text);
        merged = undefined;
        return `${reasonLines(reason)}\n${body}`;
      },
      use: async (text) => {
        try {
          return await this.#write(base, text);
        } catch (error) {
          if (error instanceof NewerVersion) {
            base = await getObject(this.#client, this.#key);
            merged = error.merged;
          }
          throw error;
        }
      },
    });
  }

  #header(): string {
    const { kind, name, namespace } = this.#key;
    return [
      `${MARK}${kind.kind} ${namespace}/${name}. Save and close the editor to write this text.`,
      `${MARK}An unchanged or empty text is not written.`,
    ].join('\n');
  }

  /** Sends what the text changes. A write that came in between is merged when it touched other fields. */
  async #write(base: Resource, text: string): Promise<Resource> {
    const edited = this.#read(text);
    const patch = patchBetween(editableOf(base), editableOf(edited));
    if (patch === undefined) throw new EditCancelled('nothing was changed');
    let current = base;
    for (let merges = 0; ; merges += 1) {
      try {
        return await patchObject(this.#client, this.#key, { patch, version: current.metadata.resourceVersion });
      } catch (error) {
        if (!isConflict(error) || merges === MERGES_MAX) throw refusal(error);
      }
      current = await getObject(this.#client, this.#key);
      if (current.metadata.uid !== base.metadata.uid)
        throw new CliError('the object was deleted and recreated meanwhile; nothing was changed');
      const theirs = patchBetween(editableOf(base), editableOf(current));
      const conflicts = patchConflicts(patch, theirs ?? {});
      if (conflicts.length > 0) throw newerVersion(current, patch, conflicts);
      this.#invocation.note(`The object was changed meanwhile in other fields; both changes are kept.`);
    }
  }

  /** The object in the text, which must be the one that was opened. */
  #read(text: string): object {
    const { documents, problems } = parseManifests('text', text);
    const [problem] = problems;
    if (problem) throw new UnusableText(`line ${problem.line}: ${problem.message}`);
    const [document, ...others] = documents;
    if (!document) throw new EditCancelled('the text is empty; nothing was changed');
    const value = document.value;
    if (!isObject(value) || others.length > 0) throw new UnusableText('the text must be one object');
    const { metadata } = value;
    const { kind, namespace, name } = this.#key;
    const same =
      isObject(metadata) && value['kind'] === kind.kind && metadata['name'] === name && (metadata['namespace'] ?? namespace) === namespace;
    if (!same) throw new UnusableText('kind, name and namespace cannot be changed');
    const { apiVersion: _version, kind: _kind, metadata: _metadata, spec: _spec, ...unknown } = value;
    const { name: _name, namespace: _namespace, labels: _labels, annotations: _annotations, ...owned } = metadata;
    const [extra] = [...Object.keys(unknown), ...Object.keys(owned).map((field) => `metadata.${field}`)];
    if (extra !== undefined) throw new UnusableText(`${extra} cannot be edited`);
    return value;
  }
}

/** Reads the server's refusal of the text as a reason to open the editor again; any other error ends the session. */
function refusal(error: unknown): unknown {
  if (!(error instanceof ApiError) || error.status !== 400) return error;
  const problems = error.details.map(({ path, message }) => `${path} ${message}`);
  return new UnusableText(problems.length > 0 ? problems.join('\n') : error.message);
}

function newerVersion(current: Resource, patch: unknown, conflicts: readonly PatchConflict[]): NewerVersion {
  const theirs = conflicts.map((each) => `${each.path} is now ${each.theirs === null ? 'absent' : JSON.stringify(each.theirs)}`);
  const merged = { ...current, ...(mergePatch(editableOf(current), patch) as Pick<Resource, 'spec'>) };
  const metadata = { ...current.metadata, ...(merged.metadata as object) };
  const reasons = ['the object was changed meanwhile in the same fields; below is the newer version with your changes', ...theirs];
  return new NewerVersion(reasons.join('\n'), editableYaml({ ...merged, metadata }));
}

const reasonLines = (reason: string): string =>
  reason
    .split('\n')
    .map((line) => `${MARK}Not written: ${oneLine(line, LINE_MAX)}`)
    .join('\n');

const withoutReasons = (text: string): string =>
  text
    .split('\n')
    .filter((line) => !line.startsWith(`${MARK}Not written: `))
    .join('\n');
