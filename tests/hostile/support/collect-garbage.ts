import { inspect } from '../../setup/inspector.ts';

/** Makes a Node process collect garbage, so that its memory is what it retains. */
export function collectGarbage(id: number): Promise<void> {
  return inspect(id, [{ method: 'HeapProfiler.enable' }, { method: 'HeapProfiler.collectGarbage' }]);
}
