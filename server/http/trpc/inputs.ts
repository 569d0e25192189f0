// Shapes of what the console asks for. Names and namespaces are checked here, the rest by the services.
import { nameProblem, namespaceProblem } from '@svc/shared/resource';
import { z } from 'zod';

const rule = (problem: (value: string) => string | undefined) =>
  z.string().superRefine((value, context) => {
    const message = problem(value);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  });

export const namespace = rule(namespaceProblem);
export const name = rule(nameProblem);
/** The kind's name, `AgentSystem`. The registry refuses others. */
export const kind = z.string().max(63);

export const objectRef = z.strictObject({ namespace, name });
export const objectKey = z.strictObject({ kind, namespace, name });

/** Absent namespace: all of them. Selectors as in REST. */
export const selection = {
  kind,
  namespace: namespace.optional(),
  labelSelector: z.string().max(4096).optional(),
  fieldSelector: z.string().max(1024).optional(),
};

/** The `metadata.uid` of the object that was looked at. */
export const uid = z.string().max(64).optional();
export const cursor = z.string().max(600).optional();
export const pageSize = z.int().min(1).max(1000);
export const jsonObject = z.record(z.string(), z.unknown());
