import type { ReactNode } from 'react';
import type { Texts } from '../i18n/english.ts';
import { useTexts } from '../i18n/i18n.tsx';
import { Badge, type Tone } from '../parts/badge.tsx';
import { ScrollFrame } from '../parts/scroll-frame.tsx';
import type { Aligned } from './align.ts';

const words: Readonly<Record<Aligned<unknown>['type'], [Tone, keyof Texts]>> = {
  same: ['good', 'pairSame'],
  changed: ['warn', 'pairChanged'],
  left: ['plain', 'pairLeft'],
  right: ['plain', 'pairRight'],
};

interface PairTableProps<Item> {
  title: string;
  rows: readonly Aligned<Item>[];
  /** What is said where there is nothing to compare. */
  none: string;
  children: (item: Item) => ReactNode;
}

/** Two lists beside each other; each line says how the two stand. */
export function PairTable<Item>({ title, rows, none, children }: PairTableProps<Item>): ReactNode {
  const t = useTexts();
  return (
    <section className="stack" aria-label={title}>
      <h2>{title}</h2>
      {rows.length === 0 ? (
        <p className="quiet">{none}</p>
      ) : (
        <ScrollFrame label={title}>
          <table className="table pairs">
            <thead>
              <tr>
                <th scope="col">{t.pair}</th>
                <th scope="col">A</th>
                <th scope="col">B</th>
              </tr>
            </thead>
            <tbody>
              {rows.map(({ type, left, right }, place) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the rows of two recorded runs never change places
                <tr key={place}>
                  <th scope="row">
                    <Badge tone={words[type][0]}>{t[words[type][1]]}</Badge>
                  </th>
                  <td>{left !== undefined && children(left)}</td>
                  <td>{right !== undefined && children(right)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollFrame>
      )}
    </section>
  );
}
