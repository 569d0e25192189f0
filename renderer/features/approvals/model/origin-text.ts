// Origin of a run in plain text, for rows that are links themselves. Pure.
import { DOOR_NAMES, type RunOrigin } from '@svc/shared/run-origin';

/** `from Session talk · ann`. */
export function originText({ door, source, askedBy }: RunOrigin): string {
  const from = source ? `${DOOR_NAMES[door]} ${source.name}` : DOOR_NAMES[door];
  return askedBy === undefined ? `from ${from}` : `from ${from} · ${askedBy}`;
}
