/** Opens the application without a network. API requests do not pass through the worker. */
import { keepShell, openFile, openPage } from './shell';

declare const self: ServiceWorkerGlobalScope;

self.addEventListener('install', (event) => {
  event.waitUntil(fetch('/').then(keepShell));
  // The worker has no state that another version could misread.
  void self.skipWaiting();
});

self.addEventListener('activate', (event) => {
  // The page must not wait until the worker has started.
  event.waitUntil(self.registration.navigationPreload.enable());
});

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (origin !== self.location.origin || request.method !== 'GET') return;
  if (request.mode === 'navigate' && !pathname.startsWith('/api/')) {
    const opened = openPage(async () => (await event.preloadResponse) ?? fetch(request));
    event.respondWith(opened.then(({ page }) => page));
    event.waitUntil(opened.then(({ kept }) => kept).catch(() => undefined));
  } else if (pathname.startsWith('/assets/')) event.respondWith(openFile(request));
});
