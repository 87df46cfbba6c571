import '@testing-library/jest-dom/vitest';
import { notifications } from '@mantine/notifications';
import { cleanup, configure } from '@testing-library/react';
import { afterEach, beforeEach, vi } from 'vitest';
import { setTimeFormat } from '@/browser/time';
import { FakeEventSource } from './fake-event-source';
import { FakeIntersectionObserver } from './sight';

// A busy machine may take seconds to load a screen's module.
configure({ asyncUtilTimeout: 15_000 });

// The kit needs this, and jsdom lacks it. Reduced motion prevents dialogs from fading in during a test.
window.matchMedia = (query) =>
  ({
    matches: query.includes('prefers-reduced-motion'),
    media: query,
    addEventListener() {},
    removeEventListener() {},
  }) as unknown as MediaQueryList;
window.scrollTo = () => undefined;
Element.prototype.scrollIntoView = () => undefined;
Object.defineProperty(document, 'fonts', { value: new EventTarget() });
window.ResizeObserver = class {
  observe() {}
  unobserve() {}
  disconnect() {}
};

window.IntersectionObserver = FakeIntersectionObserver as unknown as typeof IntersectionObserver;

beforeEach(() => {
  FakeEventSource.all.length = 0;
  vi.stubGlobal('EventSource', FakeEventSource);
  sessionStorage.clear();
});

afterEach(() => {
  cleanup();
  // Alerts are stored outside React and would appear in the next test.
  notifications.clean();
  setTimeFormat('12hour');
});
