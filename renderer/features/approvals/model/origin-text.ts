// Origin of a run in plain text. Pure.
import { DOOR_NAMES, type RunOrigin } from '@svc/shared/run-origin';

/** A Task that a person or a program created, in this console, by svcctl or by the API, came from nothing that could be named. */
export const doorText = (door: RunOrigin['door']): string => (door === 'api' ? 'Started directly' : `From ${DOOR_NAMES[door]}`);

/** `from Session talk · ann`, for rows that are links themselves. */
export function originText({ door, source, askedBy }: RunOrigin): string {
  const text = doorText(door);
  const words = [text.charAt(0).toLowerCase() + text.slice(1), ...(source ? [source.name] : [])].join(' ');
  return askedBy === undefined ? words : `${words} · ${askedBy}`;
}

/** Whether a row of a list needs the origin: most runs are started directly. */
export const tellsOrigin = ({ door, askedBy }: RunOrigin): boolean => door !== 'api' || askedBy !== undefined;
