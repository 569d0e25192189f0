// Rows of run journals and of signals, and what they stand for. Pure; both engines store the same columns.
import type { JournalEntry, Signal } from './store.ts';

export interface JournalRow {
  seq: number;
  timestamp: string;
  type: string;
  data: string;
}

export interface SignalRow {
  id: number;
  stream: string;
  timestamp: string;
  type: string;
  data: string;
}

export function toEntry(row: JournalRow): JournalEntry {
  return { ...row, data: JSON.parse(row.data) as JournalEntry['data'] };
}

export function toSignal(row: SignalRow): Signal {
  return { ...row, data: JSON.parse(row.data) as Signal['data'] };
}
