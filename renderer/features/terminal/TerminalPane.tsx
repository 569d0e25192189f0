// One terminal of the dock: its screen, the reason of its end, and the review of a paste.
import '@xterm/xterm/css/xterm.css';
import { useEffect } from 'react';
import { Banner } from '../../ui/feedback/Banner.tsx';
import { Button } from '../../ui/button/Button.tsx';
import { ConfirmDialog } from '../../ui/overlay/ConfirmDialog.tsx';
import { UntrustedText } from '../../ui/text/UntrustedText.tsx';
import { openTerminal, removeTab, type DockTab } from './model/dock.ts';
import { linesOf } from './paste-guard.ts';
import { useTerminal } from './use-terminal.ts';
import { beginningOf } from '../../ui/text/whole-characters.ts';

const SHOWN_MAX_CHARS = 4000;

const titleOf = (lines: number): string => (lines === 1 ? 'Paste a line with its line break?' : `Paste ${lines} lines?`);

export function TerminalPane({ tab, shown }: { readonly tab: DockTab; readonly shown: boolean }) {
  const { element, end, review, answerReview, reconnect } = useTerminal(tab);
  useEffect(() => {
    if (shown) element.current?.querySelector('textarea')?.focus();
  }, [shown, element]);
  const again = () => {
    removeTab(tab.key);
    openTerminal({ namespace: tab.namespace });
  };
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      {end && (
        <Banner
          tone={end.state === 'ended' ? 'neutral' : 'warn'}
          action={
            <Button size="sm" onClick={end.state === 'ended' ? again : reconnect}>
              {end.state === 'ended' ? 'New terminal' : 'Show it here'}
            </Button>
          }
        >
          {end.message}
        </Banner>
      )}
      <div className="min-h-0 flex-1 bg-surface py-1 pl-3">
        <div ref={element} className="size-full [&_.xterm-dim]:text-muted!" data-terminal-screen />
      </div>
      <ConfirmDialog
        open={review !== undefined}
        onClose={() => answerReview(false)}
        onConfirm={() => answerReview(true)}
        title={titleOf(linesOf(review ?? ''))}
        consequence="The shell may run each line as it arrives."
        confirmLabel="Paste"
        cancelLabel="Do not paste"
        danger={false}
      >
        <pre
          tabIndex={0}
          aria-label="Text to paste"
          className="max-h-60 overflow-auto rounded-md bg-sunken p-3 font-mono text-sm whitespace-pre-wrap"
        >
          <UntrustedText text={beginningOf(review ?? '', SHOWN_MAX_CHARS)} />
        </pre>
      </ConfirmDialog>
    </div>
  );
}
