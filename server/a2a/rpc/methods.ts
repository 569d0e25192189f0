// Methods of the three dialects of A2A by name: the name alone decides the dialect (docs/a2a.md).
import type { Dialect } from '../model.ts';

type Operation =
  'send' | 'stream' | 'get' | 'list' | 'cancel' | 'subscribe' | 'pushCreate' | 'pushGet' | 'pushList' | 'pushDelete' | 'extendedCard';

export interface Method {
  readonly dialect: Dialect;
  readonly operation: Operation;
}

const method = (dialect: Dialect, operation: Operation): Method => ({ dialect, operation });

/** `tasks/get` and `tasks/cancel` are those of the plain dialect and of 0.3 alike. */
const METHODS: ReadonlyMap<string, Method> = new Map([
  ['SendMessage', method('v1', 'send')],
  ['SendStreamingMessage', method('v1', 'stream')],
  ['GetTask', method('v1', 'get')],
  ['ListTasks', method('v1', 'list')],
  ['CancelTask', method('v1', 'cancel')],
  ['SubscribeToTask', method('v1', 'subscribe')],
  ['CreateTaskPushNotificationConfig', method('v1', 'pushCreate')],
  ['GetTaskPushNotificationConfig', method('v1', 'pushGet')],
  ['ListTaskPushNotificationConfigs', method('v1', 'pushList')],
  ['DeleteTaskPushNotificationConfig', method('v1', 'pushDelete')],
  ['GetExtendedAgentCard', method('v1', 'extendedCard')],
  ['message/send', method('v03', 'send')],
  ['message/stream', method('v03', 'stream')],
  ['tasks/get', method('v03', 'get')],
  ['tasks/cancel', method('v03', 'cancel')],
  ['tasks/resubscribe', method('v03', 'subscribe')],
  ['tasks/pushNotificationConfig/set', method('v03', 'pushCreate')],
  ['tasks/pushNotificationConfig/get', method('v03', 'pushGet')],
  ['tasks/pushNotificationConfig/list', method('v03', 'pushList')],
  ['tasks/pushNotificationConfig/delete', method('v03', 'pushDelete')],
  ['agent/getAuthenticatedExtendedCard', method('v03', 'extendedCard')],
  ['tasks/send', method('spec', 'send')],
  ['tasks/sendSubscribe', method('spec', 'stream')],
]);

export const findMethod = (name: string): Method | undefined => METHODS.get(name);
