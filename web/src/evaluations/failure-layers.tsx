import type { ReactNode } from 'react';
import type { Texts } from '../i18n/english.ts';
import { useTexts } from '../i18n/i18n.tsx';
import { ScrollFrame } from '../parts/scroll-frame.tsx';
import type { LayerRow } from './evaluation-shapes.ts';

const layerKeys: Readonly<Record<string, keyof Texts>> = {
  decompose: 'layerDecompose',
  search: 'layerSearch',
  act: 'layerAct',
  verify: 'layerVerify',
  memory: 'layerMemory',
  model: 'layerModel',
  environment: 'layerEnvironment',
};

export function layerText(layer: string, t: Texts): string {
  const key = layerKeys[layer];
  return key === undefined ? layer : t[key];
}

/** Where failures come from, and what would meet them. */
export function FailureLayers({ layers }: { layers: readonly LayerRow[] }): ReactNode {
  const t = useTexts();
  if (layers.length === 0) return null;
  const most = Math.max(...layers.map(({ count }) => count));
  return (
    <section className="stack" aria-label={t.failureLayers}>
      <h2>{t.failureLayers}</h2>
      <ScrollFrame label={t.failureLayers}>
        <table className="table">
          <thead>
            <tr>
              <th scope="col">{t.layer}</th>
              <th scope="col" className="number">
                {t.failures}
              </th>
              <th scope="col" className="bar-cell">
                <span className="visually-hidden">{t.failures}</span>
              </th>
              <th scope="col">{t.byConfiguration}</th>
              <th scope="col">{t.whatWouldHelp}</th>
            </tr>
          </thead>
          <tbody>
            {layers.map((row) => (
              <tr key={row.layer}>
                <th scope="row" className="short">
                  {layerText(row.layer, t)}
                </th>
                <td className="number numbers">{row.count}</td>
                <td className="bar-cell">
                  <svg className="bar" aria-hidden="true">
                    <rect className="share" width={`${(100 * row.count) / most}%`} height="100%" rx="2" />
                  </svg>
                </td>
                <td className="quiet numbers by-configuration">
                  {Object.entries(row.byConfiguration)
                    .map(([name, count]) => `${name} ${count}`)
                    .join(' · ')}
                </td>
                <td className="why">{row.remedies[0]}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollFrame>
    </section>
  );
}
