// Sentences of the server, such as the reason of a wait.
import { formatDateTime } from '../status/format.ts';
import { useTimeMode, type TimeMode } from '../status/time-mode.ts';
import { UntrustedText } from './UntrustedText.tsx';

const INSTANTS = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z/g;

/** The sentence with its instants in the person's format. Pure. */
export function timesIn(text: string, mode: TimeMode, locale?: string): string {
  return text.replace(INSTANTS, (instant) => {
    const at = Date.parse(instant);
    if (!Number.isFinite(at)) return instant;
    return mode === 'utc' ? `${formatDateTime(at, 'UTC', locale)} UTC` : formatDateTime(at, 'local', locale);
  });
}

export function ServerText({ text, className }: { readonly text: string; readonly className?: string }) {
  return <UntrustedText text={timesIn(text, useTimeMode())} {...(className !== undefined && { className })} />;
}
