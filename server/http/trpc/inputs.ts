// Shapes of the console's inputs. Texts are declared by the types that REST declares its parameters by; the services check the rest.
import { z } from 'zod';
import * as types from '../text-types.ts';

/** A text of a declared type. */
export const text = (type: types.TextType) =>
  z.string().superRefine((value, context) => {
    const message = type.problem(value);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  });

/** A text for people. It may hold any character: it is stored as JSON and never names anything. */
export const freeText = (maxLength: number) => z.string().max(maxLength).meta({ freeText: true });

export const namespace = text(types.namespaceName);
export const name = text(types.objectName);
/** The kind's name, `AgentSystem`. The registry refuses others. */
export const kind = text(types.identifier);
/** `name` or `namespace/name`. */
export const reference = text(types.objectReference);
/** An event type, a role. */
export const identifier = text(types.identifier);
/** A filter or a search. */
export const word = text(types.plainText(300));

export const objectRef = z.strictObject({ namespace, name });
export const objectKey = z.strictObject({ kind, namespace, name });

/** Absent namespace: all of them. Selectors as in REST. */
export const selection = {
  kind,
  namespace: namespace.optional(),
  labelSelector: text(types.selector).optional(),
  fieldSelector: text(types.selector).optional(),
};

/** The `metadata.uid` of the object on screen. */
export const uid = text(types.identifier);
/** The version of the object on screen. */
export const version = text(types.versionNumber);
export const cursor = text(types.pageCursor).optional();
/** The number of a change, as text. */
export const sequence = text(types.recordNumber);
export const pageSize = z.int().min(1).max(1000);
export const jsonObject = z.record(freeText(256 * 1024), z.unknown());
