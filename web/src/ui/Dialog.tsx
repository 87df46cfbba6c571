import { Combobox, createTheme, MantineThemeProvider, Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import { t } from '@/i18n/en';
import classes from './Dialog.module.css';
import { useIsPhone } from './useIsPhone';

/** In a portal beside a full-screen dialog, an open list would widen the page, and with it the dialog, on every frame. */
const PHONE_THEME = createTheme({
  components: { Combobox: Combobox.extend({ defaultProps: { withinPortal: false } }) },
});
/** The same provider at a desk, so that a change of the window's size keeps what was typed. */
const DESK_THEME = createTheme({});

interface Props {
  title: string;
  opened: boolean;
  onClose: () => void;
  /** Another one is open over it, which has the Escape key. */
  covered?: boolean;
  children: ReactNode;
}

/** Over the page, on a phone all of it. */
export function Dialog({ title, opened, onClose, covered = false, children }: Props) {
  const isPhone = useIsPhone();
  return (
    <Modal.Root
      opened={opened}
      onClose={onClose}
      closeOnEscape={!covered}
      size={500}
      radius="lg"
      padding="lg"
      centered
      fullScreen={isPhone}
    >
      <Modal.Overlay />
      <Modal.Content>
        {/* A div: a header element at the end of the page would be a second banner. */}
        <Modal.Header renderRoot={(props) => <div {...props} />}>
          <Modal.Title className={classes.title}>{title}</Modal.Title>
          <Modal.CloseButton aria-label={t.common.close} />
        </Modal.Header>
        <Modal.Body>
          <MantineThemeProvider theme={isPhone ? PHONE_THEME : DESK_THEME}>{children}</MantineThemeProvider>
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}
