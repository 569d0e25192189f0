// One run of svcctl: its terminal, its global options, and the client made when a command first needs it.
import type { ApiClient } from '../api/client.ts';
import { usageError } from './exit-codes.ts';
import { createStyle, type Style } from '../output/style.ts';
import { fittedLines } from '../output/table.ts';
import { wrapped } from '../output/text-width.ts';
import { readProfiles } from './profiles.ts';
import { resolveSettings, type GlobalOptions, type Settings } from './settings.ts';
import { usesColor, type Terminal } from './terminal.ts';

const PLAIN_FORMATS = ['table', 'json', 'yaml', 'wide', 'name', 'text'] as const;
/** Formats that are followed by `=` and a text of their own. */
const TEMPLATE_FORMATS = ['jsonpath', 'custom-columns'] as const;
export type OutputFormat = (typeof PLAIN_FORMATS)[number] | (typeof TEMPLATE_FORMATS)[number];

/** Values of `-o`, as completion and help show them. */
export const OUTPUT_FORMATS: readonly string[] = [...PLAIN_FORMATS, ...TEMPLATE_FORMATS.map((format) => `${format}=`)];
const TEMPLATE = new RegExp(`^(${TEMPLATE_FORMATS.join('|')})=(.*)$`, 's');

/** Reason why a value of `-o` is invalid; undefined for a valid one. */
export function outputProblem(value: string): string | undefined {
  if ((PLAIN_FORMATS as readonly string[]).includes(value) || TEMPLATE.test(value)) return undefined;
  if (value === 'jsonpath') return "Write it as jsonpath='{.metadata.name}'.";
  if (value === 'custom-columns') return 'Write it as custom-columns=NAME:.metadata.name,PHASE:.status.phase.';
  return `Allowed choices are ${OUTPUT_FORMATS.join(', ')}.`;
}

export interface Connection extends Settings {
  readonly client: ApiClient;
}

export interface TableChoices {
  readonly wide?: boolean;
  /** Titles of columns in the order in which a narrow terminal leaves them out. */
  readonly drop: readonly string[];
}

export class Invocation {
  readonly terminal: Terminal;
  /** For text that goes to stdout, and to stderr. */
  readonly style: Style;
  readonly errorStyle: Style;
  readonly #options: GlobalOptions;
  readonly #warned = new Set<string>();
  #connection: Promise<Connection> | undefined;

  constructor(terminal: Terminal, options: GlobalOptions) {
    this.terminal = terminal;
    this.#options = options;
    this.style = createStyle(usesColor(terminal.stdout, terminal.env, options.color));
    this.errorStyle = createStyle(usesColor(terminal.stderr, terminal.env, options.color));
  }

  /** Data: lines to stdout. */
  out(...lines: readonly string[]): void {
    this.list(lines);
  }

  /** As `out`, for lists of any length: a call takes no more than about 100,000 arguments. */
  list(lines: readonly string[]): void {
    if (lines.length > 0) this.terminal.stdout.write(`${lines.join('\n')}\n`);
  }

  /** A table on stdout, as wide as the terminal at most; `wide`, a file and a pipe get it whole. */
  table(header: readonly string[], rows: readonly (readonly string[])[], how: TableChoices): void {
    const fit = { columns: how.wide ? undefined : this.terminal.stdout.columns, drop: how.drop, style: { header: this.style.dim } };
    const { lines, dropped } = fittedLines(header, rows, fit);
    this.list(this.headers ? lines : lines.slice(1));
    this.noteDropped(dropped);
  }

  /** Remark on columns that a narrow terminal left out. */
  noteDropped(dropped: readonly string[]): void {
    if (dropped.length === 0) return;
    const note = `Not shown at this width: ${dropped.join(', ')}. -o wide prints all.`;
    this.note(...wrapped(note, this.terminal.stdout.columns ?? note.length).map(this.errorStyle.dim));
  }

  /** Progress and remarks: lines to stderr. */
  note(...lines: readonly string[]): void {
    if (lines.length > 0) this.terminal.stderr.write(`${lines.join('\n')}\n`);
  }

  /** As `warn`, for what several requests or objects bring up: the same sentence is printed once. */
  warnOnce(message: string): void {
    if (this.#warned.has(message)) return;
    this.#warned.add(message);
    this.warn(message);
  }

  warn(message: string): void {
    this.note(`${this.errorStyle.warn('warning:')} ${message}`);
  }

  /** The format requested, which must be one the command can print. */
  format<F extends OutputFormat>(allowed: readonly F[]): F {
    const asked = (this.#options.output?.replace(TEMPLATE, '$1') ?? allowed[0]) as F;
    if (!allowed.includes(asked)) throw usageError(`this command cannot print "${asked}"`, `use -o ${allowed.join('|')}`);
    return asked;
  }

  /** The text behind `=` of a format that takes one. */
  get template(): string {
    return TEMPLATE.exec(this.#options.output ?? '')?.[2] ?? '';
  }

  /** The profile, server and credentials in force; nothing is sent yet. */
  connect(): Promise<Connection> {
    this.#connection ??= this.#open();
    return this.#connection;
  }

  /** False: tables have no line of titles. */
  get headers(): boolean {
    return this.#options.headers !== false;
  }

  get allNamespaces(): boolean {
    return this.#options.allNamespaces === true;
  }

  /** The namespaces in force, in a sentence. */
  where(namespace: string): string {
    return this.allNamespaces ? 'any namespace' : `namespace ${namespace}`;
  }

  get options(): GlobalOptions {
    return this.#options;
  }

  async close(): Promise<void> {
    await (await this.#connection?.catch(() => undefined))?.client.close();
  }

  async #open(): Promise<Connection> {
    const { env } = this.terminal;
    const settings = resolveSettings(this.#options, env, await readProfiles(env));
    const { createApiClient } = await import('../api/client.ts');
    return { ...settings, client: createApiClient({ ...settings, env }, (sentence) => this.warnOnce(sentence)) };
  }
}
