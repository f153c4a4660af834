import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react';
import { chinese } from './chinese.ts';
import { english, type Texts } from './english.ts';

export type Language = 'en' | 'zh';

const place = 'assay-language';
const texts: Record<Language, Texts> = { en: english, zh: chinese };

interface Spoken {
  language: Language;
  /** The texts of the language: `t.runs`. */
  t: Texts;
  setLanguage(language: Language): void;
}

const Context = createContext<Spoken>({ language: 'en', t: english, setLanguage: () => undefined });

/** The language that was chosen here before, else the browser's. */
function firstLanguage(): Language {
  const kept = localStorage.getItem(place);
  if (kept === 'en' || kept === 'zh') return kept;
  return navigator.language.toLowerCase().startsWith('zh') ? 'zh' : 'en';
}

export function LanguageProvider({ children }: { children: ReactNode }): ReactNode {
  const [language, setLanguage] = useState(firstLanguage);
  useEffect(() => {
    document.documentElement.lang = language === 'zh' ? 'zh-CN' : 'en';
    localStorage.setItem(place, language);
  }, [language]);
  const spoken = useMemo(() => ({ language, t: texts[language], setLanguage }), [language]);
  return <Context value={spoken}>{children}</Context>;
}

export function useTexts(): Texts {
  return useContext(Context).t;
}

export function useLanguage(): Spoken {
  return useContext(Context);
}
