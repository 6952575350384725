import v8 from 'node:v8';

/**
 * Has V8 create every object among the young ones. By itself it creates those of a place in the code among the old ones, which it seldom
 * collects, if most from there are still in use when it first collects. A process that has just started collects after a megabyte, about
 * as much as thirty requests hold at once: it would take what belongs to requests for long-lived for good, and each request would
 * keep and have copied what the next one creates. Call it first of all: V8 decides once.
 */
export function keepObjectsYoung(): void {
  v8.setFlagsFromString('--no-allocation-site-pretenuring');
}
