/** Timeout for the result of a job: it pauses for at least five seconds after a temporary failure of the cloud. */
export const JOB_END = { timeout: 60_000 };
