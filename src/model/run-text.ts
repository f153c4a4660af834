/** Text in prompts that differs from run to run, made and unmade in one place so that a recording fits a later run. */

/** Tells the model the day, as YYYY-MM-DD. */
export function dateLine(date: string): string {
  return `Today is ${date}.`;
}

/** Untrusted text between marks that carry the run's boundary; the text cannot close them, since it cannot know it. */
export function fence(text: string, boundary: string): string {
  return `<data ${boundary}>\n${text.replaceAll(boundary, '')}\n</data ${boundary}>`;
}

/** The text without the day and the boundaries. */
export function withoutRunText(text: string): string {
  return text.replace(/Today is \d{4}-\d\d-\d\d\./g, 'Today is DATE.').replace(/<(\/?)data [0-9a-f]{16}>/g, '<$1data>');
}
