export { type OtlpExportOptions, otlpExport } from './open-telemetry/otlp-export.ts';
export { type OpenTelemetryOptions, openTelemetry, RunIdGenerator, type SpanOptions } from './open-telemetry.ts';
