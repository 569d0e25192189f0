// Work of this machine's server: its pause, and how many tasks run at once.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { DesktopApi } from '@svc/shared/desktop-api';
import { useState, type FormEvent } from 'react';
import { Button } from '../../ui/Button.tsx';
import { Card } from '../../ui/Card.tsx';
import { Input } from '../../ui/Input.tsx';
import { Switch } from '../../ui/Switch.tsx';
import { toastError } from '../../ui/toast.ts';
import { SettingRow } from './SettingRow.tsx';
import { LIMIT_MAX, limitOf } from './task-limit.ts';
import { Form } from '../../ui/Form.tsx';

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
      <SettingRow title="Pause" text="Running tasks stop at their next safe point and wait, until you resume or the app starts again.">
        <Switch aria-label="Pause work" checked={work.paused} onChange={(paused) => pause.mutate(paused)} />
      </SettingRow>
      <TaskLimit key={work.maxConcurrentTasks} desktop={desktop} current={work.maxConcurrentTasks} />
    </Card>
  );
}

function TaskLimit({ desktop, current }: { readonly desktop: DesktopApi; readonly current: number | null }) {
  const [text, setText] = useState(current === null ? '' : `${current}`);
  const save = useMutation({
    mutationFn: (limit: number | null) => desktop.work.limit(limit),
    onError: (error) => toastError('The limit was not changed', error),
  });
  const limit = limitOf(text);
  const reason =
    limit === undefined ? `A whole number from 1 to ${LIMIT_MAX}, or nothing` : limit === current ? 'Nothing has changed' : undefined;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (limit !== undefined && limit !== current) save.mutate(limit);
  };
  return (
    <SettingRow
      title="Tasks at once"
      text="Fewer leave more of the machine to you; empty means 16. The server restarts, and running tasks continue."
    >
      <Form onSubmit={submit} className="flex items-center gap-2">
        <Input
          aria-label="Tasks at once"
          aria-invalid={limit === undefined}
          inputMode="numeric"
          className="w-20"
          placeholder="16"
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
        <Button type="submit" busy={save.isPending} disabledReason={reason}>
          Save and restart
        </Button>
      </Form>
    </SettingRow>
  );
}
