import type { ReactNode } from 'react';
import { useTexts } from '../i18n/i18n.tsx';
import { Icon } from './icons.tsx';
import { say } from './toast.tsx';

/** Copies a text as it is, made when it is wanted. Where the browser has no clipboard for the page (plain HTTP off this machine) there is no button. */
export function CopyButton({ text, what }: { text: () => string; what?: string | undefined }): ReactNode {
  const t = useTexts();
  if (navigator.clipboard === undefined) return null;
  return (
    <button
      type="button"
      className="button small plain icon"
      aria-label={what === undefined ? t.copy : `${t.copy}: ${what}`}
      title={t.copy}
      onClick={() => void navigator.clipboard.writeText(text()).then(() => say(t.copied))}
    >
      <Icon name="copy" />
    </button>
  );
}
