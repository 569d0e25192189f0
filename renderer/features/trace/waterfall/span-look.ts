// Labels, icons and tones of spans and their states: one table for rows, bars and the inspector.
import {
  Ban,
  Bot,
  CircleAlert,
  CircleCheck,
  CircleDot,
  CircleHelp,
  CirclePause,
  CircleSlash,
  CircleUser,
  Flag,
  GitMerge,
  Hourglass,
  Layers,
  ScanEye,
  Sparkles,
  StickyNote,
  TriangleAlert,
  UserRoundCheck,
  Wrench,
  type LucideIcon,
} from 'lucide-react';
import type { Tone } from '../../../ui/status/tone.ts';
import type { SpanKind, SpanState } from '../model/spans.ts';

export interface KindLook {
  readonly label: string;
  readonly icon: LucideIcon;
  /** The bar's tone without problems. */
  readonly tone: Tone;
}

export const KINDS: Readonly<Record<SpanKind, KindLook>> = {
  task: { label: 'Run', icon: Flag, tone: 'neutral' },
  attempt: { label: 'Attempt', icon: Layers, tone: 'neutral' },
  turn: { label: 'Agent', icon: Bot, tone: 'accent' },
  model: { label: 'Model call', icon: Sparkles, tone: 'info' },
  tool: { label: 'Tool call', icon: Wrench, tone: 'ok' },
  approval: { label: 'Wait for approval', icon: UserRoundCheck, tone: 'waiting' },
  review: { label: 'Wait for review', icon: ScanEye, tone: 'waiting' },
  breakpoint: { label: 'Breakpoint', icon: CirclePause, tone: 'waiting' },
  pause: { label: 'Pause', icon: Hourglass, tone: 'neutral' },
  join: { label: 'Join', icon: GitMerge, tone: 'neutral' },
  note: { label: 'Event', icon: StickyNote, tone: 'neutral' },
};

export interface StateLook {
  readonly label: string;
  readonly icon: LucideIcon;
  readonly tone: Tone;
}

export const STATES: Readonly<Record<SpanState, StateLook>> = {
  running: { label: 'Running', icon: CircleDot, tone: 'running' },
  waiting: { label: 'Waiting', icon: CircleUser, tone: 'waiting' },
  ok: { label: 'Done', icon: CircleCheck, tone: 'ok' },
  warned: { label: 'Warning', icon: TriangleAlert, tone: 'warn' },
  failed: { label: 'Failed', icon: CircleAlert, tone: 'danger' },
  denied: { label: 'Denied', icon: Ban, tone: 'warn' },
  cancelled: { label: 'Cancelled', icon: CircleSlash, tone: 'neutral' },
  skipped: { label: 'Skipped', icon: CircleSlash, tone: 'neutral' },
  unknown: { label: 'No result recorded', icon: CircleHelp, tone: 'neutral' },
};

/** The tone of a span's bar: problems and waiting override its kind. */
export function barTone(kind: SpanKind, state: SpanState): Tone {
  if (state === 'ok') return KINDS[kind].tone;
  return state === 'running' && kind !== 'model' && kind !== 'tool' ? KINDS[kind].tone : STATES[state].tone;
}
