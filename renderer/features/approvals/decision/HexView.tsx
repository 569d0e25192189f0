// A text as its bytes, 16 a line, a limited part at a time.
import { useMemo, useState } from 'react';
import { Button } from '../../../ui/button/Button.tsx';
import { formatBytes } from '../../../ui/status/format.ts';
import { HEX_LINE_BYTES, hexLines } from '../model/input-text.ts';

const LINES = 256;

export function HexView({ text, label }: { readonly text: string; readonly label: string }) {
  const bytes = useMemo(() => new TextEncoder().encode(text), [text]);
  const [page, setPage] = useState(0);
  const pageBytes = LINES * HEX_LINE_BYTES;
  const pages = Math.max(1, Math.ceil(bytes.length / pageBytes));
  const lines = useMemo(() => hexLines(bytes, page * pageBytes, LINES), [bytes, page, pageBytes]);
  return (
    <div>
      <pre
        tabIndex={0}
        role="region"
        aria-label={label}
        className="max-h-[28rem] overflow-auto rounded-md border border-border bg-sunken p-3 font-mono text-xs whitespace-pre"
      >
        {lines.map(({ offset, hex, ascii }) => `${offset}  ${hex.padEnd(HEX_LINE_BYTES * 3 - 1)}  ${ascii}`).join('\n')}
      </pre>
      <p className="mt-1.5 flex flex-wrap items-center gap-2 text-sm text-muted">
        {formatBytes(bytes.length)} of UTF-8{pages > 1 && `, part ${page + 1} of ${pages}`}
        {pages > 1 && (
          <>
            <Button size="sm" disabled={page === 0} onClick={() => setPage(page - 1)}>
              Before
            </Button>
            <Button size="sm" disabled={page === pages - 1} onClick={() => setPage(page + 1)}>
              Next
            </Button>
          </>
        )}
      </p>
    </div>
  );
}
