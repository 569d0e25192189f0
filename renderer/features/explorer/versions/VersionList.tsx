// Versions of an object, newest first: number, writer and time of each. One of them is open.
import type { Outputs } from '../../../live/api.ts';
import { Badge } from '../../../ui/status/Badge.tsx';
import { Button } from '../../../ui/button/Button.tsx';
import { cn } from '../../../ui/cn.ts';
import { Time } from '../../../ui/status/Time.tsx';
import { UntrustedText } from '../../../ui/text/UntrustedText.tsx';

export type VersionEntry = Outputs['resources']['versions']['items'][number];

export interface VersionListProps {
  readonly versions: readonly VersionEntry[];
  readonly open: number;
  readonly onOpen: (generation: number) => void;
  /** Present while more are kept. */
  readonly onMore: (() => void) | undefined;
}

export function VersionList({ versions, open, onOpen, onMore }: VersionListProps) {
  return (
    <div className="max-h-[75vh] min-w-0 overflow-y-auto max-md:max-h-60">
      <ol aria-label="Versions" className="flex flex-col gap-0.5">
        {versions.map((version) => (
          <li key={version.generation}>
            <Row version={version} open={version.generation === open} onOpen={onOpen} />
          </li>
        ))}
      </ol>
      {onMore && (
        <Button variant="ghost" size="sm" className="mt-1" onClick={onMore}>
          Show older versions
        </Button>
      )}
    </div>
  );
}

interface RowProps {
  readonly version: VersionEntry;
  readonly open: boolean;
  readonly onOpen: (generation: number) => void;
}

function Row({ version: { generation, createdAt, createdBy, replacedAt }, open, onOpen }: RowProps) {
  return (
    <button
      type="button"
      aria-current={open ? 'true' : undefined}
      onClick={() => onOpen(generation)}
      className={cn(
        'flex w-full flex-col gap-0.5 rounded-md border px-3 py-2 text-left',
        open ? 'border-accent bg-accent-soft' : 'border-transparent hover:bg-hover',
      )}
    >
      <span className="flex items-center gap-2">
        <span className="font-medium tabular-nums">Version {generation}</span>
        {replacedAt === undefined && <Badge tone="ok">current</Badge>}
        <span className="flex-1" />
        <Time at={createdAt} sentence className="text-sm text-muted" />
      </span>
      <span className="truncate text-sm text-muted">
        {createdBy === undefined ? 'writer not known' : <UntrustedText text={`by ${createdBy}`} />}
      </span>
    </button>
  );
}
