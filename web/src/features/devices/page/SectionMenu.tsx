import { type MouseEvent, useEffect, useRef, useState } from 'react';
import { t } from '@/i18n/en';
import { isPlainClick } from '../plain-click';
import classes from './SectionMenu.module.css';

export type Section = keyof typeof t.devicePage.section;

/** The sections of the page on wide screens; marks the current one. */
export function SectionMenu({ sections }: { sections: readonly Section[] }) {
  const [current, select] = useCurrentSection(sections);
  const go = (event: MouseEvent, section: Section) => {
    const element = document.getElementById(section);
    if (!element || !isPlainClick(event)) return;
    // A link with its own address would add a history entry between this page and the list.
    event.preventDefault();
    element.scrollIntoView();
    element.focus({ preventScroll: true });
    select(section);
  };
  return (
    <nav className={classes.menu} aria-label={t.devicePage.sections}>
      <ul>
        {sections.map((section) => (
          <li key={section}>
            <a
              href={`#${section}`}
              aria-current={section === current ? 'location' : undefined}
              onClick={(event) => go(event, section)}
            >
              {t.devicePage.section[section]}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function useCurrentSection(
  sections: readonly Section[],
): [current: Section | undefined, select: (to: Section) => void] {
  const [current, setCurrent] = useState(sections[0]);
  const selectedAt = useRef<number>(undefined);
  const key = sections.join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for the sections
  useEffect(() => {
    const look = () => {
      if (window.scrollY === selectedAt.current) return;
      selectedAt.current = undefined;
      setCurrent(sectionAt(readingLine(), sections));
    };
    look();
    window.addEventListener('scroll', look, { passive: true });
    window.addEventListener('resize', look);
    return () => {
      window.removeEventListener('scroll', look);
      window.removeEventListener('resize', look);
    };
  }, [key]);
  const select = (section: Section) => {
    selectedAt.current = window.scrollY;
    setCurrent(section);
  };
  return [current, select];
}

/** Moves from the top to the bottom of the window while the page scrolls, so that the last sections are marked, too. */
function readingLine(): number {
  const { scrollHeight, clientHeight } = document.documentElement;
  return clientHeight * (window.scrollY / Math.max(scrollHeight - clientHeight, 1));
}

function sectionAt(line: number, sections: readonly Section[]): Section | undefined {
  const isAbove = (section: Section) =>
    (document.getElementById(section)?.getBoundingClientRect().top ?? line + 1) <= line;
  return sections.filter(isAbove).at(-1) ?? sections[0];
}
