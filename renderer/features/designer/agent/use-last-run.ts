// Message that an agent received in the last run of its system: the input, and the outputs of the agents before it.
import type { Resource } from '@svc/shared/resource';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { specOf } from '../../../kinds/read.ts';
import { api } from '../../../live/api.ts';

export interface LastInput {
  /** Empty when the system never ran. */
  readonly task: string;
  readonly input: Readonly<Record<string, string>>;
}

const NEVER: LastInput = { task: '', input: {} };
const MESSAGES_MAX = 200;

function inputOf(task: Resource | undefined): LastInput {
  if (!task) return NEVER;
  const { input } = specOf('Task', task);
  return { task: task.metadata.name, input };
}

/** `system` is empty while it has no name. */
export function useLastInput(namespace: string, system: string): LastInput {
  const wanted = { kind: 'Task', namespace, fieldSelector: `spec.system=${system}`, order: '-createdAt', limit: 1 } as const;
  const { data } = useQuery({ ...api.resources.list.queryOptions(wanted), enabled: system !== '' });
  return useMemo(() => inputOf(data?.items[0]), [data]);
}

/** `key: value` lines, as a run renders its input. */
function taskText(input: Readonly<Record<string, string>>): string {
  return Object.entries(input)
    .map(([key, value]) => (value.includes('\n') ? `${key}:\n${value}` : `${key}: ${value}`))
    .join('\n');
}

/** The user message that the agent received in that run. Without a run: the headings that it will have. */
export function useLastMessage(
  { task, input }: LastInput,
  { namespace, name: agent }: { readonly namespace: string; readonly name: string },
  sources: readonly string[],
): string {
  const { data } = useQuery({
    ...api.runs.messages.queryOptions({ namespace, name: task, limit: MESSAGES_MAX }),
    enabled: task !== '' && sources.length > 0,
  });
  return useMemo(() => {
    const text = taskText(input);
    if (sources.length === 0) return text;
    const said = new Map(
      (data?.messages ?? []).filter((each) => each.to_agent === agent).map((each) => [each.from_agent ?? '', each.content]),
    );
    return [`# Task input\n${text}`, ...sources.map((source) => `# From ${source}\n${said.get(source) ?? ''}`)].join('\n\n');
  }, [data, input, agent, sources]);
}
