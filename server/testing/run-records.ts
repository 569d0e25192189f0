// Short questions to the record of a Task, as tests of runs ask them.
import type { RunTask, RunWorld } from './run-world.ts';

export const typesOf = ({ status }: RunTask) => status.trace.map(({ type }) => type);
export const entriesOf = ({ status }: RunTask, type: string) => status.trace.filter((entry) => entry['type'] === type);
export const historyOf = ({ status }: RunTask) => status.history.map(({ type }) => type);
/** `from>to phase` of every message. */
export const messagesOf = ({ status }: RunTask) =>
  status.messages.map(({ from_agent, to_agent, phase }) => `${String(from_agent)}>${String(to_agent)} ${String(phase)}`);

/** Waits until a read of the Task satisfies `holds`, and returns it. */
export async function untilTask(world: RunWorld, name: string, holds: (task: RunTask) => boolean): Promise<RunTask> {
  for (;;) {
    const task = (await world.request('GET', `/v1/tasks/${name}`)).body as RunTask;
    if (holds(task)) return task;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
