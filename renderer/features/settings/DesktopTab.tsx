// Settings of the desktop app on this machine: notifications, background, server, updates. Shown in the app only.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { DesktopApi, DesktopInfo, NotificationPrefs } from '@svc/shared/desktop-api';
import { FolderOpen, RefreshCw, RotateCw } from 'lucide-react';
import { PROFILE_ID } from '../../native/profile.ts';
import { updateText, useUpdate } from '../../native/use-update.ts';
import { Button } from '../../ui/button/Button.tsx';
import { Card } from '../../ui/layout/Card.tsx';
import { DescriptionList } from '../../ui/layout/DescriptionList.tsx';
import { Input } from '../../ui/input/Input.tsx';
import { Mono } from '../../ui/text/Mono.tsx';
import { Switch } from '../../ui/input/Switch.tsx';
import { toastError } from '../../ui/overlay/toast.ts';
import { UntrustedText } from '../../ui/text/UntrustedText.tsx';
import { useCapabilities } from '../system/model/use-capabilities.ts';
import { ServersCard } from './ServersCard.tsx';
import { SettingRow } from './SettingRow.tsx';
import { WorkCard } from './WorkCard.tsx';

interface Props {
  readonly desktop: DesktopApi;
}

export function DesktopTab({ desktop }: Props) {
  return (
    <div className="flex max-w-3xl flex-col gap-4 p-6 max-sm:p-4">
      <Notifications desktop={desktop} />
      <ServersCard desktop={desktop} />
      <WorkCard desktop={desktop} />
      <LocalServer desktop={desktop} />
      <Updates desktop={desktop} />
    </div>
  );
}

const failed = (error: unknown) => toastError('The desktop app did not do this', error);
const QUIET = { from: '22:00', to: '07:00' };

function Notifications({ desktop }: Props) {
  const client = useQueryClient();
  const queryKey = ['desktop', 'notifications'];
  const { data: stored } = useQuery({ queryKey, queryFn: () => desktop.notifications.getPrefs() });
  const save = useMutation({
    mutationFn: (next: NotificationPrefs) => desktop.notifications.setPrefs(next),
    onError: failed,
    onSettled: () => client.invalidateQueries({ queryKey }),
  });
  const prefs = save.isPending ? save.variables : stored;
  if (!prefs) return null;
  const set = (changes: Partial<NotificationPrefs>) => save.mutate({ ...prefs, ...changes });
  return (
    <Card title="Notifications" flush>
      <SettingRow title="Approvals" text="The app notifies you of new approvals: which agent requests which tool. Inputs are never shown.">
        <Switch aria-label="Notify of approvals" checked={prefs.enabled} onChange={(enabled) => set({ enabled })} />
      </SettingRow>
      <SettingRow title="While the window is in front" text="Also when the window of the app has the focus.">
        <Switch aria-label="Notify in a focused window" checked={prefs.whenFocused} onChange={(whenFocused) => set({ whenFocused })} />
      </SettingRow>
      <SettingRow title="Quiet hours" text="Only approvals of high risk are shown then.">
        <span className="flex items-center gap-2">
          <Switch aria-label="Quiet hours" checked={prefs.quietHours !== null} onChange={(on) => set({ quietHours: on ? QUIET : null })} />
          {prefs.quietHours && (
            <>
              {(['from', 'to'] as const).map((edge) => (
                <Input
                  key={edge}
                  type="time"
                  aria-label={edge === 'from' ? 'Quiet from' : 'Quiet until'}
                  className="w-28"
                  value={prefs.quietHours?.[edge]}
                  onChange={({ target }) => target.value && set({ quietHours: { ...(prefs.quietHours ?? QUIET), [edge]: target.value } })}
                />
              ))}
            </>
          )}
        </span>
      </SettingRow>
      <SettingRow title="Run in the background" text="Closing the window keeps the server, its schedules and the tray icon running.">
        <Switch aria-label="Run in the background" checked={prefs.background} onChange={(background) => set({ background })} />
      </SettingRow>
    </Card>
  );
}

const KEY_STORES: Readonly<Record<DesktopInfo['keyStore'], string>> = {
  keychain: 'in the keychain of this system',
  file: 'in a file that only your user can read',
  none: 'none: Secrets are stored unencrypted',
};

/** Engine for tools in containers, or how to get one. */
function ContainerEngine() {
  const { data } = useCapabilities();
  const engine = data?.find(({ id }) => id === 'isolation-docker');
  return engine ? <UntrustedText text={engine.description} /> : '–';
}

function LocalServer({ desktop }: Props) {
  const { data: info } = useQuery({ queryKey: ['desktop', 'info'], queryFn: () => desktop.getInfo() });
  const restart = useMutation({ mutationFn: () => desktop.restartBackend('normal'), onError: failed });
  return (
    <Card title="Server of this app">
      <DescriptionList
        items={[
          { term: 'Data', detail: <Mono>{info?.dataDir ?? '–'}</Mono> },
          { term: 'Logs', detail: <Mono>{info?.logDir ?? '–'}</Mono> },
          { term: 'Key of Secrets', detail: info ? KEY_STORES[info.keyStore] : '–' },
          ...(PROFILE_ID === undefined ? [{ term: 'Container engine', detail: <ContainerEngine /> }] : []),
        ]}
      />
      <div className="mt-4 flex flex-wrap gap-2">
        <Button icon={<FolderOpen />} onClick={() => void desktop.openLogs()}>
          Open logs
        </Button>
        <Button icon={<RotateCw />} busy={restart.isPending} onClick={() => restart.mutate()}>
          Restart the server
        </Button>
      </div>
    </Card>
  );
}

function Updates({ desktop }: Props) {
  const update = useUpdate(desktop);
  const run = useMutation({
    mutationFn: (install: boolean) => (install ? desktop.updates.install() : desktop.updates.check()),
    onError: failed,
  });
  if (!update) return null;
  const installs = ['available', 'ready', 'blocked'].includes(update.phase);
  return (
    <Card title="Updates" flush>
      <SettingRow title={updateText(update)} text="A copy of your data is made first. Updates wait for active runs.">
        {update.phase !== 'off' && (
          <Button icon={<RefreshCw />} busy={run.isPending} onClick={() => run.mutate(installs)}>
            {installs ? 'Install and restart' : 'Check now'}
          </Button>
        )}
      </SettingRow>
    </Card>
  );
}
