import type { ReactNode } from 'react';
import { type Language, useLanguage } from '../i18n/i18n.tsx';

/** A time as people of the language write it, in their own zone; of today the hour is enough. All of it is in the tip. */
export function When({ at, precise = false }: { at: string | number; precise?: boolean }): ReactNode {
  const { language } = useLanguage();
  const date = new Date(at);
  return (
    <time dateTime={date.toISOString()} title={date.toISOString()} className="numbers">
      {formatFor(language, styleOf(date, precise)).format(date)}
    </time>
  );
}

function styleOf(date: Date, precise: boolean): keyof typeof styles {
  if (precise) return 'second';
  const now = new Date();
  if (date.toDateString() === now.toDateString()) return 'hour';
  return date.getFullYear() === now.getFullYear() ? 'day' : 'year';
}

const styles = {
  second: { timeStyle: 'medium' },
  hour: { timeStyle: 'short' },
  day: { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' },
  year: { dateStyle: 'medium' },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>;

const formats = new Map<string, Intl.DateTimeFormat>();

/** Making a format costs more than using it a hundred times. */
function formatFor(language: Language, style: keyof typeof styles): Intl.DateTimeFormat {
  const key = `${language} ${style}`;
  const format = formats.get(key) ?? new Intl.DateTimeFormat(language === 'zh' ? 'zh-CN' : 'en-GB', styles[style]);
  formats.set(key, format);
  return format;
}
