import { Burger, Drawer } from '@mantine/core';
import { useDisclosure, useMediaQuery } from '@mantine/hooks';
import { type ReactNode, useRef, useState } from 'react';
import { t } from '@/i18n/en';
import { useBackToClose } from '@/ui/dialogs/dialog-entries';
import { PreviousPage, usePageBefore } from '@/ui/hooks/previousPage';
import { useFocusInPage } from '@/ui/hooks/useFocusInPage';
import { useIsHandheld } from '@/ui/hooks/useIsHandheld';
import classes from './Frame.module.css';

interface Props {
  brand: ReactNode;
  /** Shown at the right end of the header. */
  tools: ReactNode;
  /** Its links call `onNavigate`, which closes the collapsed navigation. */
  navigation: (onNavigate: () => void) => ReactNode;
  /** Identifies the page, which may be loading. */
  page: string;
  /** The page that is shown. When it changes, the focus moves to the new page. */
  shownPage: string;
  children: ReactNode;
}

/** Header, side navigation (collapsed in a narrow window and on a phone in either orientation) and the page. */
export function Frame({ brand, tools, navigation, page, shownPage, children }: Props) {
  const isNarrow = useMediaQuery('(max-width: 74.99em)', false, { getInitialValueInEffect: false });
  const isHandheld = useIsHandheld();
  const isFolded = isNarrow || isHandheld;
  const [opened, drawer] = useDisclosure(false);
  const main = useRef<HTMLElement>(null);
  const before = usePageBefore(page);
  const [isLeaving, setIsLeaving] = useState(false);
  useFocusInPage(main, shownPage);
  useBackToClose(isFolded && opened, drawer.close);
  const open = () => {
    setIsLeaving(false);
    drawer.open();
  };
  const leave = () => {
    setIsLeaving(true);
    drawer.close();
  };

  return (
    <div className={classes.frame} data-folded={isFolded}>
      <a className={classes.skip} href="#main">
        {t.common.skipToContent}
      </a>
      <header className={classes.header}>
        {isFolded && (
          <Burger
            className={classes.burger}
            size="sm"
            opened={opened}
            onClick={open}
            aria-label={t.shell.openNavigation}
          />
        )}
        <div className={classes.brand}>{brand}</div>
        <div className={classes.tools}>{tools}</div>
      </header>
      {isFolded ? (
        <Drawer.Root opened={opened} onClose={drawer.close} returnFocus={!isLeaving} size={280}>
          <Drawer.Overlay />
          <Drawer.Content>
            {/* A div: a second header element would be a second banner. */}
            <Drawer.Header renderRoot={(props) => <div {...props} />}>
              <Drawer.Title>{brand}</Drawer.Title>
              <Drawer.CloseButton aria-label={t.shell.closeNavigation} />
            </Drawer.Header>
            <Drawer.Body>
              <nav aria-label={t.shell.navigation}>{navigation(leave)}</nav>
            </Drawer.Body>
          </Drawer.Content>
        </Drawer.Root>
      ) : (
        <div className={classes.side}>
          <nav className={classes.nav} aria-label={t.shell.navigation}>
            {navigation(leave)}
          </nav>
        </div>
      )}
      <main id="main" ref={main} tabIndex={-1} className={classes.main}>
        <PreviousPage value={before}>{children}</PreviousPage>
      </main>
    </div>
  );
}
