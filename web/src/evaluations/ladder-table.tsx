import type { ReactNode } from 'react';
import type { Texts } from '../i18n/english.ts';
import { useTexts } from '../i18n/i18n.tsx';
import { Badge, type Tone } from '../parts/badge.tsx';
import { ScrollFrame } from '../parts/scroll-frame.tsx';
import { Difference } from './configuration-table.tsx';
import type { Ablation, MechanismVerdict } from './evaluation-shapes.ts';

const verdicts: Readonly<Record<MechanismVerdict['verdict'], [Tone, keyof Texts]>> = {
  keep: ['good', 'verdictKeep'],
  drop: ['bad', 'verdictDrop'],
  'not-enough-data': ['plain', 'verdictNoData'],
};

/** What each mechanism adds, and whether to keep it. */
export function LadderTable({ ablation: { verdicts: rows, recommended, control } }: { ablation: Ablation }): ReactNode {
  const t = useTexts();
  return (
    <section className="stack" aria-label={t.ladder}>
      <h2>{t.ladder}</h2>
      <p>
        {t.recommended}: <strong>{recommended.length === 0 ? t.directAnswer : recommended.join(' → ')}</strong>
      </p>
      <ScrollFrame label={t.ladder}>
        <table className="table">
          <thead>
            <tr>
              <th scope="col">{t.mechanism}</th>
              <th scope="col">{t.verdict}</th>
              <th scope="col">{t.whenAdded}</th>
              <th scope="col">{t.whenKeptIn}</th>
              <th scope="col">{t.why}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <Row key={row.mechanism} row={row} />
            ))}
          </tbody>
        </table>
      </ScrollFrame>
      {control && (
        <p className="quiet">
          {t.equalBudget}: {control.why}
        </p>
      )}
    </section>
  );
}

function Row({ row: { mechanism, verdict, added, leftOut, why, tasksNeeded } }: { row: MechanismVerdict }): ReactNode {
  const t = useTexts();
  const [tone, key] = verdicts[verdict];
  return (
    <tr>
      <th scope="row">{mechanism}</th>
      <td>
        <Badge tone={tone}>{t[key]}</Badge>
        {tasksNeeded !== undefined && (
          <div className="quiet numbers">
            {t.tasksNeeded}: {tasksNeeded}
          </div>
        )}
      </td>
      <td>
        <Difference comparison={added} />
      </td>
      <td>{leftOut ? <Difference comparison={leftOut} /> : '–'}</td>
      <td className="why">{why}</td>
    </tr>
  );
}
