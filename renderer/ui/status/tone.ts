// Tones shared by badges, pills, banners and bars: one colour per meaning.

export type Tone = 'neutral' | 'accent' | 'ok' | 'warn' | 'danger' | 'info' | 'running' | 'waiting';

/** Text and soft background of a tone. */
export const SOFT: Readonly<Record<Tone, string>> = {
  neutral: 'bg-neutral-soft text-neutral',
  accent: 'bg-accent-soft text-accent-text',
  ok: 'bg-ok-soft text-ok',
  warn: 'bg-warn-soft text-warn',
  danger: 'bg-danger-soft text-danger',
  info: 'bg-info-soft text-info',
  running: 'bg-running-soft text-running',
  waiting: 'bg-waiting-soft text-waiting',
};

/** Text alone. */
export const INK: Readonly<Record<Tone, string>> = {
  neutral: 'text-neutral',
  accent: 'text-accent-text',
  ok: 'text-ok',
  warn: 'text-warn',
  danger: 'text-danger',
  info: 'text-info',
  running: 'text-running',
  waiting: 'text-waiting',
};

/** Solid fills of bars and dots; no text is written on them. */
export const FILL: Readonly<Record<Tone, string>> = {
  neutral: 'bg-neutral',
  accent: 'bg-accent',
  ok: 'bg-ok',
  warn: 'bg-warn',
  danger: 'bg-danger',
  info: 'bg-info',
  running: 'bg-running',
  waiting: 'bg-waiting',
};
