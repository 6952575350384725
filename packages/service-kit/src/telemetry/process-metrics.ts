import { readdirSync } from 'node:fs';
import { PerformanceObserver, constants, monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import type { Registry } from './metrics.ts';

const LAG_RESOLUTION_MS = 50;
const NS_PER_SECOND = 1e9;
const US_PER_SECOND = 1e6;
const GC_BUCKETS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1];

const GC_KINDS: Readonly<Record<number, string>> = {
  [constants.NODE_PERFORMANCE_GC_MINOR]: 'minor',
  [constants.NODE_PERFORMANCE_GC_MAJOR]: 'major',
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL]: 'incremental',
  [constants.NODE_PERFORMANCE_GC_WEAKCB]: 'weakcb',
};

/**
 * Adds the metrics of a Node process: CPU, memory, open files, event-loop lag, garbage collection. The names are
 * those of the Prometheus client libraries, so dashboards for Node work. None of them keeps the process alive.
 */
export function measureProcess(registry: Registry): void {
  addCpu(registry);
  addMemory(registry);
  registry.observed({
    name: 'process_start_time_seconds',
    help: 'Start of the process, in seconds since 1970.',
    read: () => performance.timeOrigin / 1000,
  });
  registry.observed({
    name: 'process_open_fds',
    help: 'Open file descriptors; 0 where the system does not tell.',
    read: openFiles,
  });
  registry.observed({
    name: 'nodejs_version_info',
    help: 'The version of Node.',
    labels: { version: process.version },
    read: () => 1,
  });
  addEventLoop(registry);
  addGarbageCollection(registry);
}

function addCpu(registry: Registry): void {
  registry.observed({
    name: 'process_cpu_seconds_total',
    help: 'CPU time, user and system.',
    type: 'counter',
    read: () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / US_PER_SECOND;
    },
  });
}

function addMemory(registry: Registry): void {
  registry.observed({
    name: 'process_resident_memory_bytes',
    help: 'Memory that the process holds.',
    read: () => process.memoryUsage.rss(),
  });
  registry.observed({
    name: 'nodejs_heap_size_used_bytes',
    help: 'JavaScript heap in use.',
    read: () => getHeapStatistics().used_heap_size,
  });
  registry.observed({
    name: 'nodejs_heap_size_limit_bytes',
    help: 'JavaScript heap at which the process ends itself.',
    read: () => getHeapStatistics().heap_size_limit,
  });
  registry.observed({
    name: 'nodejs_external_memory_bytes',
    help: 'Memory of buffers outside the JavaScript heap.',
    read: () => getHeapStatistics().external_memory,
  });
}

function addEventLoop(registry: Registry): void {
  const lag = monitorEventLoopDelay({ resolution: LAG_RESOLUTION_MS });
  lag.enable();
  // The monitor's samples include its own interval.
  const seconds = (ns: number): number => Math.max(0, ns / NS_PER_SECOND - LAG_RESOLUTION_MS / 1000) || 0;
  registry.observed({
    name: 'nodejs_eventloop_lag_p50_seconds',
    help: 'Median lag of the event loop since the page was last read.',
    read: () => seconds(lag.percentile(50)),
  });
  registry.observed({
    name: 'nodejs_eventloop_lag_p99_seconds',
    help: '99th percentile of the lag of the event loop since the page was last read.',
    read: () => seconds(lag.percentile(99)),
  });
  registry.observed({
    name: 'nodejs_eventloop_lag_max_seconds',
    help: 'Greatest lag of the event loop since the page was last read.',
    read: () => {
      const max = lag.count === 0 ? 0 : seconds(lag.max);
      // This metric is read last, after the other two, so the next page begins with no samples.
      lag.reset();
      return max;
    },
  });
  let last = performance.eventLoopUtilization();
  registry.observed({
    name: 'nodejs_eventloop_utilization',
    help: 'Share of the time since the page was last read in which the event loop was busy, 0 to 1.',
    read: () => {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, last);
      last = now;
      return utilization;
    },
  });
}

function addGarbageCollection(registry: Registry): void {
  const durations = registry.histogram({
    name: 'nodejs_gc_duration_seconds',
    help: 'Pauses of the garbage collector.',
    labels: ['kind'],
    buckets: GC_BUCKETS,
  });
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      durations.series(kindOf('detail' in entry ? entry.detail : undefined)).observe(entry.duration / 1000);
    }
  });
  observer.observe({ entryTypes: ['gc'] });
}

function kindOf(detail: unknown): string {
  const isGc = typeof detail === 'object' && detail !== null && 'kind' in detail;
  return (isGc && typeof detail.kind === 'number' ? GC_KINDS[detail.kind] : undefined) ?? 'other';
}

function openFiles(): number {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    return 0;
  }
}
