// One run of svcctl: its terminal, its global options, and the client made when a command first needs it.
import type { ApiClient } from './client.ts';
import { usageError } from './exit-codes.ts';
import { createStyle, type Style } from './output/style.ts';
import { fittedLines } from './output/table.ts';
import { wrapped } from './output/text-width.ts';
import { readProfiles } from './profiles.ts';
import { resolveSettings, type GlobalOptions, type Settings } from './settings.ts';
import { wantsColor, type Terminal } from './terminal.ts';

export const OUTPUT_FORMATS = ['table', 'json', 'yaml', 'wide', 'name', 'text'] as const;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

export interface Connection extends Settings {
  readonly client: ApiClient;
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
    this.style = createStyle(wantsColor(terminal.stdout, terminal.env, options.color));
    this.errorStyle = createStyle(wantsColor(terminal.stderr, terminal.env, options.color));
  }

  /** Data: lines to stdout. */
  out(...lines: readonly string[]): void {
    if (lines.length > 0) this.terminal.stdout.write(`${lines.join('\n')}\n`);
  }

  /** A table on stdout, as wide as the terminal at most; `wide`, a file and a pipe get it whole. */
  table(header: readonly string[], rows: readonly (readonly string[])[], how: { wide?: boolean; drop: readonly string[] }): void {
    const fit = { columns: how.wide ? undefined : this.terminal.stdout.columns, drop: how.drop, style: { header: this.style.dim } };
    const { lines, dropped } = fittedLines(header, rows, fit);
    this.out(...lines);
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

  /** The format asked for, which must be one the command can print. */
  format<F extends OutputFormat>(allowed: readonly F[]): F {
    const asked = (this.#options.output ?? allowed[0]) as F;
    if (!allowed.includes(asked)) throw usageError(`this command cannot print "${asked}"`, `use -o ${allowed.join('|')}`);
    return asked;
  }

  /** The profile, server and credentials in force; nothing is sent yet. */
  connect(): Promise<Connection> {
    this.#connection ??= this.#open();
    return this.#connection;
  }

  get allNamespaces(): boolean {
    return this.#options.allNamespaces === true;
  }

  get options(): GlobalOptions {
    return this.#options;
  }

  async close(): Promise<void> {
    await (await this.#connection?.catch(() => undefined))?.client.close();
  }

  async #open(): Promise<Connection> {
    const settings = resolveSettings(this.#options, this.terminal.env, await readProfiles(this.terminal.env));
    const { createApiClient } = await import('./client.ts');
    return { ...settings, client: createApiClient(settings.server, settings.token, (sentence) => this.warnOnce(sentence)) };
  }
}
