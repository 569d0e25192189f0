// Version of this server, its documentation, and a report for support.
import { useQuery } from '@tanstack/react-query';
import { BookOpen, Download, Server } from 'lucide-react';
import { serverName, withBase } from '../../ui/link/base-path.ts';
import { useHello } from '../../sign-in/use-hello.ts';
import { useScope } from '../../navigation/scope.ts';
import { pageAddress, welcomeAddress } from '../../navigation/addresses.ts';
import { api } from '../../live/api.ts';
import { Button } from '../../ui/button/Button.tsx';
import { Card } from '../../ui/layout/Card.tsx';
import { CopyButton } from '../../ui/button/CopyButton.tsx';
import { DescriptionList } from '../../ui/layout/DescriptionList.tsx';
import { download } from '../../ui/text/large-text.ts';
import { Link } from '../../ui/link/Link.tsx';
import { Mono } from '../../ui/text/Mono.tsx';
import { ExportCard } from './ExportCard.tsx';
import { diagnosticsOf } from './diagnostics.ts';

export function AboutTab() {
  const hello = useHello();
  const capabilities = useQuery(api.server.capabilities.queryOptions());
  const bundle = () =>
    JSON.stringify(
      diagnosticsOf({
        version: hello?.version ?? '',
        build: hello?.build ?? '',
        authEnabled: hello?.authEnabled ?? false,
        role: hello?.identity.role ?? '',
        capabilities: capabilities.data ?? [],
        address: window.location.href,
        userAgent: navigator.userAgent,
      }),
      null,
      2,
    );
  return (
    <div className="grid max-w-5xl items-start gap-4 p-6 max-sm:p-4 lg:grid-cols-2">
      <Card title="This server">
        <DescriptionList
          items={[
            { term: 'Address', detail: <Mono>{serverName()}</Mono> },
            { term: 'Version', detail: hello?.version ?? '–' },
            { term: 'Console', detail: <Mono>{hello?.build ?? '–'}</Mono> },
            { term: 'Signing in', detail: hello?.authEnabled ? 'required' : 'off: every caller is an admin' },
            { term: 'You are', detail: hello ? `${hello.identity.name}, ${hello.identity.role}` : '–' },
          ]}
        />
      </Card>
      <ToRead />
      <ExportCard />
      <Card
        title="Diagnostics"
        description="For support: versions, capabilities, connection, browser. It holds no tokens, names or content."
        className="lg:col-span-2"
      >
        <div className="flex flex-wrap gap-2">
          <Button size="sm" icon={<Download />} onClick={() => download('diagnostics.json', bundle())}>
            Download
          </Button>
          <CopyButton words label="Copy" text={bundle} />
        </div>
      </Card>
    </div>
  );
}

function ToRead() {
  const { scope } = useScope();
  return (
    <Card title="To read">
      <ul className="flex flex-col gap-3">
        <li className="flex items-start gap-2.5">
          <BookOpen aria-hidden className="mt-0.5 size-4 text-accent-text" />
          <span>
            <a href={withBase('/docs')} className="text-accent-text underline-offset-2 hover:underline">
              API reference
            </a>
            <span className="block text-muted">Every request of this server’s API.</span>
          </span>
        </li>
        <li className="flex items-start gap-2.5">
          <Server aria-hidden className="mt-0.5 size-4 text-accent-text" />
          <span>
            <Link href={pageAddress(scope, 'capabilities')}>Capabilities of the server</Link>
            <span className="block text-muted">What is on, and how to switch on the rest.</span>
          </span>
        </li>
        <li className="flex items-start gap-2.5">
          <BookOpen aria-hidden className="mt-0.5 size-4 text-accent-text" />
          <span>
            <Link href={welcomeAddress()}>First steps</Link>
            <span className="block text-muted">The tour, on a mock model that needs no key.</span>
          </span>
        </li>
      </ul>
    </Card>
  );
}
