import type { KnownCause } from '../case.ts';
import { modelCall } from '../trace.ts';
import { stating } from '../world.ts';

const outages = [
  'The provider is overloaded at https://api.example.com/v1/chat (503): "try later". Wait, or use another model.',
  'The provider limits the rate of calls (429). Wait, lower the concurrency, or use another model.',
  'The provider refused the key (401): "invalid key". Check that the API key is set, valid, and allowed to use this model.',
  'No connection to the model server at http://127.0.0.1:9/v1 (ECONNREFUSED). Start the server, or correct the base URL.',
  'The account of this key has nothing left (429): "insufficient quota". Add credit, or use another key or model.',
];
const broken = [
  ['timeout', 'No result within 10000 ms.'],
  ['error', 'connect ECONNREFUSED 10.0.0.7:5432'],
  ['error', 'HTTP 503: service unavailable'],
  ['error', 'getaddrinfo ENOTFOUND register.example.org'],
  ['error', '502 Bad Gateway'],
  ['error', '连接超时：登记服务没有响应'],
] as const;

export const environmentCauses: Record<string, KnownCause> = {
  'provider-down': {
    make: (world, trace) => {
      if (world.draws.happens(0.5)) trace.observe(world.tool, world.query, world.table([world.other]));
      const detail = world.draws.pick(outages);
      trace.emit(modelCall('error', detail));
      return { run: trace.end({ ended: { type: 'fault', fault: 'model-error', detail } }) };
    },
  },
  'tool-unreachable': {
    make: (world, trace) => {
      const [status, text] = world.draws.pick(broken);
      const times = world.draws.whole(2, 4);
      for (let call = 0; call < times; call++)
        trace.observe(world.tool, { ...world.query, page: world.draws.happens(0.5) ? call : 0 }, text, status);
      if (world.draws.happens(0.5)) return { run: trace.end({ answer: stating(world, world.absent) }) };
      const ended = {
        type: 'limit' as const,
        limit: 'no-progress' as const,
        detail: '3 calls repeated what had already come out the same',
      };
      return { run: trace.end({ ended, status: 'stopped' }) };
    },
    without: ['tool-trouble'],
  },
  'data-missing': {
    make: (world, trace) => {
      const none = world.zh
        ? '没有找到匹配的记录'
        : world.draws.pick(['No results.', 'no matching entry', '[]', '0 rows']);
      trace.observe(world.tool, world.query, none);
      trace.observe(world.tool, { query: `${world.row.name} ${world.row.year}` }, none);
      if (world.draws.happens(0.5)) trace.observe(world.tool, { query: world.row.name }, none);
      const unknown = world.zh ? '资料中没有这一项。' : 'The register does not say.';
      return { run: trace.end({ answer: world.draws.happens(0.5) ? unknown : stating(world, world.absent) }) };
    },
  },
  'approval-denied': {
    make: (world, trace) => {
      trace.emit({
        type: 'approval.requested',
        signal: 's1',
        tool: 'openRegister',
        args: world.query,
        why: 'it writes',
      });
      trace.emit({ type: 'approval.decided', signal: 's1', approved: false, reason: 'not now' });
      trace.observe('openRegister', world.query, 'A human denied this call: not now. Do not repeat it.', 'denied');
      return { run: trace.end({ answer: stating(world, world.absent) }) };
    },
  },
  'policy-denied': {
    make: (world, trace) => {
      const times = world.draws.whole(1, 3);
      for (let call = 0; call < times; call++)
        trace.refused(
          'openRegister',
          'Denied: irreversible calls are denied by the policy. Do without it or say what is missing.',
          'denied',
        );
      if (world.draws.happens(0.5))
        return { run: trace.end({ answer: world.zh ? '无法查询。' : 'I could not look it up.' }) };
      const ended = {
        type: 'fault' as const,
        fault: 'too-many-faults' as const,
        detail: '5 calls or turns were refused',
      };
      return { run: trace.end({ ended }) };
    },
    without: ['faults'],
  },
  'budget-too-small': {
    make: (world, trace) => {
      for (const row of world.rows.slice(0, 3))
        trace.observe(
          world.tool,
          { query: `${row.name} ${row.year}` },
          world.table([row].filter(({ value }) => value !== world.right)),
        );
      const limit = world.draws.pick(['tokens', 'usd', 'ms', 'modelCalls', 'toolCalls'] as const);
      return {
        run: trace.end({ ended: { type: 'limit', limit, detail: `the limit ${limit} is used up` }, status: 'stopped' }),
      };
    },
    without: ['plan'],
  },
  'awaiting-approval': {
    make: (world, trace) => {
      trace.observe(world.tool, world.query, world.table([world.other]));
      trace.emit({
        type: 'approval.requested',
        signal: 's1',
        tool: 'openRegister',
        args: world.query,
        why: 'it writes',
      });
      const ended = { type: 'limit' as const, limit: 'interrupted' as const, detail: 'the attempt was not finished' };
      return { run: trace.end({ ended, status: 'awaiting_approval' }) };
    },
  },
};
