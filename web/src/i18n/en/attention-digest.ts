/** The daily digest of what needs attention, a tab of the account page. */
export const attentionDigest = {
  tab: 'Daily Digest',
  lead: 'A mail every day with all open items that you may see, the most urgent first, each with a link. On days without open items there is none.',
  unavailable: 'This console sends no mails. Its operator can set up a mail server.',
  wanted: 'Send me a digest every day',
  hour: 'At',
  zone: (zone: string) => `Times are in ${zone.replaceAll('_', ' ')}.`,
  saved: 'Successfully saved daily digest',
  saveFailed: (message: string) => `Failed to save daily digest. ${message}`,
  failed: 'Failed to load your daily digest',
} as const;
