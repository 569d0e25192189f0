// Update of the desktop app, as it changes, with its text.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { DesktopApi, UpdateState } from '@svc/shared/desktop-api';
import { useEffect } from 'react';

const KEY = ['desktop', 'update'];

export function useUpdate(desktop: DesktopApi): UpdateState | undefined {
  const client = useQueryClient();
  useEffect(() => {
    const onUpdate = async (state: UpdateState) => {
      // The answer of a query in flight may be older.
      await client.cancelQueries({ queryKey: KEY });
      client.setQueryData(KEY, state);
    };
    return desktop.onUpdate((state) => void onUpdate(state));
  }, [client, desktop]);
  return useQuery({ queryKey: KEY, queryFn: () => desktop.updates.get() }).data;
}

export function updateText({ phase, version, percent, message }: UpdateState): string {
  switch (phase) {
    case 'off':
      return 'Updates are off: this installation names no update server.';
    case 'available':
      return `Version ${version ?? ''} is available.`;
    case 'downloading':
      return `Downloading version ${version ?? ''}: ${Math.round(percent ?? 0)} %.`;
    case 'ready':
      return `Version ${version ?? ''} is downloaded.`;
    case 'blocked':
    case 'failed':
      return message ?? 'The update failed.';
    case 'checking':
    case 'installing':
      return phase === 'checking' ? 'Checking…' : 'Installing…';
    case 'idle':
      return 'This is the newest version.';
  }
}
