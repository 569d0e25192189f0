// `status.history[]`: the Task's life in phases.
import type { HistoryEntry } from '@svc/shared/kinds/task/records';
import type { DataOf, Entry, EntryOf } from '../core/entries.ts';
import { pauseText } from '../core/pause-state.ts';

/** State behind the entries read so far, from which the records of later entries are made. */
export interface HistoryPlace {
  readonly worker: string;
  readonly retrying: boolean;
  readonly parked: boolean;
}

const START: HistoryPlace = { worker: '', retrying: false, parked: false };

export interface HistoryView {
  readonly add: (entry: Entry) => void;
  readonly items: HistoryEntry[];
  readonly place: () => HistoryPlace;
}

/** From the start of a journal, or from a place in it. */
export function createHistoryView(from = START): HistoryView {
  const items: HistoryEntry[] = [];
  let { worker, retrying, parked } = from;
  const add = (entry: Entry) => {
    const push = (type: HistoryEntry['type'], message: string) =>
      items.push({ timestamp: new Date(entry.at).toISOString(), type, worker, message });
    switch (entry.type) {
      case 'run.claimed':
        worker = entry.data.worker;
        retrying = false;
        if (entry.data.takeover) return push('takeover', takeoverText(entry.data));
        return push('claim', claimText(entry.data));
      case 'run.started':
        return push('running', `attempt ${entry.data.attempt} began`);
      case 'run.restored':
        return push('running', `continues from checkpoint ${entry.data.checkpoint_id}`);
      case 'run.released':
        if (entry.data.cause === 'shutdown') return push('released', `released by ${worker} at a safe point`);
        // The pause itself is an entry of its own.
        if (entry.data.cause === 'paused') return;
        // The entry that reached it reports the breakpoint.
        if (entry.data.cause === 'breakpoint') return;
        if (entry.data.cause === 'approval_wait') {
          parked = true;
          return push('waiting_approval', `waits for ${waitsOf(entry.data)}`);
        }
        // The entry that scheduled the next attempt already reported the wait.
        return retrying ? undefined : push('retry_scheduled', `waits until ${new Date(entry.data.until ?? entry.at).toISOString()}`);
      case 'approval.resolved':
      case 'review.resolved': {
        const resumes = parked && GOES_ON.has(entry.data.decision);
        parked = false;
        return resumes ? push('resumed', resumption(entry)) : undefined;
      }
      case 'breakpoint.reached':
        return push('breakpoint', `waits at the breakpoint ${entry.data.place} ${entry.data.agent}`);
      case 'breakpoint.resolved': {
        const { decision, by, place, agent } = entry.data;
        return decision === 'continued' ? push('resumed', `continued ${place} ${agent} by ${by ?? 'somebody'}`) : undefined;
      }
      case 'run.paused':
        return push('paused', pauseText(entry.data));
      case 'run.resumed':
        return push('resumed', `resumed${entry.data.by === '' ? '' : ` by ${entry.data.by}`}`);
      case 'run.retry_scheduled':
        retrying = true;
        return push(
          'retry_scheduled',
          `attempt ${entry.data.attempt + 1} at ${new Date(entry.data.next_attempt_at).toISOString()}: ${entry.data.message}`,
        );
      case 'run.completed':
        return push('succeeded', 'the run succeeded');
      case 'run.failed':
        return push(failedType(entry.data.code, entry.data.phase), entry.data.message);
      default:
        return;
    }
  };
  return { add, items, place: () => ({ worker, retrying, parked }) };
}

/** Text of a claim. A run that was released to be held alone shows how often it was lost before. */
export function claimText({ worker, takeovers = 0 }: DataOf<'run.claimed'>): string {
  return takeovers > 0 ? `claimed by ${worker} after ${takeovers} takeovers without progress` : `claimed by ${worker}`;
}

/** The same sentence in the history and in the trace. Entries of older versions do not name the former owner. */
export function takeoverText({ worker, from, ended }: DataOf<'run.claimed'>): string {
  if (from === undefined) return `taken over by ${worker} after the lease of its owner ran out`;
  const former = from === worker ? 'its former process' : from;
  return ended
    ? `taken over by ${worker}: ${former === from ? `the process of ${from}` : former} had ended`
    : `taken over by ${worker} after the lease of ${former} ran out`;
}

const GOES_ON: ReadonlySet<string> = new Set(['approved', 'request_changes']);

function waitsOf({ approvals = [], reviews = [] }: DataOf<'run.released'>): string {
  const named = (kind: string, names: readonly string[]) => (names.length > 0 ? [`${kind} ${names.join(', ')}`] : []);
  return [...named('ToolApproval', approvals), ...named('TaskApproval', reviews)].join(' and ');
}

function resumption({ type, data }: EntryOf<'approval.resolved'> | EntryOf<'review.resolved'>): string {
  const by = data.decided_by ?? 'somebody';
  if (type === 'review.resolved')
    return `TaskApproval ${data.name} was ${data.decision === 'approved' ? 'approved' : 'sent back for changes'} by ${by}`;
  const how = data.outcome ?? (data.edited_input ? 'with edited input' : undefined);
  return `ToolApproval ${data.name} was approved by ${by}${how === undefined ? '' : `: ${how}`}`;
}

function failedType(code: string, phase: string): HistoryEntry['type'] {
  if (code === 'cancelled') return 'cancelled';
  return phase === 'DeadLetter' ? 'deadletter' : 'failed';
}
