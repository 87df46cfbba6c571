import { Tabs } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import '@mantine/core/styles/Tabs.css';
import { Panel } from './Card';
import classes from './TabbedCard.module.css';

interface Props<Value extends string> {
  label: string;
  tabs: readonly { value: Value; label: string }[];
  value: Value;
  onChange: (value: Value) => void;
  content: (value: Value) => ReactNode;
}

/** A card with tabs. */
export function TabbedCard<Value extends string>({ label, tabs, value, onChange, content }: Props<Value>) {
  const active = useRef<HTMLButtonElement>(null);
  // A link can lead to a tab that is not in view on a phone.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another active tab is the reason
  useEffect(() => {
    active.current?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [value]);
  return (
    <Panel>
      <Tabs
        value={value}
        onChange={(chosen) => {
          const tab = tabs.find((tab) => tab.value === chosen);
          if (tab) onChange(tab.value);
        }}
        keepMounted={false}
      >
        <Tabs.List aria-label={label} className={classes.tabs}>
          {tabs.map((tab) => (
            <Tabs.Tab
              key={tab.value}
              ref={tab.value === value ? active : undefined}
              value={tab.value}
              className={classes.tab}
            >
              {tab.label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {tabs.map((tab) => (
          <Tabs.Panel key={tab.value} value={tab.value} className={classes.panel}>
            {content(tab.value)}
          </Tabs.Panel>
        ))}
      </Tabs>
    </Panel>
  );
}
