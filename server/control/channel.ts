// Channel to the process that supervises this server: a port of Electron's utility process, or the messages of Node's fork. The only file that uses both.
import type { FromServer } from '@svc/shared/control';

export interface Channel {
  send(message: FromServer): void;
  /** Called for every message, unparsed. One listener. */
  onMessage(listener: (message: unknown) => void): void;
  /** Called once, when the other process has gone. */
  onClose(listener: () => void): void;
}

/** Electron's `process.parentPort`, as far as it is used here. */
interface ParentPort {
  postMessage(message: unknown): void;
  on(event: 'message', listener: (event: { readonly data: unknown }) => void): void;
  on(event: 'close', listener: () => void): void;
}

/** Undefined in a process that nobody supervises. */
export function openChannel(host: NodeJS.Process): Channel | undefined {
  const { parentPort } = host as NodeJS.Process & { readonly parentPort?: ParentPort };
  if (parentPort) {
    return {
      send: (message) => parentPort.postMessage(message),
      onMessage: (listener) => parentPort.on('message', ({ data }) => listener(data)),
      onClose: (listener) => parentPort.on('close', listener),
    };
  }
  if (host.send === undefined) return undefined;
  return {
    send(message) {
      // A parent that died meanwhile closes the channel: onClose reports it.
      if (host.connected) host.send?.(message, undefined, undefined, () => undefined);
    },
    onMessage: (listener) => host.on('message', listener),
    onClose: (listener) => host.once('disconnect', listener),
  };
}
