import { cpus, loadavg } from 'node:os';
import type { BenchReport } from './bench.ts';
import type { Footprint } from './footprint.ts';
import type { Figures } from './measure.ts';
import { NAMES } from './prepare.ts';
import { median, noise } from './statistics.ts';
import { table } from './table.ts';

/** The figures promised in docs/performance.md, with their limits. */
interface Promises {
  /** CPU of the gateway for an authenticated read, relative to bare express. At most 8. */
  readonly cpuRatio: number;
  /** CPU of authentication and both budgets with a cached key, in microseconds per request. At most 60. */
  readonly keyMicros: number;
  /** CPU of authentication and both budgets with a cached bearer token. At most 60. */
  readonly bearerMicros: number;
  /** CPU of an evaluation in a worker, relative to whoami minus bare express. At most 1.5. */
  readonly workerRatio: number;
  /** Median latency of a read through the stack minus that of the same read from MongoDB, in milliseconds. Below 1. */
  readonly aboveMongoMs: number;
}

/** Computes the promised figures from a report. */
function promisesOf(report: BenchReport): Promises {
  const open = figuresOf(report.gate, NAMES.open).cpu;
  const express = figuresOf(report.layers, NAMES.express).cpu;
  const whoami = figuresOf(report.routes, NAMES.whoami).cpu;
  return {
    workerRatio: figuresOf(report.workers, NAMES.evaluation).cpu / (whoami - express),
    keyMicros: figuresOf(report.gate, NAMES.key).cpu - open,
    bearerMicros: figuresOf(report.gate, NAMES.bearer).cpu - open,
    cpuRatio: figuresOf(report.layers, NAMES.stack).cpu / express,
    aboveMongoMs: figuresOf(report.latency, NAMES.get).p50Ms - figuresOf(report.latency, NAMES.mongo).p50Ms,
  };
}

/** The report as text. */
export function describeReport(report: BenchReport): string {
  const { cpuRatio, workerRatio, keyMicros, bearerMicros, aboveMongoMs } = promisesOf(report);
  const open = figuresOf(report.gate, NAMES.open).cpu;
  const timesOpen = (micros: number): string => ((open + micros) / open).toFixed(2);
  const express = figuresOf(report.layers, NAMES.express).cpu;
  const limit = figuresOf(report.transports, 'raw-http').cpu;
  const direct = figuresOf(report.latency, NAMES.mongo).p50Ms;
  return [
    'CPU of one request in the process that answers it',
    table(
      ['', 'µs', 'this layer', '× express', 'p50 ms', 'p99 ms', '1/s', '± %'],
      report.layers.map((it, i) => [
        it.name,
        it.cpu.toFixed(0),
        difference(it, report.layers[i - 1]),
        (it.cpu / express).toFixed(2),
        ...loopCells(it),
      ]),
    ),
    'Past the gate: a route that does nothing else, with a request log line',
    table(
      ['', 'µs', 'the gate', '× no gate', 'p50 ms', 'p99 ms', '1/s', '± %'],
      report.gate.map((it) => [
        it.name,
        it.cpu.toFixed(0),
        (it.cpu - open).toFixed(0),
        (it.cpu / open).toFixed(2),
        ...loopCells(it),
      ]),
    ),
    'Routes of the running gateway, CPU of the gateway',
    table(
      ['', 'µs', '× express', 'p50 ms', 'p99 ms', '1/s', '± %'],
      report.routes.map((it) => [
        it.name,
        it.cpu.toFixed(0),
        (it.cpu / express).toFixed(2),
        ...loopCells(it),
      ]),
    ),
    'Executions: CPU of the tools service; and a check in a worker process, CPU of both processes',
    table(
      ['', 'µs', 'p50 ms', 'p99 ms', '1/s', '± %'],
      [...report.executions, ...report.workers].map((it) => [it.name, it.cpu.toFixed(0), ...loopCells(it)]),
    ),
    'The same RPC over each transport, CPU in the caller and in the service',
    table(
      ['', 'caller µs', 'service µs', 'caller × raw', 'p50 ms', 'p99 ms', '1/s', '± %'],
      report.transports.map((it) => [
        it.name,
        it.cpu.toFixed(0),
        it.otherCpu.toFixed(0),
        (it.cpu / limit).toFixed(2),
        ...loopCells(it),
      ]),
    ),
    'One caller, nothing else running',
    table(
      ['', 'p50 ms', 'above MongoDB', 'p99 ms'],
      report.latency.map((it) => [
        it.name,
        it.p50Ms.toFixed(3),
        (it.p50Ms - direct).toFixed(3),
        it.p99Ms.toFixed(3),
      ]),
    ),
    `${NAMES.get}: ${cpuRatio.toFixed(1)} × the CPU of bare express (at most 8), ` +
      `${aboveMongoMs.toFixed(2)} ms above MongoDB (below 1)`,
    `a check in a worker: ${workerRatio.toFixed(2)} × the CPU of ${NAMES.whoami} above bare express (at most 1.5)`,
    `authentication and both budgets (at most 60 µs CPU): ${keyMicros.toFixed(0)} µs with a known key, ` +
      `${timesOpen(keyMicros)} × the route without; ${bearerMicros.toFixed(0)} µs with a known token, ${timesOpen(bearerMicros)} ×`,
    `${cpus().length} CPUs, load ${loadavg()[0]?.toFixed(1)}; ± is half the quartile distance over the rounds`,
  ].join('\n\n');
}

/** Resources of the idle stack. */
export function describeFootprint({ startSeconds, pssGigabytes }: Footprint): string {
  const told = (values: readonly number[]): string =>
    `${median(values).toFixed(2)} (± ${(100 * noise(values)).toFixed(0)} %)`;
  return `The whole stack: ${told(startSeconds)} s to start with warm caches, ${told(pssGigabytes)} GB PSS at rest`;
}

function figuresOf(figures: readonly Figures[], name: string): Figures {
  const found = figures.find((it) => it.name === name);
  if (found === undefined) throw new Error(`${name} was not measured.`);
  return found;
}

function difference(it: Figures, before: Figures | undefined): string {
  return before === undefined ? '' : (it.cpu - before.cpu).toFixed(0);
}

function loopCells(it: Figures): string[] {
  return [it.p50Ms.toFixed(2), it.p99Ms.toFixed(2), it.perSecond.toFixed(0), (100 * it.noise).toFixed(0)];
}
