/** The SDK of OpenTelemetry with the OTLP exporters, set up for one sink. */
import type { Resource } from '@opentelemetry/resources';
import type { MeterProvider } from '@opentelemetry/sdk-metrics';
import type { SpanExporter, TracerProvider } from '@opentelemetry/sdk-trace';
import { messageOf, UsageError } from '../../core/errors.ts';
import type { Sink } from '../../core/event.ts';
import { openTelemetry, type SpanOptions } from '../open-telemetry.ts';
import { loadPeer } from './load-peer.ts';
import { RunIdGenerator } from './run-ids.ts';

export interface OtlpExportOptions extends SpanOptions {
  /**
   * The collector's base address, such as `http://localhost:4318` or `https://cloud.langfuse.com/api/public/otel`; `/v1/traces` and
   * `/v1/metrics` are added. Default: OTEL_EXPORTER_OTLP_ENDPOINT and its variants for one signal, else `http://localhost:4318`.
   */
  endpoint?: string;
  /** Sent with every request, over those of OTEL_EXPORTER_OTLP_HEADERS. */
  headers?: Record<string, string>;
  /** Default: OTEL_SERVICE_NAME, else `assay`. */
  serviceName?: string;
  /** Default: true, unless OTEL_TRACES_EXPORTER is `none`. */
  traces?: boolean;
  /** Default: true, unless OTEL_METRICS_EXPORTER is `none`. Langfuse and Phoenix take none. */
  metrics?: boolean;
  /** Milliseconds one export may take, retries included. Default: OTEL_EXPORTER_OTLP_TIMEOUT, else 3,000. */
  timeoutMs?: number;
  /** Milliseconds a span waits for others to be sent with it: what a killed process loses. Default 1,000. */
  delayMs?: number;
  /** Milliseconds `close` waits for what is not sent yet. Default 1,500, which is within what a run's sinks are given. */
  closeMs?: number;
}

/**
 * A sink that sends spans and metrics by OTLP over HTTP (protobuf, which every collector takes; Phoenix takes nothing else), in the
 * background and in batches: a collector that is slow or down delays no run. What could not be delivered is told once, by `close`,
 * which rejects then. The variables OTEL_EXPORTER_OTLP_* and OTEL_RESOURCE_ATTRIBUTES are honoured where no option says otherwise.
 *
 * Throws `UsageError` for a package that is missing, with the command that installs it, and for OTEL_EXPORTER_OTLP_PROTOCOL other than
 * `http/protobuf`.
 */
export async function otlpExport(options: OtlpExportOptions = {}): Promise<Sink> {
  checkProtocol(process.env);
  const losses: Losses = { lost: 0, why: undefined };
  const setup: Setup = { options, resource: await resourceOf(options), losses };
  const idGenerator = new RunIdGenerator();
  const tracerProvider = await tracingOf(idGenerator, setup);
  const meterProvider = await meteringOf(setup);
  const sink = await openTelemetry({ ...options, idGenerator, tracerProvider, meterProvider });
  const { closeMs = 1_500 } = options;
  return {
    ...sink,
    name: 'otlp',
    async close() {
      await sink.close?.();
      const flushed = Promise.allSettled([tracerProvider.shutdown(), meterProvider.shutdown()]);
      if ((await within(closeMs, flushed)) === 'late') losses.why ??= `it did not answer within ${closeMs} ms`;
      if (losses.why !== undefined) throw new Error(undelivered(losses));
    },
  };
}

interface Losses {
  /** Spans, and reports of metrics. */
  lost: number;
  why: string | undefined;
}

function undelivered({ lost, why }: Losses): string {
  const what = lost === 0 ? 'What was left to send' : `${lost} spans or reports of metrics`;
  return `${what} did not reach the OTLP collector: ${why}. Start it, or set the endpoint (OTEL_EXPORTER_OTLP_ENDPOINT) to where it is.`;
}

function checkProtocol(env: NodeJS.ProcessEnv): void {
  const names = ['', 'TRACES_', 'METRICS_'].map((signal) => `OTEL_EXPORTER_OTLP_${signal}PROTOCOL`);
  for (const name of names) {
    const protocol = env[name];
    if (!protocol || protocol === 'http/protobuf') continue;
    throw new UsageError(
      `${name} is '${protocol}', and otlpExport speaks 'http/protobuf' only. Unset it, or give openTelemetry() a provider of your own.`,
    );
  }
}

async function resourceOf({ serviceName }: OtlpExportOptions): Promise<Resource> {
  const sdk = await loadPeer('@opentelemetry/resources', () => import('@opentelemetry/resources'));
  const detectors = [sdk.resourceAttributesEnvDetector, sdk.serviceNameEnvDetector];
  const known = sdk.defaultResource().merge(sdk.resourceFromAttributes({ 'service.name': 'assay' }));
  const detected = known.merge(sdk.detectResources({ detectors }));
  return serviceName === undefined
    ? detected
    : detected.merge(sdk.resourceFromAttributes({ 'service.name': serviceName }));
}

interface Setup {
  options: OtlpExportOptions;
  resource: Resource;
  losses: Losses;
}

async function tracingOf(idGenerator: RunIdGenerator, { options, resource, losses }: Setup): Promise<TracerProvider> {
  const sdk = await loadPeer('@opentelemetry/sdk-trace', () => import('@opentelemetry/sdk-trace'));
  const { traces = process.env['OTEL_TRACES_EXPORTER'] !== 'none' } = options;
  if (!traces) return new sdk.TracerProvider({ resource, idGenerator });
  const { OTLPTraceExporter } = await loadPeer(
    '@opentelemetry/exporter-trace-otlp-proto',
    () => import('@opentelemetry/exporter-trace-otlp-proto'),
  );
  const exporter = new OTLPTraceExporter(exporterConfig(options, 'traces'));
  const send = exporter.export.bind(exporter);
  exporter.export = (spans, done) => send(spans, counting(spans.length, losses, done));
  const { delayMs: scheduledDelayMillis = 1_000 } = options;
  // What does not fit is dropped by the SDK without a word: the default has room for 2,048.
  const processor = new sdk.BatchSpanProcessor({ exporter, scheduledDelayMillis, maxQueueSize: 16_384 });
  return new sdk.TracerProvider({ resource, idGenerator, spanProcessors: [processor] });
}

async function meteringOf({ options, resource, losses }: Setup): Promise<MeterProvider> {
  const sdk = await loadPeer('@opentelemetry/sdk-metrics', () => import('@opentelemetry/sdk-metrics'));
  const { metrics = process.env['OTEL_METRICS_EXPORTER'] !== 'none' } = options;
  if (!metrics) return new sdk.MeterProvider({ resource });
  const { OTLPMetricExporter } = await loadPeer(
    '@opentelemetry/exporter-metrics-otlp-proto',
    () => import('@opentelemetry/exporter-metrics-otlp-proto'),
  );
  const exporter = new OTLPMetricExporter(exporterConfig(options, 'metrics'));
  const send = exporter.export.bind(exporter);
  exporter.export = (report, done) => send(report, counting(1, losses, done));
  return new sdk.MeterProvider({ resource, readers: [new sdk.PeriodicExportingMetricReader({ exporter })] });
}

type Done = Parameters<SpanExporter['export']>[1];

/** Notes what could not be delivered: the SDK tells nobody. */
function counting(size: number, losses: Losses, done: Done): Done {
  return (result) => {
    if (result.error) {
      losses.lost += size;
      losses.why = messageOf(result.error);
    }
    done(result);
  };
}

interface ExporterConfig {
  url?: string;
  headers?: Record<string, string>;
  timeoutMillis?: number;
}

function exporterConfig(
  { endpoint, headers, timeoutMs }: OtlpExportOptions,
  signal: 'traces' | 'metrics',
): ExporterConfig {
  const inEnvironment = ['', `${signal.toUpperCase()}_`].some(
    (part) => process.env[`OTEL_EXPORTER_OTLP_${part}TIMEOUT`] !== undefined,
  );
  const timeoutMillis = timeoutMs ?? (inEnvironment ? undefined : 3_000);
  return {
    ...(endpoint !== undefined && { url: `${endpoint.replace(/\/+$/, '')}/v1/${signal}` }),
    ...(headers && { headers }),
    ...(timeoutMillis !== undefined && { timeoutMillis }),
  };
}

async function within(ms: number, work: Promise<unknown>): Promise<'done' | 'late'> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(resolve, ms, 'late');
  });
  try {
    return await Promise.race([work.then(() => 'done' as const), late]);
  } finally {
    clearTimeout(timer);
  }
}
