// Settings in flight to the server. They are shown at once and stay shown whatever older answer arrives, one write at a time.
import type { Json, JsonObject } from '@svc/shared/json';
import { patchBetween } from './preferences.ts';

/** Interval of writes for values that change many times a second (widths), in milliseconds; a single change is sent at once. */
const SEND_EVERY_MS = 400;

export interface PreferencePort {
  readonly get: (signal: AbortSignal) => Promise<JsonObject>;
  /** A merge patch; returns the whole document. */
  readonly set: (patch: JsonObject) => Promise<JsonObject>;
  /** The shown document; undefined before the first answer. */
  readonly shown: () => JsonObject | undefined;
  readonly show: (whole: JsonObject) => void;
  readonly onKept: () => void;
  readonly onFailed: (error: unknown) => void;
}

/** The next value of a setting, from the one that is stored. */
export type Change = (stored: Json | undefined) => Json;

export class PreferenceWrites {
  readonly #port: PreferencePort;
  /** Values set by the person and not confirmed by the server, by key. */
  readonly #unconfirmed = new Map<string, Json>();
  /** Unsent values by key, kept apart from the last known state of the server. */
  readonly #waiting = new Map<string, Json | undefined>();
  /** Changes of values that are not known yet: of lists and maps, which would be replaced by their defaults. */
  #early: (readonly [key: string, change: Change])[] = [];
  #settled = 0;
  #sending = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #mayBeginAt = 0;

  constructor(port: PreferencePort) {
    this.#port = port;
  }

  /** Reads the server's document and overlays unsent values. */
  async read(signal: AbortSignal): Promise<JsonObject> {
    for (;;) {
      const settled = this.#settled;
      const whole = await this.#port.get(signal);
      // An answer overtaken by a write may be older than it.
      if (settled !== this.#settled) continue;
      this.#makeEarly(whole);
      return this.#withUnconfirmed(whole);
    }
  }

  /** Before the first answer of the server the change waits for it. */
  change(key: string, change: Change): void {
    const shown = this.#port.shown();
    if (shown) this.set(key, change(shown[key]));
    else this.#early.push([key, change]);
  }

  #makeEarly(whole: JsonObject): void {
    for (const [key, change] of this.#early.splice(0)) {
      if (!this.#waiting.has(key)) this.#waiting.set(key, whole[key]);
      this.#unconfirmed.set(key, change(this.#withUnconfirmed(whole)[key]));
    }
    this.#schedule();
  }

  set(key: string, value: Json): void {
    const shown = this.#port.shown();
    if (!this.#waiting.has(key)) this.#waiting.set(key, shown?.[key]);
    this.#unconfirmed.set(key, value);
    // Before the first answer the rest is unknown: showing this value alone would reset all others to their defaults.
    if (shown) this.#port.show(this.#withUnconfirmed(shown));
    this.#schedule();
  }

  /** Sends waiting values at once. */
  flush(): void {
    if (this.#waiting.size > 0) void this.#send();
  }

  #withUnconfirmed(whole: JsonObject): JsonObject {
    return { ...whole, ...Object.fromEntries(this.#unconfirmed) };
  }

  #schedule(): void {
    if (this.#waiting.size === 0 || this.#sending) return;
    this.#timer ??= setTimeout(() => void this.#send(), Math.max(0, this.#mayBeginAt - Date.now()));
  }

  async #send(): Promise<void> {
    const sent = new Map([...this.#waiting.keys()].map((key) => [key, this.#unconfirmed.get(key) ?? null]));
    const patch = Object.fromEntries([...sent].map(([key, value]) => [key, patchBetween(this.#waiting.get(key), value)]));
    this.#waiting.clear();
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#sending = true;
    this.#mayBeginAt = Date.now() + SEND_EVERY_MS;
    const answer = await this.#port.set(patch).then(
      (whole) => ({ whole }),
      (error: unknown) => ({ error }),
    );
    this.#sending = false;
    this.#settled += 1;
    for (const key of sent.keys()) if (!this.#waiting.has(key)) this.#unconfirmed.delete(key);
    if ('whole' in answer) {
      this.#makeEarly(answer.whole);
      this.#port.show(this.#withUnconfirmed(answer.whole));
      this.#port.onKept();
    } else this.#port.onFailed(answer.error);
    this.#schedule();
  }
}
