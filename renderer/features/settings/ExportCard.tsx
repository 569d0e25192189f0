// Everything that was declared on the server as one file, for a copy or for another server.
import { useMutation } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { callRest } from '../../live/rest.ts';
import { Button } from '../../ui/button/Button.tsx';
import { Card } from '../../ui/layout/Card.tsx';
import { ErrorCard } from '../../ui/feedback/ErrorCard.tsx';
import { download } from '../../ui/text/large-text.ts';
import { Mono } from '../../ui/text/Mono.tsx';

const YAML = 'application/yaml';

export function ExportCard() {
  const { mutate, isPending, error } = useMutation({
    mutationFn: async () => (await callRest('/v1/export?namespace=*', { headers: { accept: YAML } })).text,
    onSuccess: (text) => download(`export-${new Date().toISOString().slice(0, 10)}.yaml`, text, YAML),
    // The file is kept nowhere else.
    gcTime: 0,
  });
  return (
    <Card
      title="Export everything"
      description="Systems, agents, models, tools, rules and triggers of all namespaces in one YAML file. Secrets are named without their values; runs and Sessions are not part of it."
      className="lg:col-span-2"
    >
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <Button icon={<Download />} busy={isPending} onClick={() => mutate()}>
          Export everything
        </Button>
        <span className="text-muted">
          Import the file on another server with <Mono>svcctl apply -f</Mono>.
        </span>
      </div>
      {error && <ErrorCard error={error} title="Nothing was exported" className="mt-3" />}
    </Card>
  );
}
