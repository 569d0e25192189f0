// Differences between two specs of an object: by field, texts word by word, or as YAML line by line.
import { isObject } from '@svc/shared/json';
import { useMemo } from 'react';
import { DiffView } from '../../../editor/DiffView.tsx';
import { JsonDiff } from '../../../editor/JsonDiff.tsx';
import { WordDiff } from '../../../editor/WordDiff.tsx';
import { Badge } from '../../../ui/status/Badge.tsx';
import { Card } from '../../../ui/layout/Card.tsx';
import { excerptOf } from '../../../ui/text/large-text.ts';
import { UntrustedText } from '../../../ui/text/UntrustedText.tsx';
import { toYaml } from '../../../yaml/serialise.ts';
import { specChanges, type SpecChange } from './spec-changes.ts';

interface Side {
  readonly generation: number;
  readonly spec: Readonly<Record<string, unknown>>;
}

export interface VersionDiffProps {
  readonly before: Side;
  readonly after: Side;
  readonly look: 'fields' | 'yaml';
}

/** Comparing word by word takes time quadratic in the difference. */
const COMPARED_MAX_CHARS = 50_000;

export function VersionDiff({ before, after, look }: VersionDiffProps) {
  const changes = useMemo(() => specChanges(before.spec, after.spec), [before.spec, after.spec]);
  const label = `Changes from version ${before.generation} to version ${after.generation}`;
  if (changes.length === 0)
    return (
      <Card>
        <p className="text-muted">Both versions have the same spec.</p>
      </Card>
    );
  if (look === 'yaml')
    return (
      <DiffView
        label={label}
        before={toYaml(before.spec)}
        after={toYaml(after.spec)}
        beforeLabel={`Version ${before.generation}`}
        afterLabel={`Version ${after.generation}`}
        className="h-[min(65vh,40rem)]"
      />
    );
  return (
    <ul aria-label={label} className="flex flex-col gap-3">
      {changes.map((change) => (
        <li key={change.path} className="rounded-lg border border-border bg-surface px-4 py-3 shadow-raised">
          <Change change={change} />
        </li>
      ))}
    </ul>
  );
}

function Change({ change: { path, before, after } }: { readonly change: SpecChange }) {
  return (
    <>
      <h3 className="mb-1.5 flex items-center gap-2 font-mono text-sm font-medium">
        <UntrustedText text={path} />
        {before === undefined && <Badge tone="ok">added</Badge>}
        {after === undefined && <Badge tone="danger">removed</Badge>}
      </h3>
      <Values label={path} before={before} after={after} />
    </>
  );
}

const isStructure = (value: unknown): boolean => isObject(value) || Array.isArray(value);
const isNames = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string') && new Set(value).size === value.length;
const excerpt = (text: string): string => excerptOf(text, COMPARED_MAX_CHARS).text;

function Values({ label, before, after }: { readonly label: string; readonly before: unknown; readonly after: unknown }) {
  const [left, right] = [before ?? [], after ?? []];
  if (isNames(left) && isNames(right) && (left.length > 0 || right.length > 0) && !sameNames(left, right))
    return <NameDiff before={left} after={right} />;
  if (isStructure(before) || isStructure(after)) return <JsonDiff label={label} before={before ?? null} after={after ?? null} />;
  if (typeof (before ?? '') === 'string' && typeof (after ?? '') === 'string')
    return <WordDiff before={excerpt((before ?? '') as string)} after={excerpt((after ?? '') as string)} />;
  return (
    <p className="flex flex-wrap items-center gap-2">
      {before !== undefined && <Removed text={excerpt(JSON.stringify(before))} />}
      {after !== undefined && <Added text={excerpt(JSON.stringify(after))} />}
    </p>
  );
}

/** Only their order differs. */
const sameNames = (before: readonly string[], after: readonly string[]): boolean =>
  before.length === after.length && before.every((name) => after.includes(name));

/** Names of both lists: the new list in its order, then the removed ones. */
function NameDiff({ before, after }: { readonly before: readonly string[]; readonly after: readonly string[] }) {
  return (
    <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
      {after.map((name) => (before.includes(name) ? <UntrustedText key={name} text={name} /> : <Added key={name} text={name} />))}
      {before
        .filter((name) => !after.includes(name))
        .map((name) => (
          <Removed key={name} text={name} />
        ))}
    </p>
  );
}

function Added({ text }: { readonly text: string }) {
  return (
    <ins className="rounded-xs bg-ok-soft px-1 text-ok decoration-1">
      <UntrustedText text={text} />
    </ins>
  );
}

function Removed({ text }: { readonly text: string }) {
  return (
    <del className="rounded-xs bg-danger-soft px-1 text-danger decoration-1">
      <UntrustedText text={text} />
    </del>
  );
}
