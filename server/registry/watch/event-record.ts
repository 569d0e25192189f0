// Changes of the log as events: `resource.*` for writes, a controller's facts as they are. Pure; shows no spec, so nothing to redact.
import { kindByName } from '@svc/shared/kinds';
import type { EventRecord } from '@svc/shared/api/watch';
import { describeKey, phaseOf } from '@svc/shared/resource';
import type { Change } from '../../store/store.ts';
import type { EventQuery } from './watch.ts';

const records = new WeakMap<Change, EventRecord>();

/** The same change gives the same record, which all streams share. */
export function toEventRecord(change: Change): EventRecord {
  const known = records.get(change);
  if (known) return known;
  const record = buildRecord(change);
  records.set(change, record);
  return record;
}

/** The event type a change will have, without building the record. */
function eventType(change: Change): string {
  return change.fact?.type ?? `resource.${change.type}`;
}

const isHeartbeat = ({ kind, type, fact }: Change) => type === 'updated' && fact === undefined && kindByName(kind)?.heartbeats === true;

export function matchesEvent({ type, kind, namespace, name, heartbeats = true }: EventQuery, change: Change): boolean {
  return (
    (heartbeats || !isHeartbeat(change)) &&
    (type === undefined || type.split(',').includes(eventType(change))) &&
    (kind === undefined || change.kind === kind) &&
    (namespace === undefined || change.namespace === namespace) &&
    (name === undefined || change.name === name)
  );
}

function buildRecord(change: Change): EventRecord {
  const { seq, timestamp, kind, namespace, name, fact } = change;
  const common = { id: String(seq), timestamp, type: eventType(change), kind, namespace, name };
  if (fact) return { ...common, source: fact.source, action: fact.action, message: fact.message, data: fact.data ?? {} };
  const updatedBy = change.object?.updatedBy;
  const phase = change.object && phaseOf(change.object);
  // A kind with one phase never changes it; a message with the phase would look like a problem.
  const tells = phase !== undefined && change.type === 'updated' && (kindByName(kind)?.phases.length ?? 0) > 1;
  const state = tells ? ` and is ${phase}` : '';
  return {
    ...common,
    source: 'registry',
    action: change.type,
    message: `${describeKey(change)} was ${change.type}${state}`,
    data: {
      resourceVersion: String(change.resourceVersion),
      ...(phase !== undefined && { phase }),
      ...(updatedBy !== undefined && { updatedBy }),
    },
  };
}
