export type Theme = 'system' | 'light' | 'dark';

const place = 'assay-theme';
const darkness = matchMedia('(prefers-color-scheme: dark)');

/** The theme that was chosen here before. */
export function chosenTheme(): Theme {
  const kept = localStorage.getItem(place);
  return kept === 'light' || kept === 'dark' ? kept : 'system';
}

/** Shows the page in a theme, and remembers it. */
export function applyTheme(theme: Theme): void {
  localStorage.setItem(place, theme);
  show(theme);
}

/** Shows the chosen theme from now on, also when the system's changes. */
export function startTheme(): void {
  show(chosenTheme());
  darkness.addEventListener('change', () => show(chosenTheme()));
}

function show(theme: Theme): void {
  const dark = theme === 'dark' || (theme === 'system' && darkness.matches);
  document.documentElement.dataset['theme'] = dark ? 'dark' : 'light';
}
