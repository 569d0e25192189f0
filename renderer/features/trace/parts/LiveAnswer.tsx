// Text of a running model call as it streams, with a cursor behind it; the recorded answer replaces it when the call ends.
import type { LiveText } from '@svc/shared/api/runs';
import type { NamespacedName } from '@svc/shared/resource';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { client } from '../../../live/api.ts';
import { UntrustedText } from '../../../ui/text/UntrustedText.tsx';
import type { Span } from '../model/spans.ts';
import { endOf } from '../../../ui/text/whole-characters.ts';

/** Characters on screen, from the end: each batch of text renders them again. */
const SHOWN_MAX_CHARS = 20_000;
/** Distance from the end within which the view follows new text. */
const END_PX = 24;

/** Appends the text of these items; those of other calls change nothing. */
function textAfter(before: string, items: readonly LiveText[], { attempt, step, branch, agent }: Span): string {
  return items.reduce((text, item) => {
    if (item.attempt !== attempt || item.step !== step || item.branch_id !== branch || item.agent !== agent) return text;
    return 'text' in item ? text.slice(0, item.at) + item.text : '';
  }, before);
}

function useLiveText({ namespace, name }: NamespacedName, span: Span): string {
  const [text, setText] = useState('');
  useEffect(() => {
    const subscription = client.runs.followText.subscribe(
      { namespace, name },
      { onData: ({ items }) => setText((before) => textAfter(before, items, span)) },
    );
    return () => subscription.unsubscribe();
  }, [namespace, name, span]);
  return text;
}

export interface LiveAnswerProps {
  readonly run: NamespacedName;
  /** A model call without an end. */
  readonly span: Span;
}

export function LiveAnswer({ run, span }: LiveAnswerProps) {
  const text = useLiveText(run, span);
  const box = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  useLayoutEffect(() => {
    if (box.current && atEnd.current) box.current.scrollTop = box.current.scrollHeight;
  }, [text]);
  return (
    <section aria-label="Answer so far" className="flex min-w-0 flex-col gap-1.5">
      <h3 className="text-sm font-medium text-muted">Answer so far</h3>
      <div
        ref={box}
        tabIndex={0}
        onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
          atEnd.current = scrollHeight - scrollTop - clientHeight < END_PX;
        }}
        className="max-h-80 overflow-auto rounded-md border border-border bg-surface p-3 text-sm whitespace-pre-wrap"
      >
        {text.length > SHOWN_MAX_CHARS && <span className="text-muted">… </span>}
        <UntrustedText text={endOf(text, SHOWN_MAX_CHARS)} />
        <span
          aria-hidden
          data-testid="live-cursor"
          className="ml-0.5 inline-block h-4 w-2 translate-y-0.5 rounded-xs bg-accent motion-safe:animate-pulse-dot"
        />
      </div>
    </section>
  );
}
