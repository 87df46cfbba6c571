import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { applyJob, jobQuery } from '@/api/jobs';
import type { Job } from '@/api/schema.gen';
import { sessionQuery } from '@/api/session';
import { forgetJob, rememberedJob, rememberJob } from '@/browser/job-memory';

export interface FollowedJob {
  /** The job that was started last; undefined if there is none or its panel was closed. */
  id: string | undefined;
  isRunning: boolean;
  /** Follows a job that has just been started. */
  follow: (job: Job) => Promise<void>;
  /** Call when the job has ended: it stays visible until it is closed, but not after a reload. */
  hasEnded: () => void;
  unfollow: () => void;
}

/** The job that the user started on this page. It is found again, also after a reload, until its end has been shown. */
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
    unfollow: () => {
      forgetJob(person, page);
      setId(undefined);
    },
  };
}
