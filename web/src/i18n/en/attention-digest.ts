/** The mails about what needs attention, a tab of the account page. */
export const attentionDigest = {
  tab: 'Attention Mails',
  assignments: 'Send me a mail when somebody assigns items to me',
  assignmentsHint: 'After ten minutes, with all items of that time.',
  assignmentsSaved: 'Successfully saved mails about assigned items',
  assignmentsFailed: (message: string) => `Failed to save mails about assigned items. ${message}`,
  lead: 'A mail every day with all open items that you may see, your own first, then the most urgent, each with a link. On days without open items there is none.',
  unavailable: 'This console sends no mails. Its operator can set up a mail server.',
  wanted: 'Send me a digest every day',
  hour: 'At',
  zone: (zone: string) => `Times are in ${zone.replaceAll('_', ' ')}.`,
  saved: 'Successfully saved daily digest',
  saveFailed: (message: string) => `Failed to save daily digest. ${message}`,
  failed: 'Failed to load your daily digest',
} as const;
