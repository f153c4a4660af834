import type { ReactNode } from 'react';
import { useLanguage } from '../i18n/i18n.tsx';

/** A time as people of the language write it, in their own zone. */
export function When({ at, precise = false }: { at: string | number; precise?: boolean }): ReactNode {
  const { language } = useLanguage();
  const date = new Date(at);
  const style: Intl.DateTimeFormatOptions = precise
    ? { timeStyle: 'medium' }
    : { dateStyle: 'medium', timeStyle: 'short' };
  return (
    <time dateTime={date.toISOString()} title={date.toISOString()} className="numbers">
      {new Intl.DateTimeFormat(language === 'zh' ? 'zh-CN' : 'en-GB', style).format(date)}
    </time>
  );
}
