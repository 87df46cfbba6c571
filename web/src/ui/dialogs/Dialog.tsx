import { Combobox, createTheme, MantineThemeProvider, Modal } from '@mantine/core';
import { type ReactNode, use, useEffect, useMemo, useRef, useState } from 'react';
import { t } from '@/i18n/en';
import { useIsPhone } from '@/ui/hooks/useIsPhone';
import classes from './Dialog.module.css';
import { useBackToClose } from './dialog-entries';
import { DialogParts } from './dialog-guard';

/** Renders lists inside a full-screen dialog: in a portal, an open list would widen page and dialog with every frame. */
const PHONE_THEME = createTheme({
  components: { Combobox: Combobox.extend({ defaultProps: { withinPortal: false } }) },
});
/** The same provider on a desk, so that resizing the window keeps the form's state. */
const DESK_THEME = createTheme({});

interface Props {
  title: string;
  opened: boolean;
  onClose: () => void;
  /** Another dialog is open on top and handles the Escape key. */
  covered?: boolean;
  /** A question about leaving, which does not fill a phone: Back would leave. */
  isQuestion?: boolean;
  children: ReactNode;
}

/**
 * A dialog over the page; on a phone it fills the screen, and Back closes it. A guard in it asks before Escape, the cross, Back or
 * a click beside it closes it.
 */
export function Dialog({ title, opened, onClose, covered = false, isQuestion = false, children }: Props) {
  const isPhone = useIsPhone();
  const fillsScreen = isPhone && !isQuestion;
  const guard = useRef<(close: () => void) => void>(undefined);
  const [isCovered, cover] = useState(false);
  const parts = useMemo(
    () => ({
      guard: (ask: typeof guard.current) => {
        guard.current = ask;
      },
      cover,
    }),
    [],
  );
  const below = use(DialogParts);
  useEffect(() => {
    if (!below || !opened) return;
    below.cover(true);
    return () => below.cover(false);
  }, [below, opened]);
  const close = () => (guard.current ? guard.current(onClose) : onClose());
  useBackToClose(opened && fillsScreen, close);
  // Later, because the question would be closed by the Escape that asks it: it is open before the next listener gets the key.
  const ask = () => void setTimeout(close);
  return (
    <Modal.Root
      opened={opened}
      onClose={() => (guard.current ? ask() : close())}
      closeOnEscape={!covered && !isCovered}
      size={500}
      radius="lg"
      padding="lg"
      centered
      fullScreen={fillsScreen}
    >
      <Modal.Overlay />
      <Modal.Content>
        {/* A div: a header element at the end of the page would be a second banner. */}
        <Modal.Header renderRoot={(props) => <div {...props} />}>
          <Modal.Title className={classes.title}>{title}</Modal.Title>
          <Modal.CloseButton aria-label={t.common.close} />
        </Modal.Header>
        <Modal.Body>
          <DialogParts value={parts}>
            <MantineThemeProvider theme={isPhone ? PHONE_THEME : DESK_THEME}>{children}</MantineThemeProvider>
          </DialogParts>
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}
