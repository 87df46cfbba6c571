import { type InfiniteData, type UseInfiniteQueryResult, useInfiniteQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { messageOf } from '@/api/errors';
import { type PreviewSource, previewQuery } from '@/api/previews';
import type { JobPreview, PreviewTarget } from '@/api/schema.gen';
import { ChangeList } from '@/form/changes/ChangeList';
import { OlderButton } from '@/form/list/OlderButton';
import { t } from '@/i18n/en';
import { Skeleton } from '@/ui/kit';
import { Loading } from '@/ui/notices/Loading';
import { ErrorNotice } from '@/ui/notices/Notice';
import classes from './JobPreviewList.module.css';

/** What a job would change at each of its devices, page by page. */
export function JobPreviewList({ source }: { source: PreviewSource }) {
  const heading = useId();
  const query = useInfiniteQuery(previewQuery(source));
  return (
    <section className={classes.preview} aria-labelledby={heading}>
      <h3 id={heading} className={classes.title}>
        {t.preview.title}
      </h3>
      <Content query={query} />
    </section>
  );
}

function Content({ query }: { query: UseInfiniteQueryResult<InfiniteData<JobPreview>> }) {
  const { data, error, isError, refetch } = query;
  const total = data?.pages.at(-1)?.total;
  if (data && total !== undefined) {
    const targets = data.pages.flatMap((page) => page.targets);
    return (
      <>
        <Counts targets={targets} total={total} />
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it */}
        <ul className={classes.targets} aria-label={t.preview.title} tabIndex={0}>
          {targets.map((target) => (
            <Target key={target.dsn} target={target} />
          ))}
        </ul>
        <OlderButton query={query} label={t.preview.more} failed={t.preview.loadFailed} />
      </>
    );
  }
  if (isError) {
    return <ErrorNotice title={t.preview.loadFailed} reason={messageOf(error)} onRetry={() => void refetch()} />;
  }
  return (
    <Loading>
      <Skeleton height={72} mt={8} />
    </Loading>
  );
}

function Counts({ targets, total }: { targets: readonly PreviewTarget[]; total: number }) {
  const refused = targets.filter(({ refusal }) => refusal !== null).length;
  const changed = targets.filter(({ changes }) => changes.length > 0).length;
  const counts = t.preview.counts(changed, targets.length - changed - refused, refused);
  return (
    <p className={classes.counts} role="status">
      {targets.length < total ? `${t.preview.first(targets.length, total)} ${counts}` : counts}
    </p>
  );
}

function Target({ target: { dsn, changes, refusal } }: { target: PreviewTarget }) {
  return (
    <li data-refused={refusal !== null}>
      <span className={classes.dsn}>{dsn}</span>
      {refusal !== null ? (
        <div className={classes.bad}>{refusal}</div>
      ) : changes.length > 0 ? (
        <ChangeList changes={changes} />
      ) : (
        <div className={classes.soft}>{t.preview.unchanged}</div>
      )}
    </li>
  );
}
