// Continues or ends a run that waits at a breakpoint: a signal, sent once for each turn that waits.
import { invalidFields, ServiceError } from '@svc/shared/errors';
import type { Resource } from '@svc/shared/resource';
import { timestamp, type Clock } from '../../clock.ts';
import { requireRole } from '../../registry/authorise.ts';
import { toResource } from '../../registry/mapping.ts';
import { checkUid } from '../../registry/precondition.ts';
import type { RequestContext } from '../../registry/registry.ts';
import { addCreator } from '../../registry/own-writes.ts';
import { recordWritten } from '../../registry/written.ts';
import type { Store, StoredObject, StoreTransaction } from '../../store/store.ts';
import { wakeItem } from '../../store/wake-item.ts';
import { transactAgain } from '../../store/write-race.ts';
import { openStops, type ContinueRequest, type OpenStop } from '../core/breakpoints.ts';
import { EDITED_MAX_BYTES } from '../core/limits.ts';
import { foldJournal } from '../shell/fold-journal.ts';
import { CONTINUE_SIGNAL } from '../shell/signals.ts';
import { TASK_QUEUE } from '../task-queue.ts';
import type { ContinueBody, MeantTask } from './run-service.ts';

export interface ContinueOptions {
  readonly store: Store;
  readonly clock: Clock;
}

/**
 * Answers with the current Task; its run continues within moments. Throws `conflict` when it does not wait at that breakpoint, or when
 * several turns wait and `at` names none; `invalid` for a text that does not fit the place.
 */
export async function continueTask(
  { store, clock }: ContinueOptions,
  { uid, ...ref }: MeantTask,
  { context, body }: { readonly context: RequestContext; readonly body: ContinueBody },
): Promise<Resource> {
  requireRole(context, 'writer', 'continuing a Task');
  const key = { kind: 'Task', ...ref };
  return transactAgain(store, async (tx) => {
    const task = await tx.getObjectForUpdate(key);
    if (!task) throw new ServiceError('not_found', `Task ${ref.namespace}/${ref.name} does not exist`);
    checkUid(key, task.uid, uid);
    const now = clock.now();
    const found = chosen(task, await waiting(tx, task, now), body.at);
    const value = editedText(found, body);
    recordWritten(tx, { action: 'task.continue', by: context, object: task });
    const end = body.end ? (body.reason ?? '') : undefined;
    const request: ContinueRequest = { turnId: found.turn.id, by: context.identity.name, end, value };
    await tx.sendSignal(TASK_QUEUE, { stream: task.uid, type: CONTINUE_SIGNAL, timestamp: timestamp(now), data: { ...request } });
    await wakeItem(tx, { queue: TASK_QUEUE, key: task.uid }, now);
    // The author of a replaced text decides what the run does next.
    return toResource(value === undefined ? task : await addCreator(tx, task, { by: context.identity.name, now }));
  });
}

/** Turns that wait and were not continued yet. */
async function waiting(tx: StoreTransaction, task: StoredObject, now: number): Promise<OpenStop[]> {
  const { state } = await foldJournal(tx, task.uid);
  if (state.status !== 'running') return [];
  const signals = await tx.readSignals(task.uid);
  const said = new Set(signals.filter(({ type }) => type === CONTINUE_SIGNAL).map(({ data }) => data['turnId']));
  return openStops(state).filter(({ turn, stop }) => !said.has(turn.id) && stop.expiresAt > now);
}

function chosen({ namespace, name }: StoredObject, stops: readonly OpenStop[], at: string | undefined): OpenStop {
  const full = `Task ${namespace}/${name}`;
  const fitting = at === undefined ? stops : stops.filter(({ turn }) => turn.id === at || turn.agent.name === at);
  const [first, second] = fitting;
  if (!first)
    throw new ServiceError(
      'conflict',
      `${full} does not wait at a breakpoint${at === undefined ? '' : ` at ${at}`}; status.blockedOn names the place where a run waits`,
    );
  if (!second) return first;
  const names = fitting.map(({ turn, stop }) => `${stop.place} ${turn.agent.name} (${turn.id})`);
  throw new ServiceError('conflict', `${full} waits at several breakpoints: ${names.join(', ')}; name one of these turns in "at"`);
}

function editedText({ stop, turn }: OpenStop, { input, output, end }: ContinueBody): string | undefined {
  const [wanted, other] = stop.place === 'before' ? (['input', 'output'] as const) : (['output', 'input'] as const);
  const texts = { input, output };
  const refuse = (path: string, message: string) => invalidFields('The continue request', [{ path, message }]);
  if (texts[other] !== undefined)
    throw refuse(other, `does not fit: the run waits ${stop.place} ${turn.agent.name}, where ${wanted} can be changed`);
  const text = texts[wanted];
  if (text !== undefined && end) throw refuse(wanted, 'does not go with end');
  if (text !== undefined && Buffer.byteLength(text) > EDITED_MAX_BYTES) throw refuse(wanted, `must have at most ${EDITED_MAX_BYTES} bytes`);
  return text;
}
