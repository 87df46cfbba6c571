import { messageOf } from '@/api/errors';
import { t } from '@/i18n/en';
import { Button } from '@/ui/kit';
import { ErrorNotice } from '@/ui/notices/Notice';
import classes from './OlderButton.module.css';

interface Props {
  label?: string;
  /** The title of the notice when the next page cannot be read. */
  failed: string;
  query: {
    hasNextPage: boolean;
    isFetchingNextPage: boolean;
    isFetchNextPageError: boolean;
    error: unknown;
    fetchNextPage: () => Promise<unknown>;
  };
}

/** Reads the next page of a list that has no page numbers. */
export function OlderButton({ query, label = t.list.older, failed }: Props) {
  const older = () => void query.fetchNextPage();
  if (query.isFetchNextPageError) {
    return <ErrorNotice title={failed} reason={messageOf(query.error)} onRetry={older} />;
  }
  if (!query.hasNextPage) return null;
  return (
    <div className={classes.older}>
      <Button variant="default" loading={query.isFetchingNextPage} onClick={older}>
        {label}
      </Button>
    </div>
  );
}
