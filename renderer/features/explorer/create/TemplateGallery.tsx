// Choice of templates for a new object.
import { useQuery } from '@tanstack/react-query';
import { Copy, FileText, ListTree, Shapes } from 'lucide-react';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { KindIcon } from '../../../kinds/KindIcon.tsx';
import type { KindSummary } from '../../../kinds/kind-summary.ts';
import { client } from '../../../live/api.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Combobox } from '../../../ui/input/Combobox.tsx';
import { ErrorCard } from '../../../ui/feedback/ErrorCard.tsx';
import { Section } from '../../../ui/layout/Section.tsx';
import { Skeleton } from '../../../ui/feedback/Skeleton.tsx';
import { kindWord } from '../object-text.ts';
import { templatesQuery, type Start, type Template } from '../model/templates.ts';

export interface TemplateGalleryProps {
  readonly kind: KindSummary;
  readonly namespace: string;
  readonly start: Start;
  readonly onChoose: (change: Partial<Start>) => void;
  /** Stands above the templates. */
  readonly children?: ReactNode;
}

const OFFERED = 20;
const GENERATED: Readonly<Record<string, ReactNode>> = { minimal: <FileText />, full: <ListTree /> };

export function TemplateGallery({ kind, namespace, start, onChoose, children }: TemplateGalleryProps) {
  const { data, error, refetch } = useQuery(templatesQuery(kind, namespace, start));
  if (error !== null)
    return <ErrorCard error={error} title="The templates could not be loaded" onRetry={() => void refetch()} className="m-6 max-w-3xl" />;
  const made = (data ?? []).filter(({ id }) => id in GENERATED);
  const samples = (data ?? []).filter(({ id }) => !(id in GENERATED));
  const choose = (id: string) => onChoose({ template: id });
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-6 overflow-auto px-6 pt-1 pb-6 max-sm:px-4">
      {children}
      <Section title="Blank">
        {data ? <Cards templates={made} iconOf={({ id }) => GENERATED[id]} onChoose={choose} /> : <Waiting />}
      </Section>
      {samples.length > 0 && (
        <Section title="From a blueprint" description="Working examples that ship with the service.">
          <Cards templates={samples} iconOf={() => <Shapes />} onChoose={choose} />
        </Section>
      )}
      <Section title="Copy an existing one" description={`Copy any ${kindWord(kind.kind, 1)} under a new name.`}>
        <Duplicate kind={kind} onChoose={(from) => onChoose({ from })} />
      </Section>
    </div>
  );
}

function Waiting() {
  return (
    <div className="grid gap-3 sm:grid-cols-2 lg:grid-cols-3" aria-busy>
      <Skeleton className="h-18" />
      <Skeleton className="h-18" />
    </div>
  );
}

interface CardsProps {
  readonly templates: readonly Template[];
  readonly iconOf: (template: Template) => ReactNode;
  readonly onChoose: (id: string) => void;
}

function Cards({ templates, iconOf, onChoose }: CardsProps) {
  return (
    <ul className="grid gap-3 sm:grid-cols-2 lg:grid-cols-3">
      {templates.map((template) => (
        <li key={template.id}>
          <button
            type="button"
            onClick={() => onChoose(template.id)}
            className="flex h-full w-full items-start gap-3 rounded-lg border border-border bg-surface p-4 text-left shadow-raised transition-colors hover:border-border-strong hover:bg-hover"
          >
            <span aria-hidden className="mt-0.5 text-accent-text [&_svg]:size-4">
              {iconOf(template)}
            </span>
            <span className="min-w-0">
              <span className="block font-semibold [overflow-wrap:anywhere]">{template.title}</span>
              <span className="block text-sm text-muted">{template.summary}</span>
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}

function Duplicate({ kind, onChoose }: { readonly kind: KindSummary; readonly onChoose: (key: string) => void }) {
  const [key, setKey] = useState('');
  const offer = async (text: string, signal: AbortSignal) => {
    if (text === '') {
      const { items } = await client.resources.list.query({ kind: kind.kind, order: '-createdAt', limit: OFFERED }, { signal });
      return items.map(({ metadata }) => ({ value: `${metadata.namespace}/${metadata.name}` }));
    }
    const hits = await client.resources.search.query({ text: `${kind.kind}:${text}`, limit: OFFERED }, { signal });
    return hits.map(({ namespace, name }) => ({ value: `${namespace}/${name}` }));
  };
  return (
    <div className="flex max-w-xl gap-2">
      <span aria-hidden className="mt-2 text-faint [&_svg]:size-4">
        <KindIcon kind={kind.kind} />
      </span>
      <Combobox
        aria-label={`The ${kindWord(kind.kind, 1)} to duplicate`}
        placeholder="Namespace and name"
        value={key}
        onChange={setKey}
        options={offer}
        className="flex-1"
      />
      <Button icon={<Copy />} disabled={!key.includes('/')} onClick={() => onChoose(key)}>
        Duplicate
      </Button>
    </div>
  );
}
