import { getHeapStatistics } from 'node:v8';

/** What one process took. */
export interface Measurement {
  wallMs: number;
  /** User and system time of all its threads, of the measured runs alone. */
  cpuMs: number;
  /** The most that was resident in the process's whole life, the warm-up included. */
  peakRssMiB: number;
  /**
   * By how much the JavaScript heap grew at most, garbage that was not collected yet included, over the heap of the process before
   * the measured runs; looked at every 10 ms, or as often as the event loop allows.
   */
  heapGrowthMiB: number;
}

const mebibyte = 1024 * 1024;
const sampleMs = 10;

/** Needs `--expose-gc`: what a warm-up left behind is no growth. */
export async function measured(work: () => Promise<void>): Promise<Measurement> {
  if (!globalThis.gc) throw new Error('the garbage collector is not exposed: start this process with --expose-gc');
  globalThis.gc();
  const heapBefore = getHeapStatistics().used_heap_size;
  let peakHeap = heapBefore;
  const sample = (): void => {
    peakHeap = Math.max(peakHeap, getHeapStatistics().used_heap_size);
  };
  const timer = setInterval(sample, sampleMs);
  const cpuBefore = process.cpuUsage();
  const began = performance.now();
  await work();
  const wallMs = performance.now() - began;
  const { user, system } = process.cpuUsage(cpuBefore);
  clearInterval(timer);
  sample();
  return {
    wallMs,
    cpuMs: (user + system) / 1_000,
    peakRssMiB: process.resourceUsage().maxRSS / 1_024,
    heapGrowthMiB: (peakHeap - heapBefore) / mebibyte,
  };
}
