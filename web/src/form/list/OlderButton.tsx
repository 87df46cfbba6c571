import { messageOf } from '@/api/errors';
import { t } from '@/i18n/en';
import { Button } from '@/ui/kit';
import { ErrorNotice } from '@/ui/Notice';
import classes from './OlderButton.module.css';

interface Props {
  query: {
    hasNextPage: boolean;
    isFetchingNextPage: boolean;
    isFetchNextPageError: boolean;
    error: unknown;
    fetchNextPage: () => Promise<unknown>;
  };
}

/** Loads older changes. */
export function OlderButton({ query }: Props) {
  const older = () => void query.fetchNextPage();
  if (query.isFetchNextPageError) {
    return <ErrorNotice title={t.audit.olderFailed} reason={messageOf(query.error)} onRetry={older} />;
  }
  if (!query.hasNextPage) return null;
  return (
    <div className={classes.older}>
      <Button variant="default" loading={query.isFetchingNextPage} onClick={older}>
        {t.audit.older}
      </Button>
    </div>
  );
}
