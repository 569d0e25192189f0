// Creates objects whose name is the key of their request: a request repeated after a lost answer returns the created object.
import type { Resource } from '@svc/shared/resource';
import { client } from './api.ts';
import { problemOf } from './problem.ts';
import { RequestKeys } from './request-keys.ts';

export interface NewObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace: string; readonly labels?: Readonly<Record<string, string>> };
  readonly spec: object;
}

/** `what` is equal for equal requests: without a name that differs with each attempt. */
export type Create = (object: NewObject, what?: unknown) => Promise<Resource>;

/** For one form or dialog: another one that asks for the same means another object. */
export function creator(): Create {
  const keys = new RequestKeys();
  return ({ metadata, ...rest }, what = { metadata, ...rest }) => {
    const { kind } = rest;
    const { namespace } = metadata;
    const create = async (name: string, isRepeat: boolean) => {
      try {
        const body = { ...rest, metadata: { ...metadata, name } };
        return (await client.resources.write.mutate({ kind, namespace, mode: 'create', body })).resource;
      } catch (error) {
        if (!isRepeat || problemOf(error).code !== 'conflict') throw error;
        return client.resources.get.query({ kind, namespace, name });
      }
    };
    return keys.send(JSON.stringify(what), create, () => metadata.name);
  };
}
