// Namespace and version of the system that a retry runs with.
import { staysReason, systemAt, type RetryTarget } from '@svc/shared/kinds/task/retry-target';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../../live/api.ts';
import { problemOf } from '../../../live/problem.ts';
import { Combobox } from '../../../ui/input/Combobox.tsx';
import { Field } from '../../../ui/input/Field.tsx';
import { Select } from '../../../ui/input/Select.tsx';
import type { Run } from '../model/run.ts';

const VERSIONS_MAX = 100;

/** Versions of the system at the target, and the reason why it cannot run there. */
export function useTargetSystem(run: Run, { namespace }: RetryTarget) {
  const system = systemAt(run.spec, namespace);
  const { data, error } = useQuery(api.resources.versions.queryOptions({ ...system, limit: VERSIONS_MAX }, { retry: false }));
  const missing = error !== null && problemOf(error).code === 'not_found';
  const problem = missing ? `There is no system ${system.name} in ${system.namespace}.` : undefined;
  return { versions: data?.items ?? [], problem };
}

export interface RetryTargetFieldsProps {
  readonly run: Run;
  readonly target: RetryTarget;
  readonly system: ReturnType<typeof useTargetSystem>;
  readonly onChange: (target: RetryTarget) => void;
}

export function RetryTargetFields({ run, target, system, onChange }: RetryTargetFieldsProps) {
  const { namespace, generation } = target;
  const { data: namespaces = [] } = useQuery(api.server.namespaces.queryOptions());
  const own = run.metadata.namespace;
  const stays = staysReason(run.spec);
  const options = [...new Set([own, ...namespaces])].map((value) => ({ value }));
  const earlier = system.versions.filter(({ replacedAt }) => replacedAt !== undefined);
  const versions = [
    { value: '0', label: 'Current definitions' },
    ...earlier.map((version) => ({
      value: String(version.generation),
      label: `Version ${version.generation}${version.createdBy === undefined ? '' : `, by ${version.createdBy}`}`,
    })),
  ];
  const kept = versions.some(({ value }) => value === String(generation));
  return (
    <div className="grid grid-cols-2 gap-3 max-sm:grid-cols-1">
      <Field
        label="Namespace"
        error={system.problem}
        hint={stays ?? (namespace === own ? undefined : `Runs with the agents, tools and Secrets of ${namespace}.`)}
      >
        <Combobox
          value={namespace}
          disabled={stays !== undefined}
          options={options}
          onChange={(chosen) => onChange({ namespace: chosen, generation: chosen === own ? generation : 0 })}
        />
      </Field>
      <Field
        label="Version of the system"
        hint={
          generation === 0
            ? undefined
            : 'Runs as a trial: averages and success of the system leave it out. Agents and tools are the current ones.'
        }
      >
        <Select
          value={String(generation)}
          options={kept ? versions : [...versions, { value: String(generation), label: `Version ${generation}` }]}
          onChange={(chosen) => onChange({ namespace, generation: Number(chosen) })}
        />
      </Field>
    </div>
  );
}
