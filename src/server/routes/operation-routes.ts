import type { Admission } from '../admission.ts';
import { json, type Route, route } from '../route.ts';
import { Health, NoQuery } from '../schemas.ts';
import type { ServerMetrics } from '../server-metrics.ts';

export interface OperationRoutesContext {
  admission: Admission;
  metrics: ServerMetrics;
  openApi(): unknown;
}

/** For whoever runs the server: alive, ready, figures; and the description of the API. */
export function operationRoutes({ admission, metrics, openApi }: OperationRoutesContext): Route[] {
  return [
    route({
      method: 'get',
      path: '/healthz',
      operation: 'getHealth',
      summary: 'The process answers',
      scope: 'open',
      query: NoQuery,
      responses: { 200: { description: 'It does', schema: Health } },
      handle: () => json({ status: 'ok' }),
    }),
    route({
      method: 'get',
      path: '/readyz',
      operation: 'getReadiness',
      summary: 'The server takes new runs',
      scope: 'open',
      query: NoQuery,
      responses: {
        200: { description: 'It does', schema: Health },
        503: { description: 'It goes down', schema: Health },
      },
      handle: () => (admission.closed ? json({ status: 'draining' }, 503) : json({ status: 'ok' })),
    }),
    route({
      method: 'get',
      path: '/metrics',
      operation: 'getMetrics',
      summary: 'Figures over all tenants in the Prometheus text format',
      scope: 'metrics',
      query: NoQuery,
      responses: { 200: { description: 'The figures', types: ['text/plain'] } },
      handle: () =>
        new Response(metrics.text(), { headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' } }),
    }),
    route({
      method: 'get',
      path: '/v1/openapi.json',
      operation: 'getOpenApi',
      summary: 'This API as an OpenAPI 3.1 document',
      scope: 'open',
      query: NoQuery,
      responses: { 200: { description: 'The document', types: ['application/json'] } },
      handle: () => json(openApi()),
    }),
  ];
}
