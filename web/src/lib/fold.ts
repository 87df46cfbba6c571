/** Folds a text for search: 'são' finds 'São Paulo', 'new york' finds 'America/New_York'. */
export function fold(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').replaceAll('_', ' ').toLowerCase().trim();
}
