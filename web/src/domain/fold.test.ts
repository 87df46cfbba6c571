import { expect, test } from 'vitest';
import { fold } from './fold';

test.each([
  ['São Paulo', 'sao paulo'],
  ['Île-de-France', 'ile-de-france'],
  ['America/New_York', 'america/new york'],
  ['  WI - Wisconsin ', 'wi - wisconsin'],
  ['', ''],
  ['Łódź Główna', 'lodz glowna'],
  ['Østergade, Ærø, Œuvre', 'ostergade, aero, oeuvre'],
  ['Đorđe Ħal Ŧ Þór Ðe', 'dorde hal t thor de'],
  ['İstanbul Işık', 'istanbul isik'],
  ['STRASSE Straße', 'strasse strasse'],
  ['ΟΔΟΣ οδος', 'οδοσ οδοσ'],
  ['D’Angelo, L`É, L´É', "d'angelo, l'e, l'e"],
  ['„Zum Löwen“ «É»', '"zum lowen" "e"'],
  ['Bar\u00a0Nord\u20092', 'bar nord 2'],
  ['Aix–en‑Provence', 'aix-en-provence'],
  ['ＣＡＦＥ', 'cafe'],
  ['Lin™ № 5 ℃', 'lintm no 5 °c'],
  ['ǰ ΐ ŉ ᾳ', "j ι 'n α"],
  ['Ёлка ἀθήνα', 'елка αθηνα'],
  ['が', 'か\u3099'],
])('%j is compared as %j', (text, folded) => {
  expect(fold(text)).toBe(folded);
});
