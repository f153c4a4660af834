import './theme/theme.css';
import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { mayPass, Problem } from './api/problem.ts';
import { meQuery } from './api/queries.ts';
import { LanguageProvider } from './i18n/i18n.tsx';
import { router } from './router.tsx';
import { startTheme } from './theme/theme.ts';

startTheme();

const client = new QueryClient({
  defaultOptions: {
    // The server may be on this machine: that there is no network says nothing.
    queries: { retry: (failures, error) => failures < 2 && mayPass(error), networkMode: 'always' },
    mutations: { networkMode: 'always' },
  },
  queryCache: new QueryCache({
    onError: (error, { queryKey }) => {
      // A token that was good before is asked for again.
      if (error instanceof Problem && error.status === 401 && queryKey[0] !== 'me')
        void client.invalidateQueries({ queryKey: meQuery.queryKey });
    },
  }),
});

const root = document.getElementById('root');
if (!root) throw new Error('The page has no element with the id root.');
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <LanguageProvider>
        <RouterProvider router={router} />
      </LanguageProvider>
    </QueryClientProvider>
  </StrictMode>,
);
