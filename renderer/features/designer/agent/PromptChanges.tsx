// Changes of a prompt against the stored one, or against an earlier version, which can be taken over.
import { useQuery } from '@tanstack/react-query';
import { RotateCcw } from 'lucide-react';
import { useState } from 'react';
import { specOf } from '../../../kinds/read.ts';
import { api } from '../../../live/api.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Field } from '../../../ui/input/Field.tsx';
import { Select } from '../../../ui/input/Select.tsx';
import { Skeleton } from '../../../ui/feedback/Skeleton.tsx';
import { WordDiff } from '../../../editor/WordDiff.tsx';
import type { DraftObject } from '../document/drafts.ts';

export interface PromptChangesProps {
  readonly agent: DraftObject;
  readonly prompt: string;
  /** The stored prompt; undefined for a new agent. */
  readonly stored: string | undefined;
  readonly readOnly: boolean;
  readonly onChange: (prompt: string) => void;
}

const VERSIONS_MAX = 100;
const STORED = 'stored';

/** The prompt of a version; undefined while it is read. */
function useVersionPrompt({ kind, namespace, name }: DraftObject, generation: number): string | undefined {
  const { data } = useQuery({
    ...api.resources.version.queryOptions({ kind, namespace, name, generation: Math.max(1, generation) }),
    enabled: generation > 0,
  });
  return data && (specOf('Agent', data).prompt ?? '');
}

export function PromptChanges({ agent, prompt, stored, readOnly, onChange }: PromptChangesProps) {
  const { kind, namespace, name } = agent;
  const [against, setAgainst] = useState(STORED);
  const { data } = useQuery({
    ...api.resources.versions.queryOptions({ kind, namespace, name, limit: VERSIONS_MAX }),
    enabled: stored !== undefined,
  });
  const version = useVersionPrompt(agent, against === STORED ? 0 : Number(against));
  if (stored === undefined) return <p className="text-muted">The agent is new: nothing is stored to compare with.</p>;
  const before = against === STORED ? stored : version;
  const earlier = (data?.items ?? []).filter(({ replacedAt }) => replacedAt !== undefined);
  return (
    <div className="flex min-h-0 flex-col gap-2">
      <div className="flex items-end gap-2">
        <Field label="Compared with" className="flex-1">
          <Select
            value={against}
            options={[
              { value: STORED, label: 'The stored prompt' },
              ...earlier.map(({ generation, createdBy }) => ({
                value: String(generation),
                label: `Version ${generation}${createdBy === undefined ? '' : `, by ${createdBy}`}`,
              })),
            ]}
            onChange={setAgainst}
          />
        </Field>
        {!readOnly && (
          <Button
            icon={<RotateCcw />}
            disabledReason={before === undefined ? 'The version is being read' : before === prompt ? 'It is the same prompt' : undefined}
            onClick={() => onChange(before ?? '')}
          >
            Use this prompt
          </Button>
        )}
      </div>
      {before === undefined ? (
        <Skeleton className="h-20 w-full" />
      ) : before === prompt ? (
        <p className="text-muted">No changes.</p>
      ) : (
        <div
          tabIndex={0}
          role="region"
          aria-label="Changes of the prompt"
          className="max-h-[50vh] overflow-auto rounded-md border border-border bg-surface p-3"
        >
          <WordDiff before={before} after={prompt} />
        </div>
      )}
    </div>
  );
}
