// MCP server on its page: its connection and history, its tools with their cost in a model's context, trials, and its standard error.
import type { Resource } from '@svc/shared/resource';
import { specOf, statusOf } from '../../../kinds/read.ts';
import { Card } from '../../../ui/layout/Card.tsx';
import { CodeBlock } from '../../../ui/text/CodeBlock.tsx';
import { ConnectionCard } from './ConnectionCard.tsx';
import { ToolsCard } from './ToolsCard.tsx';
import { TrialsCard } from './TrialsCard.tsx';

const KIND = 'McpServer';

export function McpServerCards({ resource }: { readonly resource: Resource }) {
  return (
    <>
      <ConnectionCard resource={resource} />
      <ToolsCard resource={resource} />
      <TrialsCard resource={resource} />
      {specOf(KIND, resource).transport === 'stdio' && <StandardError tail={statusOf(KIND, resource).stderrTail} />}
    </>
  );
}

function StandardError({ tail = '' }: { readonly tail: string | undefined }) {
  return (
    <Card
      title="Standard error"
      description="The last 64 KiB of the program, as of the last reading or failure. Values of Secrets are hidden."
    >
      {tail === '' ? (
        <p className="text-muted">The program has written nothing.</p>
      ) : (
        <CodeBlock label="Standard error of the program" text={tail} fileName="stderr.txt" wrap />
      )}
    </Card>
  );
}
