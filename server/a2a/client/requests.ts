// Requests to other agents: methods and parameters of each dialect. Pure.
import { writeMessage, type WrittenJson } from '../rpc/write-task.ts';
import type { Dialect, Message } from '../model.ts';

export interface MethodRequest {
  readonly method: string;
  readonly params: WrittenJson;
}

/** The task is answered as soon as it exists where the dialect allows it, so that it can be canceled. `id` names the task of the plain dialect. */
export function sendRequest(dialect: Dialect, message: Message, { id, streams }: { id: string; streams: boolean }): MethodRequest {
  if (dialect === 'spec') return { method: streams ? 'tasks/sendSubscribe' : 'tasks/send', params: { id, message: plainMessage(message) } };
  const written = writeMessage(message, dialect);
  if (dialect === 'v1') {
    const configuration = { acceptedOutputModes: OUTPUT_MODES, ...(!streams && { returnImmediately: true }) };
    return { method: streams ? 'SendStreamingMessage' : 'SendMessage', params: { message: written, configuration } };
  }
  const configuration = { acceptedOutputModes: OUTPUT_MODES, ...(!streams && { blocking: false }) };
  return { method: streams ? 'message/stream' : 'message/send', params: { message: written, configuration } };
}

const OUTPUT_MODES = ['text/plain', 'application/json'];

/** The plain dialect has a role and parts; the fields of A2A 0.3 that it shares stay, and readers of either ignore the others. */
function plainMessage(message: Message): WrittenJson {
  const { kind: _kind, taskId: _taskId, ...written } = writeMessage(message, 'v03');
  return written;
}

export function getRequest(dialect: Dialect, id: string): MethodRequest {
  if (dialect === 'v1') return { method: 'GetTask', params: { id, historyLength: 0 } };
  return { method: 'tasks/get', params: dialect === 'spec' ? { id } : { id, historyLength: 0 } };
}

export function cancelRequest(dialect: Dialect, id: string): MethodRequest {
  return { method: dialect === 'v1' ? 'CancelTask' : 'tasks/cancel', params: { id } };
}
