// Starts the console in its page.
import './csp-nonce.ts';
import '../ui/fonts.css';
import '../ui/theme.css';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { RouterNavigation } from './RouterNavigation.tsx';
import { router } from './router.tsx';

const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <StrictMode>
      <RouterNavigation router={router}>
        <RouterProvider router={router} />
      </RouterNavigation>
    </StrictMode>,
  );
}
