// The end of the client's chain of links, apart from the client: tests replace it also where no client can be made.
import type { AppRouter } from '@svc/server/http/trpc/router';
import type { OperationLink } from '@trpc/client';

/** `replacement` answers every call in place of the network (`testing/fake-link.ts`). */
export const lastLink: { replacement?: OperationLink<AppRouter> | undefined } = {};
