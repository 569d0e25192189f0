// A person's conversation with a Session at a terminal: prompt, turn, prompt.
import { randomUUID } from 'node:crypto';
import type { Turn } from '@svc/shared/api/sessions';
import { specOf } from '@svc/shared/kinds/read';
import type { Resource } from '@svc/shared/resource';
import { hasEnded } from '../api/end-phases.ts';
import { CliError, EXIT } from '../program/exit-codes.ts';
import type { Invocation } from '../program/invocation.ts';
import { hintText } from '../program/program-name.ts';
import { safeText } from '../output/screen.ts';
import { getSession, lastEventOf, newestTurns, sessionStatus, submitTurn, type SessionHandle } from '../api/session-api.ts';
import { decideInPlace } from './decide-approval.ts';
import { followTurn } from './follow-turn.ts';
import { createLineReader, type LineReader } from './line-reader.ts';
import { createPipeSink, createTerminalSink } from './sinks.ts';
import { runSlashCommand } from './slash-commands.ts';
import { createTranscript, type TranscriptSink } from './transcript.ts';
import { watchInterrupts } from './turn-interrupts.ts';

const TURNS_SHOWN = 5;
const TEXT_SHOWN = 2_000;
/** Events before the newest one that are searched for the start of a running turn. */
const EVENTS_BACK = 1_000;

export class Conversation {
  readonly invocation: Invocation;
  session: SessionHandle;
  /** Sequence number of the last event that was shown. */
  cursor = 0;
  readonly #reader: LineReader;
  readonly #sink: TranscriptSink;
  /** Turns whose message is on the screen. */
  readonly #own = new Set<string>();
  #left = false;

  constructor(invocation: Invocation, session: SessionHandle) {
    this.invocation = invocation;
    this.session = session;
    this.#reader = createLineReader(invocation.terminal);
    this.#sink = invocation.terminal.stdout.isTTY ? createTerminalSink(invocation) : createPipeSink(invocation);
  }

  /** Talks until the person leaves or the Session ends; returns the exit code. */
  async run(): Promise<number> {
    await this.join();
    for (let isArmed = false; ;) {
      if (this.#left) return EXIT.interrupted;
      const typed = await this.#reader.message(safeText(`${this.invocation.style.accent('›')} `));
      if (typed.type === 'end') return EXIT.ok;
      if (typed.type === 'interrupt') {
        if (typed.isEmpty && isArmed) return EXIT.interrupted;
        isArmed = typed.isEmpty;
        if (isArmed) this.remark('Ctrl-C again, Ctrl-D or /quit leaves.');
        continue;
      }
      isArmed = false;
      if (typed.type !== 'text' || typed.text === '') continue;
      if (!(await this.#take(typed.text))) return EXIT.ok;
    }
  }

  /** Shows the last turns of a Session with a past, and the turn that runs. */
  async join(): Promise<void> {
    const session = await getSession(this.session);
    const head = lastEventOf(session);
    const turns = await newestTurns(this.session, session, TURNS_SHOWN);
    this.cursor = head;
    this.remark(`session/${this.session.name} · ${specOf('Session', session).system} · /help lists commands`);
    for (const turn of turns) this.#showPast(turn);
    const { phase, activeTurnID: active } = sessionStatus(session);
    if (phase === 'Paused') this.remark('The Session is paused: /resume continues it.');
    else if (hasEnded(session)) this.remark(`The Session is ${phase}: /rewind or /fork continues it.`);
    else if (active !== undefined) await this.follow(active, { after: Math.max(0, head - EVENTS_BACK), from: head });
  }

  /** Follows a turn to its end; events of other turns up to `from` are not shown. */
  async follow(turnId: string, { after = this.cursor, from = 0 }: { readonly after?: number; readonly from?: number } = {}): Promise<void> {
    const { invocation, session } = this;
    const interrupts = watchInterrupts(invocation, session, turnId);
    const { stdout } = invocation.terminal;
    const show = createTranscript({
      sink: this.#sink,
      style: invocation.style,
      columns: stdout.columns,
      isOwn: (id) => id === undefined || this.#own.has(id),
    });
    try {
      const { end, lastSeq } = await followTurn(session, {
        turnId,
        after,
        from,
        signal: interrupts.signal,
        show,
        endsAtPause: true,
        decide: (event, signal) =>
          decideInPlace({ invocation, session, reader: this.#reader, onInterrupt: interrupts.press }, event, signal),
        onLost: (error) => this.#sink.lines(invocation.style.dim(`${error.message}; reconnecting`)),
      });
      this.cursor = lastSeq;
      this.#sink.end();
      this.#left = end === undefined;
      if (this.#left) this.remark(`The turn continues. Come back with: ${invocation.terminal.program} chat session/${session.name}`);
    } finally {
      interrupts.release();
    }
  }

  remark(...lines: readonly string[]): void {
    this.#sink.end();
    this.invocation.note(...lines.map(this.invocation.errorStyle.dim));
  }

  /** False when the conversation is over. Refusals are shown and leave it open. */
  async #take(text: string): Promise<boolean> {
    try {
      if (text.startsWith('/') && !text.startsWith('//')) return await runSlashCommand(this, text);
      await this.#say(text.replace(/^\/\//, '/'));
      return this.#left || this.#staysOpen(await getSession(this.session));
    } catch (error) {
      if (!(error instanceof CliError) || error.exitCode === EXIT.notFound) throw error;
      const { errorStyle: style, terminal } = this.invocation;
      this.invocation.note(`${style.bad('error:')} ${error.message}`);
      if (error.hint) this.invocation.note(`${style.accent('hint:')} ${hintText(error.hint, terminal.program)}`);
      return true;
    }
  }

  async #say(content: string): Promise<void> {
    const turn = await submitTurn(this.session, { content, idempotencyKey: randomUUID() });
    this.#own.add(turn.id);
    await this.follow(turn.id);
  }

  #staysOpen(session: Resource): boolean {
    const { phase } = sessionStatus(session);
    if (phase === 'Paused') this.remark('The Session is paused: /resume continues it.');
    if (!hasEnded(session)) return true;
    this.remark(`The Session is ${phase}.`);
    return false;
  }

  #showPast({ id, content, output, last_error: error }: Turn): void {
    this.#own.add(id);
    const { style } = this.invocation;
    const shown = (text: string) => (text.length > TEXT_SHOWN ? `${text.slice(0, TEXT_SHOWN)}…` : text);
    this.#sink.lines(`${style.accent('›')} ${shown(content)}`);
    if (output) this.#sink.lines(shown(output.last_output));
    if (error !== undefined) this.#sink.lines(`${style.bad('✗')} ${shown(error)}`);
  }
}
