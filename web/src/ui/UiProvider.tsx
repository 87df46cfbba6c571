import { MantineProvider, useComputedColorScheme } from '@mantine/core';
import { setNonce } from 'get-nonce';
import { type ReactNode, useEffect } from 'react';
import { Alerts } from './notices/alerts';
import { cssVariables, theme } from './theme';
import './app.css';

/** The server writes a new nonce into each page. Without it the browser refuses the styles that the kit inserts. */
function styleNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
}

// Dialogs insert one more style through react-remove-scroll, which asks get-nonce.
setNonce(styleNonce());

/** The surface of the header. */
const BAR = { light: '#ffffff', dark: '#1a2026' };

/** Gives the bar of a phone's browser the color of the chosen scheme; the page itself only knows that of the system. */
function BrowserBar() {
  const scheme = useComputedColorScheme('light', { getInitialValueInEffect: false });
  useEffect(() => {
    for (const meta of document.querySelectorAll<HTMLMetaElement>('meta[name="theme-color"]'))
      meta.content = BAR[scheme];
  }, [scheme]);
  return null;
}

export function UiProvider({ children }: { children: ReactNode }) {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      getStyleNonce={styleNonce}
    >
      <BrowserBar />
      {children}
      <Alerts />
    </MantineProvider>
  );
}
