// Audit lines of calls that governance denied in runs of this process. A listener of the engine, called when an entry is durable.
import { timestamp } from '../clock.ts';
import type { Entry, EntryOf } from '../engine/core/entries.ts';
import type { RunState } from '../engine/core/state.ts';
import type { RunObserver } from '../engine/observer.ts';
import type { Claim } from '../store/store.ts';
import type { AuditEvent, AuditSink } from './audit-event.ts';

const DENIALS: ReadonlySet<string> = new Set(['permission_denied', 'policy_violation']);

export function auditRuns(sink: AuditSink): RunObserver {
  return {
    claimed: () => undefined,
    leaseLost: () => undefined,
    recorded(claim, entries, { state }) {
      for (const entry of entries) {
        const event = eventOf(claim, entry, state);
        if (event) sink.write(event);
      }
    },
  };
}

function eventOf(claim: Claim, entry: Entry, state: RunState): AuditEvent | undefined {
  if (entry.type === 'tool.failed' && DENIALS.has(entry.data.code)) return toolDenied(claim, entry, state);
  return entry.type === 'turn.refused' ? turnRefused(claim, entry) : undefined;
}

function toolDenied(claim: Claim, { at, data }: EntryOf<'tool.failed'>, state: RunState): AuditEvent {
  const tool = state.attempt?.snapshot.tools[data.tool];
  return {
    ...denied(at, claim, data),
    action: 'tool.call',
    resource: { kind: 'Tool', ...(tool ? { namespace: tool.namespace, name: tool.name } : { name: data.tool }) },
    request_id: data.request_id,
  };
}

function turnRefused(claim: Claim, { at, data }: EntryOf<'turn.refused'>): AuditEvent {
  return { ...denied(at, claim, data), action: 'agent.turn', resource: { kind: 'Task', namespace: claim.namespace, name: claim.name } };
}

type Denial = (EntryOf<'tool.failed'> | EntryOf<'turn.refused'>)['data'];

function denied(at: number, { namespace, name }: Claim, { agent, code, reason, rule }: Denial) {
  const object = rule && [rule.kind, [rule.namespace, rule.name].filter(Boolean).join('/'), rule.path].filter(Boolean).join(' ');
  return {
    timestamp: timestamp(at),
    component: 'engine',
    outcome: 'denied',
    principal: { name: agent, method: 'run' },
    details: { task: `${namespace}/${name}`, code, ...(reason !== undefined && { reason }), ...(object !== undefined && { rule: object }) },
  };
}
