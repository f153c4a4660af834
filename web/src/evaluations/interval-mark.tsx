import type { ReactNode } from 'react';
import { percent } from '../parts/amounts.ts';
import type { Share } from './evaluation-shapes.ts';
import { linearScale } from './scale.ts';

/** Percent of the width; the ends stay free so that a dot at 0 or 1 is whole. */
const scale = linearScale({ domain: [0, 1], range: [4, 96] });

/** A share as a dot with its 95 % interval as a line, on an axis from 0 to 100 %. The figures stand beside it. */
export function IntervalMark({ share, isSubject }: { share: Share; isSubject: boolean }): ReactNode {
  const { rate, low, high } = share;
  return (
    <svg className={`interval${isSubject ? ' subject' : ''}`} aria-hidden="true">
      {scale.ticks.map((tick) => (
        <line key={tick} className="grid" x1={place(tick)} x2={place(tick)} y1="0" y2="100%" />
      ))}
      {rate !== null && low !== null && high !== null && (
        <>
          <line className="whisker" x1={place(low)} x2={place(high)} y1="50%" y2="50%" />
          <circle cx={place(rate)} cy="50%" r="5" />
        </>
      )}
    </svg>
  );
}

/** The axis of all marks in a column. */
export function IntervalAxis(): ReactNode {
  return (
    <svg className="interval axis" aria-hidden="true">
      {[0, 0.5, 1].map((tick) => (
        <text key={tick} x={place(tick)} y="70%" textAnchor={tick === 0 ? 'start' : tick === 1 ? 'end' : 'middle'}>
          {percent(tick).replace('.0', '')}
        </text>
      ))}
    </svg>
  );
}

function place(share: number): string {
  return `${scale.at(share)}%`;
}
