import { useDeviceEvents } from '@/api/live/live';
import { t } from '@/i18n/en';
import { type HelpSection, helpSections } from '@/i18n/en/help-sections';
import { usePageTitle } from '@/ui/hooks/usePageTitle';
import { Stack, Title } from '@/ui/kit';
import { Card } from '@/ui/layout/Card';
import classes from './HelpPage.module.css';

/** Instructions for technicians in the field, in the order in which they need them. */
export function HelpPage() {
  usePageTitle(t.help.title);
  useDeviceEvents([]);
  return (
    <Stack gap="md" className={classes.page}>
      <Title order={1} size={26}>
        {t.help.title}
      </Title>
      <nav aria-label={t.help.contents}>
        <ul className={classes.contents}>
          {helpSections.map(({ id, title }) => (
            <li key={id}>
              <a href={`#${id}`}>{title}</a>
            </li>
          ))}
        </ul>
      </nav>
      {helpSections.map((section) => (
        <div key={section.id} id={section.id} className={classes.section}>
          <Section {...section} />
        </div>
      ))}
    </Stack>
  );
}

function Section({ title, lead, steps, topics }: HelpSection) {
  return (
    <Card title={title}>
      <div className={classes.text}>
        {lead && <p>{lead}</p>}
        {steps && (
          <ol>
            {steps.map((step) => (
              <li key={step}>{step}</li>
            ))}
          </ol>
        )}
        {topics?.map((topic) => (
          <div key={topic.title}>
            <h3>{topic.title}</h3>
            <p>{topic.text}</p>
          </div>
        ))}
      </div>
    </Card>
  );
}
