import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Bytes that pass between two collections. */
const EVERY_BYTES = 4 * 1024 * 1024;

/**
 * Counts bytes that have passed through buffers of their own, and has these collected every 4 MiB, which takes a few
 * milliseconds. V8 sees little but their handles, so that by itself it lets tens of megabytes of a transfer pile up.
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

/** A collection of what was allocated lately. The global function exists only with this flag. */
function minorCollection(): () => void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect !== 'function') throw new Error('This version of Node has no gc().');
  return () => void Reflect.apply(collect, undefined, [{ type: 'minor' }]);
}
