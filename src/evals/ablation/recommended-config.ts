/** The configuration that an ablation recommends, as a file to start from. */
import type { AblationFindings, Mechanism } from '../findings.ts';

const layerCode: Partial<Record<Mechanism, { imports: string; code: string }>> = {
  lessons: {
    imports: 'lessons, sqliteLessons',
    code: "lessons({ store: sqliteLessons({ file: '.assay/lessons.db' }) })",
  },
  reflexion: {
    imports: 'reflexion, checksPass, builtinChecks',
    code: 'reflexion({ evaluator: checksPass([...builtinChecks.values()]) })',
  },
  'self-consistency': { imports: 'selfConsistency', code: 'selfConsistency()' },
  plan: { imports: 'planAndSolve', code: 'planAndSolve()' },
};

/** Outermost first, as `compose` asks for. */
const order: readonly Mechanism[] = ['lessons', 'reflexion', 'self-consistency', 'verification', 'plan'];

/** An `assay.config.ts` with the recommended mechanisms. Model, tools and evaluator are the reader's to fill in: a suite is no agent. */
export function recommendedConfig(findings: AblationFindings, about: { suite: string; evaluation: string }): string {
  const chosen = new Set(findings.recommended);
  const layers = order.filter((mechanism) => chosen.has(mechanism)).map((mechanism) => layerOf(mechanism, chosen));
  const solver = chosen.has('react') ? 'react' : 'direct';
  const imports = ['defineAgent', solver, ...layers.map((layer) => layer.imports)].join(', ');
  const names = [...new Set(imports.split(', '))].sort();
  return [
    `// Recommended by the evaluation ${about.evaluation} of the suite '${about.suite}':`,
    ...findings.verdicts.map(
      ({ mechanism, verdict, why }) => `// ${mechanism}: ${verdict.replaceAll('-', ' ')}; ${why}`,
    ),
    `import { ${names.join(', ')} } from 'assay';`,
    '',
    'export default defineAgent({',
    "  model: 'openai:gpt-5-mini',",
    ...(chosen.has('react') ? ['  tools: [],'] : []),
    `  solver: ${solver}(),`,
    '  layers: [',
    ...layers.map(({ code }) => `    ${code},`),
    '  ],',
    '});',
    '',
  ].join('\n');
}

function layerOf(mechanism: Mechanism, chosen: ReadonlySet<Mechanism>): { imports: string; code: string } {
  const layer = layerCode[mechanism];
  if (layer) return layer;
  const rounds = chosen.has('refine') ? 2 : 0;
  return { imports: 'verification', code: `verification({ refine: { rounds: ${rounds} } })` };
}
