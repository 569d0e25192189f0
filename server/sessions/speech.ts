// Text of an answer as readers see it: which agent speaks, its text so far, and withdrawals. Pure but for its own state.
import type { SessionEventType } from '@svc/shared/api/sessions';

/** An event of the message that answers a turn. */
export interface SpeechEvent {
  readonly type: Extract<SessionEventType, 'message.delta' | 'message.reset'>;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** Why text that was shown does not count: `step`: the agent called a tool after it; `superseded`: another agent speaks. */
export type ResetReason = 'step' | 'superseded' | 'retry' | 'recovered' | 'released' | 'session_paused' | 'interrupted' | 'failed';

/**
 * One agent speaks at a time: text of another waits until the first has finished, so that pieces of two answers never mix. Agent turns are
 * known by their ids. After each call, the text equals the concatenation of the deltas since the last reset.
 */
export class Speech {
  #speaker: string | undefined;
  #finished = false;
  #said = '';
  /** Text of other turns, and whether it is all of it. */
  #waiting = new Map<string, { readonly text: string; readonly isWhole: boolean }>();
  /** Agent of each turn. Shared by clones: it never changes. */
  #agents = new Map<string, string>();

  clone(): Speech {
    const copy = new Speech();
    copy.#speaker = this.#speaker;
    copy.#finished = this.#finished;
    copy.#said = this.#said;
    copy.#waiting = new Map(this.#waiting);
    copy.#agents = this.#agents;
    return copy;
  }

  get said(): string {
    return this.#said;
  }

  /** Names the agent of a turn: the first delta of its text carries the name. */
  introduce(turn: string, agent: string): void {
    this.#agents.set(turn, agent);
  }

  /** A piece of text of an agent's turn. */
  say(turn: string, text: string): SpeechEvent[] {
    if (text === '') return [];
    if (this.#speaker !== undefined && this.#speaker !== turn && !this.#finished) {
      this.#waiting.set(turn, { text: (this.#waiting.get(turn)?.text ?? '') + text, isWhole: false });
      return [];
    }
    return [...this.#takeFloor(turn), this.#delta(text)];
  }

  /** Withdraws the turn's text so far: it belongs to a step with tool calls, a failed call, or a failed try. */
  takeBack(turn: string, reason: ResetReason): SpeechEvent[] {
    this.#waiting.delete(turn);
    if (this.#speaker !== turn || this.#finished) return [];
    const events = this.#reset(reason);
    this.#speaker = undefined;
    return [...events, ...this.#nextWaiting()];
  }

  /** Withdraws all text, of every agent. */
  withdrawAll(reason: ResetReason): SpeechEvent[] {
    this.#waiting.clear();
    this.#speaker = undefined;
    this.#finished = false;
    return this.#reset(reason);
  }

  /** Exact text of the last model call of the turn, whether or not it was streamed. */
  align(turn: string, content: string): SpeechEvent[] {
    if (this.#speaker !== undefined && this.#speaker !== turn && !this.#finished) {
      if (content !== '') this.#waiting.set(turn, { text: content, isWhole: false });
      return [];
    }
    return content === '' ? [] : [...this.#takeFloor(turn), ...this.#become(content, 'retry')];
  }

  /** The agent's turn has ended with this text: what was streamed is completed or put right. */
  finish(turn: string, output: string): SpeechEvent[] {
    this.#waiting.delete(turn);
    if (this.#speaker !== undefined && this.#speaker !== turn && !this.#finished) {
      // It answered while another agent was shown: its text comes when that one has finished.
      this.#waiting.set(turn, { text: output, isWhole: true });
      return [];
    }
    const events = [...this.#takeFloor(turn), ...this.#become(output, 'superseded')];
    this.#finished = true;
    return [...events, ...this.#nextWaiting()];
  }

  /** The answer of the whole run is this text of this agent. */
  settle(output: string, agent: string | undefined): SpeechEvent[] {
    this.#waiting.clear();
    this.#finished = true;
    return this.#become(output, 'superseded', agent);
  }

  #takeFloor(turn: string): SpeechEvent[] {
    const events = this.#speaker !== undefined && this.#speaker !== turn ? this.#reset('superseded') : [];
    this.#speaker = turn;
    this.#finished = false;
    return events;
  }

  #nextWaiting(): SpeechEvent[] {
    const [next] = this.#waiting;
    if (!next) return [];
    const [turn, { text, isWhole }] = next;
    this.#waiting.delete(turn);
    return isWhole ? this.finish(turn, text) : this.say(turn, text);
  }

  #become(text: string, reason: ResetReason, agent = this.#speakerName()): SpeechEvent[] {
    if (text === this.#said) return [];
    if (text.startsWith(this.#said)) return [this.#delta(text.slice(this.#said.length), agent)];
    const events = this.#reset(reason);
    return text === '' ? events : [...events, this.#delta(text, agent)];
  }

  #speakerName(): string | undefined {
    return this.#speaker === undefined ? undefined : this.#agents.get(this.#speaker);
  }

  #reset(reason: ResetReason): SpeechEvent[] {
    if (this.#said === '') return [];
    this.#said = '';
    return [{ type: 'message.reset', payload: { reason } }];
  }

  #delta(text: string, agent = this.#speakerName()): SpeechEvent {
    const names = this.#said === '' && agent !== undefined;
    this.#said += text;
    return { type: 'message.delta', payload: { delta: text, ...(names && { agent }) } };
  }
}
