const AMERICAN = 'en-US';
let language = '';
let locale = AMERICAN;

/**
 * English with dates as the reader's country writes them: 'Nov 20, 2026' in the United States, '20 Nov 2026' in most others. American if the browser's
 * language is not known.
 */
export function dateLocale(): string {
  if (navigator.language !== language) {
    language = navigator.language;
    locale = localeOf(language);
  }
  return locale;
}

function localeOf(language: string): string {
  try {
    const { region } = new Intl.Locale(language).maximize();
    return region === undefined ? AMERICAN : `en-${region}`;
  } catch {
    return AMERICAN;
  }
}
