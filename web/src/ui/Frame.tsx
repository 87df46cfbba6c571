import { Burger, Drawer } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type ReactNode, useEffect, useRef } from 'react';
import { t } from '@/i18n/en';
import classes from './Frame.module.css';
import { PreviousPage, usePageBefore } from './previousPage';
import { useIsHandheld } from './useIsHandheld';

interface Props {
  brand: ReactNode;
  /** Shown at the right end of the header. */
  tools: ReactNode;
  /** Its links call `onNavigate`, which closes the collapsed navigation. */
  navigation: (onNavigate: () => void) => ReactNode;
  /** Identifies the page. When it changes, the focus moves to the new page, unless the page has set the focus itself. */
  page: string;
  children: ReactNode;
}

/** Header, side navigation (collapsed on a phone in either orientation) and the page. */
export function Frame({ brand, tools, navigation, page, children }: Props) {
  const isFolded = useIsHandheld();
  const [opened, drawer] = useDisclosure(false);
  const main = useRef<HTMLElement>(null);
  const before = usePageBefore(page);
  const shownPage = useRef(page);

  useEffect(() => {
    if (shownPage.current === page) return;
    shownPage.current = page;
    if (!main.current?.contains(document.activeElement)) main.current?.focus({ preventScroll: true });
  }, [page]);

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
            onClick={drawer.open}
            aria-label={t.shell.openNavigation}
          />
        )}
        <div className={classes.brand}>{brand}</div>
        <div className={classes.tools}>{tools}</div>
      </header>
      {isFolded ? (
        <Drawer.Root opened={opened} onClose={drawer.close} size={280}>
          <Drawer.Overlay />
          <Drawer.Content>
            {/* A div: a second header element would be a second banner. */}
            <Drawer.Header renderRoot={(props) => <div {...props} />}>
              <Drawer.Title>{brand}</Drawer.Title>
              <Drawer.CloseButton aria-label={t.shell.closeNavigation} />
            </Drawer.Header>
            <Drawer.Body>
              <nav aria-label={t.shell.navigation}>{navigation(drawer.close)}</nav>
            </Drawer.Body>
          </Drawer.Content>
        </Drawer.Root>
      ) : (
        <div className={classes.side}>
          <nav className={classes.nav} aria-label={t.shell.navigation}>
            {navigation(drawer.close)}
          </nav>
        </div>
      )}
      <main id="main" ref={main} tabIndex={-1} className={classes.main}>
        <PreviousPage value={before}>{children}</PreviousPage>
      </main>
    </div>
  );
}
