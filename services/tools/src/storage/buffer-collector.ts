import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Bytes between two garbage collections. */
const EVERY_BYTES = 4 * 1024 * 1024;

/**
 * Counts bytes transferred in own buffers and triggers a garbage collection every 4 MiB, which takes a few milliseconds. V8 only sees the
 * buffers' small handles, and would let tens of megabytes of a transfer accumulate.
 */
export function createBufferCollector(collect: () => void = minorCollection()): (bytes: number) => void {
  let passed = 0;
  return (bytes) => {
    passed += bytes;
    if (passed < EVERY_BYTES) return;
    passed = 0;
    collect();
  };
}

/** A minor garbage collection. The global function exists only with this flag. */
function minorCollection(): () => void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect !== 'function') throw new Error('This version of Node has no gc().');
  return () => void Reflect.apply(collect, undefined, [{ type: 'minor' }]);
}
