import v8 from 'node:v8';

/**
 * Has V8 create every object among the young ones. By itself it creates those of a place in the code among the old ones, for good, if most
 * from there were in use when young ones were collected. It has been seen to take what belongs to requests for long-lived, if many
 * come right after the start; then each request keeps what the next one creates, until old objects are collected (ADR 54). Call it first of all.
 */
export function keepObjectsYoung(): void {
  v8.setFlagsFromString('--no-allocation-site-pretenuring');
}
