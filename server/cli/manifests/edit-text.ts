// Opens text in the user's editor. On any failure the typed text stays in a file that the error names.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CliError, usageError } from '../program/exit-codes.ts';
import { hintText, type Hint } from '../program/program-name.ts';
import type { Terminal } from '../program/terminal.ts';

/** An invalid text: at a terminal the editor opens again with the reason. */
export class UnusableText extends Error {
  override readonly name = 'UnusableText';
}

/** Thrown when the user cancels the edit: there is no text to keep. */
export class EditCancelled extends CliError {}

export interface EditSession<T> {
  /** Initial text of the file. The caller adds the comments that explain it. */
  readonly text: string;
  /** Advice where there is no terminal and no editor is set. */
  readonly withoutTerminal: string;
  /** Uses what was typed; UnusableText opens the editor again, any other error ends the session. */
  readonly use: (text: string) => Promise<T>;
  /** Returns the text for the next round, with the reason why the last one was refused. */
  readonly explain: (text: string, reason: string) => string;
}

/** Command line of the editor, with its arguments. Throws when none is configured or installed. */
function editorOf({ env, stdin, stdout }: Terminal, advice: string): string {
  const named = env['VISUAL'] || env['EDITOR'];
  if (named) return named;
  if (stdin.isTTY && stdout.isTTY) return 'vi';
  throw usageError('there is no terminal to edit in', advice);
}

async function openEditor(terminal: Terminal, editor: string, file: string): Promise<void> {
  // Ctrl-C is the editor's while it runs.
  const release = terminal.onInterrupt(() => undefined);
  try {
    // By the shell, as an editor may be named with arguments, such as `code --wait`.
    const child = spawn('sh', ['-c', `${editor} "$1"`, 'svcctl', file], { stdio: 'inherit', env: { ...terminal.env } });
    const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
    if (code !== 0) throw new CliError(`the editor "${editor}" ended with ${signal ?? `exit code ${code}`}; nothing was changed`);
  } finally {
    release();
  }
}

/** Opens the editor until its text is used. */
export async function editText<T>(terminal: Terminal, session: EditSession<T>): Promise<T> {
  const editor = editorOf(terminal, session.withoutTerminal);
  const directory = await mkdtemp(join(tmpdir(), 'svcctl-edit-'));
  const file = join(directory, 'edit.yaml');
  try {
    const result = await editRounds(terminal, { session, editor, file });
    await rm(directory, { recursive: true });
    return result;
  } catch (error) {
    throw await keeping(error, file, session.text);
  }
}

interface Editing<T> {
  readonly session: EditSession<T>;
  readonly editor: string;
  readonly file: string;
}

/** Refused texts after which the editor is no person but a program that changes every text, such as `sed -i`. */
const ROUNDS_MAX = 20;

async function editRounds<T>(terminal: Terminal, { session, editor, file }: Editing<T>): Promise<T> {
  let text = session.text;
  for (let round = 1; ; round += 1) {
    await writeFile(file, text, { mode: 0o600 });
    await openEditor(terminal, editor, file);
    const typed = await readFile(file, 'utf8');
    try {
      return await session.use(typed);
    } catch (error) {
      // An unchanged text means that the user gave up. Without a terminal there is no user.
      if (!(error instanceof UnusableText) || typed === text || round === ROUNDS_MAX || !terminal.stdin.isTTY) throw error;
      text = session.explain(typed, error.message);
    }
  }
}

/** The error with the place of what was typed; a file that holds nothing new is removed. */
async function keeping(error: unknown, file: string, begun: string): Promise<unknown> {
  const typed = await readFile(file, 'utf8').catch(() => begun);
  if (typed === begun || error instanceof EditCancelled) {
    await rm(join(file, '..'), { recursive: true, force: true });
    return error instanceof UnusableText ? new CliError(error.message) : error;
  }
  const { message, exitCode, hint } =
    error instanceof CliError ? error : { message: (error as Error).message, exitCode: 1, hint: undefined };
  const kept = `your text is kept in ${file}`;
  const both: Hint = (svcctl) => (hint === undefined ? kept : `${hintText(hint, svcctl)}; ${kept}`);
  return new CliError(message, { exitCode, hint: both, cause: error });
}
