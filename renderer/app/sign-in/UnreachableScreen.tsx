// The server does not answer at all, or refuses the console as such.
import { RotateCw } from 'lucide-react';
import { serverName } from '../../ui/link/base-path.ts';
import { Button } from '../../ui/button/Button.tsx';
import { CodeBlock } from '../../ui/text/CodeBlock.tsx';
import { errorReport, shownError } from '../../ui/feedback/shown-error.ts';
import { usePageTitle } from '../../navigation/page-title.ts';
import { FullScreen } from './FullScreen.tsx';

export interface UnreachableScreenProps {
  readonly error: unknown;
  readonly retrying: boolean;
  readonly onRetry: () => void;
}

const TITLES: Readonly<Record<string, string>> = {
  unreachable: 'The server does not answer',
  forbidden: 'This token may not use the console',
  unavailable: 'The server is not ready',
};

export function UnreachableScreen({ error, retrying, onRetry }: UnreachableScreenProps) {
  const shown = shownError(error);
  const title = TITLES[shown.code] ?? 'The console could not start';
  usePageTitle(title);
  const hint = shown.code === 'unreachable' ? `No answer from ${serverName()}. This page retries every few seconds.` : shown.message;
  return (
    <FullScreen title={title} description={hint}>
      <CodeBlock label="Server message" text={errorReport(shown)} wrap className="mb-4" />
      <Button variant="primary" icon={<RotateCw />} busy={retrying} onClick={onRetry}>
        Try now
      </Button>
    </FullScreen>
  );
}
