// Message that an agent received in the last run of its system: the input, and the outputs of the agents before it.
import type { Resource } from '@svc/shared/resource';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { specOf } from '../../../kinds/read.ts';
import { api } from '../../../live/api.ts';
import { asRun, isTemplate } from '../../runs/model/run.ts';
import { firstRows, isTurn, pastInputs, withoutTurn } from '../run/run-input.ts';

export interface LastInput {
  /** Empty when the system never ran. */
  readonly task: string;
  /** Without a run: that of a case, or the keys with which the form of a run begins. */
  readonly input: Readonly<Record<string, string>>;
  /** The input as an agent receives it. */
  readonly text: string;
}

const READ_MAX = 20;
const MESSAGES_MAX = 200;

const inputOf = (task: Resource) => specOf('Task', task).input;

/** A run that came through no Session has the input that the next run will have. */
export function lastInput(tasks: readonly Resource[]): LastInput {
  const runs = tasks.filter((task) => !isTemplate(asRun(task)));
  const run = runs.find((task) => !isTurn(inputOf(task))) ?? runs[0];
  const input = run ? inputOf(run) : Object.fromEntries(firstRows(pastInputs(tasks)).map(({ key, value }) => [key, value]));
  const own = withoutTurn(input);
  // The message of a turn without other values is sent as it was written.
  const bare = isTurn(input) && Object.keys(own).every((key) => key === 'message');
  return { task: run?.metadata.name ?? '', input: own, text: bare ? (own['message'] ?? '') : taskText(input) };
}

/** `system` is empty while it has no name. */
export function useLastInput(namespace: string, system: string): LastInput {
  const wanted = { kind: 'Task', namespace, fieldSelector: `spec.system=${system}`, order: '-createdAt', limit: READ_MAX } as const;
  const { data } = useQuery({ ...api.resources.list.queryOptions(wanted), enabled: system !== '' });
  return useMemo(() => lastInput(data?.items ?? []), [data]);
}

/** `key: value` lines, as a run renders its input. */
function taskText(input: Readonly<Record<string, string>>): string {
  return Object.entries(input)
    .map(([key, value]) => (value.includes('\n') ? `${key}:\n${value}` : `${key}: ${value}`))
    .join('\n');
}

export interface LastMessage {
  readonly message: string;
  /** False where no agent before it answered in that run. */
  readonly answered: boolean;
}

/** The user message that the agent received in that run. Without a run: the headings that it will have. */
export function useLastMessage(
  { task, text }: LastInput,
  { namespace, name: agent }: { readonly namespace: string; readonly name: string },
  sources: readonly string[],
): LastMessage {
  const { data } = useQuery({
    ...api.runs.messages.queryOptions({ namespace, name: task, limit: MESSAGES_MAX }),
    enabled: task !== '' && sources.length > 0,
  });
  return useMemo(() => {
    if (sources.length === 0) return { message: text, answered: true };
    const said = new Map(
      (data?.messages ?? []).filter((each) => each.to_agent === agent).map((each) => [each.from_agent ?? '', each.content]),
    );
    const parts = [`# Task input\n${text}`, ...sources.map((source) => `# From ${source}\n${said.get(source) ?? ''}`)];
    return { message: parts.join('\n\n'), answered: sources.some((source) => said.has(source)) };
  }, [data, text, agent, sources]);
}
