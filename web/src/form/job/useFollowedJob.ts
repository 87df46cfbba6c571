import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { applyJob, jobQuery } from '@/api/jobs';
import type { Job } from '@/api/schema.gen';
import { sessionQuery } from '@/api/session';
import { forgetJob, rememberedJob, rememberJob } from '@/lib/job-memory';

export interface FollowedJob {
  /** The job that was started last; undefined when there is none, or nobody wants to see it any more. */
  id: string | undefined;
  isRunning: boolean;
  /** Follows a job that was just started. */
  follow: (job: Job) => Promise<void>;
  /** It has ended and is shown until it is let go, but not after a reload. */
  hasEnded: () => void;
  letGo: () => void;
}

/** The job that this person started on this page. Until its end has been shown it is found again. */
export function useFollowedJob(page: string): FollowedJob {
  const client = useQueryClient();
  const person = useQuery(sessionQuery).data?.user.id ?? '';
  const [id, setId] = useState(() => rememberedJob(person, page));
  const { data, isError } = useQuery({ ...jobQuery(id ?? ''), enabled: id !== undefined });
  return {
    id,
    isRunning: id !== undefined && !isError && (data?.state ?? 'running') === 'running',
    follow: async (job) => {
      rememberJob(person, page, job.id);
      await applyJob(client, job);
      setId(job.id);
    },
    hasEnded: () => forgetJob(person, page),
    letGo: () => {
      forgetJob(person, page);
      setId(undefined);
    },
  };
}
