// Sends messages to a Session, each once, however often the person has to try.
import { useRef, useState } from 'react';
import { client } from '../../../live/api.ts';
import { newRequestKey } from '../../../live/request-keys.ts';
import { refOf, type Session } from '../model/session.ts';

interface Message {
  readonly content: string;
  readonly interrupt: boolean;
  /** Key of an earlier send of this content; absent makes a new one. */
  readonly key?: string | undefined;
}

export interface MessageSender {
  /** Resolves with true once the server has queued the message. */
  readonly send: (message: Message) => Promise<boolean>;
  readonly sending: boolean;
  /** Null after a success. */
  readonly error: unknown;
}

export function useSend(session: Session): MessageSender {
  const [state, setState] = useState<{ readonly sending: boolean; readonly error: unknown }>({ sending: false, error: null });
  const busy = useRef(false);
  const send = async ({ content, interrupt, key = newRequestKey() }: Message): Promise<boolean> => {
    if (busy.current) return false;
    busy.current = true;
    setState({ sending: true, error: null });
    try {
      await client.sessions.submit.mutate({ ...refOf(session), content, interrupt, idempotencyKey: key });
      setState({ sending: false, error: null });
      return true;
    } catch (error) {
      setState({ sending: false, error });
      return false;
    } finally {
      busy.current = false;
    }
  };
  return { send, ...state };
}
