// Starts the console in its page.
import '../ui/csp-nonce.ts';
import '../ui/fonts.css';
import '../ui/theme.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient } from '../live/query-client.ts';
import { PROFILE_ID } from '../native/profile.ts';
import { leaveKeysToInputMethods } from '../shortcuts/input-method.ts';
import { helloQuery } from '../sign-in/use-hello.ts';
import { RouterNavigation } from './RouterNavigation.tsx';
import { router } from './router.tsx';

leaveKeysToInputMethods();

// Nothing is shown before this answer. For the server of a profile, its check comes first.
if (PROFILE_ID === undefined) void queryClient.prefetchQuery({ ...helloQuery, retry: false });

const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <RouterNavigation router={router}>
          <RouterProvider router={router} />
        </RouterNavigation>
      </QueryClientProvider>
    </StrictMode>,
  );
}
