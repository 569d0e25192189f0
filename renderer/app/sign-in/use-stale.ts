// Whether visible data may be stale, after a moment of silence: most losses are shorter than that.
import { useEffect, useState } from 'react';
import { useConnection } from '../../live/connection.ts';

export const SILENT_MS = 2_000;

/** True once `key` has stayed the same for that long. */
export function useSettled(key: string, ms: number): boolean {
  const [reached, setReached] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setReached(key), ms);
    return () => clearTimeout(timer);
  }, [key, ms]);
  return reached === key;
}

export function useStale(): boolean {
  const { phase, since } = useConnection();
  const settled = useSettled(`${phase} ${since}`, SILENT_MS);
  return settled && (phase === 'reconnecting' || phase === 'offline');
}
