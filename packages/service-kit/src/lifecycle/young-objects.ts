import v8 from 'node:v8';

/**
 * Makes V8 allocate all objects in the young generation. By default, V8 allocates objects of a code location in the
 * old generation for good, if most of that location's objects had survived minor collections. It has been seen to
 * treat objects of requests as long-lived if many arrive right after the start; then each request keeps the next
 * one's objects alive until a major collection (ADR 54). Call it before anything else.
 */
export function keepObjectsYoung(): void {
  v8.setFlagsFromString('--no-allocation-site-pretenuring');
}
