// Work of this machine's server: its pause, and limits of tasks and containers.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { WorkLimits } from '@svc/shared/control';
import type { DesktopApi } from '@svc/shared/desktop-api';
import { useState } from 'react';
import { Button } from '../../ui/button/Button.tsx';
import { Card } from '../../ui/layout/Card.tsx';
import { Form } from '../../ui/input/Form.tsx';
import { Input } from '../../ui/input/Input.tsx';
import { Switch } from '../../ui/input/Switch.tsx';
import { toastError } from '../../ui/overlay/toast.ts';
import { SettingRow } from './SettingRow.tsx';
import { LIMIT_FIELDS, limitOf } from './work-limits.ts';

const KEY = ['desktop', 'work'];

export function WorkCard({ desktop }: { readonly desktop: DesktopApi }) {
  const client = useQueryClient();
  const { data: work } = useQuery({ queryKey: KEY, queryFn: () => desktop.work.get() });
  const settled = {
    onError: (error: Error) => toastError('The desktop app did not do this', error),
    onSettled: () => client.invalidateQueries({ queryKey: KEY }),
  };
  const pause = useMutation({ mutationFn: (paused: boolean) => desktop.work.pause(paused), ...settled });
  if (!work) return null;
  return (
    <Card title="Work on this machine" flush>
      <SettingRow title="Pause" text="Active runs stop at their next safe point and wait, until you resume or the app starts again.">
        <Switch aria-label="Pause work" checked={work.paused} onChange={(paused) => pause.mutate(paused)} />
      </SettingRow>
      <Limits key={JSON.stringify(work.limits)} desktop={desktop} current={work.limits} />
    </Card>
  );
}

type Texts = Readonly<Record<keyof WorkLimits, string>>;

const textsOf = (limits: WorkLimits): Texts => {
  const text = (limit: number | null) => (limit === null ? '' : `${limit}`);
  return {
    maxConcurrentTasks: text(limits.maxConcurrentTasks),
    containerMemoryMiB: text(limits.containerMemoryMiB),
    containerCpus: text(limits.containerCpus),
  };
};

function Limits({ desktop, current }: { readonly desktop: DesktopApi; readonly current: WorkLimits }) {
  const [texts, setTexts] = useState(() => textsOf(current));
  const save = useMutation({
    mutationFn: (limits: WorkLimits) => desktop.work.limit(limits),
    onError: (error) => toastError('The limits were not changed', error),
  });
  const typed = LIMIT_FIELDS.map((field) => ({ field, limit: limitOf(texts[field.key], field) }));
  const wrong = typed.find(({ limit }) => limit === undefined)?.field;
  const unchanged = typed.every(({ field, limit }) => limit === current[field.key]);
  const reason = wrong?.form ?? (unchanged ? 'Nothing has changed' : undefined);
  const submit = () => {
    const limits = Object.fromEntries(typed.map(({ field, limit }) => [field.key, limit ?? null])) as unknown as WorkLimits;
    if (reason === undefined) save.mutate(limits);
  };
  return (
    <Form onSubmit={submit}>
      {typed.map(({ field, limit }) => (
        <SettingRow key={field.key} title={field.title} text={field.text}>
          <Input
            aria-label={field.title}
            aria-invalid={limit === undefined}
            inputMode="decimal"
            className="w-24"
            placeholder={field.fallback}
            value={texts[field.key]}
            onChange={({ target }) => setTexts({ ...texts, [field.key]: target.value })}
          />
        </SettingRow>
      ))}
      <SettingRow title="Save the limits" text="The server restarts, and active runs continue.">
        <Button type="submit" busy={save.isPending} disabledReason={reason}>
          Save and restart
        </Button>
      </SettingRow>
    </Form>
  );
}
