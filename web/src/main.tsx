import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { mayPass } from './api/client.ts';
import { LanguageProvider } from './i18n/i18n.tsx';
import { router } from './router.tsx';
import './theme/tokens.css';
import './theme/base.css';
import './theme/shell.css';
import './theme/parts.css';
import { startTheme } from './theme/theme.ts';

startTheme();

const client = new QueryClient({
  defaultOptions: { queries: { retry: (failures, error) => failures < 2 && mayPass(error) } },
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
