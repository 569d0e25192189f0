// Watch messages as SSE frames.
import type { EventRecord, WatchItem } from '@svc/shared/api/watch';
import type { WatchMessage, WatchStream } from '../../registry/watch/watch.ts';
import { frame, FrameCache } from './frame.ts';
import type { Feed } from './stream-hub.ts';

const resourceFrames = new FrameCache<WatchItem>('resource');
const eventFrames = new FrameCache<EventRecord>('event');

function toFrame<Item extends object>(message: WatchMessage<Item>, cache: FrameCache<Item>): Buffer {
  if (message.type === 'item') return cache.frame(message.item, String(message.seq));
  return frame(message.type, { seq: message.seq }, String(message.seq));
}

function feed<Item extends object>(watch: WatchStream<Item>, cache: FrameCache<Item>): Feed {
  return async (stream) => {
    for await (const batch of watch) {
      if (!(await stream.send(batch.map((message) => toFrame(message, cache))))) return;
    }
  };
}

export const feedResources = (watch: WatchStream<WatchItem>): Feed => feed(watch, resourceFrames);
export const feedEvents = (watch: WatchStream<EventRecord>): Feed => feed(watch, eventFrames);
