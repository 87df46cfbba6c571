import { Component, type ComponentType, lazy, type ReactNode, Suspense, useState } from 'react';
import { checkRelease, LoadFailure } from '@/browser/release';
import { t } from '@/i18n/en';
import { Button } from '@/ui/kit';
import { ErrorNotice, InfoNotice } from './Notice';
import { ReloadButton, useIsUpdated } from './UpdateNotice';

type PartProps<Props> = Props & {
  /** Shown below the notice if the part cannot be loaded. */
  failed?: ReactNode;
};

/**
 * A part of a page whose code is loaded when the part is rendered. If that fails, the rest of the page is kept, and a notice
 * offers to load the code again, or a reload of the page if the server has another release.
 */
export function lazyPart<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  shape: ReactNode,
): ComponentType<PartProps<Props>> {
  /** `lazy` keeps a failure forever, so each attempt has a component of its own. */
  const attempt = () =>
    lazy(async () => {
      try {
        return { default: await load() };
      } catch (cause) {
        Part = attempt();
        await checkRelease();
        throw new LoadFailure('The code of a part could not be loaded', { cause });
      }
    });
  let Part = attempt();
  return function LazyPart({ failed, ...rest }: PartProps<Props>) {
    // Later attempts of other places must not reset the state of this one.
    const [{ Shown, retries }, setAttempt] = useState({ Shown: Part, retries: 0 });
    const retry = async () => {
      await reloadStyles();
      setAttempt({ Shown: Part, retries: retries + 1 });
    };
    const notice = (error: unknown) => (
      <MissingPart error={error} failed={failed} retries={retries} onRetry={() => void retry()} />
    );
    return (
      <FailureBoundary key={retries} notice={notice}>
        <Suspense fallback={shape}>
          <Shown {...(rest as unknown as Props)} />
        </Suspense>
      </FailureBoundary>
    );
  };
}

interface BoundaryProps {
  notice: (error: unknown) => ReactNode;
  children: ReactNode;
}

class FailureBoundary extends Component<BoundaryProps, { failure?: { error: unknown } }> {
  override state: { failure?: { error: unknown } } = {};

  static getDerivedStateFromError(error: unknown) {
    return { failure: { error } };
  }

  override render() {
    const { failure } = this.state;
    return failure ? this.props.notice(failure.error) : this.props.children;
  }
}

interface MissingProps {
  error: unknown;
  failed: ReactNode;
  retries: number;
  onRetry: () => void;
}

/** Takes the place of a part that failed. */
function MissingPart({ error, failed, retries, onRetry }: MissingProps) {
  const isUpdated = useIsUpdated();
  const title = isUpdated ? t.release.updated : error instanceof LoadFailure ? t.release.missing : t.errors.unexpected;
  // Some browsers never request a file again whose request failed.
  const reload = (isUpdated || retries > 0) && <ReloadButton />;
  if (failed === undefined) {
    return <ErrorNotice title={title} {...(!isUpdated && { onRetry })} action={reload} />;
  }
  const retry = !isUpdated && (
    <Button size="compact-sm" variant="subtle" onClick={onRetry}>
      {t.common.retry}
    </Button>
  );
  return (
    <>
      <InfoNotice
        text={title}
        action={
          <>
            {retry}
            {reload}
          </>
        }
      />
      {failed}
    </>
  );
}

/** Requests the style sheets again that could not be loaded: the bundler requests each of them only once. */
async function reloadStyles(): Promise<void> {
  const links = document.querySelectorAll<HTMLLinkElement>('link[rel="stylesheet"]');
  const broken = Array.from(links).filter(({ sheet }) => sheet === null);
  await Promise.all(
    broken.map((link) => {
      const again = link.cloneNode() as HTMLLinkElement;
      const settled = new Promise((resolve) => {
        again.addEventListener('load', resolve);
        again.addEventListener('error', resolve);
      });
      link.replaceWith(again);
      return settled;
    }),
  );
}
