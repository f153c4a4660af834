import react from '@vitejs/plugin-react';
import { defineConfig, type UserConfig } from 'vite';

/** The server that `npm run web:dev` shows. */
const server = process.env['ASSAY_URL'] ?? 'http://127.0.0.1:8787';

const config: UserConfig = defineConfig({
  root: import.meta.dirname,
  // The page works wherever the server is mounted.
  base: './',
  plugins: [react()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2023',
    // Its policy allows no data address for scripts, and a small file more costs nothing here.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: {
    host: '127.0.0.1',
    proxy: {
      '/v1': {
        target: server,
        changeOrigin: true,
        // The server refuses foreign pages, and here the page comes from another port.
        configure: (proxy) => proxy.on('proxyReq', (request) => request.removeHeader('origin')),
      },
    },
  },
});
export default config;
