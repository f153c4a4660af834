import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { meQuery } from './api/queries.ts';
import { setToken } from './api/token.ts';
import { type Language, useLanguage } from './i18n/i18n.tsx';
import { Icon } from './parts/icons.tsx';
import { applyTheme, chosenTheme, type Theme } from './theme/theme.ts';

/** The language, the theme, and the end of a session with a token. */
export function SettingsButton(): ReactNode {
  const { language, setLanguage, t } = useLanguage();
  const me = useQuery(meQuery);
  const [theme, setTheme] = useState(chosenTheme);
  return (
    <>
      <button type="button" className="button plain icon" popoverTarget="settings" aria-label={t.settings}>
        <Icon name="sliders" />
      </button>
      <div id="settings" className="settings" popover="auto">
        <Choice<Language>
          name="language"
          legend={t.language}
          chosen={language}
          options={[
            ['en', 'English'],
            ['zh', '中文'],
          ]}
          onChoose={setLanguage}
        />
        <Choice<Theme>
          name="theme"
          legend={t.theme}
          chosen={theme}
          options={[
            ['system', t.themeSystem],
            ['light', t.themeLight],
            ['dark', t.themeDark],
          ]}
          onChoose={(wanted) => {
            applyTheme(wanted);
            setTheme(wanted);
          }}
        />
        {me.data?.guarded && (
          <p>
            <button type="button" className="button small" onClick={() => setToken(undefined)}>
              {t.signOut}
            </button>
          </p>
        )}
        <p className="quiet">Assay {me.data?.version}</p>
      </div>
    </>
  );
}

interface ChoiceProps<Value extends string> {
  name: string;
  legend: string;
  chosen: Value;
  options: [value: Value, text: string][];
  onChoose: (value: Value) => void;
}

function Choice<Value extends string>({ name, legend, chosen, options, onChoose }: ChoiceProps<Value>): ReactNode {
  return (
    <fieldset>
      <legend>{legend}</legend>
      {options.map(([value, text]) => (
        <label key={value}>
          <input type="radio" name={name} checked={value === chosen} onChange={() => onChoose(value)} />
          {text}
        </label>
      ))}
    </fieldset>
  );
}
