import { expect, test } from 'vitest';
import { MetricsRegistry } from './metrics.ts';

test('figures are written as Prometheus reads them, with what a label holds escaped', () => {
  const registry = new MetricsRegistry();
  registry.counter('runs', 'Runs.')({ agent: 'a"\\\n' }, 2);
  const seconds = registry.histogram('seconds', 'Time.', [1, 5]);
  for (const value of [0.5, 1, 3, 9]) seconds({ route: '/' }, value);
  registry.gauge('live', 'Live.', () => 7);
  expect(registry.text().split('\n')).toEqual([
    '# HELP runs Runs.',
    '# TYPE runs counter',
    'runs{agent="a\\"\\\\\\n"} 2',
    '# HELP seconds Time.',
    '# TYPE seconds histogram',
    'seconds_bucket{route="/",le="1"} 2',
    'seconds_bucket{route="/",le="5"} 3',
    'seconds_bucket{route="/",le="+Inf"} 4',
    'seconds_sum{route="/"} 13.5',
    'seconds_count{route="/"} 4',
    '# HELP live Live.',
    '# TYPE live gauge',
    'live 7',
    '',
  ]);
});
