import { MantineProvider } from '@mantine/core';
import { setNonce } from 'get-nonce';
import type { ReactNode } from 'react';
import { Alerts } from './alerts';
import { cssVariables, theme } from './theme';
import './app.css';

/** The server writes a new nonce into each page. Without it the browser refuses the styles that the kit inserts. */
function styleNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
}

// Dialogs insert one more style through react-remove-scroll, which asks get-nonce.
setNonce(styleNonce());

export function UiProvider({ children }: { children: ReactNode }) {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      getStyleNonce={styleNonce}
    >
      {children}
      <Alerts />
    </MantineProvider>
  );
}
