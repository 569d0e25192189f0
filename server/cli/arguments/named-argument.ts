// An object of a known kind named on the command line, with or without its kind in front.
import { findKind } from '@svc/shared/kinds';
import type { KindDefinition } from '@svc/shared/kinds/define';
import { usageError } from '../program/exit-codes.ts';
import type { Invocation } from '../program/invocation.ts';
import { kindWord, objectFromWord } from './kind-arguments.ts';
import type { ObjectHandle } from '../api/resource-api.ts';
import type { SessionHandle } from '../api/session-api.ts';

export const taskNameFromWord = (word: string): string => nameFromWord('Task', word);

/** With `anywhere` the word may also be `namespace/name`. */
export async function sessionFromWord(invocation: Invocation, word: string, anywhere = false): Promise<SessionHandle> {
  const { client, namespace } = await invocation.connect();
  const [place = '', name = '', ...rest] = word.split('/');
  if (anywhere && name !== '' && rest.length === 0 && !findKind(place)) return { client, namespace: place, name };
  return { client, namespace, name: nameFromWord('Session', word) };
}

/** An object of the kind, in the namespace of the command. */
export async function handleFromWord(invocation: Invocation, kind: KindDefinition, word: string): Promise<ObjectHandle> {
  const name = nameFromWord(kind.kind, word);
  const { client, namespace } = await invocation.connect();
  return { client, key: { kind, namespace, name } };
}

function nameFromWord(kindName: string, word: string): string {
  if (!word.includes('/')) return word;
  const { kind, name } = objectFromWord(word);
  if (kind.kind !== kindName) throw usageError(`"${word}" is not a ${kindWord(kindName)}`);
  return name;
}
