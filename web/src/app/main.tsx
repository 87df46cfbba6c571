import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { watchAttendance } from '@/api/attendance';
import { logUnexpectedError } from '@/api/error-log';
import { createQueryClient } from '@/api/query-client';
import { sessionQuery } from '@/api/session';
import { listenForForgottenDrafts } from '@/browser/draft-memory';
import { UiProvider } from '@/ui/UiProvider';
import { registerWorker } from './register-worker';
import { createAppRouter } from './router';

watchAttendance(window);
listenForForgottenDrafts();
const queryClient = createQueryClient();
// The page's Link header has already requested it.
void queryClient.prefetchQuery(sessionQuery);
const router = createAppRouter(queryClient);

const container = document.getElementById('root');
if (!container) throw new Error('index.html has no #root');

if (import.meta.env.PROD) registerWorker();

createRoot(container, {
  onCaughtError: logUnexpectedError,
  onUncaughtError: logUnexpectedError,
  onRecoverableError: logUnexpectedError,
}).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <UiProvider>
        <RouterProvider router={router} />
      </UiProvider>
    </QueryClientProvider>
  </StrictMode>,
);
