// Effect or result of a document, in one word.
import { CircleAlert, Equal, Pencil, Plus } from 'lucide-react';
import { Badge } from '../../../ui/status/Badge.tsx';
import type { Tone } from '../../../ui/status/tone.ts';
import type { Verdict } from './import-documents.ts';

const LOOKS = {
  created: { tone: 'ok', word: 'create', done: 'created', icon: <Plus aria-hidden /> },
  configured: { tone: 'info', word: 'change', done: 'changed', icon: <Pencil aria-hidden /> },
  unchanged: { tone: 'neutral', word: 'unchanged', done: 'unchanged', icon: <Equal aria-hidden /> },
  invalid: { tone: 'danger', word: 'problem', done: 'refused', icon: <CircleAlert aria-hidden /> },
} as const satisfies Record<
  Verdict['state'],
  { readonly tone: Tone; readonly word: string; readonly done: string; readonly icon: unknown }
>;

export interface VerdictBadgeProps {
  readonly state: Verdict['state'] | undefined;
  /** The effect has happened. */
  readonly done?: boolean;
}

export function VerdictBadge({ state, done = false }: VerdictBadgeProps) {
  if (state === undefined) return <span className="text-faint">–</span>;
  const { tone, word, done: past, icon } = LOOKS[state];
  return (
    <Badge tone={tone} icon={icon}>
      {done ? past : word}
    </Badge>
  );
}
