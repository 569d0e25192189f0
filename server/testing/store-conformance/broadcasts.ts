// Store conformance: broadcasts, which reach the listeners of this process in order and store nothing.
import { describe, expect, it } from 'vitest';
import { BROADCAST_MAX_BYTES, type Broadcast } from '../../store/store.ts';
import type { Subject } from './fixture.ts';

export function broadcastConformance(subject: Subject): void {
  describe('broadcasts', () => {
    it('reach every listener of this process in order, after the sender has gone on', async () => {
      const { store } = subject;
      const heard: [Broadcast[], Broadcast[]] = [[], []];
      store.onBroadcast((message) => heard[0].push(message));
      const unsubscribe = store.onBroadcast((message) => heard[1].push(message));
      const messages: Broadcast[] = [
        { audience: 'readers', text: 'one' },
        { audience: 'everybody', text: 'x'.repeat(BROADCAST_MAX_BYTES) },
      ];
      store.broadcast(messages);
      expect(heard).toEqual([[], []]);
      await expect.poll(() => heard).toEqual([messages, messages]);
      unsubscribe();
      store.broadcast([{ audience: 'readers', text: 'two' }]);
      await expect.poll(() => heard[0]).toHaveLength(3);
      expect(heard[1]).toHaveLength(2);
    });

    it('refuse a text that is too long', () => {
      expect(() => subject.store.broadcast([{ audience: 'readers', text: 'ü'.repeat(BROADCAST_MAX_BYTES) }])).toThrow('too long');
    });
  });
}
