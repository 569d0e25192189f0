// Result of an import, document by document.
import { isObject } from '@svc/shared/json';
import { CircleCheck } from 'lucide-react';
import { KindIcon } from '../../../kinds/KindIcon.tsx';
import { kindAddress, objectAddress } from '../../../navigation/addresses.ts';
import { useScope } from '../../../navigation/scope.ts';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { Button } from '../../../ui/button/Button.tsx';
import { Link } from '../../../ui/link/Link.tsx';
import { LinkButton } from '../../../ui/button/LinkButton.tsx';
import type { ImportDocument } from './import-documents.ts';
import type { AppliedImport } from './use-import.ts';
import { VerdictBadge } from './VerdictBadge.tsx';

export interface ImportResultProps {
  readonly applied: AppliedImport;
  readonly namespace: string;
  readonly onAgain: () => void;
}

/** Next steps by kind, the main one first. */
const NEXT = [
  { kind: 'Task', one: 'Watch the run', many: 'Show the runs' },
  { kind: 'AgentSystem', one: 'Open the system', many: 'Show the systems' },
] as const;

function NextSteps({ documents, namespace }: { readonly documents: readonly ImportDocument[]; readonly namespace: string }) {
  const { scope } = useScope();
  const steps = NEXT.flatMap(({ kind, one, many }) => {
    const [first, ...others] = documents.filter((document) => document.kind === kind && !isTemplate(document));
    if (!first) return [];
    const object = { kind, name: first.name, namespace: first.namespace || namespace };
    return [others.length === 0 ? { label: one, href: objectAddress(object, scope) } : { label: many, href: kindAddress(scope, kind) }];
  });
  return steps.map(({ label, href }, index) => (
    <LinkButton key={label} variant={index === 0 ? 'primary' : 'secondary'} href={href}>
      {label}
    </LinkButton>
  ));
}

function isTemplate({ body }: ImportDocument): boolean {
  return isObject(body?.spec) && body.spec.mode === 'template';
}

export function ImportResult({ applied, namespace, onAgain }: ImportResultProps) {
  const { scope } = useScope();
  const { verdicts, documents } = applied;
  return (
    <>
      <Banner
        tone="ok"
        icon={<CircleCheck />}
        action={
          <>
            <Button onClick={onAgain}>Import more</Button>
            <NextSteps documents={documents} namespace={namespace} />
          </>
        }
      >
        {documents.length === 1 ? 'The document was' : `All ${documents.length} documents were`} applied, in one transaction.
      </Banner>
      <ul aria-label="Results" className="min-h-0 flex-1 overflow-auto" tabIndex={0}>
        {documents.map(({ id, kind, name, namespace: own }) => (
          <li key={id} className="flex min-h-row items-center gap-2 border-b border-border/60 px-6 py-1 max-sm:px-4">
            <span aria-hidden className="text-faint [&_svg]:size-4">
              <KindIcon kind={kind} />
            </span>
            <Link href={objectAddress({ kind, name, namespace: own || namespace }, scope)} className="min-w-0 truncate font-medium">
              {name}
            </Link>
            <span className="min-w-0 flex-1 truncate text-muted">
              {kind} in {own || namespace}
            </span>
            <VerdictBadge done state={verdicts.get(id)?.state} />
          </li>
        ))}
      </ul>
    </>
  );
}
