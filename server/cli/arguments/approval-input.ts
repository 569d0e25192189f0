// The edited input of a tool call, from a file, the command line or an editor. Only text becomes an object here; whether it fits the tool is the server's to say.
import { isObject, jsonEquals, type JsonObject } from '@svc/shared/json';
import { specOf } from '@svc/shared/kinds/read';
import type { Resource } from '@svc/shared/resource';
import { parseDocument } from 'yaml';
import { checkStructure } from '../../manifest/structure.ts';
import { ApiError } from '../api/client.ts';
import { EditCancelled, editText, UnusableText } from '../manifests/edit-text.ts';
import { CliError, EXIT, usageError } from '../program/exit-codes.ts';
import { yamlText } from '../output/data-text.ts';
import { escapeHidden } from '../output/hidden-text.ts';
import { oneLine } from '../output/text-width.ts';
import { readGivenText, type Terminal } from '../program/terminal.ts';

const MAX_ALIASES = 100;
/** Lines of ours in the text that is edited; they are not part of the input. */
const MARK = '#: ';
const LINE_MAX = 160;

export interface InputFlags {
  /** File with JSON or YAML; `-` is standard input. */
  readonly inputFile?: string | undefined;
  readonly inputJson?: string | undefined;
  readonly edit?: boolean | undefined;
}

export function checkInputFlags({ inputFile, inputJson, edit }: InputFlags): void {
  const given = [inputFile !== undefined && '--input-file', inputJson !== undefined && '--input-json', edit && '--edit'].filter(
    (flag) => flag,
  );
  if (given.length > 1) throw usageError(`${given.join(' and ')} cannot be combined`, 'each says what the input is to be');
}

/** The input that the flags give; undefined when they give none (or the editor is to be opened). */
export async function inputOfFlags(terminal: Terminal, { inputFile, inputJson }: InputFlags): Promise<JsonObject | undefined> {
  if (inputJson !== undefined) return objectOf(inputJson, '--input-json', parseJson);
  if (inputFile === undefined) return undefined;
  const text = await readGivenText(terminal, inputFile);
  return objectOf(text, inputFile === '-' ? 'standard input' : inputFile, parseYaml);
}

function objectOf(text: string, place: string, parse: (text: string) => JsonObject): JsonObject {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof UnusableText)) throw error;
    throw new CliError(`${place}: ${error.message}`, { exitCode: EXIT.usage, cause: error });
  }
}

function parseJson(text: string): JsonObject {
  try {
    return checked(JSON.parse(text));
  } catch (error) {
    throw error instanceof UnusableText ? error : new UnusableText(`this is not JSON: ${(error as Error).message}`);
  }
}

/** An input as people edit it: YAML, or JSON when YAML would not round-trip. */
export function editableText(input: JsonObject): string {
  const yaml = `${yamlText(input)}\n`;
  return readsAs(yaml, input) ? yaml : escapeHidden(`${JSON.stringify(input, null, 2)}\n`);
}

function readsAs(text: string, input: JsonObject): boolean {
  try {
    return jsonEquals(parseYaml(text), input);
  } catch {
    return false;
  }
}

/** YAML 1.2, which JSON is a part of. */
export function parseYaml(text: string): JsonObject {
  const document = parseDocument(text, { schema: 'core' });
  const [problem] = document.errors;
  if (problem) throw new UnusableText(`this is neither JSON nor YAML: ${problem.message.split('\n')[0] ?? ''}`);
  return checked(document.toJS({ maxAliasCount: MAX_ALIASES }));
}

function checked(value: unknown): JsonObject {
  if (!isObject(value)) throw new UnusableText('the input of a tool call is an object');
  try {
    checkStructure(value);
  } catch (error) {
    throw new UnusableText((error as Error).message);
  }
  return value as JsonObject;
}

/** Input as stored, without a check; an approval made by hand may hold no object. */
function proposedInput(approval: Resource): JsonObject {
  try {
    const input: unknown = JSON.parse(specOf('ToolApproval', approval).input ?? '');
    return isObject(input) ? (input as JsonObject) : {};
  } catch {
    return {};
  }
}

/** Hands the edited input to `decide`, and opens the editor again while the server refuses it. */
export async function editInput<T>(terminal: Terminal, approval: Resource, decide: (input: JsonObject) => Promise<T>): Promise<T> {
  const original = proposedInput(approval);
  return editText(terminal, {
    withoutTerminal: 'set EDITOR, or give the input with --input-file FILE or --input-json',
    text: `${header(approval)}\n${editableText(original)}`,
    explain: (text, reason) => `${MARK}Not used: ${oneLine(reason, LINE_MAX)}\n${withoutReasons(text)}`,
    use: async (text) => {
      if (text.split('\n').every((line) => line.trim() === '' || line.startsWith('#')))
        throw new EditCancelled('the text is empty; nothing was decided');
      const input = parseYaml(text);
      if (jsonEquals(input, original))
        throw new EditCancelled('the input was not changed; nothing was decided', { hint: 'approve it as it is without --edit' });
      return decide(input).catch((error: unknown) => {
        throw error instanceof ApiError && error.status === 400 ? new UnusableText(error.message) : error;
      });
    },
  });
}

function header(approval: Resource): string {
  const { tool, task_ref: task } = specOf('ToolApproval', approval);
  const what = `${approval.metadata.namespace}/${approval.metadata.name}: ${tool} for task ${task}`;
  return [
    `${MARK}The input of ToolApproval ${oneLine(what, LINE_MAX)}.`,
    `${MARK}Save and close the editor to approve the call with this input, as YAML or JSON. An unchanged input decides nothing.`,
  ].join('\n');
}

function withoutReasons(text: string): string {
  return text
    .split('\n')
    .filter((line) => !line.startsWith(`${MARK}Not used: `))
    .join('\n');
}
