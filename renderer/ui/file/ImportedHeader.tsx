// The head of a page that shows a file: its origin, its export, and the way back.
import { FileInput, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '../button/Button.tsx';
import { PageHeader } from '../layout/PageHeader.tsx';
import { Badge } from '../status/Badge.tsx';
import { Time } from '../status/Time.tsx';

export interface ImportedHeaderProps {
  readonly namespace: string;
  readonly name: string;
  /** RFC 3339. */
  readonly exportedAt: string;
  /** More about it, after the time. */
  readonly children?: ReactNode;
  readonly onClose: () => void;
}

export function ImportedHeader({ namespace, name, exportedAt, children, onClose }: ImportedHeaderProps) {
  return (
    <PageHeader
      title={name}
      status={
        <Badge tone="info" icon={<FileInput aria-hidden />}>
          Imported, read-only
        </Badge>
      }
      meta={
        <>
          <span>from namespace {namespace}</span>
          <span>
            exported <Time at={exportedAt} sentence />
          </span>
          {children}
        </>
      }
      actions={
        <Button icon={<X />} onClick={onClose}>
          Close the import
        </Button>
      }
    />
  );
}
