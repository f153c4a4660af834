import { type ReactNode, useState } from 'react';
import { currentToken, setToken } from '../api/token.ts';
import { useTexts } from '../i18n/i18n.tsx';
import { WithCode } from './with-code.tsx';

/** Asks for the token that a server on another machine wants. */
export function TokenForm(): ReactNode {
  const t = useTexts();
  const [typed, setTyped] = useState('');
  return (
    <form
      className="panel stack token-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (typed.trim() !== '') setToken(typed.trim());
      }}
    >
      <h1>{t.tokenTitle}</h1>
      <p className="quiet">
        <WithCode text={t.tokenHelp} />
      </p>
      {currentToken() !== undefined && (
        <p className="note bad" role="alert">
          {t.tokenWrong}
        </p>
      )}
      <div className="field">
        <label htmlFor="token">{t.token}</label>
        <input
          id="token"
          type="password"
          autoComplete="off"
          spellCheck={false}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
      </div>
      <div className="row">
        <button type="submit" className="button primary">
          {t.enter}
        </button>
      </div>
    </form>
  );
}
