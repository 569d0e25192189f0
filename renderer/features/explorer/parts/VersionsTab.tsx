// Versions of an object's spec: who wrote each and when, the differences between any two, and the way back to one.
import type { Resource } from '@svc/shared/resource';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { FlaskConical } from 'lucide-react';
import { useState } from 'react';
import { api } from '../../../live/api.ts';
import { pageAddress } from '../../../navigation/addresses.ts';
import { choiceParam, numberParam, useSearchState } from '../../../navigation/search-state.ts';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { ErrorCard } from '../../../ui/feedback/ErrorCard.tsx';
import { LinkButton } from '../../../ui/button/LinkButton.tsx';
import { SegmentedControl } from '../../../ui/input/SegmentedControl.tsx';
import { Select } from '../../../ui/input/Select.tsx';
import { Skeleton, SkeletonLines } from '../../../ui/feedback/Skeleton.tsx';
import { useObject } from '../model/use-object.ts';
import { RestoreButton } from '../versions/RestoreButton.tsx';
import { VersionDiff } from '../versions/VersionDiff.tsx';
import { VersionList, type VersionEntry } from '../versions/VersionList.tsx';
import type { ObjectTabProps } from './OverviewTab.tsx';

/** 0 stands for the current version, and for the one before. */
const PARAMS = { version: numberParam(0), against: numberParam(0), look: choiceParam(['fields', 'yaml']) };
const LOOKS = [
  { value: 'fields', label: 'By field' },
  { value: 'yaml', label: 'YAML' },
] as const;
const PAGE = 50;
const PAGE_MAX = 1_000;

export function VersionsTab({ object }: ObjectTabProps) {
  const { kind, namespace, name } = object;
  const found = useObject(object);
  const [{ version }] = useSearchState(PARAMS);
  const [limit, setLimit] = useState(PAGE);
  const { data, error, isPending, isPlaceholderData, refetch } = useQuery(
    api.resources.versions.queryOptions({ kind, namespace, name, limit }, { placeholderData: keepPreviousData }),
  );
  if (error !== null && !data)
    return <ErrorCard error={error} title="The versions could not be loaded" onRetry={() => void refetch()} className="m-6" />;
  if (isPending || found.state !== 'there') return <SkeletonLines widths={['w-1/3', 'w-1/2']} className="p-6" />;
  const hasMore = data.continue !== undefined && limit < PAGE_MAX;
  // The version of the address is further down.
  if (hasMore && version > 0 && version < (data.items.at(-1)?.generation ?? 0)) setLimit(PAGE_MAX);
  const onMore = hasMore ? () => setLimit(Math.min(PAGE_MAX, limit * 4)) : undefined;
  return <Versions resource={found.resource} versions={data.items} loading={isPlaceholderData} onMore={onMore} />;
}

/** Query of the form of a new experiment, by the kinds whose versions it runs. */
const EXPERIMENT_QUERY: Readonly<Record<string, string>> = { Agent: 'agent', AgentSystem: 'system' };

function CompareOverCases({ resource: { kind, metadata } }: { readonly resource: Resource }) {
  const query = Object.hasOwn(EXPERIMENT_QUERY, kind) ? EXPERIMENT_QUERY[kind] : undefined;
  if (query === undefined) return null;
  return (
    <LinkButton size="sm" icon={<FlaskConical />} href={pageAddress(metadata.namespace, 'experiment', { [query]: metadata.name })}>
      Compare over cases
    </LinkButton>
  );
}

interface VersionsProps {
  readonly resource: Resource;
  readonly versions: readonly VersionEntry[];
  /** More versions are on their way. */
  readonly loading: boolean;
  readonly onMore: (() => void) | undefined;
}

function Versions({ resource, versions, loading, onMore }: VersionsProps) {
  const [{ version, against, look }, setState] = useSearchState(PARAMS);
  const at = Math.max(
    0,
    versions.findIndex(({ generation }) => generation === version),
  );
  const open = versions[at];
  const other =
    versions.find(({ generation }) => generation === against && generation !== open?.generation) ?? versions[at + 1] ?? versions[at - 1];
  if (!open) return null;
  // The older of both is always the left one.
  const [before, after] = other === undefined || other.generation < open.generation ? [other, open] : [open, other];
  return (
    <div className="grid items-start gap-4 p-6 max-sm:p-4 md:grid-cols-[14rem_minmax(0,1fr)] xl:grid-cols-[18rem_minmax(0,1fr)]">
      <VersionList
        versions={versions}
        open={open.generation}
        onOpen={(next) => setState({ version: next, against: 0 }, { push: true })}
        onMore={onMore}
      />
      <section aria-label={`Version ${open.generation}`} className="flex min-w-0 flex-col gap-3">
        <header className="flex flex-wrap items-center gap-2">
          <h2 className="text-md font-semibold">Version {open.generation}</h2>
          {other && (
            <label className="flex items-center gap-2 text-sm text-muted">
              compared with
              <Select
                className="w-40"
                value={String(other.generation)}
                options={versions.filter((each) => each !== open).map(optionOf)}
                onChange={(next) => setState({ against: Number(next) })}
              />
            </label>
          )}
          <span className="flex-1" />
          {other && (
            <SegmentedControl label="Form of the comparison" value={look} segments={LOOKS} onChange={(next) => setState({ look: next })} />
          )}
          <CompareOverCases resource={resource} />
          {open.replacedAt !== undefined && <Restore resource={resource} generation={open.generation} />}
        </header>
        {!loading && version > 0 && version !== open.generation && (
          <Banner tone="warn">
            Version {version} is not kept here. This is version {open.generation}, the newest one.
          </Banner>
        )}
        {before ? (
          <Comparison resource={resource} before={before.generation} after={after.generation} look={look} />
        ) : (
          <p className="text-muted">
            This is the only version. Each change of the spec adds one; the replaced spec stays here and can be restored.
          </p>
        )}
      </section>
    </div>
  );
}

function optionOf({ generation, replacedAt }: VersionEntry) {
  return { value: String(generation), label: `version ${generation}${replacedAt === undefined ? ' (current)' : ''}` };
}

function useVersion({ kind, metadata: { namespace, name } }: Resource, generation: number) {
  return useQuery(api.resources.version.queryOptions({ kind, namespace, name, generation }, { retry: false }));
}

function Restore({ resource, generation }: { readonly resource: Resource; readonly generation: number }) {
  const { data } = useVersion(resource, generation);
  return data ? <RestoreButton key={generation} resource={resource} version={data} /> : null;
}

interface ComparisonProps {
  readonly resource: Resource;
  readonly before: number;
  readonly after: number;
  readonly look: 'fields' | 'yaml';
}

function Comparison({ resource, before, after, look }: ComparisonProps) {
  const [left, right] = [useVersion(resource, before), useVersion(resource, after)];
  const failed = [left, right].find(({ error, data }) => error !== null && data === undefined);
  if (failed)
    return (
      <ErrorCard
        error={failed.error}
        title="The versions could not be compared"
        onRetry={() => void Promise.all([left.refetch(), right.refetch()])}
      />
    );
  if (!left.data || !right.data) return <Skeleton className="h-40" />;
  return <VersionDiff before={left.data} after={right.data} look={look} />;
}
