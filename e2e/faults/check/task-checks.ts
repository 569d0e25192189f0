// Invariants of Tasks: acknowledged ones exist, started ones have ended, and outputs are right.
import { TASK_TERMINAL_PHASES } from '@svc/shared/kinds/task/schema';
import type { StoredObject } from '../../../server/store/store.ts';
import { expectedAttempts, expectedOutput, MAX_ATTEMPTS } from '../world/play.ts';
import type { Evidence, Violation } from './evidence.ts';

export const isTerminal = (phase: unknown): boolean => (TASK_TERMINAL_PHASES as readonly unknown[]).includes(phase);

const text = (value: unknown) => JSON.stringify(value);

/** An empty set satisfies every invariant. */
export function somethingHappened({ acknowledged, calls }: Evidence): Violation[] {
  const invariant = 'tasks were created and made calls';
  return acknowledged.size > 0 && calls.length > 0 ? [] : [{ invariant, detail: `${acknowledged.size} tasks, ${calls.length} calls` }];
}

/** An acknowledged Task exists with the content it was acknowledged with; one that was never sent does not exist. */
export function acknowledgedExists({ acknowledged, sent, tasks }: Evidence): Violation[] {
  const invariant = 'an acknowledged task exists with its content';
  const stored = new Map(tasks.map((task) => [task.name, task]));
  const lost = [...acknowledged.values()].flatMap(({ plan }): Violation[] => {
    const found = stored.get(plan.name);
    if (!found) return [{ invariant, task: plan.name, detail: 'it was acknowledged and is not in the store' }];
    const same = text(found.spec['input']) === text(plan.input) && found.spec['system'] === plan.system;
    return same ? [] : [{ invariant, task: plan.name, detail: `it was acknowledged as ${text(plan)} and holds ${text(found.spec)}` }];
  });
  const unknown = tasks
    .filter(({ name, labels }) => !sent.has(name) && labels['svc.dev/created-by'] === undefined)
    .map(({ name }) => ({ invariant, task: name, detail: 'nobody ever created it' }));
  return [...lost, ...unknown];
}

/** Every Task has ended, with the right output, after the attempts it should have taken, and its queue is empty. */
export function endViolations({ tasks, sent, workLeft }: Evidence): Violation[] {
  const queue = workLeft === 0 ? [] : [{ invariant: 'the work queue is empty at the end', detail: `${workLeft} items are left` }];
  return [...queue, ...tasks.flatMap((task) => endOf(task, sent))];
}

function endOf(task: StoredObject, sent: Evidence['sent']): Violation[] {
  const { name, status } = task;
  const plan = sent.get(name);
  const { phase, attempts } = status;
  if (!isTerminal(phase)) return [{ invariant: 'every task ends', task: name, detail: `its phase is ${text(phase)}` }];
  const found: Violation[] = [];
  if (typeof attempts !== 'number' || attempts > MAX_ATTEMPTS)
    found.push({ invariant: 'no task has more attempts than its maximum', task: name, detail: `${text(attempts)} of ${MAX_ATTEMPTS}` });
  if (!plan) return found;
  const output = (status['output'] as { last_output?: string } | undefined)?.last_output;
  const outcome = plan.poison ? { phase: 'DeadLetter', output: '' } : { phase: 'Succeeded', output: expectedOutput(plan) };
  const expected = { ...outcome, attempts: expectedAttempts(plan) };
  const actual = { phase, output, attempts };
  if (text(actual) !== text(expected))
    found.push({
      invariant: 'the outcome of every task follows from its input',
      task: name,
      detail: `expected ${text(expected)}, found ${text(actual)}${status['lastError'] === undefined ? '' : `, lastError ${text(status['lastError'])}`}`,
    });
  return found;
}

/** A Task reaches its end once: no change follows the one that ended it, and one fact records the end. */
export function endsOnce({ changes }: Evidence): Violation[] {
  const invariant = 'a task ends once and is then never written again';
  const ended = new Map<string, number>();
  const facts = new Map<string, number>();
  const found: Violation[] = [];
  for (const { kind, name, seq, object, fact } of changes) {
    if (kind !== 'Task') continue;
    const end = ended.get(name);
    if (end !== undefined && object) found.push({ invariant, task: name, detail: `change ${seq} comes after its end in change ${end}` });
    if (object && isTerminal(object.status['phase'])) ended.set(name, seq);
    if (fact?.type === 'task.succeeded') facts.set(name, (facts.get(name) ?? 0) + 1);
  }
  for (const [name, count] of facts) if (count > 1) found.push({ invariant, task: name, detail: `${count} facts say that it succeeded` });
  return found;
}
