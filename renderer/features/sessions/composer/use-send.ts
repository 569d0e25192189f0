// Sends messages to a Session, each once, however often the person has to try.
import { useRef, useState } from 'react';
import { client } from '../../../live/api.ts';
import { isUnanswered } from '../../../live/problem.ts';
import { newRequestKey } from '../../../live/request-keys.ts';
import { refOf, type Session } from '../model/session.ts';

interface Message {
  readonly content: string;
  readonly interrupt: boolean;
  /** Key of an earlier send of this content; absent makes a new one. */
  readonly key?: string | undefined;
}

/** `sent` once the server has queued the message. */
type SendOutcome = 'sent' | 'refused' | 'unanswered';

export interface MessageSender {
  readonly send: (message: Message) => Promise<SendOutcome>;
  readonly sending: boolean;
  /** Null after a success. */
  readonly error: unknown;
}

export function useSend(session: Session): MessageSender {
  const [state, setState] = useState<{ readonly sending: boolean; readonly error: unknown }>({ sending: false, error: null });
  const busy = useRef(false);
  const send = async ({ content, interrupt, key = newRequestKey() }: Message): Promise<SendOutcome> => {
    if (busy.current) return 'unanswered';
    busy.current = true;
    setState({ sending: true, error: null });
    try {
      await client.sessions.submit.mutate({ ...refOf(session), content, interrupt, idempotencyKey: key });
      setState({ sending: false, error: null });
      return 'sent';
    } catch (error) {
      setState({ sending: false, error });
      return isUnanswered(error) ? 'unanswered' : 'refused';
    } finally {
      busy.current = false;
    }
  };
  return { send, ...state };
}
