// All decision records as one file of JSON lines, as `npx svcctl decisions verify -f` takes it.
import { Download } from 'lucide-react';
import { useState } from 'react';
import { client } from '../../../live/api.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { download } from '../../../ui/text/large-text.ts';
import { toastDone, toastError, toastInfo } from '../../../ui/overlay/toast.ts';

const PAGE = 500;
/** Records that a browser can hold without slowing down; larger exports use svcctl. */
const RECORDS_MAX = 20_000;

async function readAll(onProgress: (count: number) => void): Promise<{ readonly lines: string[]; readonly cut: boolean }> {
  const lines: string[] = [];
  let after = 0;
  while (lines.length < RECORDS_MAX) {
    const page = await client.decisions.list.query({ after, limit: PAGE });
    lines.push(...page.items.map((record) => JSON.stringify(record)));
    onProgress(lines.length);
    if (page.next === undefined) return { lines, cut: false };
    after = page.next;
  }
  return { lines, cut: true };
}

export function ExportButton() {
  const [count, setCount] = useState<number>();
  const run = async () => {
    setCount(0);
    try {
      const { lines, cut } = await readAll(setCount);
      download('decisions.jsonl', lines.map((line) => `${line}\n`).join(''), 'application/jsonl');
      if (cut) toastInfo(`The file has the first ${RECORDS_MAX} records. Use "npx svcctl decisions export" for all of them.`);
      else toastDone(`${lines.length} records exported`);
    } catch (error) {
      toastError('The records could not be exported', error);
    } finally {
      setCount(undefined);
    }
  };
  return (
    <Button size="sm" icon={<Download />} busy={count !== undefined} onClick={run} className="w-full">
      {count === undefined ? 'Export all records' : `${count} records…`}
    </Button>
  );
}
