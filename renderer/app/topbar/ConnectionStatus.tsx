// The server's name, and the state of the tab's connection to it.
import { RotateCw } from 'lucide-react';
import { serverName } from '../../ui/link/base-path.ts';
import { reconnectNow } from '../../live/api.ts';
import { useConnection } from '../../live/connection.ts';
import { native } from '../../native/native.ts';
import { Button } from '../../ui/button/Button.tsx';
import { cn } from '../../ui/cn.ts';
import { DescriptionList } from '../../ui/layout/DescriptionList.tsx';
import { Popover } from '../../ui/overlay/Popover.tsx';
import { Time } from '../../ui/status/Time.tsx';
import { FILL, INK } from '../../ui/status/tone.ts';
import { CONNECTION_LABELS } from '../sign-in/connection-labels.ts';
import { useHello } from '../../sign-in/use-hello.ts';

/** In forced colours backgrounds disappear, so the shape has to carry the state. */
const FORCED = {
  full: 'forced-colors:bg-[CanvasText]',
  hollow: 'forced-colors:border-2 forced-colors:border-[CanvasText]',
};

export function ConnectionStatus() {
  const { phase, since } = useConnection();
  const hello = useHello();
  const words = CONNECTION_LABELS[phase];
  const host = serverName();
  return (
    <Popover
      label="Connection"
      align="end"
      className="w-72"
      trigger={
        <button
          type="button"
          aria-label={`Connection to ${host}: ${words.label}`}
          className="flex h-control items-center gap-2 rounded-md px-2 text-sm text-muted hover:bg-hover hover:text-text"
        >
          <span aria-hidden className={cn('size-2 rounded-full', FILL[words.tone], FORCED[phase === 'live' ? 'full' : 'hollow'])} />
          {phase !== 'live' && <span className={cn('font-medium max-sm:hidden', INK[words.tone])}>{words.label}</span>}
          {/* The menu of servers names it in the desktop app. */}
          {phase === 'live' && native.desktop === undefined && <span className="max-xl:hidden">{host}</span>}
        </button>
      }
    >
      <p className={cn('font-semibold', INK[words.tone])}>{words.label}</p>
      <p className="mt-0.5 mb-3 text-sm text-pretty text-muted">{words.explanation}</p>
      <DescriptionList
        items={[
          { term: 'Server', detail: host },
          { term: 'Version', detail: hello?.version ?? 'unknown' },
          { term: 'Since', detail: <Time at={since} sentence /> },
        ]}
      />
      {phase !== 'live' && (
        <Button className="mt-3 w-full" icon={<RotateCw />} onClick={reconnectNow}>
          Retry now
        </Button>
      )}
    </Popover>
  );
}
